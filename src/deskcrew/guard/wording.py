"""Whether one text says what another says, in any form: dates, times, numbers and the order of words differ between what
people write and what fields and pages hold.

If a form can be read in several ways (3/4 is a day in March and one in April), each reading counts: this is about what
somebody may have meant; what is right is for the proof to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from deskcrew.environments.dates import Clock, Day, Weekday, moments_in, unaccented
from deskcrew.facts.texts import WORD, folded, in_words, is_letter, places_of, words_in
from deskcrew.guard.words import Words

LONGEST = 120
"""Maximum number of characters of a text that is looked for in another form."""
MOST_WORDS = 8
"""Maximum number of words that may stand in another order."""
_FIGURES = re.compile(r"(?<!\d[-/:.,])(?:\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*)(?![-/:]?\d)")
"""A number that is not part of a date, a time or a longer number."""
_APART = str.maketrans(dict.fromkeys(" \u00a0\u202f'’"))
"""Separators of thousands."""
_JOINED = re.compile(r"(?<=\d)t(?=\d\d:)")
"""The T between a date and a time, as fields have it."""
_SHORT = 4
"""The minimum length of a word whose ending may differ; a shorter word in lower case may be left out, as an article is."""
_DECIMALS = ("en", "de")
"""A language with a decimal point, and one with a decimal comma."""
Reading = Day | Weekday | Clock | Decimal


class _WordToken(NamedTuple):
    """The text between two positions. ``word``: '' if it is read as something else."""

    start: int
    end: int
    reading: Reading | None = None
    word: str = ""


def within(part: str, whole: str) -> bool:
    """Whether ``whole`` says ``part`` in words of its own: each word, number, date and time of ``part`` is there."""
    number = part.strip().isdecimal()  # which may be the end of a longer one: 1 250
    return (not number and in_words(folded(part), folded(whole))) or _all_there(part, whole)


def given(text: str, words: str) -> bool:
    """Whether a text is in the user's ``words``: as a piece of them (but not of a number), or in another form."""
    part, said = folded(text), folded(words)
    return any(_is_whole(said, at, at + len(part)) for at in places_of(part, said)) or _all_there(text, words)


def _is_whole(said: str, start: int, end: int) -> bool:
    """Whether the text between two positions does not begin or end within a number."""
    before, after = said[max(0, start - 2) : start].rstrip(".,"), said[end : end + 2].lstrip(".,")
    begins = said[start].isdecimal() and before[-1:].isdecimal()
    return not begins and not (said[end - 1].isdecimal() and after[:1].isdecimal())


def wider(names: Sequence[str], quotes: Sequence[str]) -> str:
    """A word that says a control is for several things ("all"), if the user's quotes have no such word; '' if there is
    none."""
    wide = Words.load().names.wide
    return "" if any(map(wide, quotes)) else next((word for name in names if (word := wide(name))), "")


def akin(one: str, other: str) -> bool:
    """Whether two words begin alike: "storniere" and "Stornieren"."""
    stem = max(_SHORT, min(len(one), len(other)) - 2)
    return one[:stem] == other[:stem]


def _all_there(part: str, whole: str) -> bool:
    """Whether a text can be read as a sequence of things that are all in another text, in any order and form."""
    if len(part) > LONGEST or len(words_in(part)) > MOST_WORDS:
        return False
    plain = _JOINED.sub(" ", unaccented(part))
    names = frozenset(unaccented(word) for word in words_in(part) if word[0].isupper())
    tokens, there = _tokens(plain), _Said(whole)

    def from_(at: int, *, seen: bool) -> bool:
        while at < len(plain) and not plain[at].isalnum():
            at += 1
        if at >= len(plain):
            return seen
        for token in (each for each in tokens if each.start == at):
            if token.reading is not None and there.means(token.reading) and from_(token.end, seen=True):
                return True
            if not token.word:
                continue
            small = _may_be_left_out(token.word, names)
            if small and from_(token.end, seen=seen):
                return True
            if not small and there.has(token.word, name=token.word in names) and from_(token.end, seen=True):
                return True
        return False

    return from_(0, seen=False)


def _may_be_left_out(word: str, names: frozenset[str]) -> bool:
    small = len(word) < _SHORT and word.isalpha() and word not in names
    return small or word in Words.load().signs.currencies


class _Said:
    """The readings of a text."""

    def __init__(self, text: str) -> None:
        self._plain = unaccented(text)
        self._words = frozenset(words_in(self._plain))

    def has(self, word: str, *, name: bool) -> bool:
        """Whether a word is there. Its ending may differ, for a name by one letter."""
        if word in self._words:
            return True
        if len(word) < _SHORT or not word.isalpha():
            return False
        long = (each for each in self._words if len(each) >= _SHORT)
        return any(_of_name(word, each) if name else akin(word, each) for each in long)

    def means(self, reading: Reading) -> bool:
        return any(_same(reading, token.reading) for token in _tokens(self._plain) if token.reading is not None)


def _of_name(one: str, other: str) -> bool:
    """Whether two words are the same except for a last letter: "Kowal" and "Kowala"."""
    return abs(len(one) - len(other)) <= 1 and (one.startswith(other) or other.startswith(one))


def _same(one: Reading, other: Reading) -> bool:
    """Whether two readings can mean the same: a day without its year, or the number of a date's day."""
    match one, other:
        case Day(), Day():
            return one[1:] == other[1:] and (one.year == other.year or not one.year or not other.year)
        case Decimal(), Day():
            return one != 0 and one in other
        case Decimal(), Clock():
            return one == other.hours and not other.minutes
        case Clock(), Decimal():
            return other == one.hours and not one.minutes
        case _:
            return type(one) is type(other) and one == other


@lru_cache(512)
def _tokens(plain: str) -> tuple[_WordToken, ...]:
    """Everything that a text can be read as, the longest first."""
    found = [_WordToken(start, end, moment) for start, end, moment in moments_in(plain)]
    found += (_WordToken(*span, number) for span, number in _numbers(plain))
    spelt = Words.load().names.numbers
    for match in WORD.finditer(plain):
        if not match[0].isdecimal():
            found.append(_WordToken(*match.span(), word=match[0]))
        found += (_WordToken(*match.span(), Decimal(number)) for number in spelt.get(match[0], ()))
    return tuple(sorted(found, key=lambda token: token.start - token.end))


def _numbers(plain: str) -> Iterator[tuple[tuple[int, int], Decimal]]:
    from babel.numbers import NumberFormatError, parse_decimal

    for match in _FIGURES.finditer(plain):
        if is_letter(plain[match.start() - 1 : match.start()]):
            continue  # of a name: A4
        bare = match[0].translate(_APART)
        for language in _DECIMALS:
            try:
                yield match.span(), parse_decimal(bare, locale=language, strict=True)
            except NumberFormatError:
                continue
