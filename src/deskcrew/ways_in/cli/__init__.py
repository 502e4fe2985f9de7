"""The command line. One module per command; ``app`` only assembles them."""

from deskcrew.ways_in.cli.app import main

__all__ = ["main"]
