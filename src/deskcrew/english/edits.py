"""Changes of a text that orders ask for, as far as their words leave no doubt: what is added where, replaced, taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deskcrew.english.clauses import clauses
from deskcrew.english.orders import Order, parse
from deskcrew.verdict import RESULT


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a text. ``place`` of what is added: END, START, or '' where that is not said; ``old``: what gives way;
    ``whole_line``: that it is a line of its own was said."""

    kind: Literal["add", "replace", "drop"]
    texts: tuple[str, ...]
    place: str = ""
    old: str = ""
    whole_line: bool = False


def edits_of(words: str) -> tuple[Edit, ...]:
    """The changes of one text that ``words`` order, in their order; () where one of them is not understood."""
    found = [edit_of(order) if (order := parse(part)) is not None else None for part in clauses(words)]
    understood = [edit for edit in found if edit is not None]
    return tuple(understood) if len(understood) == len(found) else ()


def edit_of(order: Order) -> Edit | None:
    """The change of a text that an order is; None of any other order."""
    if order.kind in ("append", "write"):
        known = order.what and RESULT not in order.what
        return Edit("add", order.what, order.place, whole_line=order.whole_line) if known else None
    if order.kind == "replace" and len(order.what) == 2:
        return Edit("replace", order.what[1:], old=order.what[0])
    return Edit("drop", (), old=order.what[0]) if order.kind == "drop" and order.whole_line else None
