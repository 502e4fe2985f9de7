"""Writing in the text or document in front, where a part's words leave no doubt what is to stand where.

What the text is to be is worked out from the part and the text that is there (``roles/edits.py``); what a person would press
for that is worked out from the difference (``steps/typing.py``). No model is asked. Where anything is not as expected, the
role is asked as ever, and what came of it is compared with what was there by the goal's checks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from deskcrew.errors import ActionError
from deskcrew.events import Operation
from deskcrew.observation import Control
from deskcrew.plan import Subtask
from deskcrew.roles.blanks import blank, filled_in
from deskcrew.roles.clauses import COMPUTED, QUOTED, clauses, file_names, quoted
from deskcrew.roles.composing import LONGEST, sentence, wants_sentence
from deskcrew.roles.edits import Edit, applied, edit_of, edits_of
from deskcrew.roles.role import Role
from deskcrew.roles.vocabulary import joined
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.steps.saving import ways
from deskcrew.steps.typing import in_area, in_document
from deskcrew.verdict import Branch

_NEEDED = ("hotkey", "keyboard_input", "select_text")
_CUT = re.compile(r"(?P<head>.*)… \((?P<length>\d+) characters\)", re.S)
_TYPES = re.compile(r"\b(?:write|type|put|enter|note|jot|insert|add|create|make|start)\b", re.I)
_ELSEWHERE = re.compile(
    r"\b(?:field|box|cell|calculator|terminal|search|form|dialog|browser|address|column|row|sheet|spreadsheet|table|menu)\b",
    re.I,
)


_WRITES_IT = re.compile(
    r"(?:(?:please|then|and|now)\s+)*(?:write|type|put|note|jot|enter|paste|copy)\s+(?:down\s+|up\s+)?"
    r"(?:it|them|this|that|these|those|all\s+of\s+(?:it|them)|(?:the|that|this|these|those)\s+(?:\w+\s+)?"
    r"(?:list|titles|headings|headlines|names|lines|output|results?|number|figure)"
    r"|what(?:ever)?\s+(?:it|that|this|the\s+\w+)\s+(?:prints?|printed|shows?|showed|says|said|returns?|returned|outputs?"
    r"|gives?|gave|reports?)(?:\s+(?:out|back))?)(?:\s+down|\s+up)?"
    r"(?:\s+(?:in|into|with|using|to)\s+(?!.*\b(?:below|above|after|before|under|replac\w+|instead|place|sentence|letter)\b).*)?[.!]?$",
    re.I,
)
"""Having written what was found out before, and nothing more of it."""
_NUMBER = re.compile(r"\b(?:number|count|figure|how\s+many)\b", re.I)
_LINES, _WIDTH = 60, 200
"""Lines, and characters of one, of a result that is written as it is."""


@dataclass(frozen=True, slots=True)
class Page:
    """What is written on: a text area, or the paragraphs of a document. ``text``: what it says, all of it."""

    area: Control | None
    paragraphs: tuple[Control, ...]
    text: str


def writes_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place what is pressed and typed for a part that has something written. Whether that was done. Not
    once something about the part went wrong, or where a person wants it otherwise."""
    goal = subtask.goal
    if run.journal.state.repairs[subtask.id] or not may_rule(run, role, *_NEEDED):
        return False
    if not _TYPES.search(goal) and edit_of(goal) is None:
        return False
    if turns := tried(run, subtask):
        return turns == 1 and _saves_too(run, subtask, role)
    page = page_of(run)
    if page is None:
        return False
    sign = blank(goal)
    with_result = bool(quoted(goal)) and COMPUTED.search(QUOTED.sub('""', goal)) is not None
    if with_result and page.text.strip() and not sign:
        return False  # a text and a result together: only on an empty page is it sure where they go
    edit = (None if with_result else _said(goal)) or _from_results(run, goal)
    wanted = applied(edit, page.text) if edit is not None else _filled_in(run, goal, page.text)
    if wanted is None or wanted == page.text:
        return False
    operations = _operations(page, wanted)
    if page.area is not None and run.now.focus not in (None, page.area.label):
        operations = [Operation(function="click_input", control=page.area.label), *operations]
    if not operations:
        return False
    saves = not _saved_later(run, subtask)
    if saves:
        operations = [*operations, Operation(function="hotkey", params={"keys": ["ctrl", "s"]})]
    branch = Branch.CONTINUE if saves and _new_file(run, goal) else Branch.ROLE_TASK_FINISH
    rule_replies(run, subtask, role, operations, branch)
    return True


def _said(goal: str) -> Edit | None:
    """The one change that a part asks for, besides what it only tells."""
    return edit_of(goal) or (found[0] if len(found := edits_of(goal)) == 1 else None)


def _filled_in(run: Run, goal: str, text: str) -> str | None:
    """The text with the last result in its blank, where the part, or else the task, says that it has one for it."""
    task = run.journal.state.task
    sign = blank(goal) or (blank(task) if COMPUTED.search(goal) else "")
    result = _results(run)[-1:]
    if not sign or not result or len(result[0]) > LONGEST or "\n" in result[0]:
        return None
    return filled_in(text, sign, result[0])


