"""Filling in a form, where a part's words leave no doubt what goes into which field, and reading what it then says."""

from __future__ import annotations

import re

from deskcrew.events import Operation
from deskcrew.plan import Subtask
from deskcrew.roles.clauses import clauses, questions
from deskcrew.roles.forms import filled, from_record, missing
from deskcrew.roles.lookups import record_for, records
from deskcrew.roles.role import Role
from deskcrew.steps.ruling import in_windows_only, last_turn, may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.steps.sources import source_of
from deskcrew.steps.viewing import news
from deskcrew.verdict import Branch

_NEEDED = ("click_input", "keyboard_input", "select_option")
_TURNS = 3
_FROM_FILE = re.compile(
    r"\b(?:fill|enter|put|type|take|taken|use|using|with|copy|transfer|complete|book|order|register|insert|supply)\b", re.I
)


def fills_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place what goes where in the form in front. Whether that was done. Of a question, what is new on the
    screen once the form is sent is what was asked for."""
    if run.desk.desktop is None or not in_windows_only(run, role) or not may_rule(run, role, *_NEEDED):
        return False
    asks = bool(questions((subtask.goal,)))
    if asks and (said := _said(run, subtask)):
        rule_replies(run, subtask, role, [], Branch.ROLE_TASK_FINISH, information=said)
        return True
    if run.journal.state.repairs[subtask.id] or tried(run, subtask) >= _TURNS:
        return False
    if why := missing(subtask.goal, run.now):
        rule_replies(run, subtask, role, [], Branch.UNANSWERABLE, problem=why)
        return True
    words = _with_values(run, subtask) or (told(run, subtask) if asks else subtask.goal)
    found = filled(words, run.now, asks=asks)
    if found is None:
        return False
    operations = list(found.operations)
    if found.button is not None:
        operations.append(Operation(function="click_input", control=found.button.label))
    if not operations or not run.actions_of(role).keys() >= {each.function for each in operations}:
        return False
    more = asks and found.button is not None
    rule_replies(run, subtask, role, operations, Branch.CONTINUE if more else Branch.ROLE_TASK_FINISH)
    return True


def _with_values(run: Run, subtask: Subtask) -> str:
    """The words of a part that fills in a form from a file, with the file's values; '' where it does not."""
    source = source_of(run, subtask) if _FROM_FILE.search(subtask.goal) else ""
    if not source:
        return ""
    record = record_for(records(source, run.text_of(source)), subtask.goal)
    return from_record(subtask.goal, record, run.now) if record else ""


def _said(run: Run, subtask: Subtask) -> str:
    """What is new on the screen since a rule sent the form off; '' where it did not, or nothing is."""
    turn = last_turn(run, subtask)
    if turn is None or not turn.done or not all(done.ok for done in turn.done):
        return ""
    sent = turn.done[-1].operation.function == "click_input"
    return news(run.seen_before(turn.number), run.now) if sent else ""


def told(run: Run, subtask: Subtask) -> str:
    """The words of a part, with those of the task that are nobody's part: they say how something is, and how to see it."""
    state = run.journal.state
    goals = [each.goal for each in state.plan.subtasks]
    spare = [clause for clause in clauses(state.task) if not any(clause in goal for goal in goals)]
    return " ".join((subtask.goal, *spare))
