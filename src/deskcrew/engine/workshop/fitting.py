"""What a skill's values refer to, before a run begins: the files that exist, their columns, and whether the values fit."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from deskcrew.actions import readers
from deskcrew.actions.readers import damage_told
from deskcrew.actions.tables import SEPARATORS, delimiter_of
from deskcrew.engine.steps.choosing import TABLES
from deskcrew.engine.steps.filling import ends
from deskcrew.errors import ActionError
from deskcrew.facts.no_file import a_link, no_column, no_file
from deskcrew.learning.skills.skill import Parameter, Skill

MOST_FILES = 400
"""The maximum number of files that are offered."""


class Misfit(NamedTuple):
    """A value that cannot be used. ``name``: the parameter's name."""

    name: str
    text: str


class GivenFiles:
    """The files that a run in a folder begins with. Reads a table once it is asked for its headings."""

    def __init__(self, folder: Path | None, attached: Iterable[Path] = ()) -> None:
        self._folder = folder
        self.place = folder.absolute() if folder is not None else "what is attached"
        self._attached = {file.name: file for file in attached}

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.of(name) is not None

    def of(self, name: str) -> Path | None:
        """The file or link with this path in the folder; None if there is none."""
        inside = self._folder / name if self._folder is not None and name else None
        return self._attached.get(name) or (inside if inside is not None and os.path.lexists(inside) else None)

    def names(self) -> list[str]:
        """The files' paths, without hidden files; only the first of many."""
        folder = self._folder
        inside = filter(_is_file, folder.rglob("*")) if folder is not None else ()
        paths = (each.relative_to(folder).as_posix() for each in inside if folder is not None)
        plain = (path for path in paths if not path.startswith(".") and "/." not in path)
        return sorted({*self._attached, *islice(plain, MOST_FILES)})

    def headings(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The headings of the named files; () for a file that is no table, or cannot be read, which its run will report."""
        files = {name: self.of(name) for name in names}
        return {name: _headings(file) for name, file in files.items() if file is not None and _is_file(file)}


def columns(skill: Skill, values: Mapping[str, str], files: GivenFiles) -> tuple[str, ...]:
    """The columns to choose from: those of the tables that the values name, or of the only table that there is."""
    named = [values.get(each.name, "") for each in skill.method.parameters if each.given]
    if not any(named):
        tables = [name for name in files.names() if name.casefold().endswith(TABLES)]
        named = tables if len(tables) == 1 else []
    return tuple(dict.fromkeys(heading for found in files.headings(named).values() for heading in found))


def only(skill: Skill, files: GivenFiles) -> dict[str, str]:
    """The file of each file parameter that only one file fits, unless that file fits several parameters."""
    asked = [each for each in skill.method.parameters if each.kind == "file" and each.given and not each.optional]
    names = files.names()
    fits = {each.name: [name for name in names if ends(name, each)] for each in asked}
    found = [name for them in fits.values() if len(them) == 1 for name in them]
    return {each: them[0] for each, them in fits.items() if len(them) == 1 and found.count(them[0]) == 1}


def misfit(skill: Skill, values: Mapping[str, str], files: GivenFiles) -> Misfit | None:
    """The first value that a skill would refuse once its run has begun: a file that is missing, a new file that exists
    already, or a column that no table has. None if there is none."""
    tables = [values.get(each.name, "") for each in skill.method.parameters if each.kind == "file" and each.given]
    headings = files.headings(filter(None, tables))
    for each in skill.method.parameters:
        value = values.get(each.name, "")
        file = files.of(value)
        if each.kind == "file" and each.given and value and (file is None or file.is_symlink()):
            wrong = no_file(value, files.names(), files.place) if file is None else a_link(value, files.place)
            return Misfit(each.name, wrong)
        if each.kind == "file" and not each.given and file is not None:
            return Misfit(each.name, f"There is already {value}: choose another name.")
        there = {heading.casefold() for found in headings.values() for heading in found}
        if not (headings and all(headings.values())) or values.get("sheet"):
            continue
        if lacking := next((part for part in _parts(each, value) if part.casefold() not in there), ""):
            table, found = next(iter(headings.items()))
            return Misfit(each.name, no_column(lacking, table, found))
    return None


def _parts(parameter: Parameter, value: str) -> list[str]:
    """The columns that a value names."""
    parts = value.replace(";", ",").replace("\n", ",").split(",") if parameter.kind == "columns" else [value]
    return [part.strip() for part in parts if part.strip()] if parameter.kind in ("column", "columns") else []


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _headings(table: Path) -> tuple[str, ...]:
    if table.suffix.casefold() not in TABLES:
        return ()
    try:
        with damage_told(table):
            first = next((row for row in _rows(table) if any(row)), ())
    except ActionError:
        return ()
    return tuple(str(cell).strip() for cell in first if cell)


def _rows(table: Path) -> Iterator[Sequence[object]]:
    """The rows of a table, as the shipped skills read them: a heading may have several lines."""
    if table.suffix.casefold() in (".xlsx", ".xlsm"):
        import openpyxl

        yield from openpyxl.load_workbook(table, read_only=True, data_only=True).worksheets[0].iter_rows(values_only=True)
        return
    text = readers.read(table)
    mark = delimiter_of(text, SEPARATORS)
    yield from csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=mark)
