"""Sending a crew back to one of its replies, as a person does with ``deskcrew rewind``."""

from __future__ import annotations

from pathlib import Path

from deskcrew.engine import rewind, session
from deskcrew.facts.events import Event, RoleReplied
from deskcrew.journal.journal import Journal


def first_reply(journal: Journal, role: str = "") -> Event | None:
    """The first reply on the branch, of ``role`` if one is named; None where there is none."""
    replies = (event for event in journal.events if isinstance(event.body, RoleReplied))
    return next((event for event in replies if not role or getattr(event.body, "role", "") == role), None)


def send_back(journal: Journal, reply: Event, workspace: Path, *, say: str, switch: str | None = None) -> Event:
    """Reject ``reply`` with a sentence, and bring its files back. Returns the event with which the new branch begins.

    Blocking. Raises what ``rewind.to_reply`` and ``rewind.go_back`` raise.
    """
    points = session.points_of(workspace, journal)
    back = rewind.to_reply(journal, reply.number, points)
    return rewind.go_back(journal, back, points, say=say, switch=switch)[0]
