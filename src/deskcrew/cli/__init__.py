"""The command line. One module a command; ``app`` only puts them together."""

from deskcrew.cli.app import main

__all__ = ["main"]
