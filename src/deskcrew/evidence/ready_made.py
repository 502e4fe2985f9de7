"""Functions that a Verifier's code may call on what it is given, so that it need not write them. The sandbox executes this
file in the process of each of its functions (``caller.py``), so it imports nothing of Deskcrew.

They are strict: what is not there exactly once fails like an ``assert``, which counts as a no.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

_NAMES = ("id", "_id", "uuid", "number", "slug", "key")
"""What an answer calls the name of what was made, as its address ends."""
_SETS = ("PUT", "PATCH")
"""Methods of requests that say what a thing shall be, so that a later one takes the place of an earlier one."""


Data = Mapping[str, Any]
"""A request, a control or a screen, as probes read it (``screen.py``)."""


class _Merged(NamedTuple):
    """Something that requests wrote. ``now``: what they come to, as one request; ``of``: their numbers."""

    now: Data
    of: tuple[int, ...]


def net(sent: Sequence[Data]) -> list[Data]:
    """What requests come to: a dict of the same form for each thing that they wrote, in order, with the last value of each
    field. Left out is what was refused, what ended as it was, and what was made and removed again."""
    return [each.now for each in _written(sent)]


def overtaken(sent: Sequence[Data]) -> list[set[str]]:
    """For each request the names of its fields that do not matter to what it comes to: all, and '' for the request itself,
    if it was refused; else those of which a later request to the same thing gave the value that lasts."""
    found = [{*each["fields"], ""} if each["method"] and _refused(each) else set[str]() for each in sent]
    for thing in _written(sent):
        for at, number in enumerate(thing.of):
            later = {name for each in thing.of[at + 1 :] for name in sent[each]["fields"]}
            found[number] |= {*sent[number]["fields"]} & later & {*thing.now["fields"]}
    return found


def _written(sent: Sequence[Data]) -> list[_Merged]:
    things: list[_Merged] = []
    for number, each in enumerate(sent):
        if each["method"] in ("", "GET", "HEAD", "OPTIONS") or _refused(each):
            continue
        same = [at for at, one in enumerate(things) if each["method"] != "POST" and each["address"] in _places(one.now)]
        if not same:
            things.append(_Merged(each, (number,)))
            continue
        old = things[same[0]]
        if "DELETE" not in (each["method"], old.now["method"]):
            things[same[0]] = _Merged(_both(old.now, each), (*old.of, number))
        else:
            things[same[0] : same[0] + 1] = [] if old.now["method"] == "POST" else [_Merged(each, (number,))]
    lasting = (each._replace(now=_lasting(each.now)) for each in things)
    return [now for was, now in zip(things, lasting, strict=True) if now.now["fields"] or not was.now["fields"]]


def _both(first: Data, then: Data) -> Data:
    return {
        **first,
        "fields": {**first["fields"], **then["fields"]},
        "was": {**then["was"], **first["was"]},
        "beside": {**first["beside"], **then["beside"]},
    }


def _lasting(now: Data) -> Data:
    """A request without fields that are as they were before it. One that makes something keeps all."""
    if now["method"] not in _SETS:
        return now
    was: Mapping[str, str | None] = now["was"]
    return {**now, "fields": {name: text for name, text in now["fields"].items() if was[name] is None or was[name] != text}}


def _refused(sent: Data) -> bool:
    return 400 <= (sent["status"] or 0) < 500


def _places(made: Data) -> tuple[str, ...]:
    """The addresses of a thing: where it was sent or, of one that was made, below that by the name in the answer."""
    if made["method"] != "POST":
        return (made["address"],)
    try:
        said: object = json.loads(made["answer"] or "null")
    except ValueError:
        return ()
    if _is_object(said) and len(said) == 1:
        (said,) = said.values()
    names = [said.get(name) for name in _NAMES] if _is_object(said) else []
    return tuple(f"{made['address'].rstrip('/')}/{name}" for name in names if name not in (None, ""))


def _is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, dict)


def part(text: str, name: str) -> str:
    """The part of a page's text with the heading ``name`` or, where no heading is called so, the row, item or paragraph in
    which ``name`` stands as whole words."""
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines) if _level(line) and line.strip("# ").strip() == name.strip()]
    if heads:
        assert len(heads) == 1, f"{len(heads)} headings are called {name!r}"
        rest = lines[heads[0] + 1 :]
        below = (at for at, line in enumerate(rest) if 0 < _level(line) <= _level(lines[heads[0]]))
        return "\n".join(rest[: next(below, len(rest))]).strip()
    found = [block for block in _blocks(text) if _says(block, name.strip())]
    assert len(found) == 1, f"{name!r} stands in {len(found)} places"
    return found[0]


def _level(line: str) -> int:
    """The level of a heading; 0 for any other line."""
    signs = len(line) - len(line.lstrip("#"))
    return signs if line[signs : signs + 1] == " " else 0


def _blocks(text: str) -> list[str]:
    """The paragraphs of a text, a row or item by itself; in a text without empty lines, each line."""
    found: list[str] = []
    for block in text.split("\n\n") if "\n\n" in text else text.splitlines():
        first = block.strip().partition(" ")[0]
        listed = first in ("-", "|") or (first.endswith(".") and first[:-1].isdigit())
        found += block.splitlines() if listed else [block]
    return found


def _says(text: str, words: str) -> bool:
    """Whether words stand in a text, and neither begin nor end within a word."""
    places = [at for at in range(len(text)) if words and text.startswith(words, at)]
    around = ((text[at - 1 : at] if at else "", text[at + len(words) : at + len(words) + 1]) for at in places)
    return any(not (before.isalnum() or after.isalnum()) for before, after in around)


def control(shown: Data, name: str, owner: str = "") -> Data:
    """The one control with this name, of this owner if one is given."""
    found = [one for one in shown["controls"] if one["name"] == name and owner in ("", one["owner"])]
    assert len(found) == 1, f"{len(found)} controls are called {name!r}{f' in {owner!r}' if owner else ''}"
    return found[0]
