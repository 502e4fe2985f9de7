"""What a task demands of cells, windows, controls, the clipboard and exit codes, where it clearly says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deskcrew.english.clauses import COMPUTED, FILE_NAME, QUOTED, file_names
from deskcrew.verdict import RESULT, Check

_QUOTE = r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”"
_VALUE = rf"(?:(?:the\s+)?(?:number|value|text|words?|message|line)\s+)?({_QUOTE}|-?\d[\d.,]*\d|-?\d|{COMPUTED.pattern})"
_MUST = r"(?:(?:must|should|shall|has\s+to|needs\s+to|then|now|also|to)\s+)*"
_IS = r"(?:is|be|equals?|holds?|contains?|shows?|shown?|reads?|says?|displays?|has|have)"
_DEMANDS = re.compile(r"\b(?:must|should|shall|has to|needs to|so that|make|until)\b", re.IGNORECASE)
_WAITS = re.compile(r"\b(?:when|once|after|as soon as|where|while)\s+(?:the|a|that|its|this)?\s*$", re.IGNORECASE)
_FILE = rf"(?:\s+(?:of|in)\s+(?:the\s+)?(?:file\s+|spreadsheet\s+|workbook\s+|table\s+)?({FILE_NAME.pattern}))?"
_CELL = rf"[Cc]ell\s+((?:\w+!)?\$?[A-Z]{{1,3}}\$?[1-9]\d{{0,6}}){_FILE}"
_TABLES = (".xlsx", ".xlsm", ".csv", ".tsv", ".ods", ".xls")
_CELL_IS = re.compile(rf"\b{_CELL}\s+{_MUST}{_IS}\s+{_VALUE}|\b(?:[Ss]et|[Cc]hange)\s+(?:the\s+)?{_CELL}\s+to\s+{_VALUE}")
_INTO_CELL = re.compile(
    rf"\b(?:[Pp]ut|[Ww]rite|[Ee]nter|[Tt]ype|[Ss]et|[Ii]nsert)\s+{_VALUE}\s+(?:in|into|to)\s+(?:the\s+)?{_CELL}"
)
_WINDOW = re.compile(rf"\bwindow(?:\s+(?:called\s+|titled\s+)?({_QUOTE}))?\s+{_MUST}{_IS}\s+{_VALUE}", re.IGNORECASE)
_THING = r"(?:field|box|entry|slider|list|label|setting|check\s?box|combo\s?box)"
_CONTROL = re.compile(rf"\b(?:{_THING}\s+({_QUOTE})|({_QUOTE})\s+{_THING})\s+{_MUST}{_IS}\s+{_VALUE}", re.IGNORECASE)
_CLIPBOARD = re.compile(
    rf"\bclipboard\s+{_MUST}{_IS}\s+{_VALUE}|\b(?:copy|put|place)\s+{_VALUE}\s+(?:in|on)?to\s+the\s+clipboard", re.IGNORECASE
)
_EXIT = re.compile(
    r"\b(?:must|should|has\s+to)\s+(?:end|exit|finish|return)\s+with\s+(?:the\s+|an\s+)?(?:exit\s+)?(?:code|status)\s+(\d+)",
    re.IGNORECASE,
)


def tables_of(task: str) -> list[str]:
    """The tables that a task names."""
    return [name for name in file_names(task) if name.lower().endswith(_TABLES)]


def shown(order: str, tables: list[str]) -> Iterator[Check]:
    """The checks of one order. ``tables``: those of the whole task."""
    yield from _cells(order, tables)
    yield from _clipboard(order)
    if _DEMANDS.search(QUOTED.sub("", order)):
        yield from _windows(order)


def _cells(sentence: str, tables: list[str]) -> Iterator[Check]:
    for match in _CELL_IS.finditer(sentence):
        cell, file, value, cell_, file_, value_ = match.groups()
        yield from _cell(cell or cell_, file or file_, value or value_, tables)
    for match in _INTO_CELL.finditer(sentence):
        value, cell, file = match.groups()
        yield from _cell(cell, file, value, tables)


def _cell(cell: str, file: str | None, value: str, tables: list[str]) -> Iterator[Check]:
    table = file or (tables[0] if len(tables) == 1 else "")
    if table:
        yield _check("cell_equals", f"{table}!{cell.replace('$', '')}", value)


def _clipboard(sentence: str) -> Iterator[Check]:
    for match in _CLIPBOARD.finditer(sentence):
        if not _WAITS.search(sentence[: match.start()]):
            yield _check("clipboard_holds", "", match.group(1) or match.group(2))


def _windows(sentence: str) -> Iterator[Check]:
    for match in _WINDOW.finditer(sentence):
        if not _WAITS.search(sentence[: match.start()]):
            yield _check("window_shows", _bare(match.group(1) or ""), match.group(2))
    for match in _CONTROL.finditer(sentence):
        if not _WAITS.search(sentence[: match.start()]):
            yield _check("control_value", _bare(match.group(1) or match.group(2)), match.group(3))


def exit_codes(task: str) -> Iterator[Check]:
    """Of the program or command that was last named before: "Run build.sh; it must end with exit code 0"."""
    for match in _EXIT.finditer(task):
        said = task[: match.start()]
        named = [*FILE_NAME.finditer(said), *re.finditer(_QUOTE, said)]
        if named:
            target = _bare(max(named, key=lambda found: found.start()).group(0))
            yield Check(kind="exit_code", target=target, text=match.group(1))


def _check(kind: str, target: str, value: str) -> Check:
    computed = not re.fullmatch(rf"{_QUOTE}|-?[\d.,]+", value)
    text = RESULT if computed else _bare(value)
    return Check.model_validate({"kind": kind, "target": target, "text": text, "origin": "evidence" if computed else "task"})


def _bare(quote: str) -> str:
    return quote.strip('"“”') if quote[:1] in '"“' else quote.rstrip(".,")
