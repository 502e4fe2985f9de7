"""The command line, called as a user calls it."""

from __future__ import annotations

from cli.conftest import cli

__all__ = ["cli"]
