"""Pressing by rule what a part has pressed last, where a model did all the rest and said that it was finished.

A small model that has filled in a page saves it, as it would save a document, or takes what is filled in for sent.
"""

from __future__ import annotations

from deskcrew.events import Operation
from deskcrew.observation import Control
from deskcrew.plan import Subtask
from deskcrew.roles.page_orders import last_press
from deskcrew.roles.role import Role
from deskcrew.steps.ruling import may_rule, rule_replies, turns_of
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

PRESS = "click_input"


def unpressed(run: Run, subtask: Subtask, role: Role) -> Control | None:
    """What the part has pressed at its end and nobody has pressed for it, on the page in front, after something was done
    there; None where there is no such thing."""
    if not run.on_page or not may_rule(run, role, PRESS):
        return None
    done = [each for turn in turns_of(run, subtask) for each in turn.done]
    found = last_press(subtask.goal, run.now) if any(each.ok for each in done) else None
    if found is None or any(each.operation.control == found.label for each in done):
        return None
    return found


def presses_last(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place that it is pressed now. Whether that was said: only where the role had said that its part was
    finished, and all that it did last went well."""
    last = next(turns_of(run, subtask), None)
    ended = last is not None and str(last.reply.get("branch")) == Branch.ROLE_TASK_FINISH
    if last is None or not ended or not last.done or not all(each.ok for each in last.done):
        return False
    control = unpressed(run, subtask, role)
    if control is None:
        return False
    press = Operation(function=PRESS, control=control.label, params={})
    rule_replies(run, subtask, role, [press], Branch.ROLE_TASK_FINISH)
    return True
