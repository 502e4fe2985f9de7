"""Reading what a window shows, where a part wants no more than that: nothing is clicked, and no model is asked.

A small model that is to "look at the page" clicks about in it. What is read is the window's own text, its tables row by
row; where the words name a row and a column, only what stands there; a long document is read page by page.
"""

from __future__ import annotations

import re

from deskcrew.events import Operation
from deskcrew.journal.records import Turn
from deskcrew.observation import Observation
from deskcrew.plan import Subtask
from deskcrew.roles import tabular
from deskcrew.roles.clauses import QUOTED, questions
from deskcrew.roles.extremes import extreme_named
from deskcrew.roles.framing import inner
from deskcrew.roles.role import Role
from deskcrew.roles.sums import is_calculator
from deskcrew.steps.ruling import in_windows_only, last_turn, may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

PAGES = 12
"""How often a document is scrolled on."""
_LOOKS = re.compile(
    r"(?:^|[.;,]\s+)(?:please\s+|and\s+|then\s+)*(?:look|read|see|view|find out|find|check|note|take a look|have a look|"
    r"get|take)\b",
    re.I,
)
_DOES = re.compile(
    r"\b(?:press|click|tick|untick|type|enter|put|write|insert|set|change|replace|delete|remove|save|choose|select|fill|"
    r"copy|paste|move|rename|make|create|print|run|execute|sort|add|append|search|open|close|drag|log in|sign in|submit|"
    r"send|go to|switch|turn|use)\b",
    re.I,
)
_SAYS_NOTHING = re.compile(r"\b(?:please|error|invalid|required|must|missing|failed|cannot|can't|not valid)\b", re.I)
_STATED = frozenset({"heading", "link", "list item", "text field", "text area", "number field", "combo box", "tree item"})


def views_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place what the window in front shows. Whether that was done."""
    if run.desk.desktop is None or not in_windows_only(run, role) or not may_rule(run, role):
        return False
    if run.now.active_window is None or is_calculator(run.now) or not only_reads(subtask.goal):
        return False
    turn, turns = last_turn(run, subtask), tried(run, subtask)
    if turns and turn is None:
        return False  # a model was asked: it goes on
    if value := tabular.value_named(tabular.read(run.now), subtask.goal):
        rule_replies(run, subtask, role, [], Branch.ROLE_TASK_FINISH, information=value)
        return True
    if not turns and (said := _answered(run)):
        rule_replies(run, subtask, role, [], Branch.ROLE_TASK_FINISH, information=said)
        return True
    before = run.seen_before(turn.number) if turn is not None else None
    text = news(before, run.now, anything=True) if before is not None else shown(run.now)
    if before is not None and not text and _scrolled(turn, run):
        waiting = [Operation(function="wait_for_loading", params={"seconds": 1.0})]
        rule_replies(run, subtask, role, waiting, Branch.CONTINUE)
        return True
    further = text and turns < PAGES and "hotkey" in run.actions_of(role) and _scrolls(run.now)
    if not text and not turns:
        return False
    if not further and (value := _most(run, subtask, text)):
        rule_replies(run, subtask, role, [], Branch.ROLE_TASK_FINISH, information=value)
        return True
    paging = [Operation(function="hotkey", params={"keys": ["pagedown"]})] if further else []
    rule_replies(run, subtask, role, paging, Branch.CONTINUE if further else Branch.ROLE_TASK_FINISH, screen=text)
    return True


def _most(run: Run, subtask: Subtask, text: str) -> str:
    """What the part asks for by what is most or least in a table, now that all of the window was read; '' in doubt."""
    pages = [each.text for each in run.journal.state.collected if each.subtask == subtask.id and each.kind == "screen"]
    return extreme_named(tabular.tables_in("\n".join((*pages, text))), subtask.goal)


def _answered(run: Run) -> str:
    """What a form said when its button was pressed, where that was the last thing done; '' where it is not."""
    state = run.journal.state
    read = state.collected[-1] if state.collected and state.collected[-1].kind == "reading" else None
    if read is not None and read.number == state.turns[-1].number:
        return read.text  # a rule read it just before
    last = next((turn for turn in reversed(state.turns) if turn.done), None)
    if last is None or last.done[-1].operation.function != "click_input" or not last.done[-1].ok:
        return ""
    before = run.seen_before(last.number)
    pressed = before.control(last.done[-1].operation.control or "") if before is not None else None
    return news(before, run.now) if pressed is not None and pressed.role in ("button", "link") else ""


def only_reads(part: str) -> bool:
    """Whether a part asks for nothing but reading: a question, or to look at something."""
    bare = re.sub(r"\([^()]*\)|\b(?:is|are)\s+(?:already\s+|now\s+)?open\b", "", QUOTED.sub('""', part))
    return (bool(questions((part,))) or _LOOKS.search(bare) is not None) and _DOES.search(bare) is None


def shown(seen: Observation, *, fields: bool = True) -> str:
    """What the active window shows: its text, its tables row by row, and what its fields hold; without
    ``fields``, not what can be changed."""
    tables = tabular.read(seen)
    cells = {label for table in tables for row in table.labels for label in row}
    lines = list(seen.text.splitlines())
    for control in inner(seen):
        if control.label in cells or control.role not in _STATED or not (control.name or control.value):
            continue
        if not fields and {"type", "select", "set"} & set(control.operations):
            continue
        if control.name and control.value:
            lines.append(f"{control.name}: {control.value}")
        else:
            lines.append(control.name or control.value or "")
    lines += [line for table in tables for line in table.text.splitlines()]
    return "\n".join(dict.fromkeys(line.strip() for line in lines if line.strip()))


def news(before: Observation | None, now: Observation, *, anything: bool = False) -> str:
    """What is shown now that was not before; '' where that is nothing, or only says that something is still missing, unless
    ``anything`` counts."""
    if before is None:
        return ""
    old = set(shown(before, fields=False).splitlines())
    fresh = "\n".join(line for line in shown(now, fields=False).splitlines() if line not in old)
    return "" if _SAYS_NOTHING.search(fresh) and not anything else fresh


def _scrolled(turn: Turn | None, run: Run) -> bool:
    """Whether the last reply scrolled on and that was seen, though nothing is told of it yet: a browser draws first."""
    evidence = run.journal.state.evidence
    paged = turn is not None and bool(turn.done) and turn.done[-1].operation.function == "hotkey"
    return paged and evidence is not None and evidence.pixels_changed is True


def _scrolls(seen: Observation) -> bool:
    """Whether the active window shows a document, which may be longer than it."""
    return any(c.role == "document" for c in seen.in_front)
