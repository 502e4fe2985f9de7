"""A run again from its journal alone, and whether it is the same: docs/design/repair.md."""
