"""Edits of a text that orders ask for, as far as their words are unambiguous: what is added where, replaced, or
removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deskcrew.english.clauses import clauses
from deskcrew.english.orders import Order, parse
from deskcrew.verdict import RESULT


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of a text. ``texts``: what is inserted; ``place``: where it is added (END, START, or '' if that is not
    said); ``old``: what is replaced or removed; ``whole_line``: whether it was said to be a line of its own."""

    kind: Literal["add", "replace", "drop"]
    texts: tuple[str, ...]
    place: str = ""
    old: str = ""
    whole_line: bool = False


def edits_of(words: str) -> tuple[Edit, ...]:
    """The edits of one text that ``words`` order, in order; () if one of them is not understood."""
    found = [edit_of(order) if (order := parse(part)) is not None else None for part in clauses(words)]
    understood = [edit for edit in found if edit is not None]
    return tuple(understood) if len(understood) == len(found) else ()


def edit_of(order: Order) -> Edit | None:
    """The edit that an order means; None if it is not an edit or not understood."""
    if order.kind in ("append", "write"):
        known = order.what and RESULT not in order.what
        return Edit("add", order.what, order.place, whole_line=order.whole_line) if known else None
    if order.kind == "replace" and len(order.what) == 2:
        return Edit("replace", order.what[1:], old=order.what[0])
    return Edit("drop", (), old=order.what[0]) if order.kind == "drop" and order.whole_line else None
