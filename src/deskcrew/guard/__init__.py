"""Authorization of operations: by code, not by a prompt."""
