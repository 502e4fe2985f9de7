"""Which of the user's words are in what a press sends, whatever step of a form they were entered in.

A form in steps, or a page for checking everything before sending, no longer has the fields that were typed into. So what the
run itself entered at this place counts, and the text of the page that this led to. Among several entries of a kind, the one
that a control belongs to says what the control is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deskcrew.actions import gesture_of
from deskcrew.facts.observation import Control
from deskcrew.facts.texts import folded, spaced, words_in
from deskcrew.guard.leftover import Put, typed
from deskcrew.guard.wording import akin, within

_MISSING = "{!r}, which the task says, is in no field, was not typed or chosen before, and is not on the page"
_WORD = 4
"""Minimum length of a word that identifies what is pressed."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A page at the moment of a press. ``shown``: its controls; ``text``: its other text; ``put``: what the run typed and
    chose there; ``led``: the text of a control that led here from another page for the same purpose, '' if none."""

    control: Control
    shown: Sequence[Control]
    text: str
    put: frozenset[str]
    led: str = ""

    def holds(self, text: str) -> bool:
        """Whether the form that is sent contains a text, in a visible or hidden field."""
        behind = self.control.behind
        values = (*(each.value or "" for each in self.shown), *(behind.holds or () if behind is not None else ()))
        return any(within(text, value) for value in values)

    def lacking(self, texts: Sequence[str], *, named: bool) -> str:
        """A sentence on the text that is nowhere in what is sent, '' if each is; ``named``: the user names the control."""
        filled = [text for text in texts if self._filled(text)]
        missing = [text for text in texts if text not in filled and not self._says(text, read=bool(filled) or named)]
        if missing:
            return _MISSING.format(missing[0])
        of_entry = bool(self.control.owner or self.led) and all(self._says(text, read=False) for text in texts)
        return (
            ""
            if filled or named or of_entry
            else f"nothing of it was filled in, and the user does not name {self.control.name!r}"
        )

    def lacking_entry(self, texts: Sequence[str], *, named: bool) -> str:
        """A sentence on the text that the control's entry lacks; '' if none. A text that is nowhere on the page may be
        written differently there (in another language), as long as another text identifies the entry."""
        said = [text for text in texts if self._says(text, read=named)]
        elsewhere = [text for text in texts if text not in said and (not said or self._shown(text))]
        return _MISSING.format(elsewhere[0]) if elsewhere else ""

    def _filled(self, text: str) -> bool:
        return self.holds(text) or any(within(text, each) for each in self.put)

    def _says(self, text: str, *, read: bool) -> bool:
        """Whether the entry that a control belongs to contains a text. Without an entry, its page counts if ``read``."""
        own = within(text, f"{self.control.owner} {self.control.name}") or within(text, self.led)
        return own or (not self.control.owner and read and self._shown(text))

    def _shown(self, text: str) -> bool:
        told = (*self.text.splitlines(), *(f"{each.owner} {each.name} {each.value or ''}" for each in self.shown))
        return any(within(text, one) for one in told)


def put_by(done: Sequence[Put]) -> frozenset[str]:
    """The texts that operations typed or chose."""
    return frozenset(text for put in done for text in _put(put) if text.strip())


def names(control: Control, words: str, *, wholly: bool = False) -> bool:
    """Whether the user's words, folded, name what is pressed: "storniere den Termin" names a button "Stornieren".
    ``wholly``: they must name each word of it, even a short one such as "all"."""
    name = folded(control.name)
    if not spaced(name):
        return name in words
    own = [word for word in words_in(name) if wholly or len(word) >= _WORD]
    return bool(own) and all(any(akin(word, each) for each in words_in(words)) for word in own)


def alike(one: str, other: str) -> bool:
    """Whether the names of two controls have a word in common: "Stornieren 43" and "Buchung stornieren"."""
    ours, theirs = ([word for word in words_in(folded(name)) if len(word) >= _WORD] for name in (one, other))
    return any(akin(word, each) for word in ours for each in theirs)


def _put(put: Put) -> Iterator[str]:
    yield from typed(put.operation)
    if gesture_of(put.operation) in ("press", "choose"):
        yield str(put.operation.params.get("option") or "")
        yield f"{put.target.owner} {put.target.name}" if put.target is not None else ""
