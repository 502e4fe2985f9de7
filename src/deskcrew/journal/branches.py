"""Branches of a run: each rewind begins one, and none is ever lost.

A branch is named by its number, counted from 1 in the order in which branches began. The first child of an event continues
the event's branch, every later child begins a new branch; so undoing a rewind, which appends to the end of the old branch,
continues the old branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select

from deskcrew.errors import UsageError
from deskcrew.facts.events import Event, Rewound, Saved
from deskcrew.facts.verdict import Outcome
from deskcrew.journal import schema
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import Spent, ending, model_replies


@dataclass(frozen=True, slots=True)
class JournalBranch:
    """One branch of a run. ``events``: its own, without those shared with the branch it left; ``left``: number of the event
    that it follows, None for the first branch."""

    number: int
    left: int | None
    events: tuple[Event, ...]
    current: bool = False
    label: str = ""
    hidden: bool = False

    @property
    def start(self) -> int:
        return self.events[0].number

    @property
    def head(self) -> Event:
        return self.events[-1]

    @property
    def outcome(self) -> Outcome | None:
        return ending(self.events)

    @property
    def spent(self) -> Spent:
        """What the model calls among its own events cost."""
        spent = Spent()
        for reply in model_replies(self.events):
            usage = reply.usage
            spent.add(usage.input, usage.output, usage.cached, usage.cost, reply.seconds)
        return spent


def branches(journal: Journal) -> list[JournalBranch]:
    """All branches of a run, including hidden ones, in the order in which they began."""
    of: dict[str, int] = {}
    own: list[list[Event]] = []
    left: list[int | None] = []
    by_id: dict[str, Event] = {}
    ends: set[str] = set()
    for event in journal.all:
        parent = event.header.parent
        if parent in ends:
            branch = of[parent]
            ends.discard(parent)
        else:
            branch = len(own)
            own.append([])
            left.append(by_id[parent].number if parent in by_id else None)
        own[branch].append(event)
        of[event.id], by_id[event.id] = branch, event
        ends.add(event.id)
    current = of[journal.events[-1].id] if journal.events else -1
    names = _names(journal)
    found: list[JournalBranch] = []
    for index, events in enumerate(own):
        made = JournalBranch(number=index + 1, left=left[index], events=tuple(events), current=index == current)
        label, hidden = names.get(made.start, ("", False))
        found.append(replace(made, label=label, hidden=hidden))
    return found


def branch_named(journal: Journal, name: str) -> JournalBranch:
    """The branch with this number or label. Raises UsageError if there is none."""
    there = branches(journal)
    for branch in there:
        if name in (str(branch.number), branch.label) and name:
            return branch
    listed = ", ".join(f"{b.number}{f' ({b.label})' if b.label else ''}" for b in there)
    raise UsageError(f"Run {journal.run} has no branch {name!r}.", hint=f"There are: {listed}.")


def name_branch(journal: Journal, branch: JournalBranch, *, label: str | None = None, hidden: bool | None = None) -> None:
    """Label a branch, or hide it from lists. Raises UsageError if the label is taken, too long or a number."""
    if label:
        if label.isdigit() or len(label) > 80:
            raise UsageError("A label must not be a number, and has at most 80 characters.")
        if any(other.label == label and other.number != branch.number for other in branches(journal)):
            raise UsageError(f"Another branch is called {label!r} already.")
    values = {
        "run": journal.run,
        "start": branch.start,
        "label": branch.label if label is None else label,
        "hidden": branch.hidden if hidden is None else hidden,
    }
    put = journal.database.upsert(schema.branches).values(**values)
    put = put.on_conflict_do_update(index_elements=["run", "start"], set_={k: values[k] for k in ("label", "hidden")})
    with journal.database.writing() as connection:
        connection.execute(put)


def _names(journal: Journal) -> dict[int, tuple[str, bool]]:
    table = schema.branches
    with journal.database.reading() as connection:
        rows = connection.execute(select(table).where(table.c.run == journal.run)).all()
    return {row.start: (row.label, row.hidden) for row in rows}


def undoing(events: Sequence[Event]) -> Rewound | None:
    """The return to the start with which a branch ends; None if it does not end with one."""
    last = next((event.body for event in reversed(events) if not isinstance(event.body, Saved)), None)
    return last if isinstance(last, Rewound) and last.to else None
