"""Whether what a program printed answers the part at all: it must read all that the part names, and use its names.

A small model's program takes another row or column where the one asked for made an error, or one file of several, and
prints a figure that looks right. What is said here is shown to its role, which then tries again.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from deskcrew.actions.sections import LXML
from deskcrew.actions.tables import delimiter_of
from deskcrew.errors import ActionError
from deskcrew.journal.fold import OUTPUT_ACTIONS
from deskcrew.journal.records import Done
from deskcrew.plan import Subtask
from deskcrew.review.asked import names_in, occurs
from deskcrew.review.wording import words_of
from deskcrew.roles.clauses import WRITES, clauses, file_names
from deskcrew.roles.role import Role
from deskcrew.roles.routing import asks
from deskcrew.steps.comparing import compared_as_text
from deskcrew.steps.refusing import MOST_FILES, answering
from deskcrew.steps.run import Run

TIMES = 2
"""How often a role is sent back for this; what it then keeps to is not taken for certain."""
_TABLES = (".csv", ".tsv", ".xlsx", ".xlsm", ".ods", ".json", ".xml")
_ALL = re.compile(r"\b(?:all|every|each|altogether|overall|together|across|in total|both|per)\b", re.I)
_COMMON = words_of(
    "number name names value values total list file table row rows column columns data type types sum count date day "
    "year month time the and for with from how many much what which who when where most least all each every highest "
    "lowest largest smallest average mean median maximum minimum first last more than less not are was were did does "
    "has have had its item items entry entries record records there their this that true false none null yes sheet "
    "field fields key keys note notes title text unit units in of on at is it or by to "
)
_NUMBER = re.compile(
    r"\bhow (?:many|much)\b|\bwhat(?:['’]s| is| was| are| were)?\s+the\s+(?:difference|percentage)\b|"
    r"\b(?:sum up|add up|count)\b|\bthe (?:total|sum|average|mean|median)\b(?! of which)",
    re.I,
)
SHORT = 60
"""Characters of a result that can be an answer as it is."""
_SHEET = re.compile(r"^\[sheet .+\]$", re.M)
_CELLS = 20_000
"""Cells of a table that are compared with the words of a part."""


def uncovered(run: Run, subtask: Subtask, role: Role) -> str:
    """What the last program did not look at though the part speaks of it, in words for its role, or ''."""
    if not run.small(role):
        return ""
    done = _last(run, subtask)
    if done is None or not done.ok:
        return ""
    tables = [_text(run, path) for path in done.reads if path.lower().endswith((".csv", ".tsv"))]
    if column := compared_as_text(str(done.operation.params.get("code") or ""), tables):
        return f"The values of {column} are texts in the program, so 9 comes after 100: order by float(row[{column!r}])."
    part = " ".join(c for c in clauses(subtask.goal) if not WRITES.search(c) and asks(c))
    if not part:
        return ""
    if not done.text.strip() and subtask.goal.rstrip().endswith("?"):
        return "It printed nothing. Print the answer."
    if odd := _wrong_kind(part, done.text):
        return odd
    if not done.reads:
        return ""
    return _unread(run, part, done) or _unused(run, part, done) or _headed(run, done)


def _text(run: Run, path: str) -> str:
    try:
        return run.text_of(path)
    except ActionError:
        return ""


def _last(run: Run, subtask: Subtask) -> Done | None:
    turns = (turn for turn in reversed(run.journal.state.turns) if turn.subtask == subtask.id)
    last = next((done for turn in turns for done in reversed(turn.done)), None)
    return last if last is not None and last.operation.function in OUTPUT_ACTIONS else None


def _wrong_kind(part: str, text: str) -> str:
    """That a short result is a word where a number is asked for, or a number where somebody is."""
    said = text.strip()
    if not said or len(said) > SHORT or "\n" in said:
        return ""
    number = re.fullmatch(r"[^\w\s]{0,3}\s*-?\d[\d.,' ]*\s*(?:%|[^\d\W]{0,12}|[^\w\s])", said) is not None
    if _NUMBER.search(part) and not number and not (re.search(r"\d", said) and " " in said):
        return f"It printed {said!r}, but a number is asked for."
    if re.search(r"\bwho(?:se|m)?\b", part, re.I) and number and not _NUMBER.search(part):
        return f"It printed {said!r}, but it is asked who."
    return ""


def _unread(run: Run, part: str, done: Done) -> str:
    """Files that the part speaks of and that were not opened."""
    wanted = [entry.path for entry in answering(run, part)]
    named = [path for path in wanted if path in part or path.rpartition("/")[2] in file_names(part)]
    if not named:
        folders = {path.rpartition("/")[0] for path in wanted} - {""}
        within = [path for path in wanted if any(re.search(rf"(?<![\w-]){re.escape(f)}(?![\w-])", part) for f in folders)]
        if not within or not _ALL.search(part):
            return ""
        kinds = [path.rpartition(".")[2] for path in within]
        common = max(kinds, key=kinds.count)
        named = [path for path in within if path.endswith(common)]
    left = [path for path in named if path not in done.reads]
    return f"The program did not read {', '.join(left[:MOST_FILES])}, which the part speaks of." if left else ""


def _unused(run: Run, part: str, done: Done) -> str:
    """Names, and cells of tables, that the part speaks of and the program neither looks for nor prints."""
    said = f"{done.operation.params.get('code') or ''}\n{done.operation.params.get('command') or ''}\n{done.text}".casefold()
    tables = [path for path in done.reads if path.lower().endswith((*_TABLES, ".zip"))]
    if len(tables) < len(done.reads):
        return ""  # whole texts are searched in many ways
    cells = {cell for path in tables for cell in _cells(run, path)}
    wanted = [word for word in _cells_in(part, cells) if word.casefold() not in said]
    whole = "\n".join(cells)
    wanted += [name for name in names_in(part) if occurs(name, whole) and not _is_used(name, said)]
    places = _places(run, tables)
    by_place = {word for word in wanted if any(f"[{at}]" in said for at in places.get(word.casefold(), ()))}
    missing = ", ".join(repr(word) for word in dict.fromkeys(wanted) if word not in by_place)
    return f"The program does not use {missing}, which the part asks about." if missing else ""


_READS_ALL = re.compile(r"\bcsv\.reader\(")
_LEAVES_OUT = re.compile(r"\bnext\(|\[1:|islice|line_num|[!=]=|isdigit|isnumeric|startswith|\btry:|\bif\b")


def _headed(run: Run, done: Done) -> str:
    """That a program takes the names of a table's columns for one of its rows."""
    code = str(done.operation.params.get("code") or "")
    if not _READS_ALL.search(code) or _LEAVES_OUT.search(code):
        return ""
    for path in done.reads:
        try:
            first, _, rest = run.text_of(path).partition("\n")
        except ActionError:
            continue
        if not re.search(r"\d", first) and re.search(r"\d", rest):
            return f"The first row of {path} holds the names of its columns; leave it out, with next(reader)."
    return ""


