"""Deskcrew in a browser: docs/design/web.md."""
