"""The append-only journal of every run, and the state that is folded from it: docs/design/journal.md."""
