"""The words that are understood, from ``vocabulary.toml``: what each means in an order, and the forms of orders."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

Phrases = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Openings:
    """Words of orders that only open a program or a page. ``before``: politeness before the verb, ``polite``: the same
    in several words; ``around``: words that may accompany the thing that is opened; ``verbs`` and ``things``: by kind
    of thing, "program" or "page"; ``alone``: verbs that need no program if there is a file; ``named``: words that need
    a file beside them; ``kinds``: generic names of programs."""

    before: frozenset[str]
    polite: Phrases
    around: frozenset[str]
    verbs: Mapping[str, Phrases]
    things: Mapping[str, frozenset[str]]
    alone: Phrases
    named: frozenset[str]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mentions:
    """How a text mentions something: by ``words`` in all their forms, or ``phrases``. ``but``: phrases that do not
    count."""

    words: frozenset[str]
    phrases: tuple[str, ...]
    but: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The vocabulary. ``verbs``: the meaning of each verb; ``plain``: each word's equivalent in the forms, '' if it
    means nothing; ``phrases``: the same for several words, the longest first; ``forms``: kinds of orders with their
    patterns, in the words of the forms."""

    verbs: Mapping[str, str]
    plain: Mapping[str, str]
    phrases: tuple[tuple[tuple[str, ...], str], ...]
    results: frozenset[str]
    ordinals: Mapping[str, tuple[str, ...]]
    forms: tuple[tuple[str, re.Pattern[str]], ...]
    abbreviations: tuple[str, ...]
    purpose: str
    things: Mapping[str, frozenset[str]]
    clause: Mapping[str, frozenset[str]]
    doubt: Mapping[str, frozenset[str]]
    programs: frozenset[str]
    opening: Openings
    mentions: Mapping[str, Mentions]


_SLOTS = {
    "WHAT": "(?:TEXT|RESULT|it)(?: (?:TEXT|RESULT|it))*",
    "VALUE": "(?:TEXT|RESULT|NUMBER)",
    "OLD": "(?:TEXT|NAME|NUMBER)",
}


@cache
def vocabulary() -> Vocabulary:
    told = tomllib.loads(files("deskcrew.english").joinpath("vocabulary.toml").read_text())
    verbs = {verb: does for does, listed in told["verbs"].items() for verb in listed.split()}
    words = {word: plain for plain, listed in told["words"].items() for word in listed.split()}
    phrases = [(tuple(each.split()), plain) for plain, listed in told["phrases"].items() for each in listed]
    forms = [
        (kind, _pattern(form)) for kind, listed in told["forms"].items() for form in listed.strip().splitlines() if form
    ]
    return Vocabulary(
        verbs=verbs,
        plain=verbs | words,
        phrases=tuple(sorted(phrases, key=lambda phrase: -len(phrase[0]))),
        results=frozenset(told["results"]["nouns"].split()),
        ordinals={name: tuple(listed.split()) for name, listed in told["ordinals"].items()},
        forms=tuple(forms),
        programs=frozenset(told["programs"]["common"].split()),
        abbreviations=tuple(told["sentence"]["abbreviations"].split()),
        purpose=told["sentence"]["purpose"],
        things={name: frozenset(listed.split()) for name, listed in told["things"].items()},
        clause={name: frozenset(listed.split()) for name, listed in told["clause"].items()},
        doubt={name: frozenset(listed.split()) for name, listed in told["doubt"].items()},
        opening=_openings(told["opening"]),
        mentions={
            kind: Mentions(
                words=in_all_forms(each.get("words", "").split()),
                phrases=tuple(each.get("phrases", ())),
                but=tuple(each.get("but", ())),
            )
            for kind, each in told["mentions"].items()
        },
    )


def _openings(told: Mapping[str, Any]) -> Openings:
    kinds = {kind: told[kind] for kind in ("program", "page")}
    return Openings(
        before=frozenset(told["before"].split()),
        polite=_phrases(told["phrases"]),
        around=frozenset(told["around"].split()),
        verbs={kind: _phrases(each["verbs"]) for kind, each in kinds.items()},
        things={kind: frozenset(each["things"].split()) for kind, each in kinds.items()},
        alone=_phrases(kinds["program"]["alone"]),
        named=frozenset(kinds["program"]["named"].split()),
        kinds=tuple(kinds["program"]["kinds"]),
    )


def _phrases(listed: Iterable[str]) -> Phrases:
    """Phrases as tuples of words, the longest first."""
    return tuple(sorted((tuple(each.split()) for each in listed), key=lambda words: -len(words)))


def _pattern(form: str) -> re.Pattern[str]:
    """``delete line? TEXT of/to FILE`` as a pattern for the words of a part, each followed by a space."""
    made = ""
    for item in form.split():
        bare = item.rstrip("?+")
        word = "|".join(_SLOTS.get(each, each) for each in bare.split("/"))
        made += rf"(?:(?:{word}) ){item[len(bare) :]}"
    return re.compile(made)


@cache
def deeds() -> frozenset[str]:
    """The verbs of orders that do more than find something out, in all their forms, except those that are also
    nouns."""
    doing = [verb for verb, does in vocabulary().verbs.items() if does not in ("find", "tell")]
    return in_all_forms(doing) - vocabulary().clause["nouns"]


def in_all_forms(verbs: Iterable[str]) -> frozenset[str]:
    """These verbs in all regular forms."""
    return frozenset(form for verb in verbs for form in _forms_of(verb))


def _forms_of(verb: str) -> tuple[str, ...]:
    stem = verb.removesuffix("e")
    return (verb, f"{verb}s", f"{verb}es", f"{stem}ed", f"{stem}ing", f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing")
