"""Which actions a small model is offered for a part of the task: only those that can lead on."""

from __future__ import annotations

import re
from itertools import islice

from deskcrew.actions.action import Action
from deskcrew.english.mentions import mentions
from deskcrew.events import Operation
from deskcrew.journal.records import Turn
from deskcrew.situation import Situation

CHOOSE, SEARCH = "choose_menu", "web_search"

TYPE = "keyboard_input"
STUCK = 2
"""Failures of the same operation, one after the other, after which a small model is not offered its action again."""

SPOKEN_OF = ("drag", "hover", "scroll")
"""Actions that a part calls by their own names, and that otherwise only lead a small model astray."""
_PATH = re.compile(r"\s(?:>|→|»|->)\s")
"""Between the entries of a menu that a part names."""


def offered(situation: Situation) -> dict[str, Action]:
    """The actions by name that can lead on: those of the core, and those of the domain that the part speaks of."""
    domain, part = situation.domain, situation.part
    actions = dict(situation.core)
    if (mentions("menu", part) or _PATH.search(part)) and CHOOSE in domain:
        actions[CHOOSE] = domain[CHOOSE]
    actions |= {name: domain[name] for name in SPOKEN_OF if name in domain and mentions(name, part)}
    if SEARCH in domain and (not actions or mentions("web", part)):
        actions[SEARCH] = domain[SEARCH]
    if situation.now.on_page and not any("type" in c.operations for c in situation.now.in_front):
        actions.pop(TYPE, None)  # nothing there takes a text
    stuck = _stuck(situation)
    return {name: action for name, action in actions.items() if name != stuck} or actions


def _stuck(situation: Situation) -> str:
    """The function of the operation that failed again and again, '' where none did: a small model says the same again
    until it cannot."""
    last = list(islice(situation.turns, STUCK))
    vain = [_vain(turn) for turn in last]
    # What was refused twice was never tried: it is its words that were wrong, and not the action.
    tried = len(last) == STUCK and any(turn.done for turn in last)
    return vain[0].function if tried and vain[0] is not None and vain[0] == vain[1] else ""


def _vain(turn: Turn) -> Operation | None:
    """The operation at which a reply came to its end: it failed, or was refused before it was done. None: it did not."""
    if turn.done:
        return None if turn.done[-1].ok else turn.done[-1].operation
    wanted = turn.reply.get("operations")
    return Operation.model_validate(wanted[0]) if isinstance(wanted, list) and wanted else None
