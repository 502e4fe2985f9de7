"""The words that are understood, from ``vocabulary.toml``: what each does in an order, and the forms that orders have."""

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
    """Words of parts that only open a program or a page. ``before``: politeness before the verb, ``polite``: the same in
    several words; ``around``: what may stand around what is opened; ``verbs`` and ``things`` by what is opened, "program"
    or "page"; ``alone``: verbs that need no program beside a file; ``named``: words that need a file beside them; ``kinds``:
    what a program may be called by."""

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
    """By what a text speaks of something: ``words`` in all their forms, ``phrases``; ``but``: phrases that do not count."""

    words: frozenset[str]
    phrases: tuple[str, ...]
    but: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """``verbs``: what a verb does, by the verb; ``plain``: its word in the forms, by the word, '' where it says nothing;
    ``phrases``: the same of several words, the longest first; ``forms``: kinds of orders, each with the patterns that a part
    has as one, in the words of the forms."""

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
    """Phrases as their words, the longest first."""
    return tuple(sorted((tuple(each.split()) for each in listed), key=lambda words: -len(words)))


def _pattern(form: str) -> re.Pattern[str]:
    """``delete line? TEXT of/to FILE`` as a pattern for the words of a part, each with a space behind it."""
    made = ""
    for item in form.split():
        bare = item.rstrip("?+")
        word = "|".join(_SLOTS.get(each, each) for each in bare.split("/"))
        made += rf"(?:(?:{word}) ){item[len(bare) :]}"
    return re.compile(made)


@cache
def deeds() -> frozenset[str]:
    """The verbs of orders that do more than find something out, in all their forms, without those that are things too."""
    doing = [verb for verb, does in vocabulary().verbs.items() if does not in ("find", "tell")]
    return in_all_forms(doing) - vocabulary().clause["nouns"]


def in_all_forms(verbs: Iterable[str]) -> frozenset[str]:
    """These verbs, also as they say that it is done, or was."""
    return frozenset(form for verb in verbs for form in _forms_of(verb))


def _forms_of(verb: str) -> tuple[str, ...]:
    stem = verb.removesuffix("e")
    return (verb, f"{verb}s", f"{verb}es", f"{stem}ed", f"{stem}ing", f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing")
