"""A task cut into its own clauses, and which of them ask, inform, or have something done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from deskcrew.english.orders import Token, silence, tokens
from deskcrew.english.vocabulary import deeds, vocabulary
from deskcrew.texts import file_names, hide, quoted, show

_FINDS = ("compute", "look")
"""Ways of finding something out that forms tell apart."""


@cache
def _between_sentences() -> re.Pattern[str]:
    whole = "".join(rf"(?<!\b{each}\.)" for each in vocabulary().abbreviations)
    return re.compile(whole + r"(?<=[.!?])\s+(?=[\"“„`]|[^\Wa-z_])|;\s+|\n\s*(?:[-*•]\s|\d+[.)]\s|\n)\s*")


def sentences(task: str) -> list[str]:
    """The sentences of ``task``, the points of its lists, and the parts between semicolons; quoted texts stay whole."""
    hidden, texts = hide(task)
    return [shown for part in _between_sentences().split(hidden) if (shown := " ".join(show(part, texts).split()))]


@lru_cache(maxsize=256)
def clauses(task: str) -> tuple[str, ...]:
    """The clauses of ``task`` in order, in its own words; a new one begins where "and", "then" or a mark stands before the
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
    """Where the words begin that say something, from ``at`` on."""
    known = vocabulary().clause
    while at < len(words):
        silent = silence([_said(word) for word in words[at : at + 5]])
        polite = words[at].slot == "WORD" and _said(words[at]) in known["polite"] and not _verb(words[at:])
        if not (silent or polite or _said(words[at]) in known["binds"]):
            break
        at += silent or 1
    return at


def _is_place(words: list[Token]) -> bool:
    """Whether these words only say where what follows is done ("In notes.txt,")."""
    return _said(words[0]) in vocabulary().clause["place"] and not any(map(_verb, (words[n:] for n in range(len(words)))))


def _begins(words: list[Token]) -> bool:
    """Whether an order begins with these words: its verb, and something that is no further thing of a list."""
    verb, after = _verb(words), words[1] if len(words) > 1 else None
    if not verb or after is None or after.value in (".", "!"):
        return verb == "save"
    return _said(after) not in vocabulary().clause["lists"]


def _said(token: Token) -> str:
    return token.value.casefold().replace("’", "'")


def _verb(words: list[Token]) -> str:
    """What the verb, or the words for one, does that ``words`` begin with; '' where they begin otherwise."""
    line = tuple(map(_said, words[:6]))
    known = vocabulary()
    for phrase, plain in known.phrases:
        if line[: len(phrase)] == phrase and (plain in _FINDS or plain in known.verbs.values()):
            return "find" if plain in _FINDS else plain
    return known.verbs.get(line[0], "") if words and words[0].slot == "WORD" else ""


def verb_of(clause: str) -> str:
    """What the verb does that ``clause`` begins with, after politeness and where it is done ("In a.txt, replace"); '' where
    it begins with none."""
    words, known = tokens(clause), vocabulary().clause
    at = 0
    if words and _said(words[0]) in known["place"]:
        commas = [number for number, word in enumerate(words[:10]) if word.value == ","]
        named = [number for number, word in enumerate(words[:6]) if word.slot in ("FILE", "TEXT")]
        at = (commas or named or [-1])[0] + 1
    return _verb(words[_after_politeness(words, at) :])


def asks(clause: str) -> bool:
    """Whether a clause wants to be told something."""
    words = [_said(word) for word in tokens(clause)]
    verb, known = verb_of(clause), vocabulary().clause
    wishes = len(words) > 1 and words[0] in known["wishes"] and words[1] in known["crew"]
    if words and words[-1] == "?" and (not (verb or wishes) or words[0] in known["asking"] or verb == "find"):
        return True
    if verb == "tell":
        return _tells_user(words)
    return not verb and bool(words) and words[0] in known["asking"]


