"""The append-only journal of every run, and the state that is folded from it (DESIGN 3)."""
