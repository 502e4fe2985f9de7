"""Credentials that a run may type but none of its roles can read (docs/design/secrets.md)."""
