"""Lanes (FRIDAY F4): which parts of the plan are worked on at once, and at which desk each of them.

A part is given a lane if it waits for nothing and needs nothing that another one is at: a file that both name, or the only
desktop or browser. Where a run may have several of these, each lane that needs one is given its own.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

from deskcrew.engine.claims import DESKTOP
from deskcrew.engine.surroundings import Surroundings
from deskcrew.facts.events import LanesOpened, Observed
from deskcrew.facts.plan import Subtask
from deskcrew.journal.fold import Phase
from deskcrew.journal.journal import Journal

TOGETHER = frozenset[Phase]({"recover", "review", "ask", "decide", "execute", "judge"})
"""What a lane does while others are at work. All else is of the plan or of the run as a whole, and waits for them."""
WAITING: tuple[Phase, ...] = ("finish", "more", "appeal", "plan")
"""Phases for which a lane waits for the others, in the order in which they are done."""


def open_lanes(surroundings: Surroundings) -> tuple[str, ...]:
    """Open lanes for the parts that may be done beside those that are worked on, and return their ids. None where a single
    part is all that there is to do: that takes no lane."""
    record = surroundings.record
    state = record.state
    free = record.crew.lanes - len(state.lanes)
    if free <= 0 or record.crew.lanes == 1 or record.state.plan_only or not _goes_on(record.journal):
        return ()
    chosen: list[Subtask] = []
    taken = [surroundings.claims(part) for part in state.lanes.values()]
    desks = {part.id: state.desk_of(part) for part in state.lanes.values() if DESKTOP in surroundings.claims(part)}
    for part in state.plan.all_ready:
        if len(chosen) == free:
            break
        claims = surroundings.claims(part)
        if part.id in state.lanes or part.role is None or any(_meet(claims - {DESKTOP}, others) for others in taken):
            continue
        if DESKTOP in claims:
            if (desk := _desk_for(surroundings, part, desks.values())) is None:
                continue
            desks[part.id] = desk
        chosen.append(part)
        taken.append(claims)
    if len(chosen) + len(state.lanes) < 2:
        return ()
    opened = tuple(part.id for part in chosen)
    if opened:
        others = {
            part.id: desks[part.id] for part in chosen if desks.get(part.id, state.desk_of(part)) != state.desk_of(part)
        }
        record.journal.append(LanesOpened(subtasks=opened, desks=others))
    return opened


def _desk_for(surroundings: Surroundings, part: Subtask, taken: Collection[int]) -> int | None:
    """The desk at which a part is to be done; None where that is taken. The one where a window shows a file that it names,
    since two programs must not have one document; else the one where what it needs was done, or any that is free."""
    state = surroundings.record.state
    own, every = state.desk_of(part), range(1, surroundings.own_desk.most + 1)
    named = {path.name for path in map(PurePosixPath, surroundings.claims(part) - {DESKTOP}) if path.suffix}
    shown = [
        desk
        for desk in every
        if any(name in title for title in _titles(surroundings.record.journal, desk) for name in named)
    ]
    return next((desk for desk in shown or (own, *every) if desk not in taken), None)


def _titles(journal: Journal, desk: int) -> tuple[str, ...]:
    """Titles of the windows that the last observation at a desk showed."""
    looks = (event.body for event in reversed(journal.events) if isinstance(event.body, Observed))
    return next((look.windows for look in looks if look.desk == desk), ())


def _goes_on(journal: Journal) -> bool:
    """Whether nothing is due but the parts of the plan as it is."""
    state = journal.state
    if not state.lanes:
        return state.phase == "decide" and state.decision is None
    outside = state if not state.floor else state.aside[""]
    due = outside.wants_plan or outside.stop is not None or outside.asking is not None
    return not due and all(state.phase_of(lane) in TOGETHER for lane in state.lanes)


def _meet(one: Collection[str], other: Collection[str]) -> bool:
    """Whether two parts claim the same thing, or one a folder in which the other claims a file."""
    return any(a == b or a.startswith(f"{b}/") or b.startswith(f"{a}/") for a in one for b in other)
