"""An entry that is gone does not prove that its state was changed: it may only have been removed.

So an end is tried in which entries are gone and nothing else happened: the page shows what it showed before the work,
without the entries that it no longer shows. A proof by anything that is newly shown fails there. This needs no label of any
button, in any language. If the user's words order an entry to be removed, there is no such end for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, pairwise
from typing import TypeVar

from deskcrew.evidence.kept import counterpart, same_view, scrolled
from deskcrew.evidence.shown import in_page
from deskcrew.facts.contract import Consent
from deskcrew.facts.observation import Control, Observation
from deskcrew.facts.texts import folded, words_in

_T = TypeVar("_T")
_ALIKE = 0.5
"""The share of the shorter text's words that another text must have to be about the same entry."""
_STEM = 4
"""How many letters of a word count: endings differ in many languages."""


@dataclass(frozen=True, slots=True)
class TakenAway:
    """A page as it would look if entries had only been removed. ``entries``: the texts of these."""

    look: Observation
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Speaking:
    """The user's words about entries. ``removals``: the removals that they order."""

    said: str
    removals: tuple[Consent, ...] = ()

    def unordered(self, entry: str, now: Observation) -> bool:
        """Whether the words mention an entry that is gone without ordering its removal."""
        named = {word for word in _words(entry) if word in folded(self.said)}
        if self.removals:
            # What others are called as well does not tell which one is meant.
            ordered = folded(" ".join(chain.from_iterable((*each.quotes, *each.texts) for each in self.removals)))
            named = {word for word in named - _words(_shown(now)) if word not in ordered}
        return bool(named)


def taken_away(now: Observation, before: Sequence[Observation]) -> TakenAway | None:
    """What a page would show if its missing entries had been removed and nothing else had happened. None if it shows
    everything that it showed ``before``, perhaps in another state, or if nobody can say."""
    was = counterpart(now, before)
    if was is None or not same_view(was, now) or scrolled(was, now):
        return None
    old, new = was.all_text.splitlines(), now.all_text.splitlines()
    gone = {at for at in _gone(old, new, _alike) if old[at].strip()}
    away = set(chain.from_iterable(_words(old[at]) for at in gone))
    held, holds = in_page(was), in_page(now)
    lost = [held[at] for at in _gone([*map(_key, held)], [*map(_key, holds)], _same_control)]
    shown = set(chain.from_iterable(map(_words, old)))
    alone = [each for each in lost if (words := _words(each.owner or each.name)) and not words & shown]
    entries = (*(old[at].strip() for at in sorted(gone)), *(each.owner or each.name for each in alone))
    if not entries:
        return None
    left = {id(each) for each in lost if each in alone or _words(each.owner or each.name) <= away}
    counts = {_counting(line): line for line in new}
    text = "\n".join(counts.get(_counting(line), line) for at, line in enumerate(old) if at not in gone)
    controls = tuple(each for each in was.controls if id(each) not in left)
    return TakenAway(was.model_copy(update={"text": text, "lines": (), "controls": controls}), entries)


def _gone(old: Sequence[_T], new: Sequence[_T], same: Callable[[_T, _T], bool]) -> Iterator[int]:
    """The indices of elements of ``old`` that were deleted, or replaced by others than the ``same`` in another state."""
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what in ("delete", "replace"):
            yield from (at for at in range(a, b) if not any(same(old[at], each) for each in new[c:d]))


def _alike(old: str, new: str) -> bool:
    if _counting(old) == _counting(new):
        return True
    one, other = _words(old), _words(new)
    return len(one & other) >= _ALIKE * max(1, min(len(one), len(other)))


def _key(control: Control) -> tuple[str, str, str]:
    return control.role, control.name, control.owner


def _same_control(old: tuple[str, str, str], new: tuple[str, str, str]) -> bool:
    return old[0] == new[0] and (_alike(old[2], new[2]) if old[2] else _alike(old[1], new[1]))


def _shown(look: Observation) -> str:
    return "\n".join((look.all_text, *(f"{each.name} {each.owner} {each.value or ''}" for each in look.in_front)))


def _counting(line: str) -> str:
    """A line with its numbers masked."""
    signs = ("#" if sign.isdecimal() else sign for sign in line.strip())
    return "".join(sign for sign, after in pairwise((*signs, "")) if (sign, after) != ("#", "#"))


def _words(text: str) -> set[str]:
    """The distinctive words of a text, cut to the letters that count."""
    words = words_in(folded(text))
    return {word[:_STEM] if word.isascii() else word for word in words if len(word) > 2 or not word.isascii()}
