"""One cell of a spreadsheet set, where the words name its row and its column, or its address, and what goes into it.

What goes into it may be named the same way, as a row and a column of a table that was read before.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from deskcrew.events import Operation
from deskcrew.observation import Control
from deskcrew.plan import Subtask
from deskcrew.roles import tabular
from deskcrew.roles.clauses import FILE_NAME, informs, quoted, sentences
from deskcrew.roles.lookups import value_in
from deskcrew.roles.role import Role
from deskcrew.roles.tabular import Table
from deskcrew.steps.ruling import in_windows_only, last_turn, may_rule, rule_replies
from deskcrew.steps.run import Run
from deskcrew.steps.sources import source_of
from deskcrew.verdict import Branch

_NEEDED = ("keyboard_input",)
_LEAD = r"^\W*(?:(?:and|then|please|now|also)\s+)*"
_VALUE = r"(?P<value>[\"“][^\"”]+[\"”]|[€$£]?\s?-?\d[\d.,]*\d|-?\d)"
_TO = re.compile(
    rf"{_LEAD}(?:set|change|update|correct|raise|lower|increase|reduce|decrease|adjust|fix|make)\s+(?P<place>.+?)\s+"
    rf"(?:from\s+\S+\s+)?to\s+(?:be\s+)?{_VALUE}(?P<rest>.*)$",
    re.I,
)
_PUT = re.compile(
    rf"{_LEAD}(?:put|enter|write|type|insert|fill in|set|record|note)\s+"
    rf"(?:the\s+(?:number|value|figure|amount)\s+)?{_VALUE}\s+"
    r"(?P<place>(?:in|into|as|for|under|to)\s+.+)$",
    re.I,
)
_CARRY = re.compile(
    rf"{_LEAD}(?:put|enter|write|type|insert|fill in|copy|record|note|carry|transfer|add)\s+"
    r"(?P<source>.+?)\s+(?:over\s+)?(?P<place>(?:into|in|to|under|as)\s+.+)$",
    re.I,
)
_CELL = re.compile(r"\bcell\s+\$?([A-Z]{1,3})\$?([0-9]{1,5})\b", re.I)
_OF = re.compile(
    r"^(?:the\s+)?(?P<column>[\w /-]{2,40}?)\s+(?:of|for)\s+(?:the\s+)?[\"“]?(?P<item>[^\"”]{2,60}?)[\"”]?$", re.I
)
_REFERRING = re.compile(r"(?:that|this|its|his|her|their|the)\b", re.I)
_REFERS = re.compile(r"^(?:it|that|this|the (?:result|number|value|figure|total|answer|amount|sum))$", re.I)


def sets_cell_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place which cell is set to what. Whether that was done."""
    if run.desk.desktop is None or not in_windows_only(run, role) or not may_rule(run, role, *_NEEDED):
        return False
    window = run.now.active_window
    if window is None or window.dialog or run.journal.state.repairs[subtask.id] or last_turn(run, subtask) is not None:
        return False
    inside = run.now.in_front
    table, part = tabular.sheet(inside), _order(subtask.goal)
    if table is not None and (why := missing(part, table)) and sum(one.role == "tab" for one in inside) < 2:
        rule_replies(run, subtask, role, [], Branch.UNANSWERABLE, problem=why)
        return True
    labels = [one.label for one in inside if one.role == "cell"]
    found = wanted(part, table, _read(run), labels, lambda words: _looked_up(run, subtask, words)) if table else None
    if found is None:
        return False
    label, value, carried = found
    control = run.now.control(label)
    if control is None or "type" not in control.operations or _formula(control):
        return False
    operation = Operation(function="keyboard_input", control=label, params={"keys": value, "click_enter": True})
    said = value if carried else ""
    rule_replies(run, subtask, role, [operation], Branch.ROLE_TASK_FINISH, information=said)
    return True


def wanted(
    part: str, table: Table, read: list[str], labels: list[str], look_up: Callable[[str], str] = lambda words: ""
) -> tuple[str, str, bool] | None:
    """The label of the cell that ``part`` wants set, to what, and whether that was read before; None where there is a doubt.
    ``read``: what was found out, the newest first; ``labels``: of the cells that are there; ``look_up``: what words mean of
    the file that values are taken from."""
    bare, carried = FILE_NAME.sub(" ", part), False
    if match := _TO.search(bare) or _PUT.search(bare):
        value = match["value"].strip('"“” €$£').rstrip(".,")
        place = match["place"] + " " + (match.groupdict().get("rest") or "")
        left = place
    elif match := _CARRY.search(bare):
        place = left = match["place"]
        at = tabular.cell_named(table, place)
        of_row = f"{match['source']} {table.rows[at[0]][0]}" if at is not None else ""
        value = _carried(match["source"], read) or look_up(match["source"]) or (of_row and look_up(of_row))
        carried = True
    else:
        return None
    if not value or len(quoted(left)) > 1:
        return None
    if address := _CELL.search(place):
        label = f"{address[1].upper()}{address[2]}"
        return (label, value, carried) if label in labels else None
    at = tabular.cell_named(table, place)
    label = table.label(*at) if at is not None else ""
    return (label, value, carried) if label else None


def _order(part: str) -> str:
    """The words of a part that have something done, without what only informs and what stands in brackets."""
    said = [sentence for sentence in sentences(re.sub(r"\s*\([^()]*\)", "", part)) if not informs(sentence)]
    return " ".join(said)


def _looked_up(run: Run, subtask: Subtask, words: str) -> str:
    """What ``words`` mean of the file that the part takes values from; '' where there is a doubt."""
    source = source_of(run, subtask, refers=_REFERRING.match(words.strip()) is not None)
    if not source or (run.journal.state.collected_by("output", "reading") and source not in subtask.goal):
        return ""  # what was found out since is meant
    return value_in(source, run.text_of(source), words)


def missing(part: str, table: Table) -> str:
    """That no row is called what ``part`` says, in words; '' where one may be, or where more rows may be out of view."""
    match = _TO.search(FILE_NAME.sub(" ", part))
    named = _OF.search(match["place"].strip()) if match else None
    if named is None or any(table.rows[-1]) or tabular.column_named(table, named["column"]) is None:
        return ""
    words = re.findall(r"\w{3,}", named["item"].casefold())
    said = " ".join(cell for row in table.rows for cell in row).casefold()
    if not words or any(word in said or word.rstrip("s") in said for word in words):
        return ""
    there = ", ".join(row[0] for row in table.rows[1:] if row[0])
    return f"No row of the table is called {named['item']!r}; there are {there}."


def _carried(source: str, read: list[str]) -> str:
    """What ``source`` means of what was read: a cell of a table, or, where it only refers to it, all of a short text."""
    tables = [table for text in read for table in tabular.tables_in(text)]
    if value := tabular.value_named(tables, source):
        return value
    short = read[0].strip() if read else ""
    return short if _REFERS.match(source.strip()) and short and len(short) <= 40 and "\n" not in short else ""


def _read(run: Run) -> list[str]:
    return [found.text for found in reversed(run.journal.state.collected) if not found.claimed]


def _formula(control: Control) -> bool:
    return (control.value or "").startswith("=")
