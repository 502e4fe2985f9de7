"""What a model is shown of a file: all of it, a part, or the places where a text occurs; and a note on what is left out.

The note comes first, because whoever shows a text to a model cuts off its end.
"""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from deskcrew.actions import readers
from deskcrew.actions.readers import MAX_TEXT
from deskcrew.actions.sections import Document, Section, csv_line
from deskcrew.errors import ActionError
from deskcrew.facts.addresses import parse
from deskcrew.facts.excerpts import cut
from deskcrew.facts.legible import counted
from deskcrew.facts.texts import folded

SECONDS = 60.0
"""Seconds after which no further line is read; the note then says so."""
LONG = 2000
"""Length in characters above which the note says how long a text is, and how to see a part."""
MATCHES = 40
"""Maximum number of matches that are shown."""
_AROUND = 120
"""Characters shown on each side of a match in a long line."""
_NEXT = 200
"""The number of rows or lines suggested for the next part."""
_SOURCE = "source"
_WORDS = r"(?:pages?|slides?|letters?|chapters?|rows?|lines?|p\.)?\s*"
_RANGE = re.compile(_WORDS + r"(?P<first>[0-9]{1,7})(?:\s*(?P<open>-|–|\.\.|:|to)\s*(?P<last>[0-9]{1,7})?)?", re.IGNORECASE)
_EVERYTHING = {"", "all", "whole", "everything"}
_UNITS = {
    "text": "line",
    "sheet": "row",
    "table": "row",
    "page": "page",
    "slide": "slide",
    "letter": "letter",
    "chapter": "chapter",
}


@dataclass(frozen=True, slots=True)
class ExcerptPart:
    """Pages, rows or lines from ``first`` to ``last`` (None: to the end), counted from 1; of a sheet perhaps some
    columns."""

    first: int = 1
    last: int | None = None
    columns: tuple[int, int] | None = None
    """The first and last column, counted from 1."""

    def __contains__(self, number: int) -> bool:
        return number >= self.first and (self.last is None or number <= self.last)


ALL = ExcerptPart()


class Watch:
    """Limits the reading time: when it is up, lines stop coming and ``over`` is true."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._clock, self._until = clock, clock() + seconds
        self.over = False

    def numbered(self, section: Section) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(section.lines, start=1):
            yield number, line
            if self._clock() > self._until:
                self.over = True
                return

    def count(self, number: int, unit: str) -> str:
        return f"{'more than ' if self.over else ''}{number} {unit}{'' if number == 1 else 's'}"


def excerpt(
    path: Path, part: str = "", find: str = "", *, room: int = MAX_TEXT, clock: Callable[[], float] = time.monotonic
) -> str:
    """The text of a file, of a ``part`` of it ("2", "3-5", "Sheet2", "Sheet2!1-40"), or around occurrences of ``find``, as
    much as fits into ``room`` characters.

    Raises ActionError for an unreadable format and a missing part, OSError for a file that cannot be opened.
    """
    part, find = part.strip(), folded(find)
    if part.lower() in _EVERYTHING:
        part = ""
    with readers.damage_told(path):
        document = (readers.streamed(path) if part or find else None) or readers.shown(path)
        if document.source is not None and part.lower() == _SOURCE:
            lines = iter(document.source.splitlines())
            document, part = Document(document.name, (Section("text", "", lines),), document.source), ""
        sections, chosen = _chosen(document, part)
        watch = Watch(SECONDS, clock)
        notes = _notes(document, part, find)
        if find:
            return notes + _found(sections, chosen, find, watch)
        if sections and sections[0].numbered:
            return notes + _pages(document, sections, watch, room, some=bool(part))
        least = min(1000, room // 20)
        pieces = [notes]
        for section in sections:
            piece = _shown(document, section, chosen, watch, room)
            room = max(least, room - len(piece))
            pieces.append(piece)
        return "".join(pieces)


def _notes(document: Document, part: str, find: str) -> str:
    """The notes on a document. With only a part of the document, just their number."""
    if part and not find and document.notes:
        number = counted(len(document.notes), "note")
        return f"[{number} beside the text: comments, links or what is hidden; without a part they are shown]\n"
    return "".join(f"{note}\n" for note in document.notes if find in folded(note))


def _chosen(document: Document, part: str) -> tuple[tuple[Section, ...], ExcerptPart]:
    """The sections that a part refers to, and the range within them."""
    sections = document.sections
    if not part or not sections:
        return sections, ALL
    kind = sections[0].kind
    if sections[0].numbered:
        wanted = _range(part, document)
        found = tuple(section for section in sections if int(section.name) in wanted)
        if not found:
            raise ActionError(f"{document.name} has {len(sections)} {_UNITS[kind]}{'' if len(sections) == 1 else 's'}.")
        return found, ALL
    if kind == "text":
        return sections, _range(part, document)
    name, mark, rest = part.rpartition("!")
    sheet = _sheet(sections, name if mark else part)
    if sheet is not None:
        return (sheet,), _range(rest, document) if mark and rest.strip() else ALL
    if mark:
        raise _unclear(document)
    return sections[:1], _range(part, document)


def _sheet(sections: tuple[Section, ...], name: str) -> Section | None:
    wanted = {name.strip().strip("'\"").casefold(), name.strip().casefold().removeprefix("sheet ")}
    return next((section for section in sections if section.name and section.name.casefold() in wanted), None)


def _range(part: str, document: Document) -> ExcerptPart:
    cells = parse(part.strip()) if ":" in part else None
    if cells is not None and not cells.sheet:
        return ExcerptPart(cells.top + 1, cells.bottom + 1, (cells.left + 1, cells.right + 1))
    match = _RANGE.fullmatch(part.strip())
    if match is None or int(match["first"]) < 1:
        raise _unclear(document)
    first = int(match["first"])
    if not match["open"]:
        return ExcerptPart(first, first)
    return ExcerptPart(first, max(first, int(match["last"]))) if match["last"] else ExcerptPart(first)


def _unclear(document: Document) -> ActionError:
    section = document.sections[0]
    sheets = [each.name for each in document.sections if each.name]
    if section.tabular and sheets:
        named = ", ".join(sheets[:20])
        return ActionError(
            f"{document.name} has no such part. Write a {section.kind} ({named}) or its rows: {sheets[0]}!1-40."
        )
    many = f"There are {len(document.sections)} {section.kind}s. " if section.numbered else ""
    return ActionError(f"{document.name} has no such part. {many}Write {_UNITS[section.kind]}s as 2 or 3-5.")


def _pages(document: Document, sections: tuple[Section, ...], watch: Watch, room: int, *, some: bool) -> str:
    """Page after page, as far as room and time allow."""
    shown: list[str] = []
    length, unit, all_ = 0, _UNITS[sections[0].kind], len(document.sections)
    last = sections[0].name
    cut = False
    for section in sections:
        lines = [line for _, line in watch.numbered(section)]
        text = f"[{section.heading}]\n" + "".join(f"{line}\n" for line in lines)
        cut = length + len(text) > room
        if cut and shown:
            break
        shown.append(f"{text[: room - 1]}…" if cut else text)
        length, last = length + len(text), section.name
        if cut or watch.over:
            break
    missing = len(sections) - len(shown)
    if not missing and not cut and (some or length <= LONG):
        return "".join(shown)
    note = f"{all_} {unit}s"
    if missing:
        first = int(last) + 1
        note += f'; shown {sections[0].name}-{last}; part="{first}-{first + 9}" shows more'
    elif cut:
        note += f"; only the first {room} characters of this one are shown"
    else:
        note += f'; part="{last}" shows one alone'
    return f'[{note}, find="..." the lines with a text]\n' + "".join(shown)


@dataclass(frozen=True, slots=True)
class _Taken:
    """The lines of a section that are shown, and data on the rest."""

    lines: list[str]
    first: int
    last: int
    total: int
    header: str
    """The section's first line."""
    full: bool
    """Whether there was no room for everything requested."""

    @property
    def cut(self) -> bool:
        """Whether a single line is longer than can be shown."""
        return self.full and len(self.lines) == 1


