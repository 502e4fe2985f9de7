"""Event sourcing: the append-only journal of every run, and the state folded from it (docs/design/journal.md)."""
