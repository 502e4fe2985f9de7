"""A task split into clauses, and which of them ask, inform, or have something done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from deskcrew.english.orders import Token, silence, tokens
from deskcrew.english.vocabulary import deeds, vocabulary
from deskcrew.texts import file_names, hide, quoted, show

_FINDS = ("compute", "look")
"""Ways of finding something out that the forms of orders distinguish."""


@cache
def _between_sentences() -> re.Pattern[str]:
    whole = "".join(rf"(?<!\b{each}\.)" for each in vocabulary().abbreviations)
    return re.compile(whole + r"(?<=[.!?])\s+(?=[\"“„`]|[^\Wa-z_])|;\s+|\n\s*(?:[-*•]\s|\d+[.)]\s|\n)\s*")


def sentences(task: str) -> list[str]:
    """The sentences of ``task``, the items of its lists, and the parts between semicolons; quoted texts are not
    split."""
    hidden, texts = hide(task)
    return [shown for part in _between_sentences().split(hidden) if (shown := " ".join(show(part, texts).split()))]


@lru_cache(maxsize=256)
def clauses(task: str) -> tuple[str, ...]:
    """The clauses of ``task`` in order, in its own words. A new clause begins if "and", "then" or a mark precedes the
    verb of an order."""
    return tuple(clause for sentence in sentences(task) for clause in _cut(sentence))


def _cut(sentence: str) -> Iterator[str]:
    words = tokens(sentence)
    begin, first, at = 0, 0, 1
    while at < len(words):
        if _said(words[at]) in vocabulary().clause["binds"]:
            verb = _after_politeness(words, at)
            if verb < len(words) and _begins(words[verb:]) and not _is_place(words[first:at]):
                if _after_politeness(words, first) < at:
                    yield sentence[begin : words[at].start].strip(" ,;:–")
                begin, first, at = words[verb].start, verb, verb
        at += 1
    if rest := sentence[begin:].strip(" ,;:–"):
        yield rest


def _after_politeness(words: list[Token], at: int) -> int:
    """The index of the first word from ``at`` on that is not politeness or filler."""
    known = vocabulary().clause
    while at < len(words):
        silent = silence([_said(word) for word in words[at : at + 5]])
        polite = words[at].slot == "WORD" and _said(words[at]) in known["polite"] and not _verb(words[at:])
        if not (silent or polite or _said(words[at]) in known["binds"]):
            break
        at += silent or 1
    return at


def _is_place(words: list[Token]) -> bool:
    """Whether these words only say where the following is done ("In notes.txt,")."""
    return _said(words[0]) in vocabulary().clause["place"] and not any(map(_verb, (words[n:] for n in range(len(words)))))


def _begins(words: list[Token]) -> bool:
    """Whether an order begins with these words: a verb, followed by something that does not continue a list."""
    verb, after = _verb(words), words[1] if len(words) > 1 else None
    if not verb or after is None or after.value in (".", "!"):
        return verb == "save"
    return _said(after) not in vocabulary().clause["lists"]


def _said(token: Token) -> str:
    return token.value.casefold().replace("’", "'")


def _verb(words: list[Token]) -> str:
    """What the verb or phrase at the beginning of ``words`` does; '' if they do not begin with one."""
    line = tuple(map(_said, words[:6]))
    known = vocabulary()
    for phrase, plain in known.phrases:
        if line[: len(phrase)] == phrase and (plain in _FINDS or plain in known.verbs.values()):
            return "find" if plain in _FINDS else plain
    return known.verbs.get(line[0], "") if words and words[0].slot == "WORD" else ""


def verb_of(clause: str) -> str:
    """What the verb at the beginning of ``clause`` does, after politeness and a place ("In a.txt, replace"); '' if
    there is none."""
    words, known = tokens(clause), vocabulary().clause
    at = 0
    if words and _said(words[0]) in known["place"]:
        commas = [number for number, word in enumerate(words[:10]) if word.value == ","]
        named = [number for number, word in enumerate(words[:6]) if word.slot in ("FILE", "TEXT")]
        at = (commas or named or [-1])[0] + 1
    return _verb(words[_after_politeness(words, at) :])


def asks(clause: str) -> bool:
    """Whether a clause wants something to be told."""
    words = [_said(word) for word in tokens(clause)]
    verb, known = verb_of(clause), vocabulary().clause
    wishes = len(words) > 1 and words[0] in known["wishes"] and words[1] in known["crew"]
    if words and words[-1] == "?" and (not (verb or wishes) or words[0] in known["asking"] or verb == "find"):
        return True
    if verb == "tell":
        return _tells_user(words)
    return not verb and bool(words) and words[0] in known["asking"]


def _tells_user(words: list[str]) -> bool:
    """Whether the user is to be told something, rather than somebody else, or a thing that is given a name."""
    verbs, known = vocabulary().verbs, vocabulary().clause
    tells = (n for n, word in enumerate(words) if verbs.get(word) == "tell" or word in known["learns"])
    at = next(tells, len(words))
    if known["user"] & set(words[: at + 2]) or known["asking"] & set(words[at + 1 : at + 2]):
        return True
    return known["hands"].isdisjoint(words[at : at + 1]) and known["recipient"].isdisjoint(words)


def only_asks(clause: str) -> bool:
    """Whether a clause certainly wants only an answer: it begins as a question that orders nothing, or wants the user
    to be told something, and mentions no action."""
    words, known = tokens(clause), vocabulary().clause
    if not asks(clause):
        return False
    at = _after_politeness(words, 0)
    if verb_of(clause) == "tell":
        phrase = next((p for p, plain in vocabulary().phrases if plain == "tell" and _line(words[at:], len(p)) == p), ())
        at += len(phrase) or 1
        user = bool(phrase) or not known["user"].isdisjoint(_line(words[at:], 1))
        at += 1 if user and not phrase else 0
        # "List the house" is an order unless it says that the user is told, or from what.
        user = user or any(word.slot in ("FILE", "TEXT", "RESULT") for word in words[at:])
        begun = user and _goes_on(words[at : at + 1])
    else:
        first, second = (*_line(words[at:], 2), "", "")[:2]
        begun = first in known["begins_question"] or (first in known["measures"] and second in known["amounts"])
    joined = [words[n + 1 : n + 2] for n, word in enumerate(words) if n >= at and _said(word) in known["further"]]
    if not all(map(_goes_on, joined)):
        return False  # "and tie it"
    said = {_said(word) for word in words[at:] if word.slot == "WORD"}  # "answer" may be a noun
    return begun and said.isdisjoint(known["no_question"] | vocabulary().doubt["words"] | deeds())


def _goes_on(words: list[Token]) -> bool:
    """Whether the first of these words can begin what is to be told."""
    known = vocabulary().clause
    return any(_said(each) in known["told"] | known["asking"] or each.slot in ("FILE", "TEXT") for each in words[:1])


def _line(words: list[Token], length: int) -> tuple[str, ...]:
    return tuple(_said(word) for word in words[:length])


def greets(clause: str) -> bool:
    """Whether a clause is only politeness."""
    words = tokens(clause)
    return all(word.slot == "MARK" or _said(word) in vocabulary().clause["greets"] for word in words)


def questions(parts: tuple[str, ...]) -> str:
    """The clauses that ask for something, joined; '' if there are none."""
    return " ".join(part for part in parts if asks(part))


def informs(clause: str) -> bool:
    """Whether a clause only describes a state: something that exists and what it is or has, without a word that orders,
    asks or wants."""
    known = vocabulary().clause
    words = [_said(word) for word in tokens(clause) if word.slot in ("WORD", "FILE")]
    if not words or clause.rstrip().endswith("?") or quoted(clause):
        return False
    if words[0] not in known["subjects"] and words[0] not in map(str.casefold, file_names(clause)):
        return False
    return bool(known["states"] & set(words[1:])) and not (known["obliges"] | deeds()) & set(words)


def steps(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses that need work: all but those that only ask to be told at the end, if there is more to do before than
    opening something."""
    doing = tuple(part for part in parts if verb_of(part) != "tell" or part.endswith("?"))
    return doing if any(verb_of(part) != "open" and not informs(part) for part in doing) else parts
