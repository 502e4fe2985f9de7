"""Saving what is in the window in front, where a part asks for that and nothing else: Ctrl+S, then name and button.

What a person does without thinking takes a small model two calls, and one in ten goes wrong. No model is asked; where what
follows is not what was expected (another dialog, a name that is not taken), the role is asked as ever.
"""

from __future__ import annotations

import re

from deskcrew.environments.workspace import INSIDE
from deskcrew.events import Operation
from deskcrew.observation import Control, Observation
from deskcrew.plan import Subtask
from deskcrew.review.wording import words_of
from deskcrew.roles.clauses import QUOTED, clauses, file_names, quoted
from deskcrew.roles.role import Role
from deskcrew.roles.routing import work_of
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

_SAVES = re.compile(r"(?:please|and|then|finally|now|also|lastly|afterwards|so|just|[\s,.])*(?:save|store)\b", re.I)
_SAYS = words_of(
    "it this that them everything a an its own the your my all work change changes edit edits file text note document "
    "result letter list sheet table workbook spreadsheet book report changed edited new finished updated "
    "as in to under with without by using pressing on is are was has have had be being stays stay remains where which way "
    "at same current original present old existing usual format name kind type changing keeping keep and leave leaving "
    "word microsoft excel plain csv odt docx xlsx ods ctrl control s "
    "again afterwards still before then now please finally once more when done you are finished"
)
"""Words that say nothing of a saving but what anybody would do: of any other, the role is asked."""
_NAMED = re.compile(r"\b(?:as|named?|called|under)\s+(?:\w+\s+){0,3}$", re.I)
"""What stands before the last word of a file's name: names have spaces too."""
_OTHER = re.compile(r"[^\w\s.,+!'-]|\d")
_FORMATS = (
    (r"\bword\b|\bdocx\b", (".docx", ".doc")),
    (r"\bexcel\b|\bxlsx\b", (".xlsx", ".xls")),
    (r"\bodt\b", (".odt",)),
    (r"\bods\b", (".ods",)),
    (r"\bcsv\b", (".csv",)),
)
"""Words for a format, and how its files end."""
_NEEDED = ("hotkey", "keyboard_input", "click_input")
_TURNS = 2
"""Replies of such a part: the key, then the dialog."""


def saves_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place how what is in front is saved. Whether that was done. Not once something about the part went
    wrong, or where a person wants it otherwise."""
    if run.journal.state.repairs[subtask.id] or not may_rule(run, role, *_NEEDED):
        return False
    if not only_saves(goal := said_last(subtask.goal)):
        return False
    turns = tried(run, subtask)
    if turns >= _TURNS:
        return False
    if turns and (keep := keeps_format(run.offered())) is not None:
        rule_replies(run, subtask, role, [Operation(function="click_input", control=keep.label)], Branch.ROLE_TASK_FINISH)
        return True
    if not _fits(goal, run.now):
        return False
    names = file_names(goal)
    look = run.offered().model_copy(update={"files": run.now.files})
    operations = ways(look, names[0] if names else "", first=turns == 0)
    if not operations:
        return False
    to_come = bool(names) and operations[0].function == "hotkey"
    rule_replies(run, subtask, role, operations, Branch.CONTINUE if to_come else Branch.ROLE_TASK_FINISH)
    return True


def said_last(part: str) -> str:
    """A part without what it only tells before."""
    *before, last = clauses(part) or (part,)
    return last if all(work_of(each, windows=True, whole=part) == "nobody" for each in before) else part


def keeps_format(seen: Observation) -> Control | None:
    """The button that keeps a file in the format that it has, where a dialog asks."""
    window = seen.active_window
    if window is None or not window.dialog:
        return None
    buttons = [each for each in seen.in_front if each.role == "button"]
    keep = [each for each in buttons if re.match(r"(?:keep|use)\b.*\bformat\b", each.name, re.I)]
    kept = [each for each in keep if each.name.casefold().startswith("keep")] or [
        each for each in keep if "ODF" not in each.name
    ]
    return kept[0] if len(kept) == 1 else None


def _fits(part: str, seen: Observation) -> bool:
    """Whether the format that a part names is the one that the file in front has."""
    wanted = [endings for words, endings in _FORMATS if re.search(words, QUOTED.sub("", part), re.I)]
    window = seen.active_window
    title = window.title.casefold() if window is not None else ""
    return not wanted or file_names(part) != () or any(f"{ending} " in f"{title} " for ending in wanted[0])


def only_saves(part: str) -> bool:
    """Whether a part asks for saving, under one name or none, and for nothing else."""
    names = file_names(part)
    if len(names) > 1 or quoted(part) or (start := _SAVES.match(part)) is None:
        return False
    before, _, after = part[start.end() :].partition(names[0] if names else "\n")
    rest = f"{_NAMED.sub('as ', before) if names else before} {after}"
    return not _OTHER.search(rest) and _SAYS.issuperset(re.findall(r"[a-z]+", rest.casefold()))


def ways(seen: Observation, name: str, *, first: bool) -> list[Operation]:
    """The operations that save the window in front as ``name``, '' where it has one; none where there is a doubt.

    ``first``: nothing has been done of it yet."""
    window = seen.active_window
    if window is None:
        return []
    if not window.dialog:
        other = name and any(name not in window.title and file.rpartition("/")[2] in window.title for file in _paths(seen))
        return [Operation(function="hotkey", params={"keys": ["ctrl", "s"]})] if first and not other else []
    inside = seen.in_front
    fields = [each for each in inside if each.role in ("text field", "combo box") and "type" in each.operations]
    named = [each for each in fields if "name" in each.name.casefold()] or fields
    buttons = [each for each in inside if each.role == "button" and each.name.casefold() == "save"]
    if not name or len(named) != 1 or len(buttons) != 1:
        return []
    shown = [control.value or "" for control in inside]
    elsewhere = any(path.startswith("/") and path.rstrip("/") != INSIDE for path in shown)
    typing = {"keys": f"{INSIDE}/{name}" if elsewhere else name, "clear": True}
    return [
        Operation(function="keyboard_input", control=named[0].label, params=typing),
        Operation(function="click_input", control=buttons[0].label),
    ]


def _paths(seen: Observation) -> list[str]:
    return [entry.path for entry in seen.files if entry.kind == "file"]