def _take(section: Section, part: ExcerptPart, watch: Watch, room: int) -> _Taken:
    kept: list[str] = []
    header, full = "", False
    first = last = total = 0
    for number, line in watch.numbered(section):
        total = number
        if section.tabular and part.columns:
            line = csv_line(_cells(line, section)[part.columns[0] - 1 : part.columns[1]], section.delimiter)
        header = line if number == 1 else header
        if number not in part or full:
            continue
        full = len(line) >= room
        if not full or not kept:
            kept.append(cut(line, room))
            first, last = first or number, number
            room -= len(line) + 1
    return _Taken(kept, first, last, total, header, full)


def _shown(document: Document, section: Section, part: ExcerptPart, watch: Watch, room: int) -> str:
    """Lines or rows of a section, preceded by a summary for a table or a long text."""
    taken = _take(section, part, watch, room)
    if part != ALL and not taken.lines:
        raise ActionError(f"{document.name} has {watch.count(taken.total, _UNITS[section.kind])}{_in(section)}.")
    complete = part == ALL and not taken.full and not watch.over
    as_it_is = complete and document.source is not None and not document.rendered
    body = document.source if as_it_is and document.source is not None else "".join(f"{line}\n" for line in taken.lines)
    if section.tabular:
        note = _about_table(section, taken, watch)
        if taken.first > 1:
            body = f"{taken.header}\n{body}"
    elif complete and len(body) <= LONG:
        return body
    else:
        note = watch.count(taken.total, "line")
        note += ", no line end at its end" if body and as_it_is and not body.endswith("\n") else ""
    if not complete:
        note += _rest(section, taken, watch)
    elif len(body) > LONG:
        note += f'; part="{_named(section)}1-{_NEXT}" shows some, find="..." those with a text'
        note += ', part="source" the markup' if document.rendered else ""
    return f"[{note}]\n{body}"


