"""Lanes (FRIDAY F4): which subtasks are worked on in parallel, and at which desk each.

A subtask is given a lane if it waits for nothing and needs nothing that another lane uses: a file that both name, or the
only desktop or browser. If a run may have several desktops or browsers, each lane that needs one is given its own.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

from deskcrew.engine.claims import DESKTOP
from deskcrew.engine.surroundings import Surroundings
from deskcrew.facts.events import LanesOpened, Observed, newest_first
from deskcrew.facts.plan import Subtask
from deskcrew.journal.fold import Phase
from deskcrew.journal.journal import Journal

TOGETHER = frozenset[Phase]({"recover", "review", "ask", "decide", "execute", "judge"})
"""Phases of a lane that may run beside other lanes. All others concern the plan or the whole run, and wait for the lanes."""
WAITING: tuple[Phase, ...] = ("finish", "more", "appeal", "plan")
"""Phases for which a lane waits for the others, in the order in which they are done."""


def open_lanes(surroundings: Surroundings) -> tuple[str, ...]:
    """Open lanes for the subtasks that may be done beside those in progress, and return their ids. () if only a single
    subtask would be in progress: that takes no lane."""
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
    """The desk at which to do a subtask: where a window shows a file that it names, since two programs must not open the
    same document; else where what it needs was done, or any free desk. None if that is taken."""
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
    looks = newest_first(journal.events, Observed)
    return next((look.windows for look in looks if look.desk == desk), ())


def _goes_on(journal: Journal) -> bool:
    """Whether nothing is due except the subtasks of the current plan."""
    state = journal.state
    if not state.lanes:
        return state.phase == "decide" and state.decision is None
    outside = state if not state.floor else state.aside[""]
    due = outside.wants_plan or outside.stop is not None or outside.asking is not None
    return not due and all(state.phase_of(lane) in TOGETHER for lane in state.lanes)


def _meet(one: Collection[str], other: Collection[str]) -> bool:
    """Whether two subtasks claim the same thing, or one claims a folder in which the other claims a file."""
    return any(a == b or a.startswith(f"{b}/") or b.startswith(f"{a}/") for a in one for b in other)
