"""Saving what is in the window in front, where a part asks for that and nothing else: Ctrl+S, then name and button.

What a person does without thinking takes a small model two calls, and one in ten goes wrong. No model is asked; where what
follows is not what was expected (another dialog, a name that is not taken), the role is asked as ever.
"""

from __future__ import annotations

import re

from deskcrew.events import Operation
from deskcrew.observation import Observation
from deskcrew.plan import Subtask
from deskcrew.roles.clauses import clauses, file_names, quoted
from deskcrew.roles.role import Role
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

_SAVES = re.compile(
    r"(?:please\s+|and\s+|then\s+)*save"
    r"(?:\s+(?:it|this|that|them|everything|your work|the (?:file|text|note|document|result)))?"
    r"(?:\s+(?:as|under the name|under|with the name)(?:\s+(?:the\s+|a\s+)?(?:file\s+)?)?)?"
    r"\s*(?:[\w][\w .-]*\.\w{1,5})?\s*\.?",
    re.I,
)
_NEEDED = ("hotkey", "keyboard_input", "click_input")
_TURNS = 2
"""Replies of such a part: the key, then the dialog."""


def saves_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place how what is in front is saved. Whether that was done. Not once something about the part went
    wrong, or where a person wants it otherwise."""
    if not only_saves(subtask.goal) or run.journal.state.repairs[subtask.id] or not may_rule(run, role, *_NEEDED):
        return False
    turns = tried(run, subtask)
    if turns >= _TURNS:
        return False
    names = file_names(subtask.goal)
    look = run.offered().model_copy(update={"files": run.now.files})
    operations = ways(look, names[0] if names else "", first=turns == 0)
    if not operations:
        return False
    to_come = bool(names) and operations[0].function == "hotkey"
    rule_replies(run, subtask, role, operations, Branch.CONTINUE if to_come else Branch.ROLE_TASK_FINISH)
    return True


def only_saves(part: str) -> bool:
    """Whether a part asks for saving, under one name or none, and for nothing else."""
    alone = _SAVES.fullmatch(part.strip()) is not None and len(clauses(part)) == 1
    return alone and len(file_names(part)) <= 1 and not quoted(part)


def ways(seen: Observation, name: str, *, first: bool) -> list[Operation]:
    """The operations that save the window in front as ``name``, '' where it has one; none where there is a doubt.

    ``first``: nothing has been done of it yet."""
    window = seen.active_window
    if window is None:
        return []
    if not window.dialog:
        other = name and any(name not in window.title and file.rpartition("/")[2] in window.title for file in _paths(seen))
        return [Operation(function="hotkey", params={"keys": ["ctrl", "s"]})] if first and not other else []
    inside = [control for control in seen.controls if control.window == window.id]
    fields = [each for each in inside if each.role in ("text field", "combo box") and "type" in each.operations]
    named = [each for each in fields if "name" in each.name.casefold()] or fields
    buttons = [each for each in inside if each.role == "button" and each.name.casefold() == "save"]
    if not name or len(named) != 1 or len(buttons) != 1:
        return []
    typing = {"keys": name, "clear": True}
    return [
        Operation(function="keyboard_input", control=named[0].label, params=typing),
        Operation(function="click_input", control=buttons[0].label),
    ]


def _paths(seen: Observation) -> list[str]:
    return [entry.path for entry in seen.files if entry.kind == "file"]