def _saved_later(run: Run, subtask: Subtask) -> bool:
    """Whether another part saves what this one writes."""
    others = (each.goal for each in run.journal.state.plan.subtasks if each.status == "todo" and each.id != subtask.id)
    return any(re.search(r"\b(?:save|store)\b", goal, re.I) for goal in others)


def _new_file(run: Run, goal: str) -> str:
    """The one file that a part names and that is not there yet."""
    there = {entry.path for entry in run.now.files}
    new = [name for name in file_names(goal) if name not in there]
    return new[0] if len(new) == 1 else ""


def _saves_too(run: Run, subtask: Subtask, role: Role) -> bool:
    """Where a part that names a new file was written by rule and saved: the name for the dialog that came."""
    name, last = _new_file(run, subtask.goal), run.journal.state.turns[-1]
    by_rule = last.subtask == subtask.id and any(
        each.operation.params.get("keys") == ["ctrl", "s"] for each in last.done[-1:]
    )
    look = run.offered().model_copy(update={"files": run.now.files})
    operations = ways(look, name, first=False) if name and by_rule else []
    if operations:
        rule_replies(run, subtask, role, operations, Branch.ROLE_TASK_FINISH)
    return bool(operations)


def _operations(page: Page, wanted: str) -> list[Operation]:
    if page.area is not None:
        return in_area(page.area, page.text, wanted)
    return in_document(page.paragraphs, page.text, wanted)


def _from_results(run: Run, goal: str) -> Edit | None:
    """What was worked out, written where nothing is yet: as it is, or in the sentence that the part asks for."""
    if not _TYPES.search(goal) or _ELSEWHERE.search(goal):
        return None
    results = _results(run)
    if not results or blank(goal):
        return None
    if quoted(goal):
        texts = joined(goal, results[-1:])
        return Edit("add", texts) if texts and "\n" not in results[-1] else None
    if wants_sentence(goal):
        made = sentence(goal, results[-1], run.journal.state.task)
        return Edit("add", (made,)) if made else None
    if _WRITES_IT.match((clauses(goal) or (goal,))[-1]):
        lines = tuple(line.rstrip() for line in _found(goal, results[-1]).splitlines() if line.strip())
        plain = len(lines) <= _LINES and not any(len(line) > _WIDTH or line.startswith(("[", "{")) for line in lines)
        return Edit("add", lines) if lines and plain else None
    if COMPUTED.search(goal) and len(results[-1]) <= LONGEST and "\n" not in results[-1]:
        return Edit("add", (results[-1],))
    return None


def _results(run: Run) -> list[str]:
    """What programs printed, those in terminals as well, and what was read; the newest last."""
    found = run.journal.state.collected_by("output", "information", "reading")
    return [each.text.strip() for each in found if each.text.strip()]


def _found(goal: str, result: str) -> str:
    """What of a result is meant: its number, where that is spoken of and there is one."""
    numbers = re.findall(r"(?<![\w.,/-])\d+(?:[.,]\d+)*(?![\w/-])", result)
    return numbers[0] if _NUMBER.search(goal) and len(numbers) == 1 and "\n" not in result else result


def page_of(run: Run) -> Page | None:
    """What is in the window in front, where it is one text whose every word is known."""
    look = run.offered()
    window = look.active_window
    if window is None or window.dialog:
        return None
    inside = [control for control in look.in_front if "type" in control.operations]
    areas = [control for control in inside if control.role == "text area"]
    paragraphs = tuple(control for control in inside if control.role == "paragraph")
    stored = _stored(run, window.title)
    if len(areas) == 1 and not paragraphs:
        text = _whole(areas[0].value or "", stored)
        return Page(areas[0], (), text) if text is not None else None
    if paragraphs and not areas and (_agree(paragraphs, stored) or not stored):
        return Page(None, paragraphs, stored or "") if stored or (len(paragraphs) == 1 and not paragraphs[0].value) else None
    return None


def _stored(run: Run, title: str) -> str | None:
    """What the one file says whose name the title of its window shows; None where there is none."""
    files = [entry.path for entry in run.now.files if entry.kind == "file"]
    named = [path for path in files if re.search(rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?![\w-])", title)]
    if len(named) != 1:
        return None
    try:
        return run.text_of(named[0])
    except ActionError:
        return None


def _whole(shown: str, stored: str | None) -> str | None:
    """All of a text area's text: what it shows, or what the file says where it shows only the beginning of that. Programs
    differ in whether the line break at the end of a file is part of its text."""
    cut = _CUT.fullmatch(shown)
    if cut is None:
        return shown
    length, head = int(cut.group("length")), cut.group("head")
    for text in (stored or "", (stored or "").removesuffix("\n")):
        if len(text) == length and text.startswith(head):
            return text
    return None


def _agree(paragraphs: tuple[Control, ...], stored: str | None) -> bool:
    """Whether the paragraphs that are to be seen are some of the file's: it is not changed yet."""
    lines = {line.strip() for line in (stored or "").split("\n")}
    heads = [_CUT.fullmatch(each.value or "") for each in paragraphs]
    shown = [(cut.group("head") if cut else (each.value or "")).strip() for cut, each in zip(heads, paragraphs, strict=True)]
    return all(
        text in lines or (cut and any(line.startswith(text) for line in lines))
        for text, cut in zip(shown, heads, strict=True)
    )
