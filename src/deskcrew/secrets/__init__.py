"""Credentials that a run may type and that nobody in it can read (docs/design/secrets.md)."""
