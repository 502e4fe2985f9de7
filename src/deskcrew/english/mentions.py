"""What a text mentions, by its words alone: saving, a menu, the end of a document, what must not be sent.

This decides only what a small model is offered and how its replies are arranged, never what a run has done. The words
are in ``vocabulary.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from deskcrew.english.vocabulary import vocabulary

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def mentions(kind: str, text: str) -> bool:
    """Whether ``text`` contains a word or phrase of a kind of ``[mentions]``, in any form of its verbs."""
    known = vocabulary().mentions[kind]
    said = _said(text)
    for phrase in known.but:
        said = said.replace(f" {phrase} ", " ")
    return not known.words.isdisjoint(said.split()) or any(f" {phrase} " in said for phrase in known.phrases)


def begins_with(kind: str, text: str) -> bool:
    """Whether ``text``, such as a button's name, begins with a word or phrase of that kind."""
    known, said = vocabulary().mentions[kind], _said(text)
    return said.split()[:1] != [] and (
        said.split()[0] in known.words or any(said.startswith(f" {phrase} ") for phrase in known.phrases)
    )


def prohibitions(text: str) -> Iterator[str]:
    """What ``text`` says must not be done, in its words, up to the next punctuation mark."""
    return (found[0] for found in _prohibition().finditer(text))


def ordinal(text: str) -> tuple[str, int] | None:
    """The ordinal that ``text`` mentions ("the third device"), as written and as a number; None without one."""
    numbers = {word: number for number, word in enumerate(vocabulary().ordinals["words"], 1)}
    if (found := _ordinal().search(text)) is None:
        return None
    said = found.group(1).lower()
    return said, numbers.get(said) or int(said[:-2])


def _said(text: str) -> str:
    return f" {' '.join(word.replace('’', chr(39)) for word in _WORD.findall(text.casefold()))} "


@cache
def _ordinal() -> re.Pattern[str]:
    before, words, endings = ("|".join(vocabulary().ordinals[name]) for name in ("before", "words", "endings"))
    but = "|".join(sorted(vocabulary().mentions["no ordinal"].words))
    return re.compile(rf"\b(?:{before})\s+({words}|\d{{1,2}}(?:{endings}))\s+(?!(?:{but})\b|[A-Z])\w")


@cache
def _prohibition() -> re.Pattern[str]:
    known = vocabulary().mentions["prohibition"]
    begins = "|".join(re.escape(phrase).replace("'", "['’]").replace(r"\ ", r"\s+") for phrase in known.phrases)
    return re.compile(rf"\b(?:{begins})\s+(?!{'|'.join(known.but)})[^.,;!?\n]*", re.I)
