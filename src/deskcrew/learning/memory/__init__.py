"""Long-term memory: what was proven or corrected in earlier runs, and what the user declared (docs/design/memory.md)."""
