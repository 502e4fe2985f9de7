"""Runs in processes of their own, controlled over sockets; the process that started them may exit
(docs/design/running.md)."""

from deskcrew.ways_in.running.messages import Again, Alive, Changes, Note, Pending, Place, Screen, Told
from deskcrew.ways_in.running.runs import Runs

__all__ = ["Again", "Alive", "Changes", "Note", "Pending", "Place", "Runs", "Screen", "Told"]
