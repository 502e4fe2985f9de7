"""The grammar of addresses (names, ``[which]`` and ``.attribute``), and the trees that they are resolved in.

A reader turns a file into a :class:`PlaceNode`. Its parts are computed only when an address leads to them, so that reading
one paragraph does not cost reading them all. Parts are counted from 1, and ``[-1]`` is the last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NoReturn, TypeVar

from deskcrew.errors import ActionError
from deskcrew.facts.excerpts import shorten

T = TypeVar("T")
Leaf = str | int | float | bool | date | None
"""A value; None if there is none."""
MOST = 20_000
"""Maximum number of parts of one kind (paragraphs, rows, pages, events) in a file that can be read."""
_STEP = re.compile(r'\["(?P<quoted>[^"]*)"\]|\[(?P<which>[^\]]*)\]|(?P<dot>\.?)(?P<name>[^.\[\]]+)')
_SPELLED = {"color": "colour", "alignment": "align"}
_TOLD = 16
"""Maximum number of names that an error lists."""


class Exact(str):
    """A text that is compared literally even if it looks like a number: a format, a telephone number, a branch's
    name."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class PlaceStep:
    """One step of an address. ``number``: None for a name; ``among``: whether it was in brackets."""

    name: str
    number: int | None = None
    among: bool = False


@dataclass(frozen=True, slots=True)
class Many:
    """Parts of one kind. ``what``: the singular name of a part; ``node`` returns a part's node or value; ``key`` returns the
    name of a part, None if parts have numbers only. ``begins``: whether an unambiguous beginning of a name suffices."""

    what: str
    parts: Sequence[Any]
    node: Callable[[Any], PlaceNode | Leaf]
    key: Callable[[Any], str] | None = None
    begins: bool = False


@dataclass(frozen=True, slots=True)
class PlaceNode:
    """A thing in a file. ``plain`` returns its own value, None if one of its ``names`` must be given. ``other`` resolves
    names that are not listed (a cell, a word), and returns None for unknown names."""

    what: str
    names: Mapping[str, Callable[[], PlaceNode | Many | Leaf]]
    plain: Callable[[], Leaf] | None = None
    other: Callable[[str], PlaceNode | None] | None = field(default=None)
    others: str = ""
    """What ``other`` or ``within`` accepts, in words, for error messages."""
    within: Callable[[str], PlaceNode] | None = None
    """Returns the node for ``[words]``; raises ActionError if there is no such part."""


def steps(address: str) -> list[PlaceStep]:
    """The steps of an address. Raises ActionError if it is malformed."""
    found: list[PlaceStep] = []
    at = 0
    while at < len(address):
        match = _STEP.match(address, at)
        if match is None or (match["name"] is not None and bool(match["dot"]) is not bool(at)):
            raise ActionError(f"{address!r} is not an address: names, [which] and .attribute, as in table[1].B2.")
        which = match["which"]
        if match["name"] is not None:
            found.append(PlaceStep(match["name"].strip()))
        elif which is not None and _is_whole(which.strip()):
            found.append(PlaceStep("", int(which), among=True))
        else:
            found.append(PlaceStep(which.strip() if which is not None else match["quoted"], among=True))
        at = match.end()
    return found


def value_in(root: PlaceNode, address: str) -> str:
    """The value at an address below a node, formatted by :func:`told`. Raises ActionError if there is none."""
    here: PlaceNode | Many | Leaf = root
    way = root.what
    for step in steps(address):
        if isinstance(here, PlaceNode) and not step.among:
            here = _named(here, step.name)
        elif isinstance(here, Many) and step.among:
            here = _one(here, step)
        elif isinstance(here, PlaceNode) and here.within is not None:
            here = here.within(step.name if step.number is None else str(step.number))
        else:
            asked = f"[{step.name if step.number is None else step.number}]" if step.among else f".{step.name}"
            raise ActionError(f"{way} has no {asked}.")
        way = here.what if isinstance(here, PlaceNode) else step.name or way
    if isinstance(here, Many):
        raise ActionError(f"Which {here.what}? Write [1] for the first; there are {len(here.parts)}.")
    if isinstance(here, PlaceNode):
        if here.plain is None:
            _unknown(here, "value of its own")
        here = here.plain()
    return told(here)


def told(value: Leaf) -> str:
    """A value as text for checks: true and false, dates in ISO format, '' for None."""
    match value:
        case Exact():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime() if not (value.hour or value.minute or value.second or value.microsecond or value.tzinfo):
            return value.date().isoformat()
        case date():
            return value.isoformat()
        case _:
            return str(value)


def lines(values: Sequence[object]) -> str:
    """Several values, one per line."""
    return "\n".join(" ".join(str(value).split()) for value in values)


def bounded(parts: Iterator[T] | Sequence[T], what: str) -> list[T]:
    """The parts as a list. Raises ActionError if there are more than :data:`MOST`."""
    found: list[T] = []
    for part in parts:
        found.append(part)
        if len(found) > MOST:
            raise ActionError(f"It has more than {MOST} {what}, which is too many to be read.")
    return found


def squeezed(text: str) -> str:
    return " ".join(text.split())


def _named(node: PlaceNode, name: str) -> PlaceNode | Many | Leaf:
    name = _SPELLED.get(name, name)
    if (make := node.names.get(name)) is not None:
        return make()
    known = node.other(name) if node.other is not None else None
    return known if known is not None else _unknown(node, repr(name))


def _unknown(node: PlaceNode, asked: str) -> NoReturn:
    names = [*node.names][:_TOLD] + ([node.others] if node.others else [])
    raise ActionError(f"{node.what} has no {asked}; it has: {', '.join(names)}.")


def _one(many: Many, step: PlaceStep) -> PlaceNode | Leaf:
    there = len(many.parts)
    if step.number is not None:
        at = step.number - 1 if step.number > 0 else there + step.number
        if step.number == 0 or not 0 <= at < there:
            raise ActionError(f"There is no {many.what} {step.number}; there are {there}, counted from 1.")
        return many.node(many.parts[at])
    if many.key is None:
        raise ActionError(f"{step.name!r} is not the number of a {many.what}; there are {there}, counted from 1.")
    wanted = squeezed(step.name)
    keys = [squeezed(many.key(part)) for part in many.parts]
    found = [number for number, key in enumerate(keys) if key == wanted]
    if not found and many.begins and wanted:
        found = [number for number, key in enumerate(keys) if key.startswith(wanted)]
    if len(found) != 1:
        known = shorten(", ".join(repr(key) for key in keys[:_TOLD] if key), 200)
        raise ActionError(f"{len(found) or 'No'} {many.what} is called {step.name!r}; there are: {known or 'none'}.")
    return many.node(many.parts[found[0]])


def _is_whole(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdecimal()
