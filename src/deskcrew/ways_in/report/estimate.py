"""What a task will probably take, from what similar earlier runs took. Starts nothing and calls no model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from deskcrew.engine.request import RunRequest, request_of
from deskcrew.errors import JournalError, ModelFailure
from deskcrew.facts.observation import Frozen
from deskcrew.facts.verdict import OBJECTED
from deskcrew.journal.store import RunRow, Sought, Store
from deskcrew.learning.memory.embedder import likeness
from deskcrew.learning.memory.factory import embedder_of
from deskcrew.learning.memory.recollection import SHARED, shared
from deskcrew.learning.memory.words import words_of
from deskcrew.settings import Settings
from deskcrew.ways_in.report.text import counted, money, number, seconds
from deskcrew.ways_in.report.totals import totals

SEARCHED = 500
"""The number of newest runs of the crew that are searched for similar ones."""
NEAREST = 10
"""The maximum number of runs that an estimate is made of."""
ENDED = ("done", "unverified", "failed", "denied", OBJECTED)
"""The outcomes of runs that count: a run that was stopped took less than it would have."""


class Similar(Frozen):
    """A similar run, and what it took; figures that are unknown are None. ``cost``: in US dollars."""

    run: str
    task: str
    outcome: str
    calls: int
    input: int | None
    output: int | None
    cost: float | None
    seconds: float


class Estimate(Frozen):
    """An estimate. ``similar``: similar runs, the most similar first; ``among``: how many ended runs were searched."""

    similar: tuple[Similar, ...]
    among: int

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The figures in words, each as a range from the lowest to the highest of the similar runs."""
        tokens = f"{_range([each.input for each in self.similar])} in, {_range([each.output for each in self.similar])} out"
        known = [each.cost for each in self.similar if each.cost is not None]
        unknown = len(self.similar) - len(known)
        cost = _between(money(min(known)), money(max(known))) if known else "unknown"
        return [
            ("calls", _range([each.calls for each in self.similar])),
            ("tokens", tokens),
            ("cost", cost + (f", and unknown of {counted(unknown, 'run')}" if known and unknown else "")),
            ("time", _between(*(seconds(of(each.seconds for each in self.similar)) for of in (min, max)))),
        ]


def estimate(request: RunRequest, settings: Settings, store: Store) -> Estimate:
    """What earlier runs with the same crew, model and kind of desktop took for tasks of similar meaning; without an
    embedder, for tasks that share most words. Blocking."""
    rows = [row for row in store.runs(limit=SEARCHED, outcomes=ENDED, sought=Sought(crew=request.crew)) if not row.imported]
    found: list[Similar] = []
    for row in _near(request.task, rows, settings):
        try:
            journal = store.journal(row.id)
        except JournalError:
            continue  # its record is damaged
        asked = request_of(journal)
        if (asked.model, asked.desktop) != (request.model, request.desktop):
            continue
        sums = totals(journal.events)
        took = {"calls": sums.calls, "input": sums.input.count, "output": sums.output.count, "cost": sums.cost.exact}
        told = {"run": row.id, "task": row.task, "outcome": row.outcome, "seconds": round(sums.seconds, 3)}
        found.append(Similar.model_validate(told | took))
        if len(found) == NEAREST:
            break
    return Estimate(similar=tuple(found), among=len(rows))


def _near(task: str, rows: Sequence[RunRow], settings: Settings) -> list[RunRow]:
    """The runs whose tasks are similar to ``task``, the most similar first."""
    tasks = list(dict.fromkeys(row.task for row in rows))
    embedder = embedder_of(settings.memory)
    words = set(words_of(task))
    near, least = {each: shared(words, set(words_of(each))) for each in tasks}, SHARED
    if embedder is not None and tasks:
        with suppress(ModelFailure):  # where it cannot be reached, words are compared
            near, least = dict(zip(tasks, likeness(embedder)(task, tasks), strict=True)), embedder.alike
    return sorted((row for row in rows if near[row.task] >= least), key=lambda row: -near[row.task])


def _range(values: Iterable[int | None]) -> str:
    """The range of the known values; ``unknown`` if there are none."""
    known = [value for value in values if value is not None]
    return _between(number(min(known)), number(max(known))) if known else "unknown"


def _between(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"
