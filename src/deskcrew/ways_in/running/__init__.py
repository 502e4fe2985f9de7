"""Runs in processes of their own, controlled over sockets; the process that started them may exit
(docs/design/running.md)."""

from deskcrew.ways_in.running.messages import Again, Alive, Pending, RewindPlace, RunChanges, RunNote, RunScreens, Told
from deskcrew.ways_in.running.runs import Runs

__all__ = ["Again", "Alive", "Pending", "RewindPlace", "RunChanges", "RunNote", "RunScreens", "Runs", "Told"]
