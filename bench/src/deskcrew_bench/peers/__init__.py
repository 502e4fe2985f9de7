"""Other agents on the pages of MiniWoB++, with the same seeds, limits and model."""
