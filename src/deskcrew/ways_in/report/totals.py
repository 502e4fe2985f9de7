"""What a run used and changed, and the word for its outcome. Pure functions of the events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice, pairwise

from deskcrew.facts import events as e
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.records import UNASKED, ending, renamed, touched
from deskcrew.ways_in.report.text import counted, money, seconds

STYLES = {"done": "green", "unverified": "yellow", "failed": "red", "denied": "red", "stopped": "yellow"}


def style_of(outcome: Outcome) -> str:
    """The colour of an outcome: done by a weak check is not as green as done."""
    return "yellow" if outcome.weak else STYLES[outcome.status]


@dataclass(slots=True)
class Sum:
    """A sum of which some terms may be unknown."""

    known: float = 0
    unknown: int = 0

    def add(self, value: float | None) -> None:
        if value is None:
            self.unknown += 1
        else:
            self.known += value

    @property
    def exact(self) -> float | None:
        """The sum, or None if any term is unknown."""
        return None if self.unknown else self.known

    @property
    def count(self) -> int | None:
        return None if self.exact is None else int(self.known)

    def words(self) -> str:
        """``1,234``, ``at least 1,234`` or ``unknown``."""
        if not self.unknown:
            return f"{int(self.known):,}"
        return f"at least {int(self.known):,}" if self.known else "unknown"


@dataclass(slots=True)
class Totals:
    """What a run used and changed. ``calls``: the calls that were answered. Paths are relative to the workspace."""

    calls: int = 0
    unanswered: int = 0
    """Calls that got no reply."""
    operations: int = 0
    denied: int = 0
    input: Sum = field(default_factory=Sum)
    output: Sum = field(default_factory=Sum)
    cached: Sum = field(default_factory=Sum)
    cost: Sum = field(default_factory=Sum)
    priced: str = ""
    """Where the prices are from, in words; '' if nothing has a price."""
    model_seconds: float = 0.0
    """The seconds during which at least one call was waiting for its reply."""
    seconds: float = 0.0
    created: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])
    deleted: list[str] = field(default_factory=list[str])
    renamed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Old and new paths, which are not listed as deleted and created."""


def totals(events: list[e.Event]) -> Totals:
    """Add up what a run used and changed, from its events."""
    sums = Totals()
    waits: list[tuple[float, float]] = []
    for event in events:
        match event.body:
            case e.RunStarted() | e.RunResumed() as body:
                sums.priced = body.settings.prices or sums.priced
            case e.RoleReplied() as body if body.model not in UNASKED:
                sums.calls += 1
                waits.append((event.header.time - body.seconds, event.header.time))
                sums.input.add(body.usage.input)
                sums.output.add(body.usage.output)
                sums.cached.add(body.usage.cached)
                sums.cost.add(body.usage.cost)
            case e.ActionStarted():
                sums.operations += 1
            case e.OperationDenied():
                sums.denied += 1
            case _:
                pass
    answered = {event.header.cause for event in events if isinstance(event.body, e.RoleReplied)}
    lanes = {lane for event in events if isinstance(event.body, e.LanesOpened) for lane in event.body.subtasks}
    for place, call in enumerate(events, 1):
        if not isinstance(call.body, e.RoleCalled) or call.id in answered:
            continue
        # While one lane waits for its reply, others go on.
        mine = {call.header.lane, ""} if call.header.lane in lanes else None
        after = next((later for later in islice(events, place, None) if mine is None or later.header.lane in mine), None)
        if after is not None and not isinstance(after.body, e.RoleReplied):
            sums.unanswered += 1
            if not isinstance(after.body, IDLE_BEFORE):
                waits.append((call.header.time, after.header.time))
    sums.seconds, sums.model_seconds = at_work(events), _together(waits)
    files = touched(events)
    moved = {new: old for new, old in renamed(events).items() if (files.get(old), files.get(new)) == ("deleted", "created")}
    sums.renamed = [(old, new) for new, old in moved.items()]
    for path in (*moved, *moved.values()):
        files.pop(path, None)
    for path, state in files.items():
        {"created": sums.created, "changed": sums.changed, "deleted": sums.deleted}[state].append(path)
    return sums


