"""Writing down what a document that was read says of something, where the part's words leave no doubt what that is."""

from __future__ import annotations

import re

from deskcrew.errors import ActionError
from deskcrew.events import Operation
from deskcrew.plan import Subtask
from deskcrew.roles.clauses import FILE_NAME, INTO_FILE, clauses, file_names
from deskcrew.roles.lookups import value_in
from deskcrew.roles.role import Role
from deskcrew.steps.reading import WRITE, notes, shown
from deskcrew.steps.ruling import may_rule, rule_replies, turns_of
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

_WHAT = re.compile(
    r"\b(?:write|put|note|enter|copy|save|store|type|jot)\s+(?:down\s+)?(?P<what>.+?)\s+(?:down\s+)?"
    rf"{INTO_FILE.pattern}",
    re.I,
)
_SOUGHT = re.compile(r"^(?:please\s+)?(?:take|get|find|find\s+out|look\s+up|read|copy|note|see|check)\s+(?P<what>.+)$", re.I)
_BEFORE_FILE = re.compile(
    r"\s+(?:in|from|of|on|out\s+of|inside)\s+(?:(?:the|my|our)\s+)?(?:(?:file|document|picture|letter)\s+)?$", re.I
)


def notes_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Write in the role's place what the part has noted, once its document was read. Whether that was done."""
    if not may_rule(run, role, WRITE) or run.now.windows or not notes(run, role, subtask.goal):
        return False
    read = shown(run)
    if len(read) != 1 or any(
        not done.ok or done.operation.function == WRITE for t in turns_of(run, subtask) for done in t.done
    ):
        return False
    (document,), (target, *more) = read, file_names(clauses(subtask.goal)[-1])
    if more or any(entry.path == target for entry in run.now.files):
        return False
    try:
        value = value_in(document, run.text_of(document), noted(run.journal.state.task, target))
    except ActionError:
        return False
    if not value:
        return False
    operation = Operation(function=WRITE, params={"file_path": target, "text": f"{value}\n"})
    rule_replies(run, subtask, role, [operation], Branch.ROLE_TASK_FINISH, information=value)
    return True


def noted(task: str, target: str) -> str:
    """Words for what is written into ``target``; '' where the task does not say it plainly."""
    parts = clauses(task)
    at = next((number for number, part in enumerate(parts) if target in file_names(part)), None)
    found = _WHAT.search(parts[at][: parts[at].index(target)]) if at is not None else None
    if at is None or found is None:
        return ""
    what = found["what"]
    if re.fullmatch(r"it|this|that|them|these|those", what, re.I):
        before = _SOUGHT.match(parts[at - 1].rstrip(" .,;")) if at else None
        what = before["what"] if before is not None else ""
    names = list(FILE_NAME.finditer(what))
    if names:
        what = _BEFORE_FILE.sub("", what[: names[0].start()]) if names[0].end() == len(what) else ""
    return what.strip()
