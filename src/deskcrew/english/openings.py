"""Orders that say one plain thing: open this program, go to this page; and which program a text speaks of.

The words stand in ``vocabulary.toml``. There is no grammar: a part that says nothing but such words, one of them a verb,
and names no more than one thing of each kind leaves no doubt; any other word does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from deskcrew.english.orders import plain_words, tokens
from deskcrew.english.texts import FILE_NAME, file_names, quoted
from deskcrew.english.vocabulary import vocabulary

_ADDRESS = re.compile(r"[\"'“<(]?(https?://[^\s\"'”<>]+?)[\"'”>)]?(?=[.,;:!?]*(?:\s|$))", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CUT = re.compile(r"[;:!?]\s|\.\s|[\"“”`]")
"""Two sentences, or something quoted: more than one plain thing."""
_KINDS = ("terminal", "calculator", "file manager", "browser")


@dataclass(frozen=True, slots=True)
class Opening:
    """A program that is to be opened, and on which file; '' on none."""

    program: str
    file: str


def opening(part: str, programs: Collection[str], there: Collection[str]) -> Opening | None:
    """The program that ``part`` has opened, on one of the files ``there`` or on none; None where it says more or less."""
    program = program_named(part, programs)
    named = file_names(part) or quoted(part)
    if not program or len(named) > 1 or not set(named) <= set(there) or "or" in _words(part):
        return None
    if not _only("open", _without(part, named), frozenset(_words(program))):
        return None
    return Opening(program, named[0] if named else "")


def visiting(part: str) -> str:
    """The address of the page that ``part`` has opened and does nothing with; '' where it says more or less."""
    found = _ADDRESS.findall(part)
    return found[0] if len(found) == 1 and _only("visit", _ADDRESS.sub(" ", part)) else ""


def only_opens(part: str) -> bool:
    """Whether ``part`` only has something opened that can be seen, as far as its words go: a program, a file, a page."""
    if visiting(part):
        return True
    words = plain_words(tokens(part))
    slots = {plain for plain, _ in words}
    things = vocabulary().opening["open"]["things"] | vocabulary().opening["visit"]["things"] | {"form", "calc"}
    left = [token.value.casefold() for plain, token in words if plain not in ("open", "FILE", "TEXT", "NAME", "URL", "to")]
    return (
        words[:1] != []
        and words[0][0] == "open"
        and all(word in things or word in vocabulary().opening["open"]["all"] for word in left)
        and bool({"FILE", "URL"} & slots or things & {token.value.casefold() for token in tokens(part)})
    )


def names_program(text: str, programs: Iterable[str]) -> bool:
    """Whether ``text`` speaks of a program: one of ``programs``, by its name or what it is, or of a kind of them."""
    said = text.casefold()
    kinds = ("editor", "word processor", "window", "viewer", *_KINDS)
    return any(_says(said, kind) for kind in kinds) or any(_closeness(told, said) > (0, False) for told in programs)


def program_named(text: str, programs: Collection[str]) -> str:
    """The one of ``programs`` that ``text`` speaks of, '' where it is none, or could be several."""
    called = {name.casefold() for name in programs}
    # "server.log" speaks of no program, unless one is called just so.
    said = FILE_NAME.sub(lambda found: found[0] if found[0].casefold() in called else " ", text).casefold()
    # "the text editor (Name)" has the kind of several programs, and the name of one.
    times = Counter(word for told in programs for word in _words_of(told))
    shared = frozenset(word for word, count in times.items() if count > 1)
    for left_out in (shared, frozenset[str]()):
        found = {told: _closeness(told, said, left_out) for told in programs}
        closest = max(found.values(), default=(0, False))
        if closest > (0, False):
            best = [told for told, closeness in found.items() if closeness == closest]
            return best[0] if len(best) == 1 else ""
    kinds = [kind for kind in _KINDS if _says(said, kind)]
    of_kind = [told for told in programs if any(kind in told.casefold() for kind in kinds)]
    return of_kind[0] if len(of_kind) == 1 else ""


def _says(said: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", said) is not None


def _closeness(told: str, said: str, shared: frozenset[str] = frozenset()) -> tuple[int, bool]:
    """How closely what is ``said`` fits a program's name: letters of it that are said, and whether that is all of it.
    ``shared``: words that do not count, since other programs have them."""
    words = [word for word in _words_of(told) - shared if _says(said, word)]
    return max(map(len, words), default=0), told.casefold() in words


def _words_of(told: str) -> frozenset[str]:
    """The words of a program's name that may be said for it, and those in and before its brackets together."""
    pieces = [piece.strip() for piece in told.casefold().replace(")", "(").split("(") if piece.strip()]
    words = {word for piece in pieces for word in (piece, *piece.split())}
    return frozenset(word for word in words if len(word) >= 4 and word not in vocabulary().programs)


def _without(part: str, names: Collection[str]) -> str:
    for name in names:
        part = re.sub(rf"[\"'“”`]?{re.escape(name)}[\"'“”`]?", " ", part)
    return part


def _only(kind: str, part: str, known: frozenset[str] = frozenset()) -> bool:
    """Whether ``part`` has a verb of this kind of order and no word that is not of it."""
    words = set(_words(part))
    of = vocabulary().opening[kind]
    return not _CUT.search(part.strip()) and bool(of["verbs"] & words) and words <= of["all"] | known


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]
