"""Finds, without a model, the choices of a skill that a request says, in the words in which people say them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from deskcrew.engine.steps.common_words import NEGATING
from deskcrew.facts.texts import places_of, stands_alone
from deskcrew.learning.skills.lexicon import WORD
from deskcrew.learning.skills.skill import Parameter, Saying, Skill

MORE_LETTERS = 2
"""How many letters longer a word of a request may be than the word for a choice."""
UP_TO = frozenset(("to", "bis", "a", "au", "al", "hasta"))
"""Words between two ends."""


class Heard(NamedTuple):
    """The choices that a plain text means by the words from ``begin`` to ``end``, how people say these, and whether it means
    the opposites of the others by them."""

    begin: int
    end: int
    choices: tuple[str, ...]
    words: str
    turns: bool


def choices_said(text: str, parameter: Parameter, *, alone: bool = False) -> list[tuple[str, ...]]:
    """The choices of a parameter that a text mentions, in its order; several at once, if a word can mean either. Of a phrase
    and a word in it, the phrase counts. If the text excludes what it mentions, the opposites."""
    heard = _heard(plain(text), parameter, alone=alone)
    turning, others = ([each.choices for each in heard if each.turns is turns] for turns in (True, False))
    if not others:
        return [] if alone else turning
    return [_opposite(choices, parameter) for choices in others] if turning else others


def tells_column(text: str, parameter: Parameter) -> bool:
    """Whether a text says one of a parameter's choices in a word that implies the kind of column: cheapest."""
    telling = tuple(saying for saying in parameter.said if saying.tells)
    return bool(choices_said(text, parameter.model_copy(update={"said": telling})))


def values_said(text: str, skill: Skill, values: Mapping[str, Any]) -> list[Heard]:
    """Where a plain text says the choices that are among the ``values`` of a skill, or open. What stands at the other end is
    said with it: from lowest to highest."""
    found: list[Heard] = []
    for each in skill.method.parameters:
        value = values.get(each.name)
        both = (*_heard(text, each, alone=False), *_heard(text, each, alone=True))
        for heard in both if each.choices and value != "" else ():
            meant = value is None or heard.turns or value in (*heard.choices, *_opposite(heard.choices, each))
            if meant or (found and text[found[-1].end : heard.begin].strip() in UP_TO):
                found.append(heard)
    return found


def _heard(text: str, parameter: Parameter, *, alone: bool) -> list[Heard]:
    """What a plain text says of a parameter. A negation just before what is said belongs to it: not over."""
    places = [(found.start(), found.group()) for found in WORD.finditer(text)]
    found: dict[tuple[int, int], dict[Saying, None]] = {}
    for saying in parameter.said:
        for said in plain(saying.words).split(", ") if saying.turns or saying.alone == alone else ():
            for at in _places(said, text, places):
                found.setdefault((at, -len(said)), {})[saying] = None
    kept: list[Heard] = []
    begin = end = 0
    for (at, length), sayings in sorted(found.items()):
        if at < end:
            continue
        choices, words = tuple(each.choice for each in sayings), ", ".join(each.words for each in sayings)
        if text[begin:end] in NEGATING and not text[end:at].strip():
            begin, words = kept[-1].begin, f"{kept.pop().words}, {words}"
            choices = _opposite(choices, parameter)
        else:
            begin = at
        kept.append(Heard(begin, at - length, choices, words, all(each.turns for each in sayings)))
        begin, end = at, at - length
    return kept


def _opposite(choices: Iterable[str], parameter: Parameter) -> tuple[str, ...]:
    opposite = {each: other for pair in parameter.opposites for each, other in (pair, pair[::-1])}
    return tuple(opposite.get(each, each) for each in choices)


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """A text in lower case without accents, as people often type (cuanto), and with "not" as a word of its own."""
    bare = "".join(unicodedata.normalize("NFD", sign)[0] for sign in text.casefold().replace("’", "'"))
    return bare.replace("n't", " not")


def _places(said: str, text: str, words: Iterable[tuple[int, str]]) -> Iterable[int]:
    """Where a text has a phrase, or a word that is up to two letters longer."""
    if WORD.fullmatch(said):
        return [at for at, word in words if word.startswith(said) and len(word) - len(said) <= MORE_LETTERS]
    return [at for at in places_of(said, text) if stands_alone(said, text[max(0, at - 1) : at + len(said) + 1])]
