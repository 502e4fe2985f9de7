"""Runs in processes of their own, spoken to over a socket: whoever started them may go (docs/design/running.md)."""

from deskcrew.running.messages import Again, Alive, Changes, Note, Pending, Place, Screen, Told
from deskcrew.running.runs import Runs

__all__ = ["Again", "Alive", "Changes", "Note", "Pending", "Place", "Runs", "Screen", "Told"]
