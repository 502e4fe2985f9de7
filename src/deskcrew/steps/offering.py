"""Which actions a role's model is offered for a part of the task: a small one only those that can lead on."""

from __future__ import annotations

import re

from deskcrew.actions.action import Action
from deskcrew.events import Operation
from deskcrew.journal.records import Turn
from deskcrew.plan import Subtask
from deskcrew.roles.role import Role
from deskcrew.steps.choosing import CHOOSE, speaks_of_menus
from deskcrew.steps.pressing import PRESS
from deskcrew.steps.reading import READ, WRITE, notes, shown
from deskcrew.steps.ruling import turns_of
from deskcrew.steps.run import Run
from deskcrew.steps.searching import SEARCH, searches

TYPE = "keyboard_input"
STUCK = 2
"""Failures of the same operation, one after the other, after which a small model is not offered its action again."""

SPOKEN_OF = {name: re.compile(rf"\b{name}(?:s|g?ed|g?ing)?\b", re.I) for name in ("drag", "hover", "scroll")}
"""Actions that a part calls by their own names, and that otherwise only lead a small model astray."""


def offered(run: Run, role: Role, subtask: Subtask, *, sends: bool = False) -> dict[str, Action]:
    """The actions by name. A large model is offered all that its role can do, so that its prompt stays the same. ``sends``:
    nothing is left to a small one but to press what sends the page, or to leave it."""
    actions = run.actions_of(role)
    if not run.small(role):
        return actions
    domain = run.domain_of(role)
    if speaks_of_menus(subtask.goal) and CHOOSE in domain:
        actions = {**actions, CHOOSE: domain[CHOOSE]}
    spoken_of = [name for name, word in SPOKEN_OF.items() if name in domain and word.search(subtask.goal)]
    actions = {**actions, **{name: domain[name] for name in spoken_of}}
    if searches(run, role, subtask.goal) or (not actions and SEARCH in domain):
        actions = {**actions, SEARCH: domain[SEARCH]}
    if WRITE in actions and READ in actions and shown(run) and notes(run, role, subtask.goal):
        actions = {WRITE: actions[WRITE]}
    if sends and PRESS in actions:
        return {PRESS: actions[PRESS]}
    if run.on_page and not any("type" in c.operations for c in run.now.in_front):
        actions = {name: action for name, action in actions.items() if name != TYPE}  # nothing there takes a text
    stuck = _stuck(run, subtask)
    return {name: action for name, action in actions.items() if name != stuck} or actions


def _stuck(run: Run, subtask: Subtask) -> str:
    """The function of the operation that failed again and again, '' where none did: a small model says the same again
    until it cannot."""
    last = [turn for turn, _ in zip(turns_of(run, subtask), range(STUCK), strict=False)]
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
