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
from contextlib import suppress
from typing import Any, cast

from deskcrew.actions.sections import LXML
from deskcrew.actions.tables import TABLES, delimiter_of
from deskcrew.coaching.comparing import compared_as_text
from deskcrew.coaching.counting import uncounted
from deskcrew.english.asked import names_in, occurs
from deskcrew.english.clauses import WRITES, clauses, file_names
from deskcrew.english.routing import asks
from deskcrew.english.wording import speaks_of, words_of
from deskcrew.errors import ActionError
from deskcrew.goals.origin import inputs_of
from deskcrew.journal.fold import OUTPUT_ACTIONS
from deskcrew.journal.records import Done
from deskcrew.observation import FileEntry
from deskcrew.situation import Situation

MOST_FILES = 8
MOST_BYTES = 4 << 20
"""More of either is not read for a question."""
TIMES = 2
"""How often a role is sent back for this; what it then keeps to is not taken for certain."""
_TABLES = (*TABLES, ".json", ".xml")
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


def uncovered(situation: Situation) -> str:
    """What the last program did not look at though the part speaks of it, in words for its role, or ''."""
    done = situation.last_done
    if done is None or done.operation.function not in OUTPUT_ACTIONS or not done.ok:
        return ""
    tables = [_text(situation, path) for path in done.reads if path.lower().endswith((".csv", ".tsv"))]
    if column := compared_as_text(str(done.operation.params.get("code") or ""), tables):
        return f"The values of {column} are texts in the program, so 9 comes after 100: order by float(row[{column!r}])."
    part = " ".join(c for c in clauses(situation.part) if not WRITES.search(c) and asks(c))
    if not part:
        return ""
    if not done.text.strip() and situation.part.rstrip().endswith("?"):
        return "It printed nothing. Print the answer."
    if odd := _wrong_kind(part, done.text) or uncounted(part, _given(done)):
        return odd
    if not done.reads:
        return ""
    return _unread(situation, part, done) or _unused(situation, part, done) or _headed(situation, done)


def _given(done: Done) -> str:
    """The program or the command itself."""
    return "\n".join(str(done.operation.params.get(name) or "") for name in ("code", "command"))


def _text(situation: Situation, path: str) -> str:
    """What a file says, '' where it cannot be read."""
    try:
        return situation.text_of(path)
    except ActionError:
        return ""


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


def answering(situation: Situation, part: str) -> list[FileEntry]:
    """The files that a part can be answered from: those named, those in a folder that is named, else all; none where they
    are too many."""
    files = [entry for entry in situation.now.files if entry.kind == "file"]
    named = inputs_of(part, situation.now) or inputs_of(situation.task, situation.now)
    if not named:
        folders = [entry.path for entry in situation.now.files if entry.kind == "folder"]
        within = [path for path in folders if speaks_of(part, path)]
        named = frozenset(e.path for e in files if any(e.path.startswith(f"{path}/") for path in within))
    chosen = [entry for entry in files if entry.path in named] if named else files
    small = len(chosen) <= MOST_FILES and sum(entry.size for entry in chosen) <= MOST_BYTES
    return chosen if small else []


def _unread(situation: Situation, part: str, done: Done) -> str:
    """Files that the part speaks of and that were not opened."""
    # What the crew wrote itself is no source.
    own = {path for turn in situation.state.turns for each in turn.done for path in each.files}
    wanted = [entry.path for entry in answering(situation, part) if entry.path not in own or entry.path in done.reads]
    named = [path for path in wanted if path in part or path.rpartition("/")[2] in file_names(part)]
    if not named:
        folders = {path.rpartition("/")[0] for path in wanted} - {""}
        within = wanted if any(speaks_of(part, folder) for folder in folders) else []
        if not within or not _ALL.search(part):
            return ""
        kinds = [path.rpartition(".")[2] for path in within]
        common = max(kinds, key=kinds.count)
        named = [path for path in within if path.endswith(common)]
    left = [path for path in named if path not in done.reads]
    return f"The program did not read {', '.join(left[:MOST_FILES])}, which the part speaks of." if left else ""


