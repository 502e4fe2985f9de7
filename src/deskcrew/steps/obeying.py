"""Doing by rule what a part has done on the page in front, where all of its words are understood."""

from __future__ import annotations

import re

from deskcrew.observation import Control
from deskcrew.plan import Subtask
from deskcrew.roles.page_orders import obeyed
from deskcrew.roles.role import Role
from deskcrew.steps.pressing import PRESS
from deskcrew.steps.ruling import in_windows_only, may_rule, rule_replies, tried, turns_of
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

UNSENT = "Nothing was sent yet"
"""How the question begins whether a page is to be sent."""
_SENDS = "submit"
_SPEAKS_OF_IT = re.compile(r"\b(?:submit|send|confirm|press|click|hit|tap|push|leave|do not|don't|without)\b", re.I)
_TURNS = 8
"""Looks at a page that changes as it is worked on: a calendar, sections that open."""


def obeys_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place what is to be done on the page now. Whether that was said."""
    if not run.on_page or not in_windows_only(run, role) or not may_rule(run, role, PRESS):
        return False
    if run.journal.state.repairs[subtask.id] or tried(run, subtask) >= _TURNS or not _so_far(run, subtask):
        return False
    found = obeyed(subtask.goal, run.now, _operated(run, subtask))
    if found is None or not found.operations:
        return False
    if not run.domain_of(role).keys() >= {each.function for each in found.operations}:
        return False
    more = found.more or _unsent(run) is not None
    rule_replies(run, subtask, role, found.operations, Branch.CONTINUE if more else Branch.ROLE_TASK_FINISH)
    return True


def left_to_send(run: Run, subtask: Subtask) -> Control | None:
    """The button that sends what is on the page, where all that a part says in so many words is done, or a model that did
    the rest was just asked about it and no field is empty, and only of that nobody has spoken."""
    sends = _unsent(run)
    if sends is None:
        return None
    if run.journal.state.judgement.startswith(UNSENT):
        empty = any("type" in c.operations and not c.value for c in run.now.in_front)
        return None if empty else sends
    found = obeyed(subtask.goal, run.now, _operated(run, subtask))
    return sends if found is not None and not found.operations else None


def left_unsent(run: Run, subtask: Subtask, role: Role) -> Control | None:
    """The button that sends what is on the page, where a small model has finished there and neither it nor the task has
    said a word of sending: it is asked about that once."""
    sends = _unsent(run)
    if sends is None or not may_rule(run, role, PRESS):
        return None
    if run.journal.state.repairs[subtask.id] or not _finished(run, subtask) or sends.label in _operated(run, subtask):
        return None
    return sends


def _finished(run: Run, subtask: Subtask) -> bool:
    """Whether the last reply came from a model that did something with success, and said that its part was finished."""
    last = next(turns_of(run, subtask), None)
    if last is None or not last.done or run.by_rule(last):
        return False
    return all(each.ok for each in last.done) and str(last.reply.get("branch")) == Branch.ROLE_TASK_FINISH


def _operated(run: Run, subtask: Subtask) -> list[str]:
    return [done.operation.control or "" for turn in turns_of(run, subtask) for done in turn.done]


def _unsent(run: Run) -> Control | None:
    """The button that sends the page, where nobody has spoken of it: whether it is to be pressed is for a model to say, and
    not for a rule."""
    if not run.on_page:
        return None
    submits = [
        c for c in run.now.in_front if c.role == "button" and c.name.strip().casefold() == _SENDS and "click" in c.operations
    ]
    return submits[0] if len(submits) == 1 and not _SPEAKS_OF_IT.search(run.journal.state.task) else None


def _so_far(run: Run, subtask: Subtask) -> bool:
    """Whether all that was done for a subtask was said to be only the beginning, and went well."""
    turns = list(turns_of(run, subtask))
    return all(str(turn.reply.get("branch")) == Branch.CONTINUE and all(done.ok for done in turn.done) for turn in turns)
