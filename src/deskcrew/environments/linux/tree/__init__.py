"""The accessibility tree of each program, read again and again."""
