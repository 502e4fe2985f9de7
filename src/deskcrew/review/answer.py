"""Answers carry sources: events of this branch that show what is said, and that the crew did not write.

Rule first, judge second: a source exists, is the world's and holds the normalised answer, or is the output of code whose
inputs are files of the workspace. Where the model names no source the engine looks for one itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Collected
from deskcrew.review.goal import stands_in
from deskcrew.roles.view import shorten


@dataclass(frozen=True, slots=True)
class Support:
    """What the rule found. ``sources``: those that count; empty: the answer rests on nothing."""

    sources: tuple[Collected, ...]
    why: str

    @property
    def holds(self) -> bool:
        return bool(self.sources)

    def excerpts(self) -> str:
        """What the judge reads: the sources' own words, and nothing of the crew's."""
        return "\n".join(f"{s.number}: {_inputs(s)}{shorten(s.text, 600)}" for s in self.sources)


def support(state: RunState, answer: str, named: Sequence[str]) -> Support:
    """What ``answer`` rests on. ``named``: event numbers that the model gave as its sources."""
    world = [found for found in state.collected if not found.claimed]
    chosen = [found for found in world if str(found.number) in named and _shows(found, answer)]
    if not chosen:
        chosen = [found for found in reversed(world) if _shows(found, answer)][:1]
    if not chosen:
        return Support(sources=(), why=f"{answer!r} stands in nothing that was read or computed")
    return Support(sources=tuple(chosen), why="")


def _shows(found: Collected, answer: str) -> bool:
    parts = [part.strip() for part in answer.split(",") if part.strip()]
    return stands_in(answer, found.text) or (len(parts) > 1 and all(stands_in(part, found.text) for part in parts))


def _inputs(found: Collected) -> str:
    return f"(printed by a program that read {', '.join(found.reads)}) " if found.reads else ""