def _tells_user(words: list[str]) -> bool:
    """Whether it is whoever gave the task that is told something, and not somebody else, or a thing that is given one."""
    verbs, known = vocabulary().verbs, vocabulary().clause
    tells = (n for n, word in enumerate(words) if verbs.get(word) == "tell" or word in known["learns"])
    at = next(tells, len(words))
    if known["user"] & set(words[: at + 2]) or known["asking"] & set(words[at + 1 : at + 2]):
        return True
    return known["hands"].isdisjoint(words[at : at + 1]) and known["recipient"].isdisjoint(words)


def only_asks(clause: str) -> bool:
    """Whether an answer is all that a clause wants, without a doubt: it begins as a question that orders nothing, or has its
    user told something, and says nothing of anything that is done."""
    words, known = tokens(clause), vocabulary().clause
    if not asks(clause):
        return False
    at = _after_politeness(words, 0)
    if verb_of(clause) == "tell":
        phrase = next((p for p, plain in vocabulary().phrases if plain == "tell" and _line(words[at:], len(p)) == p), ())
        at += len(phrase) or 1
        user = bool(phrase) or not known["user"].isdisjoint(_line(words[at:], 1))
        at += 1 if user and not phrase else 0
        # "List the house" is an order, where nothing says that its user is told, or from what.
        user = user or any(word.slot in ("FILE", "TEXT", "RESULT") for word in words[at:])
        begun = user and _goes_on(words[at : at + 1])
    else:
        first, second = (*_line(words[at:], 2), "", "")[:2]
        begun = first in known["begins_question"] or (first in known["measures"] and second in known["amounts"])
    joined = [words[n + 1 : n + 2] for n, word in enumerate(words) if n >= at and _said(word) in known["further"]]
    if not all(map(_goes_on, joined)):
        return False  # "and tie it"
    said = {_said(word) for word in words[at:] if word.slot == "WORD"}  # "the answer" is a thing, whatever verb it is too
    return begun and said.isdisjoint(known["no_question"] | vocabulary().doubt["words"] | deeds())


def _goes_on(words: list[Token]) -> bool:
    """Whether what is wanted to be told may begin with the first of these words."""
    known = vocabulary().clause
    return any(_said(each) in known["told"] | known["asking"] or each.slot in ("FILE", "TEXT") for each in words[:1])


def _line(words: list[Token], length: int) -> tuple[str, ...]:
    return tuple(_said(word) for word in words[:length])


def greets(clause: str) -> bool:
    """Whether a clause is politeness and nothing else."""
    words = tokens(clause)
    return all(word.slot == "MARK" or _said(word) in vocabulary().clause["greets"] for word in words)


def questions(parts: tuple[str, ...]) -> str:
    """What the user wants to be told, '' when nothing: the clauses that ask. Where none does, what is found out last in a
    file, if the task does nothing with it: of that nothing else is left to be seen."""
    asked = [part for part in parts if asks(part)]
    found = [part for part in parts if verb_of(part) == "find"]
    if asked or not found or not any(map(file_names, parts)):
        return " ".join(asked)
    return found[-1] if all(part in found or informs(part) for part in parts) else ""


def informs(clause: str) -> bool:
    """Whether a clause only says how things are: something that is there, and what it is or has, in no word that orders,
    asks or wants."""
    known = vocabulary().clause
    words = [_said(word) for word in tokens(clause) if word.slot in ("WORD", "FILE")]
    if not words or clause.rstrip().endswith("?") or quoted(clause):
        return False
    if words[0] not in known["subjects"] and words[0] not in map(str.casefold, file_names(clause)):
        return False
    return bool(known["states"] & set(words[1:])) and not (known["obliges"] | deeds()) & set(words)


def steps(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses that somebody has to do something for: all but those that only ask to be told at the end, where there is
    more to do before than opening something."""
    doing = tuple(part for part in parts if verb_of(part) != "tell" or part.endswith("?"))
    return doing if any(verb_of(part) != "open" and not informs(part) for part in doing) else parts
