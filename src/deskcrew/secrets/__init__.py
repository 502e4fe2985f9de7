"""Secrets that a run may type and that nobody in it may read (docs/design/secrets.md)."""
