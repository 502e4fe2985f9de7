"""Which actions a role's model is offered for a part of the task: a small one only those that can lead on."""

from __future__ import annotations

from deskcrew.actions.action import Action
from deskcrew.plan import Subtask
from deskcrew.roles.role import Role
from deskcrew.steps.choosing import CHOOSE, speaks_of_menus
from deskcrew.steps.reading import READ, WRITE, notes, shown
from deskcrew.steps.ruling import turns_of
from deskcrew.steps.run import Run
from deskcrew.steps.searching import SEARCH, searches

STUCK = 2
"""Failures of the same operation, one after the other, after which a small model is not offered its action again."""


def offered(run: Run, role: Role, subtask: Subtask) -> dict[str, Action]:
    """The actions by name. A large model is offered all that its role can do, so that its prompt stays the same."""
    actions = run.actions_of(role)
    if not run.small(role):
        return actions
    domain = run.domain_of(role)
    if speaks_of_menus(subtask.goal) and CHOOSE in domain:
        actions = {**actions, CHOOSE: domain[CHOOSE]}
    if searches(run, role, subtask.goal) or (not actions and SEARCH in domain):
        actions = {**actions, SEARCH: domain[SEARCH]}
    if WRITE in actions and READ in actions and shown(run) and notes(run, role, subtask.goal):
        actions = {WRITE: actions[WRITE]}
    stuck = _stuck(run, subtask)
    return {name: action for name, action in actions.items() if name != stuck} or actions


def _stuck(run: Run, subtask: Subtask) -> str:
    """The function of the operation that failed again and again, '' where none did: a small model says the same again
    until it cannot."""
    last = [turn.done[-1] for turn, _ in zip(turns_of(run, subtask), range(STUCK), strict=False) if turn.done]
    failed = [done.operation for done in last if not done.ok]
    return failed[0].function if len(failed) == STUCK and failed[0] == failed[1] else ""