def skill_worked(events: Iterable[e.Event]) -> bool:
    """Whether the program of a skill did the work: what such a run says is that program's remark, and not a crew's."""
    bodies = [event.body for event in events]
    replays = [body.settings.replay for body in bodies if isinstance(body, e.RunStarted)]
    return any(each is not None and each.program for each in replays) or any(
        isinstance(body, e.Understood) for body in bodies
    )


def tell_moves(sums: Totals, moved: Mapping[str, str]) -> None:
    """Count files as renamed that were counted as deleted and created. ``moved``: their old paths, by the new."""
    for new, old in moved.items():
        if new in sums.created and old in sums.deleted:
            sums.created.remove(new)
            sums.deleted.remove(old)
            sums.renamed.append((old, new))


IDLE_BEFORE = (e.RunResumed, e.Rewound, e.Confirmed, e.AttemptsShown)
"""Events that can follow a gap in which no process worked on the run."""


def _together(spans: Iterable[tuple[float, float]]) -> float:
    """The time that the spans cover; where they overlap, it counts once."""
    covered, until = 0.0, float("-inf")
    for start, end in sorted(spans):
        covered += max(end - max(start, until), 0.0)
        until = max(until, end)
    return covered


def at_work(events: list[e.Event]) -> float:
    """The seconds during which a process worked on the run, without the gaps before it was resumed or rewound."""
    return sum(
        max(after.header.time - before.header.time, 0.0)
        for before, after in pairwise(events)
        if not isinstance(after.body, IDLE_BEFORE)
    )


def outcome_of(events: list[e.Event]) -> Outcome | None:
    """The outcome of the last event that has one; None for a run that has not ended."""
    return ending(events)


def status_of(events: list[e.Event]) -> str:
    """The outcome's word. Without one: ``interrupted``, ``waiting`` (after a rewind), ``undone``, ``unfinished``."""
    outcome = outcome_of(events)
    if outcome is not None:
        return outcome.word
    back = gone_back(events)
    return without_outcome((back.to or back.type) if back is not None else events[-1].body.type if events else "")


def gone_back(events: list[e.Event]) -> e.Rewound | None:
    """The rewind or undo at the end of these events, with nothing after it but the restored files; None if there is none."""
    last = next((event for event in reversed(events[-2:]) if not isinstance(event.body, e.Saved)), None)
    return last.body if last is not None and isinstance(last.body, e.Rewound) else None


def without_outcome(last: str) -> str:
    """The word for a run without an outcome. ``last``: the type of its last event, or ``start`` if that undid the run."""
    return {"run_interrupted": "interrupted", "rewound": "waiting", "start": "undone"}.get(last, "unfinished")


def figures(sums: Totals) -> list[tuple[str, str]]:
    """Labels and figures for display: work, tokens, cost, time."""
    unanswered = f" and {sums.unanswered} without an answer" if sums.unanswered else ""
    done = f"{counted(sums.calls, 'model call')}{unanswered}, {counted(sums.operations, 'operation')}"
    uncalled = "unknown: no model answered" if sums.unanswered else "free: no model was called"
    told = [("work", done + (f", {sums.denied} denied" if sums.denied else ""))]
    if sums.calls:
        cached = f", {sums.cached.words()} cached" if sums.cached.known or not sums.cached.unknown else ""
        told.append(("tokens", f"{sums.input.words()} in, {sums.output.words()} out{cached}"))
    waited = f", of which {seconds(sums.model_seconds)} waiting for the model" if sums.calls else ""
    return [*told, ("cost", _cost(sums) if sums.calls else uncalled), ("time", f"{seconds(sums.seconds)}{waited}")]


def _cost(sums: Totals) -> str:
    """The cost of the calls in words, and where the prices are from."""
    exact = sums.cost.exact
    if exact is None:
        return "unknown, since no price is known: you can set one in settings.toml, under [prices]"
    return f"{money(exact)}, by {sums.priced}" if sums.priced and exact else money(exact)
