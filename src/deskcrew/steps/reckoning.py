"""A calculation done in the calculator in front, where the words spell it out: typed as a person would, and read back.

A small model presses the buttons one by one, and takes their labels for digits. What the display shows counts only where it
is what must come out.
"""

from __future__ import annotations

import re

from deskcrew.events import Operation
from deskcrew.plan import Subtask
from deskcrew.roles.role import Role
from deskcrew.roles.sums import applied, displays, is_calculator, says, spelt_out, worth
from deskcrew.steps.filling import told
from deskcrew.steps.ruling import in_windows_only, last_turn, may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch


def reckons_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place what is typed into the calculator, and what it then shows. Whether that was done."""
    if run.desk.desktop is None or not in_windows_only(run, role) or not may_rule(run, role, "hotkey"):
        return False
    if not is_calculator(run.now):
        return False
    words = told(run, subtask)
    keys = spelt_out(words) or applied(words, _found_out(run))
    if not keys:
        return False
    value, turns = worth(keys), tried(run, subtask)
    if turns and value is not None and last_turn(run, subtask) is not None:
        shown = next((text for text in displays(run.now) if says(text, value)), "")
        if shown:
            rule_replies(run, subtask, role, [], Branch.ROLE_TASK_FINISH, information=shown)
        return bool(shown)
    if turns:
        return False
    rule_replies(run, subtask, role, typed(f"{keys}="), Branch.CONTINUE)
    return True


def _found_out(run: Run) -> str:
    """The one number that was found out before; '' where there is none, or more stands there than a number."""
    found = [each for each in run.journal.state.collected if each.kind in ("output", "reading")]
    text = found[-1].text.strip() if found else ""
    numbers = re.findall(r"\d+(?:[.,]\d+)*", text)
    return numbers[0] if len(numbers) == 1 and "\n" not in text else ""


def typed(keys: str) -> list[Operation]:
    """The operations that type ``keys``, after what was left of another calculation has gone. The same key twice in a row
    takes two operations: a calculator may take it for one that is held down."""
    first, *others = (match.group(0) for match in re.finditer(r"(?:(.)(?!\1))*.", keys))
    start = Operation(function="hotkey", params={"keys": ["escape"], "text": first})
    return [start, *(Operation(function="hotkey", params={"keys": [piece[0]], "text": piece[1:]}) for piece in others)]
