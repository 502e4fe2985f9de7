"""Orders that say one plain thing: open this program, go to this page. Every word has to be understood.

The words stand in ``plain_orders.toml``. There is no grammar: a part that says nothing but such words, one of them a verb,
and names no more than one thing of each kind leaves no doubt; any other word does.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from deskcrew.english.clauses import file_names, quoted
from deskcrew.english.routing import program_named

_ADDRESS = re.compile(r"[\"'“<(]?(https?://[^\s\"'”<>]+?)[\"'”>)]?(?=[.,;:!?]*(?:\s|$))", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CUT = re.compile(r"[;:!?]\s|\.\s|[\"“”`]")
"""Two sentences, or something quoted: more than one plain thing."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A program that is to be opened, and on which file; '' on none."""

    program: str
    file: str


@cache
def _vocabulary() -> dict[str, dict[str, frozenset[str]]]:
    told = tomllib.loads(files("deskcrew.english").joinpath("plain_orders.toml").read_text())
    polite = frozenset(told.pop("polite").split())
    return {
        kind: {
            "verbs": frozenset(words["verbs"].split()),
            "all": polite | {w for part in words.values() for w in part.split()},
        }
        for kind, words in told.items()
    }


def opening(part: str, programs: Collection[str], there: Collection[str]) -> Opening | None:
    """The program that ``part`` has opened, on one of the files ``there`` or on none; None where it says more or less."""
    program = program_named(part, programs)
    named = file_names(part) or quoted(part)
    if not program or len(named) > 1 or not set(named) <= set(there) or re.search(r"\bor\b", part, re.I):
        return None
    if not _only("open", _without(part, named), frozenset(_words(program))):
        return None
    return Opening(program, named[0] if named else "")


def visiting(part: str) -> str:
    """The address of the page that ``part`` has opened and does nothing with; '' where it says more or less."""
    found = _ADDRESS.findall(part)
    return found[0] if len(found) == 1 and _only("visit", _ADDRESS.sub(" ", part)) else ""


def _without(part: str, names: Collection[str]) -> str:
    for name in names:
        part = re.sub(rf"[\"'“”`]?{re.escape(name)}[\"'“”`]?", " ", part)
    return part


def _only(kind: str, part: str, known: frozenset[str] = frozenset()) -> bool:
    """Whether ``part`` has a verb of this kind of order and no word that is not of it."""
    words = _words(part)
    vocabulary = _vocabulary()[kind]
    return (
        not _CUT.search(part.strip()) and bool(vocabulary["verbs"] & set(words)) and set(words) <= vocabulary["all"] | known
    )


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]
