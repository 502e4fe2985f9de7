"""Counter-starts for screens: what windows and pages showed before the work is altered (other figures, another order), and
the result is kept. A check that works out the result from what was shown then says no.

What is shown unchanged at the end is altered as well, so that comparing the two screens does not give the change away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from deskcrew.evidence.counter_starts import OTHER_DIGITS
from deskcrew.evidence.origin import NUMBER
from deskcrew.evidence.screen import ScreenState, instead, saying
from deskcrew.facts.observation import Observation
from deskcrew.guard.wording import within

LEAST_VALUE = 2
"""Minimum length of an entered value, in characters, for texts with it to be kept."""


@dataclass(frozen=True, slots=True)
class OtherScreens:
    """The screens before and after the work, with what was shown before altered in one way; ``label`` names it."""

    before: ScreenState
    after: ScreenState
    label: str


def other_screens(start: ScreenState, end: ScreenState, *, entered: bool) -> list[OtherScreens]:
    """All alterations of what was shown. ``entered``: the result was entered on these screens, so new texts with entered
    values are kept; otherwise the result is elsewhere, and everything shown is altered."""
    looks = (start.look, *(end.before if end.sends else end.looks), *(() if entered else end.ends))
    shown = {text for look in looks for text in _texts(look)} | {line for r in end.read for line in r.text.splitlines()}
    if entered:
        first = {*_texts(start.look)}
        values = [f.value for each in end.sent if each.writes for f in each.fields if len(f.value or "") >= LEAST_VALUE]
        shown -= {text for text in shown - first if any(within(value, text) for value in values if value)}
    found = list[OtherScreens]()
    for other, label in (
        (_shifted, "other numbers shown before"),
        (_turned(shown), "the least number shown as the largest"),
    ):
        said = {text: made for text in shown if (made := other(text)) != text}
        if said:
            found.append(OtherScreens(replace(start, look=saying(start.look, said)), _all(end, said), label))
    if any(len(look.controls) > 1 or len(look.all_text.splitlines()) > 1 for look in looks):
        label = "the last entry shown first"
        found.append(OtherScreens(replace(start, look=_backwards(start.look)), _each(end, _backwards), label))
    return found


def _shifted(text: str) -> str:
    return text.translate(OTHER_DIGITS)


def _turned(shown: set[str]) -> Callable[[str], str]:
    """Return a function that mirrors the order of the numbers: the smallest becomes the largest."""
    numbers = sorted({n for text in shown for n in NUMBER.findall(text)}, key=lambda n: (float(n), n))
    other = dict(zip(numbers, reversed(numbers), strict=True))
    return lambda text: NUMBER.sub(lambda found: other[found.group()], text)


def _all(end: ScreenState, said: dict[str, str]) -> ScreenState:
    made = _each(end, lambda look: saying(look, said))
    return replace(made, read=tuple(replace(each, text=instead(each.text, said)) for each in end.read))


def _each(end: ScreenState, other: Callable[[Observation], Observation]) -> ScreenState:
    made = end.with_ends([other(look) for look in end.ends])
    return replace(made, looks=tuple(map(other, end.looks)), elsewhere=tuple(map(other, end.elsewhere)))


def _backwards(look: Observation) -> Observation:
    text, whole = ("\n".join(reversed(said.splitlines())) for said in (look.all_text, look.whole))
    return look.model_copy(update={"text": text, "lines": (), "whole": whole, "controls": look.controls[::-1]})


def _texts(look: Observation) -> Iterator[str]:
    yield from (line for line in look.all_text.splitlines() if line.strip())
    for control in look.controls:
        yield from (text for text in (control.name, control.value, control.owner) if text and text.strip())
