"""A part that only has a program opened, on a file that is there or on none."""

from __future__ import annotations

from deskcrew.english.openings import opening
from deskcrew.events import Operation
from deskcrew.situation import Reply, Situation

OPEN = "open_application"


def opens_program(situation: Situation) -> Reply | None:
    """Open it, once: what comes of it is for the role to see."""
    if OPEN not in situation.domain or situation.last_done is not None:
        return None
    order = opening(situation.part, situation.programs, situation.files)
    if order is None or not order.program:
        return None
    return Reply((Operation(function=OPEN, params={"app_name": order.program, "file": order.file}),))
