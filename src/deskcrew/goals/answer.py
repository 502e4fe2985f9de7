"""Answers carry sources: events of this branch that show what the answer says, and that the crew did not write.

Rule first, judge second: a source exists, holds the normalised answer, and is the world's (``origin.py``): content that the
crew did not write itself, output of a program that worked it out from files the task names, or what stood on the screen.
Where the model names no source the engine looks for one itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deskcrew.english.texts import stands_in
from deskcrew.excerpts import shorten, telling
from deskcrew.goals.origin import Origins
from deskcrew.journal.records import Collected
from deskcrew.observation import Observation

_TOLD = frozenset({
    "cell", "column header", "row header", "list item", "tree item", "row", "text", "heading", "link", "document", "section",
})  # fmt: skip
"""Roles of controls whose name says something even though they can be pressed."""
SHOWN = 600
"""Characters of a source that the judge is shown."""


@dataclass(frozen=True, slots=True)
class Support:
    """What the rule found. ``sources``: those that count; empty: the answer rests on nothing."""

    sources: tuple[Collected, ...]
    why: str

    @property
    def holds(self) -> bool:
        return bool(self.sources)

    def excerpts(self, about: str = "") -> str:
        """What the judge reads: the sources' own words, and nothing of the crew's; of long ones what has to do with the
        question and its answer, ``about``."""
        return "\n".join(
            f"{s.number}: {_inputs(s)}{telling(s.text, about, SHOWN) or shorten(s.text, SHOWN)}" for s in self.sources
        )


def support(origins: Origins, answer: str, named: Sequence[str], seen: Sequence[Collected] = ()) -> Support:
    """What ``answer`` rests on. ``named``: event numbers that the model gave as its sources; ``seen``: what stood on the
    screen when a role said what it read there."""
    world = sorted((*(c for c in origins.state.collected if not c.claimed), *seen), key=lambda found: found.number)
    holding = [found for found in world if _shows(found, answer)]
    if not holding:
        return Support(sources=(), why=f"{answer!r} stands in nothing that was read or computed")
    believed = [found for found in holding if all(origins.supports(found, part) for part in _parts(found, answer))]
    if not believed:
        why = f"{answer!r} stands only in what the crew wrote itself, or made from something else than the task names"
        return Support(sources=(), why=why)
    chosen = [found for found in believed if str(found.number) in named]
    return Support(sources=tuple(chosen or believed[-1:]), why="")


def on_screen(event: str, number: int, look: Observation) -> Collected:
    """What an observation shows, as a source: titles, texts and values, without the names of what is only pressed (a
    calculator has every digit on a button)."""
    # A page without a title has its address there, which says nothing that is on it.
    titles = (window.title for window in look.windows if not (window.url and window.url.endswith(window.title)))
    texts = [*titles, look.text]
    texts += [c.name for c in look.controls if c.role in _TOLD or not {"click", "toggle", "select"} & set(c.operations)]
    texts += [c.value for c in look.controls if c.value]
    text = "\n".join(text for text in texts if text.strip())
    return Collected(event=event, number=number, role="", subtask=None, kind="seen", text=text)


def _shows(found: Collected, answer: str) -> bool:
    return all(stands_in(part, found.text) for part in _parts(found, answer))


def _parts(found: Collected, answer: str) -> list[str]:
    """The answer, or the items of a list that does not stand there as it is."""
    parts = [part.strip() for part in answer.split(",") if part.strip()]
    return [answer] if stands_in(answer, found.text) or len(parts) < 2 else parts


def _inputs(found: Collected) -> str:
    return f"(printed by a program that read {', '.join(found.reads)}) " if found.reads else ""