def _about_table(section: Section, taken: _Taken, watch: Watch) -> str:
    head = _cells(taken.header, section)
    columns = f"{len(head)} column{'' if len(head) == 1 else 's'}"
    named = (
        all(cell.strip() and not any(each in "0123456789" for each in cell) for cell in head)
        and len(set(head)) == len(head) > 0
    )
    note = watch.count(taken.total, "row") + (" with the header" if named and taken.total > 1 else "")
    separated = f", separated by {section.delimiter!r}" if section.delimiter != "," else ""
    return (f"{section.heading}: " if section.name else "") + note + (f", {columns}{separated}" if taken.total else "")


def _rest(section: Section, taken: _Taken, watch: Watch) -> str:
    """What is shown, and how to see the rest."""
    if taken.cut:
        shown = f"; shown only the first {len(taken.lines[0])} characters of {_UNITS[section.kind]} {taken.first}"
        return f'{shown}; find="..." shows what stands around a text'
    note = f"; shown {taken.first}-{taken.last}" if taken.first != taken.last else f"; shown {taken.first}"
    if watch.over:
        note += f"; stopped after {SECONDS:g} s"
    if taken.last < taken.total:
        goes_on = f"{taken.last + 1}-{taken.last + max(_NEXT, len(taken.lines))}"
        note += f'; part="{_named(section)}{goes_on}" shows more'
    return note


def _found(sections: tuple[Section, ...], part: ExcerptPart, find: str, watch: Watch) -> str:
    """The places where a text occurs: rows below the table's first row, lines between their neighbours."""
    pieces: list[str] = []
    left = MATCHES
    for section in sections:
        hits = _Hits(section, part, find, left)
        for number, line in watch.numbered(section):
            hits.look(number, line)
        left -= hits.shown
        everything = watch.count(hits.looked_at, "line" if section.numbered else _UNITS[section.kind])
        name = f"{section.heading}: " if section.name else ""
        if not hits.count and len(sections) == 1 and hits.all and not watch.over:
            # Small models look for what they guess is there; a short file answers that better than "no".
            return f"[in none of {everything}, which are:]\n" + "".join(f"{line}\n" for line in hits.all)
        if not hits.count:
            pieces.append(f"[{name}in none of {everything}]\n" if len(sections) == 1 or section.tabular else "")
            continue
        note = f"{name}in {hits.count} of {everything}"
        if section.numbered and hits.all:
            # What is looked for stands near the words that were guessed, seldom in their line.
            pieces.append(f"[{note}, which are:]\n" + "".join(f"{line}\n" for line in hits.all))
            continue
        if hits.shown < hits.count:
            note += f"; shown the first {hits.shown}" if hits.shown else "; not shown"
            if hits.shown and not section.numbered:
                note += f'; part="{_named(section)}{hits.last + 1}-" goes on'
        pieces.append(f"[{note}]\n" + "".join(f"{line}\n" for line in hits.lines))
        if watch.over:
            break
    return "".join(pieces) or f"[in none of {len(sections)} {_UNITS[sections[0].kind]}s]\n" if sections else ""


class _Hits:
    """Collects lines with a text as they are read."""

    def __init__(self, section: Section, part: ExcerptPart, find: str, most: int) -> None:
        self._section, self._part, self._find, self._most = section, part, find, most
        self.lines: list[str] = []
        self.count = self.shown = self.looked_at = self.last = 0
        self.all: list[str] = []
        """All lines looked at, as long as they are few."""
        self._room = LONG
        self._before = ""

    def look(self, number: int, line: str) -> None:
        table = self._section.tabular
        if table and number == 1:
            self.lines.append(f"1: {line}")
        if number not in self._part:
            return
        self.looked_at += 1
        self._room -= len(line) + 1
        self.all = [*self.all, line] if self._room >= 0 else []
        if self._find in folded(line):
            self.count += 1
            if self.shown < self._most:
                self._show(number, line, table)
        elif not table and self.last == number - 1 and self.last and line.strip():
            self.lines.append(f"{number}- {cut(line, 2 * _AROUND)}")
        self._before = line

    def _show(self, number: int, line: str, table: bool) -> None:
        if not table and number - 1 > self.last and self._before.strip() and not self._said(number - 1):
            self.lines.append(f"{number - 1}- {cut(self._before, 2 * _AROUND)}")
        if not (table and number == 1):
            self.lines.append(f"{number}: {line if table and len(line) <= LONG else _around(line, self._find)}")
        self.shown, self.last = self.shown + 1, number

    def _said(self, number: int) -> bool:
        return bool(self.lines) and self.lines[-1].startswith(f"{number}- ")


def _around(line: str, find: str) -> str:
    """The part of a long line around the match."""
    if len(line) <= 3 * _AROUND:
        return line
    line = " ".join(line.split())
    place = max(0, line.casefold().find(find))
    start, end = max(0, place - _AROUND), place + len(find) + _AROUND
    return ("..." if start else "") + line[start:end] + ("..." if end < len(line) else "")


def _cells(line: str, section: Section) -> list[str]:
    return next(
        csv.reader([line] if "\n" not in line else line.splitlines(keepends=True), delimiter=section.delimiter), list[str]()
    )


def _named(section: Section) -> str:
    """The prefix of row ranges in this sheet."""
    return f"{section.name}!" if section.name else ""


def _in(section: Section) -> str:
    return f" in {section.name}" if section.name else ""