def _unused(situation: Situation, part: str, done: Done) -> str:
    """Names, and cells of tables, that the part speaks of and the program neither looks for nor prints."""
    said = f"{_given(done)}\n{done.text}".casefold()
    tables = [path for path in done.reads if path.lower().endswith((*_TABLES, ".zip"))]
    if len(tables) < len(done.reads):
        return ""  # whole texts are searched in many ways
    cells = {cell for path in tables for cell in _cells(situation, path)}
    wanted = [word for word in _cells_in(part, cells) if word.casefold() not in said]
    whole = "\n".join(cells)
    wanted += [name for name in names_in(part) if occurs(name, whole) and not _is_used(name, said)]
    places = _places(situation, tables)
    by_place = {word for word in wanted if any(f"[{at}]" in said for at in places.get(word.casefold(), ()))}
    missing = [word for word in dict.fromkeys(wanted) if word not in by_place]
    if not missing:
        return ""
    told = f"The program does not use {', '.join(map(repr, missing))}, which the part asks about."
    columns = {name for path in tables for name in holders(_text(situation, path), path, missing[0])}
    return (
        f"{told} {missing[0]!r} is a value of {columns.pop()!r}: take only those where it is {missing[0]!r}."
        if len(columns) == 1
        else told
    )


_READS_ALL = re.compile(r"\bcsv\.reader\(")
_LEAVES_OUT = re.compile(r"\bnext\(|\[1:|islice|line_num|[!=]=|isdigit|isnumeric|startswith|\btry:|\bif\b")


def _headed(situation: Situation, done: Done) -> str:
    """That a program takes the names of a table's columns for one of its rows."""
    code = str(done.operation.params.get("code") or "")
    if not _READS_ALL.search(code) or _LEAVES_OUT.search(code):
        return ""
    for path in done.reads:
        first, _, rest = _text(situation, path).partition("\n")
        if not re.search(r"\d", first) and re.search(r"\d", rest):
            return f"The first row of {path} holds the names of its columns; leave it out, with next(reader)."
    return ""


def _places(situation: Situation, tables: Sequence[str]) -> dict[str, set[int]]:
    """Where in a row each column stands, by its name: code may count instead of naming it."""
    found: dict[str, set[int]] = {}
    for path in tables:
        pieces = [piece for piece in _SHEET.split(_text(situation, path)) if piece.strip()]
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


def _cells(situation: Situation, path: str) -> Iterator[str]:
    """The cells of a table, the keys and values of a tree, in small letters."""
    text = _text(situation, path)
    found = _tree(text, path) if path.lower().endswith((".json", ".xml")) else _rows(text)
    for number, cell in enumerate(found):
        if number > _CELLS:
            return
        yield " ".join(cell.split()).casefold()


def _rows(text: str) -> Iterator[str]:
    yield from (cell for row in _lines(text) for cell in row)


def _lines(text: str) -> list[list[str]]:
    """The rows of a table; none where it is not one."""
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)))
    except csv.Error:
        return []


def _tree(text: str, path: str) -> Iterator[str]:
    try:
        if path.lower().endswith(".json"):
            yield from _values(json.loads(text))
            return
    except (ValueError, RecursionError):
        return
    for node in _elements(text):
        yield from (
            node.tag.rpartition("}")[2],
            str(node.text or ""),
            *map(str, node.attrib),
            *map(str, node.attrib.values()),
        )


def _elements(text: str) -> Iterator[Any]:
    parser = LXML.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root: Any = LXML.fromstring(text.encode("utf-8", "replace"), parser)
    except (ValueError, LXML.LxmlError):
        return
    yield from (node for node in root.iter() if isinstance(node.tag, str))


def holders(text: str, path: str, word: str) -> Iterator[str]:
    """The columns, keys, elements or attributes that have ``word`` for a value somewhere."""
    wanted = word.casefold()
    if path.lower().endswith(".json"):
        with suppress(ValueError, RecursionError):
            yield from _keys(json.loads(text), wanted)
    elif path.lower().endswith(".xml"):
        for node in _elements(text):
            if str(node.text or "").strip().casefold() == wanted:
                yield node.tag.rpartition("}")[2]
            yield from (str(key) for key, value in node.attrib.items() if str(value).strip().casefold() == wanted)
    else:
        for piece in _SHEET.split(text):
            header, *rows = _lines(piece.strip()) or ([],)
            yield from (
                name for row in rows for name, cell in zip(header, row, strict=False) if cell.strip().casefold() == wanted
            )


def _keys(value: object, wanted: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in cast("dict[str, object]", value).items():
            if isinstance(each, str | int | float) and str(each).strip().casefold() == wanted:
                yield key
            yield from _keys(each, wanted)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _keys(each, wanted)


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
