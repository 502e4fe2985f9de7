"""The web application: docs/design/web.md."""
