"""Decoys: wrong texts shown to a model together with the right one, to test whether it really reads.

They are wrong in content: a value or name that also occurs in a source or the requirement is replaced, never a number that a
program assigns by itself. There are always three. With the right text they form a square: two things are altered, one in
each of two texts and both in the third, or the text and another one are altered alike. So each of the four is equally
similar to the others, and similarity does not give the right one away.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation

from deskcrew.facts.texts import LETTER, folded, is_letter, stands_in

COUNT = 3
"""How many wrong texts there are."""
_VALUE = rf"{LETTER}(?:(?:{LETTER}|[./@+-]|(?<=\d)(?:,(?=\d{{3}}(?!\d))|:(?=\d)))*{LETTER})?%?"
_WORD = re.compile(rf"{_VALUE}|(?:(?!{LETTER})\w)+")
"""A word or value; in scripts without spaces, everything between two punctuation marks."""
_FIELDS = str.maketrans(dict.fromkeys("\t|;,:", "\n"))
_NUMBERED = re.compile(r"\s*\d+[.)]\s")
_MOST_DIGITS = 8
"""The maximum number of digits of a value; with more it is taken for an id."""
_SHORT = 3
"""Words of up to so many letters are mostly function words, and carry no content."""
Place = tuple[str, list[str]]
"""A word of a text, and words that could replace it."""


def values_of(text: str) -> list[str]:
    """The words of a text that contain a digit, without duplicates: amounts, dates, references, times."""
    return [word for word in _words(text) if _digits(word)]


def decoys(text: str, source: str, wanted: str, *, before: str = "", asked: bool = False) -> list[str]:
    """Three wrong texts in the form of the right one; none if nothing in it can be altered. ``wanted``: the requirement's
    words; ``before``: the text at the start, which does not fulfil the requirement; ``asked``: the text answers a question
    in ``wanted``, so its content is what these words do not say."""
    if asked and (entries := _entries(text.strip(), source)):
        return entries
    places = _places(text, source, wanted, known=before.splitlines(), asked=asked)
    if before.strip() and places and (old := _places(before, source, wanted)):
        one = _unlike(text, places[0], (before,))
        made = [one, _unlike(before, old[0], (text, one)), before]
    elif len(places) > 1:
        (word, others), (second, more) = places[:2]
        one = next(iter(others), _varied(word)[0])
        two = next((each for each in more if each != one), _varied(second)[0])
        made = [_with(text, {word: one}), _with(text, {word: one, second: two}), _with(text, {second: two})]
    elif places:
        word, others = places[0]
        if not others:
            others = _varied(word)
        elif len(others) < COUNT:
            other = others[0]
            one = next(each for each in _varied(word) if each != other)
            others = [one, next(each for each in _varied(other) if each not in (word, one)), other]
        made = [_with(text, {word: each}) for each in others]
    else:
        made = []
    return made if len({text, *made}) == COUNT + 1 else []


def placed(text: str, others: Sequence[str], wanted: str) -> tuple[list[str], int]:
    """All texts in the order shown, and the index of the right one, which depends on the requirement alone."""
    at = zlib.crc32(wanted.encode()) % (len(others) + 1)
    turned = [text, *others]
    return [*turned[len(turned) - at :], *turned[: len(turned) - at]], at


def _places(text: str, source: str, wanted: str, *, known: Collection[str] = (), asked: bool = False) -> list[Place]:
    """Words that may be altered, best first, each with words that could replace it. ``known``: lines to leave alone."""
    around = f"{source}\n{wanted}"
    lines = [line for line in text.splitlines() if line not in known and not (line.startswith("[") and line.endswith("]"))]
    said = "\n".join(_NUMBERED.sub("", line) for line in lines)
    values = [
        each for each in values_of(said) if _plain(each) or (stands_in(each, around) and _digits(each) <= _MOST_DIGITS)
    ]
    far = _far(said, wanted)
    values.sort(
        key=lambda each: (stands_in(each, wanted) is asked, not stands_in(each, around), len(each) == 1, far.get(each, 0))
    )
    if values:
        return [(each, _others(each, text, source or wanted)) for each in values]
    words = [each for each in _words(said) if not _digits(each)]
    words.sort(key=lambda each: (len(each) <= _SHORT, each.islower(), stands_in(each, wanted) is asked, -len(each)))
    there, beside = source or wanted, _beside(source or wanted)
    shared = [(each, others) for each in words if stands_in(each, around) and (others := _others(each, text, there))]
    # What stands where another name may stand is a name.
    shared.sort(key=lambda place: (not beside.get(place[0], set[str]()) & beside[place[1][0]], far[place[0]]))
    return shared or [(each, list[str]()) for each in words[:1]]


def _entries(text: str, source: str) -> list[str]:
    """Three other entries of the list in ``source`` that contains the text, with as many words and without values. If there
    is only one, it is mixed with the text. None if the text is not an entry. Early entries, often headings, come last."""
    there = [each.strip() for each in source.translate(_FIELDS).split("\n")]
    if text not in there or values_of(text):
        return []
    words = text.split()
    alike = [each for each in there if each and len(each.split()) == len(words) and not values_of(each)]
    others = [*dict.fromkeys(each for each in reversed(alike) if folded(each) != folded(text))]
    if len(others) < COUNT and others and len(words) > 1:
        first, *rest = others[0].split()
        return [" ".join((words[0], *rest)), others[0], " ".join((first, *words[1:]))]
    return others[:COUNT] if len(others) >= COUNT else []


def _others(word: str, text: str, source: str) -> list[str]:
    """Words from the source that could replace ``word``: same form, not in the text, another meaning. Words that stand
    before the same word come first ("Stone Room", "Map Room")."""
    alike = [each for each in _words(source) if _shape(each) == _shape(word) and not stands_in(each, text)]
    alike = [each for each in reversed(alike) if not _same(each, word)]
    if _digits(word):
        return [each for each in alike if abs(len(each) - len(word)) < 2][:COUNT]
    beside = _beside(source)
    near = beside.get(word, set[str]())
    return sorted(alike, key=lambda each: (not near & beside[each], abs(len(each) - len(word))))[:COUNT]


def _far(said: str, wanted: str) -> dict[str, int]:
    """How many words each word of a text is away from another word that the requirement has, too: the nearest are what the
    requirement is about."""
    asked = {folded(each) for each in _words(wanted) if len(each) > _SHORT}
    words = _WORD.findall(said)
    places = [at for at, word in enumerate(words) if folded(word) in asked]
    found = dict.fromkeys(words, len(words))
    for at, word in enumerate(words):
        found[word] = min(found[word], *(abs(at - each) for each in places if words[each] != word), len(words))
    return found


def _beside(text: str) -> dict[str, set[str]]:
    """The words that follow each word."""
    words = _WORD.findall(text)
    found: dict[str, set[str]] = {word: set() for word in words}
    for word, after in itertools.pairwise(words):
        found[word].add(after)
    return found


def _unlike(text: str, place: Place, taken: Collection[str]) -> str:
    """The text with another word at a place, chosen so that it differs from all that are ``taken``."""
    word, others = place
    made = (_with(text, {word: each}) for each in (*others, *_varied(word)))
    return next((each for each in made if each not in taken), text)


def _varied(word: str) -> list[str]:
    """The word with three other digits or letters in its middle. The four form a run without a gap; the position of the
    original in it varies with the word."""
    at = [n for n, each in enumerate(word) if each.isdecimal()] or [*range(len(word))]
    middle = at[len(at) // 2]
    back = zlib.crc32(word.encode()) % (COUNT + 1)
    run = (*range(1, COUNT + 1 - back), *range(-back, 0))
    return [f"{word[:middle]}{_after(word[middle], steps)}{word[middle + 1 :]}" for steps in run]


def _after(sign: str, steps: int) -> str:
    """The digit or letter so many steps after another one."""
    if sign.isdecimal():
        return str((int(sign) + steps) % 10)
    if not sign.isascii():
        return chr(ord(sign) + steps)
    letter = chr(ord("a") + (ord(sign.lower()) - ord("a") + steps) % 26)
    return letter.upper() if sign.isupper() else letter


def _with(text: str, changes: Mapping[str, str]) -> str:
    """The text with words replaced wherever they stand, except in its file names."""
    lines = text.split("\n")
    named = [line.startswith("[") and line.endswith("]") for line in lines]
    made = (_WORD.sub(lambda found: changes.get(found.group(), found.group()), line) for line in lines)
    return "\n".join(line if so else other for line, so, other in zip(lines, named, made, strict=True))


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_WORD.findall(text)))


def _digits(word: str) -> int:
    return sum(each.isdecimal() for each in word)


def _plain(value: str) -> bool:
    """Whether a value is a number, date or time rather than an id, so that it may have been worked out."""
    return _digits(value) <= _MOST_DIGITS and not any(each.isalpha() for each in value)


def _shape(word: str) -> str:
    """The form of a word with digits: runs of digits as 0, of letters as a, so 12.50 and 7.99 have the same. For other
    words, whether they begin with a capital letter, and their script."""
    if not _digits(word):
        return f"{word[0].isupper()} {is_letter(word[0])}"
    kinds = ("0" if sign.isdecimal() else "a" if sign.isalnum() else sign for sign in word)
    return "".join(kind if kind in "0a" else kind * len(list(run)) for kind, run in itertools.groupby(kinds))


def _same(one: str, other: str) -> bool:
    """Whether two words mean the same number, or differ only in case."""
    with suppress(InvalidOperation):
        return Decimal(one.replace(",", "")) == Decimal(other.replace(",", ""))
    return folded(one) == folded(other)
