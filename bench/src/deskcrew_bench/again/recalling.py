"""What is recalled of proven runs when a chore comes again, and what it costs: no model is asked.

The entries are those that the engine made of the runs. They are compared and shown in several wordings, and searched as
runs search them: in a memory of each wording, by the same functions and within the same share of a prompt.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from deskcrew.engine.roles.recalling import TOKENS
from deskcrew.facts.observation import Frozen
from deskcrew.learning.memory.embedder import Embedder
from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.recollection import SHORTEST, Recollection, episode_text, tokens, within
from deskcrew.learning.memory.store import Memory
from deskcrew_bench.again.family import Family
from deskcrew_bench.again.strong import AGENT

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

COUNTS = (1, 2, 3, 5)
"""Numbers of episodes that a role may be shown."""
Kind = Literal["own", "all"]
"""Of whose episodes: those of the role's own kind, or those of all."""


@dataclass(frozen=True, slots=True)
class Wording:
    """``compared``: the text of an entry that a task is compared with; ``shown``: what a prompt holds of it, in at most so
    many tokens."""

    name: str
    compared: Callable[[Entry], str]
    shown: Callable[[Entry, int], str]


def _situation(entry: Entry) -> str:
    return entry.situation


def _both(entry: Entry) -> str:
    return f"{entry.situation}\n{entry.decision}"


def _summary(entry: Entry) -> str:
    return entry.summary


WORDINGS = (
    Wording("as runs do: by situation, shown with decision", _situation, episode_text),
    Wording("situation", _situation, lambda entry, most: f"- Wanted: {within(entry.situation, most)}"),
    Wording("situation and decision", _both, episode_text),
    Wording("summary", _summary, lambda entry, most: f"- {within(entry.summary, most)}"),
)


@dataclass(frozen=True, slots=True)
class Query:
    """A task that comes again. ``reworded``: in other words than its family's proven runs."""

    family: str
    text: str
    reworded: bool


class Row(Frozen):
    """One line of the table. ``hit`` and ``reworded``: the share of tasks, in the same words and in others, for which an
    episode of the same family is shown; ``rank``: the place of the first such one, from 1 on, the mean where there is one;
    ``others``: how many of other families are shown; ``tokens``: of what is shown, both the mean of all tasks."""

    wording: str
    kind: Kind
    count: int
    tasks: int
    hit: float
    reworded: float
    rank: float | None
    others: float
    tokens: float


def queries(family: Family, seeds: Iterable[int], folder: Path) -> Iterator[Query]:
    """The tasks of variants, each in both wordings. ``folder``: to make them in, which must not be there."""
    for seed in seeds:
        for reworded in (False, True):
            place = folder / f"{seed}-{reworded}"
            place.mkdir(parents=True)
            yield Query(family.name, family.make(seed, place, reworded=reworded).task, reworded)


def measure(
    folder: Path, entries: Sequence[Entry], whose: Mapping[str, str], asked: Sequence[Query], embedder: Embedder | None
) -> tuple[Row, ...]:
    """The table. ``folder``: for memories; ``whose``: the family of each run that the entries are of. Raises
    ModelFailure."""
    own = {entry.id: entry for entry in entries}
    once = _Once(embedder) if embedder is not None else None
    rows: list[Row] = []
    kinds: tuple[Kind, ...] = ("own", "all")
    for number, wording in enumerate(WORDINGS):
        for kind in kinds:
            # All kinds are found where they count as one role's.
            changed = [
                entry.model_copy(
                    update={"situation": wording.compared(entry), "role": AGENT if kind == "all" else entry.role}
                )
                for entry in entries
            ]
            memory = Memory(folder / f"{number}-{kind}.db", once)
            try:
                memory.bring_in(changed)
                found = {query: _found(memory, query.text) for query in asked}
            finally:
                memory.close()
            for count in COUNTS:
                shown = {query: _shown([own[id] for id in ids[:count]], wording) for query, ids in found.items()}
                rows.append(_row(wording, kind, count, shown, whose))
    return tuple(rows)


class _Once:
    """An embedder that embeds each text once, however many memories it is in."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimensions, self.alike = embedder.name, embedder.dimensions, embedder.alike
        self._embedder = embedder
        self._known: dict[str, NDArray[float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def _found(memory: Memory, text: str) -> list[str]:
    """Ids of the episodes that fit best, best first."""
    with memory.searching(text):
        best = Recollection(memory, "", "", lambda _: None).alike(text, AGENT, max(COUNTS))
    return [entry.id for entry in best]


def _shown(found: Sequence[Entry], wording: Wording) -> list[tuple[Entry, str]]:
    """Those that fit into a prompt, each with its text."""
    shown: list[tuple[Entry, str]] = []
    left = TOKENS
    for entry in found:
        if left < SHORTEST:
            break
        shown.append((entry, wording.shown(entry, left)))
        left -= tokens(shown[-1][1])
    return shown


def _row(
    wording: Wording, kind: Kind, count: int, shown: Mapping[Query, Sequence[tuple[Entry, str]]], whose: Mapping[str, str]
) -> Row:
    ranks = {
        query: next((at for at, (entry, _) in enumerate(found, 1) if whose.get(entry.run) == query.family), None)
        for query, found in shown.items()
    }

    def hit(*, reworded: bool) -> float:
        some = [rank is not None for query, rank in ranks.items() if query.reworded == reworded]
        return round(sum(some) / (len(some) or 1), 3)

    reached = [rank for rank in ranks.values() if rank is not None]
    others = [sum(whose.get(entry.run) != query.family for entry, _ in found) for query, found in shown.items()]
    spent = [sum(tokens(text) for _, text in found) for found in shown.values()]
    return Row(
        wording=wording.name,
        kind=kind,
        count=count,
        tasks=len(shown),
        hit=hit(reworded=False),
        reworded=hit(reworded=True),
        rank=round(statistics.mean(reached), 2) if reached else None,
        others=round(statistics.mean(others), 2) if others else 0.0,
        tokens=round(statistics.mean(spent), 1) if spent else 0.0,
    )
