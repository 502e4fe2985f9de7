"""How much of what can be pressed a reader lists, by which name, and whether it tells a state that a press changed."""

from __future__ import annotations

import random
import statistics
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from deskcrew.environments.browser.browser import SIZE
from deskcrew.facts.observation import Box, Frozen
from deskcrew_bench.perceive.pressing import Candidate, Pressed, View
from deskcrew_bench.perceive.readers import READERS, Reading, Seen

ANOTHER_VIEW = 0.25
"""The part of a page that has to change for a press to have led to another view."""


class Judged(Frozen):
    """One thing that a press or its markup shows to be operable, and one reader. ``told``: whether the reader's words for it
    changed with its state; None where a press changed none."""

    view: str
    reader: str
    name: str
    path: str
    listed: str | None
    named: bool
    told: bool | None


class Tried(Frozen):
    """Something that a reader lists, and whether it does anything when pressed."""

    view: str
    reader: str
    listed: str
    idle: bool


class Size(Frozen):
    view: str
    reader: str
    characters: int


Finding = Judged | Tried | Size


class Share(Frozen):
    """Of a reader over all views. ``idle``: do nothing, of ``tried`` things listed; ``characters``: the median of a view."""

    reader: str
    operable: int
    listed: int
    named: int
    states: int
    told: int
    idle: int
    tried: int
    characters: int


def views(start: View, most: int, seed: int) -> list[View]:
    """``start``, and others of the same application that one press leads to, by chance."""
    start.open()
    found, drawn = [start], _drawn(start.candidates(), random.Random(seed))
    total = start.extent()
    for candidate in drawn:
        if len(found) >= most:
            break
        if candidate.kind == "leaf" or candidate.disabled or candidate.written:
            continue
        pressed = start.press(candidate)
        if pressed is not None and len(pressed.changed) > ANOTHER_VIEW * total:
            found.append(replace(start, presses=(*start.presses, candidate.path)))
        if pressed is None or pressed.effect:
            start.open()
    return found


def judge(view: View, name: str, most: int, seed: int) -> Generator[Finding]:
    """Press up to ``most`` things of a view, and compare what each reader lists. Blocking, a second or two a press."""
    view.open()
    everything = view.candidates()
    readings = {reader: read(view.browser) for reader, read in READERS.items()}
    for reader, reading in readings.items():
        yield Size(view=name, reader=reader, characters=len(reading.text))
    chance = random.Random(seed)
    effects: dict[str, Pressed] = {}
    states: dict[str, Mapping[str, Reading]] = {}
    for candidate in _drawn([each for each in everything if not each.written and not each.disabled], chance)[:most]:
        pressed = view.press(candidate)
        if pressed is None:
            continue
        effects[candidate.path] = pressed
        if pressed.state_of(candidate.path):
            view.leave()
            if view.there(candidate):
                states[candidate.path] = {reader: read(view.browser) for reader, read in READERS.items()}
        if pressed.effect:
            view.open()
    for candidate in everything:
        if candidate.disabled or not (candidate.written or _operable(candidate, everything, effects)):
            continue
        for reader, reading in readings.items():
            yield _judged(candidate, reader, reading, states.get(candidate.path), name)
    for reader, reading in readings.items():
        listed = [number for number, seen in enumerate(reading.seen) if not seen.disabled and _in_view(seen)]
        order = chance.sample(listed, min(most, len(listed)))
        for seen, idle in _tried(view, reading, everything, effects, order):
            yield Tried(view=name, reader=reader, listed=seen.told, idle=idle)


def _drawn(candidates: Iterable[Candidate], chance: random.Random) -> list[Candidate]:
    """In an order by chance; those that are only places come last."""
    given = list(candidates)
    chance.shuffle(given)
    return sorted(given, key=lambda each: each.kind == "leaf")


def _operable(candidate: Candidate, everything: Sequence[Candidate], effects: Mapping[str, Pressed]) -> bool:
    """Whether a press does something that is its own: not what the thing around it does anyway."""
    pressed = effects.get(candidate.path)
    if pressed is None or not pressed.effect:
        return False
    if candidate.kind == "own" or candidate.within is None:
        return True
    around = everything[candidate.within]
    return around.path in effects and not effects[around.path].effect


def _judged(candidate: Candidate, reader: str, reading: Reading, after: Mapping[str, Reading] | None, view: str) -> Judged:
    seen = _match(candidate.box, reading)
    later = _match(candidate.box, after[reader]) if after is not None else None
    return Judged(
        view=view, reader=reader, name=candidate.name, path=candidate.path,
        listed=seen.told if seen is not None else None,
        named=seen is not None and _names(seen.name, candidate.name),
        told=None if after is None else seen is not None and later is not None and seen.told != later.told,
    )  # fmt: skip


def _match(box: Box, reading: Reading) -> Seen | None:
    """What is listed at a place: the most alike in extent of those whose centre lies in it or that have its centre."""
    there = [each for each in reading.seen if _alike(box, each.box) > 0]
    return max(there, key=lambda each: _alike(box, each.box), default=None)


def _alike(box: Box, other: Box) -> float:
    """0 for another place: neither about as large nor, as a box to tick within its label, a part of it."""
    common = box.intersection(other)
    if common is None:
        return 0.0
    shared = common.width * common.height
    alike = shared / (box.width * box.height + other.width * other.height - shared)
    return (
        alike
        if alike >= 0.3 or (box.contains(*other.centre) and other.width * other.height < box.width * box.height)
        else 0.0
    )


def _names(name: str, meant: str) -> bool:
    """Whether half of the words of the shorter one are in the other; any name will do where the page gives none."""
    said, wanted = _words(name), _words(meant)
    if not said or not wanted:
        return bool(name.strip()) and not wanted
    return 2 * len(said & wanted) >= min(len(said), len(wanted))


def _words(text: str) -> set[str]:
    return set("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split())


def _in_view(seen: Seen) -> bool:
    return Box(x=0, y=0, width=SIZE[0], height=SIZE[1]).contains(*seen.box.centre)


def _tried(
    view: View, reading: Reading, everything: Sequence[Candidate], effects: Mapping[str, Pressed], order: Sequence[int]
) -> Iterator[tuple[Seen, bool]]:
    """Of what is listed that in ``order``, and whether it does nothing. What is known of a place is not pressed again."""
    for number in order:
        seen = reading.seen[number]
        alike = [each for each in everything if _alike(each.box, seen.box) > 0]
        if any(each.written or each.chosen or each.disabled for each in alike):
            continue
        if any(each.path in effects and effects[each.path].effect for each in alike):
            yield seen, False
            continue
        view.open()
        yield seen, not view.press_at(*seen.box.centre).effect


def shares(findings: Sequence[Finding]) -> list[Share]:
    return [_share(reader, findings) for reader in READERS]


def _share(reader: str, findings: Sequence[Finding]) -> Share:
    judged = [each for each in findings if isinstance(each, Judged) and each.reader == reader]
    sizes = [each for each in findings if isinstance(each, Size) and each.reader == reader]
    tried = [each for each in findings if isinstance(each, Tried) and each.reader == reader]
    return Share(
        reader=reader,
        operable=len(judged),
        listed=sum(each.listed is not None for each in judged),
        named=sum(each.named for each in judged),
        states=sum(each.told is not None for each in judged),
        told=sum(each.told is True for each in judged),
        idle=sum(each.idle for each in tried),
        tried=len(tried),
        characters=round(statistics.median(each.characters for each in sizes)) if sizes else 0,
    )
