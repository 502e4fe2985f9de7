"""Which actions a small model is offered for a subtask: only those that can lead on."""

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
"""Number of successive failures of the same operation after which a small model is no longer offered its action."""

SPOKEN_OF = ("drag", "hover", "scroll")
"""Actions that a subtask mentions by name if it needs them, and that otherwise only mislead a small model."""
_PATH = re.compile(r"\s(?:>|→|»|->)\s")
"""The separator between menu entries in a subtask."""


def offered(situation: Situation) -> dict[str, Action]:
    """The actions that can lead on, by name: those of the core, and those of the domain that the subtask mentions."""
    domain, part = situation.domain, situation.part
    actions = dict(situation.core)
    if (mentions("menu", part) or _PATH.search(part)) and CHOOSE in domain:
        actions[CHOOSE] = domain[CHOOSE]
    actions |= {name: domain[name] for name in SPOKEN_OF if name in domain and mentions(name, part)}
    if SEARCH in domain and (not actions or mentions("web", part)):
        actions[SEARCH] = domain[SEARCH]
    if situation.now.on_page and not any("type" in c.operations for c in situation.now.in_front):
        actions.pop(TYPE, None)  # no control there accepts text
    stuck = _stuck(situation)
    return {name: action for name, action in actions.items() if name != stuck} or actions


def _stuck(situation: Situation) -> str:
    """The function of the operation that failed repeatedly; '' if none did. A small model repeats an operation for as
    long as it can."""
    last = list(islice(situation.turns, STUCK))
    vain = [_vain(turn) for turn in last]
    # An operation that was refused twice was never tried: its arguments were wrong, not the action.
    tried = len(last) == STUCK and any(turn.done for turn in last)
    return vain[0].function if tried and vain[0] is not None and vain[0] == vain[1] else ""


def _vain(turn: Turn) -> Operation | None:
    """The operation that ended a reply because it failed or was refused; None if the last one succeeded."""
    if turn.done:
        return None if turn.done[-1].ok else turn.done[-1].operation
    wanted = turn.reply.get("operations")
    return Operation.model_validate(wanted[0]) if isinstance(wanted, list) and wanted else None