def _places(run: Run, tables: Sequence[str]) -> dict[str, set[int]]:
    """Where in a row each column stands, by its name: code may count instead of naming it."""
    found: dict[str, set[int]] = {}
    for path in tables:
        try:
            text = run.text_of(path)
        except ActionError:
            continue
        pieces = [piece for piece in _SHEET.split(text) if piece.strip()]
        for piece in pieces:
            header = list(_rows(piece.strip().partition("\n")[0]))
            for at, name in enumerate(header):
                places = found.setdefault(" ".join(name.split()).casefold(), set())
                places |= {at, at - len(header)}
    return found


def _is_used(name: str, said: str) -> bool:
    """Whether a program looks for a name in any form, or prints it."""
    return occurs(name, said, doubt=False) or any(word.casefold() in said for word in re.findall(r"\w{4,}", name))


def _cells_in(part: str, cells: set[str]) -> Iterator[str]:
    """Words of a part that are whole cells."""
    for word in dict.fromkeys(re.findall(r"[^\W\d_][\w-]{2,}", part)):
        if word.casefold() in cells and word.casefold() not in _COMMON:
            yield word


def _cells(run: Run, path: str) -> Iterator[str]:
    """The cells of a table, the keys and values of a tree, in small letters."""
    try:
        text = run.text_of(path)
    except ActionError:
        return
    found = _tree(text, path) if path.lower().endswith((".json", ".xml")) else _rows(text)
    for number, cell in enumerate(found):
        if number > _CELLS:
            return
        yield " ".join(cell.split()).casefold()


def _rows(text: str) -> Iterator[str]:
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)):
            yield from row
    except csv.Error:
        return


def _tree(text: str, path: str) -> Iterator[str]:
    try:
        if path.lower().endswith(".json"):
            yield from _values(json.loads(text))
            return
        parser = LXML.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        root: Any = LXML.fromstring(text.encode("utf-8", "replace"), parser)
    except (ValueError, RecursionError, LXML.LxmlError):
        return
    for node in root.iter():
        if isinstance(node.tag, str):
            yield from (
                node.tag.rpartition("}")[2],
                str(node.text or ""),
                *map(str, node.attrib),
                *map(str, node.attrib.values()),
            )


def _values(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in cast("dict[str, Any]", value).items():
            yield key
            yield from _values(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _values(each)
    elif value is not None:
        yield str(value)
