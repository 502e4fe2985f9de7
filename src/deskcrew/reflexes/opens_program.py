"""A subtask that only opens a program, with an existing file or none."""

from __future__ import annotations

from deskcrew.english.openings import opening
from deskcrew.events import Operation
from deskcrew.situation import Reply, Situation

OPEN = "open_application"


def opens_program(situation: Situation) -> Reply | None:
    """Opens the program, once; the role judges the result."""
    if OPEN not in situation.domain or situation.last_done is not None:
        return None
    there = situation.files
    order = opening(situation.part, situation.programs, there)
    if order is None or not order.what or not there.issuperset(order.files):
        return None
    return Reply((Operation(function=OPEN, params={"app_name": order.what[0], "file": order.name}),))
