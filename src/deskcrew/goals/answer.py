"""Answers carry sources: events of this branch that show what the answer says, and that the crew did not write.

Rule first, judge second: a source exists, holds the normalised answer, and is the world's (``origin.py``): content that the
crew did not write itself, output of a program that worked it out from files the task names, or what stood on the screen.
Where the model names no source the engine looks for one itself.

Of a run with a contract an answer may be worded freely: each value in it must stand in a source (:func:`value_by_value`),
and a reader judges the rest from these sources among wrong answers of the same form (:func:`decoys`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deskcrew.errors import ActionError
from deskcrew.excerpts import shorten, telling
from deskcrew.goals.altering import altered
from deskcrew.goals.origin import Origins
from deskcrew.journal.records import Collected
from deskcrew.observation import Observation
from deskcrew.texts import LETTER, stands_in

_TOLD = frozenset({
    "cell", "column header", "row header", "list item", "tree item", "row", "text", "heading", "link", "document", "section",
})  # fmt: skip
"""Roles of controls whose name says something even though they can be pressed."""
SHOWN = 600
"""Characters of a source that the judge of runs without a contract is shown."""
_VALUE = re.compile(rf"{LETTER}(?:(?:{LETTER}|[./@+-]|(?<=\d)(?:,(?=\d{{3}}(?!\d))|:(?=\d)))*{LETTER})?%?")
_FIELDS = re.compile(r"[\n\t|;,:]+")
_MOST_DECOYS = 3


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


def value_by_value(origins: Origins, answer: str, named: Sequence[str], seen: Sequence[Collected] = ()) -> Support:
    """What an answer in words of its own rests on. Arguments as of :func:`support`.

    A value, which is a word with a digit in it, must stand in the task or in a source that may be believed in it; a lone
    digit may be a count of what is listed, and is left to the reader as words are. An answer without values rests on all
    that was found out and that is not wholly the crew's own words.
    """
    whole = support(origins, answer, named, seen)
    if whole.holds:
        return whole
    world = sorted((*(c for c in origins.state.collected if not c.claimed), *seen), key=lambda found: found.number)
    chosen: dict[int, Collected] = {}
    missing: list[str] = []
    values = [value for value in values_of(answer) if len(value) > 1 and not stands_in(value, origins.state.task)]
    for value in values:
        believed = [found for found in world if stands_in(value, found.text) and origins.supports(found, value)]
        preferred = [found for found in believed if str(found.number) in named] or believed[-1:]
        chosen |= {found.number: found for found in preferred}
        missing += [] if believed else [value]
    if missing:
        why = f"{', '.join(missing)} in the answer: no source shows it that the crew did not write itself"
        return Support(sources=(), why=why)
    chosen = chosen or {found.number: found for found in world if origins.foreign(found)}
    return Support(
        sources=tuple(chosen.values()), why="" if chosen else "nothing was read or computed that it could rest on"
    )


def values_of(text: str) -> list[str]:
    """The words of a text that have a digit in them, each once: amounts, dates, references, times."""
    return list(dict.fromkeys(word for word in _VALUE.findall(text) if any(character.isdigit() for character in word)))


def evidence(origins: Origins, sources: Sequence[Collected]) -> str:
    """What a reader of an answer is given: the sources whole, of a program its code too, and the files these rest on."""
    told: list[str] = []
    files: dict[str, str] = {}
    for found in sources:
        done = next((done for done in origins.done if done.number == found.number), None)
        code = (
            str(done.operation.params.get("code") or done.operation.params.get("command") or "") if done is not None else ""
        )
        told.append(f"[{found.number}: printed by this program]\n{code}\n[what it printed]" if code else f"[{found.number}]")
        told.append(found.text)
        for path in found.reads if code else ():
            try:
                files[path] = origins.read(path)
            except ActionError as error:
                files[path] = str(error)
    return "\n".join([*told, *(f"[{path}, which it read]\n{text}" for path, text in files.items())])


def decoys(answer: str, source: str) -> list[str]:
    """Wrong answers in the form of the right one: with another value of the same shape that the source holds (of another
    row, mostly), or another entry of as many words; with a character altered where the source has neither."""
    found = list(_from_elsewhere(answer, source))
    found = found or [other.decode().strip() for _, other in altered("answer.txt", None, answer.encode())]
    return [each for each in dict.fromkeys(found) if each and each != answer][:_MOST_DECOYS]


def _from_elsewhere(answer: str, source: str) -> Iterator[str]:
    values = values_of(answer)
    there = values_of(source)
    for value in values:
        others = [other for other in there if _shape(other) == _shape(value) and not stands_in(other, answer)]
        # One from another place than the first entry: those are often headings.
        yield from (answer.replace(value, other) for other in others[-1:])
    if not values:
        entries = dict.fromkeys(entry.strip() for entry in _FIELDS.split(source))
        words = len(answer.split())
        same = [entry for entry in entries if len(entry.split()) == words and not stands_in(entry, answer)]
        yield from (entry for entry in same[-2:] if not stands_in(answer, entry))


def _shape(value: str) -> str:
    """Digits as one 0, letters as one a: 12.50 and 7.99 have the same."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", value))


def on_screen(event: str, number: int, look: Observation) -> Collected:
    """What an observation shows, as a source: titles, texts and values, without the names of what is only pressed (a
    calculator has every digit on a button)."""
    # A page without a title has its address there, which says nothing that is on it.
    titles = (window.title for window in look.windows if not (window.url and window.url.endswith(window.title)))
    texts = [*titles, look.all_text]
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
