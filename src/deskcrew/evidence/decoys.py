"""Decoys: wrong texts among which a reader is given the right one, to see whether it reads.

They are wrong in what the text says: a value or a name that a source or the requirement has, too, is another one, never
something that a program numbers for itself. There are always three. With the right text they form a square: two things are
altered, one in each of two texts and both in the third, or a text and another one are altered alike. So each of the four
is as like the others as any, and likeness does not tell from which one the others were made.
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
"""A word or value; of scripts without spaces, what stands between two marks."""
_FIELDS = str.maketrans(dict.fromkeys("\t|;,:", "\n"))
_NUMBERED = re.compile(r"\s*\d+[.)]\s")
_MOST_DIGITS = 8
"""The most digits of a value that is not taken for an id."""
_SHORT = 3
"""Words of so many letters are mostly of the language, and say nothing of their own."""
Place = tuple[str, list[str]]
"""A word of a text, and words that may stand in its place."""


def values_of(text: str) -> list[str]:
    """The words of a text that contain a digit, without duplicates: amounts, dates, references, times."""
    return [word for word in _words(text) if _digits(word)]


def decoys(text: str, source: str, wanted: str, *, before: str = "", asked: bool = False) -> list[str]:
    """Three wrong texts in the form of the right one; none if nothing in it can be altered. ``wanted``: the requirement's
    words; ``before``: the text at the start, which does not fulfil them; ``asked``: the text answers them, so that what it
    says is what they do not."""
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
    """All texts in the order in which they are shown, and where the right one is, which depends on the requirement alone."""
    at = zlib.crc32(wanted.encode()) % (len(others) + 1)
    turned = [text, *others]
    return [*turned[len(turned) - at :], *turned[: len(turned) - at]], at


def _places(text: str, source: str, wanted: str, *, known: Collection[str] = (), asked: bool = False) -> list[Place]:
    """Words that may be altered, best first, each with others that may stand in its place. ``known``: lines to be left."""
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
    """Three other entries of a list of which a text is one, of as many words as it, without values, or what it and another
    one give when mixed; none if it is none. The last ones come first, since the first are often headings."""
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
    """The words around that could stand in place of one: of the same form, not in the text, and of another meaning. Those
    come first that stand beside the same word ("Stone Room", "Map Room")."""
    alike = [each for each in _words(source) if _shape(each) == _shape(word) and not stands_in(each, text)]
    alike = [each for each in reversed(alike) if not _same(each, word)]
    if _digits(word):
        return [each for each in alike if abs(len(each) - len(word)) < 2][:COUNT]
    beside = _beside(source)
    near = beside.get(word, set[str]())
    return sorted(alike, key=lambda each: (not near & beside[each], abs(len(each) - len(word))))[:COUNT]


def _far(said: str, wanted: str) -> dict[str, int]:
    """By word of a text, how many words it is from another one that the requirement has, too: what stands there is what
    the requirement is about."""
    asked = {folded(each) for each in _words(wanted) if len(each) > _SHORT}
    words = _WORD.findall(said)
    places = [at for at, word in enumerate(words) if folded(word) in asked]
    found = dict.fromkeys(words, len(words))
    for at, word in enumerate(words):
        found[word] = min(found[word], *(abs(at - each) for each in places if words[each] != word), len(words))
    return found


def _beside(text: str) -> dict[str, set[str]]:
    """By word, which ones follow it."""
    words = _WORD.findall(text)
    found: dict[str, set[str]] = {word: set() for word in words}
    for word, after in itertools.pairwise(words):
        found[word].add(after)
    return found


def _unlike(text: str, place: Place, taken: Collection[str]) -> str:
    """The text with another word at a place, unlike those that are ``taken``."""
    word, others = place
    made = (_with(text, {word: each}) for each in (*others, *_varied(word)))
    return next((each for each in made if each not in taken), text)


def _varied(word: str) -> list[str]:
    """The word with three other numbers or letters in its middle. Together they are a run without a gap, in which the word
    stands first for some, last or in the middle for others."""
    at = [n for n, each in enumerate(word) if each.isdecimal()] or [*range(len(word))]
    middle = at[len(at) // 2]
    back = zlib.crc32(word.encode()) % (COUNT + 1)
    run = (*range(1, COUNT + 1 - back), *range(-back, 0))
    return [f"{word[:middle]}{_after(word[middle], steps)}{word[middle + 1 :]}" for steps in run]


def _after(sign: str, steps: int) -> str:
    """The number or letter so many steps after another one."""
    if sign.isdecimal():
        return str((int(sign) + steps) % 10)
    if not sign.isascii():
        return chr(ord(sign) + steps)
    letter = chr(ord("a") + (ord(sign.lower()) - ord("a") + steps) % 26)
    return letter.upper() if sign.isupper() else letter


def _with(text: str, changes: Mapping[str, str]) -> str:
    """The text with other words, wherever they stand, but for the names of its files."""
    lines = text.split("\n")
    named = [line.startswith("[") and line.endswith("]") for line in lines]
    made = (_WORD.sub(lambda found: changes.get(found.group(), found.group()), line) for line in lines)
    return "\n".join(line if so else other for line, so, other in zip(lines, named, made, strict=True))


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_WORD.findall(text)))


def _digits(word: str) -> int:
    return sum(each.isdecimal() for each in word)


def _plain(value: str) -> bool:
    """Whether a value is a number, date or time and no id, so that it may have been worked out."""
    return _digits(value) <= _MOST_DIGITS and not any(each.isalpha() for each in value)


def _shape(word: str) -> str:
    """The form of a value, with numbers as 0 and letters as a: 12.50 and 7.99 have the same. Of other words whether they
    begin with a capital letter, and their script."""
    if not _digits(word):
        return f"{word[0].isupper()} {is_letter(word[0])}"
    kinds = ("0" if sign.isdecimal() else "a" if sign.isalnum() else sign for sign in word)
    return "".join(kind if kind in "0a" else kind * len(list(run)) for kind, run in itertools.groupby(kinds))


def _same(one: str, other: str) -> bool:
    """Whether two words mean the same number, or differ in capital letters only."""
    with suppress(InvalidOperation):
        return Decimal(one.replace(",", "")) == Decimal(other.replace(",", ""))
    return folded(one) == folded(other)
