"""What a skill's values are about, before a run begins: the files that there are, their columns, and whether it fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from deskcrew.actions.readers import read_content
from deskcrew.engine.steps.cells import Table, table_of
from deskcrew.engine.steps.choosing import TABLES
from deskcrew.engine.steps.filling import There
from deskcrew.errors import ActionError
from deskcrew.learning.skills.skill import Parameter, Skill

MOST_FILES = 400
"""The maximum number of files that are offered."""
LARGEST = 16 << 20
"""The size in bytes of the largest table whose columns are read."""
SHOWN = 8


class Misfit(NamedTuple):
    """A value that cannot be used. ``name``: of its parameter; ``hint``: which can."""

    name: str
    text: str
    hint: str


def there(folder: Path | None, attached: Iterable[Path] = ()) -> There:
    """What a run in a folder begins with. Blocking; reads a table once it is asked for it."""
    found = {file.name: file for file in attached}
    inside = (each for each in folder.rglob("*") if each.is_file()) if folder is not None else ()
    paths = ((each.relative_to(folder).as_posix(), each) for each in inside if folder is not None)
    plain = ((path, each) for path, each in paths if not path.startswith(".") and "/." not in path)
    found |= dict(islice(plain, MOST_FILES))

    @cache
    def table(path: str) -> Table:
        file = found.get(path) or (folder / path if folder is not None else None)
        if file is None or not path.casefold().endswith(TABLES):
            return Table()
        try:
            return table_of(read_content(Path(path), file.read_bytes())) if file.stat().st_size <= LARGEST else Table()
        except (ActionError, OSError):
            return Table()

    return There(tuple(sorted(found)), table=table)


def columns(skill: Skill, values: Mapping[str, str], known: There) -> tuple[str, ...]:
    """The headings of the tables that the values name; of the only table there is, if they name none yet."""
    tables = [path for path in known.files if path.casefold().endswith(TABLES)]
    named = [values.get(each.name, "") for each in skill.method.parameters if each.given]
    read = [path for path in named if path in tables] or (tables if len(tables) == 1 and not any(named) else [])
    return tuple(dict.fromkeys(heading for path in read for heading in known.headings(path)))


def misfit(skill: Skill, values: Mapping[str, str], known: There) -> Misfit | None:
    """The first value that the files do not fit: one that is missing, or there already where a program makes a new one, or
    a column that none of its tables has."""
    heads = columns(skill, values, known)
    folded = {heading.casefold(): heading for heading in heads}
    for each in skill.method.parameters:
        value = values.get(each.name, "").strip()
        if each.kind == "file" and each.given and value and value not in known.files:
            return Misfit(
                each.name, f"There is no file {value!r}.", _meant(value, dict(zip(known.files, known.files, strict=True)))
            )
        if each.kind == "file" and not each.given and skill.method.function is not None and value in known.files:
            return Misfit(each.name, f"There is already a file {value!r}.", "Choose another name: nothing is overwritten.")
        for part in _parts(each, value) if heads else ():
            if part.casefold() not in folded:
                return Misfit(each.name, f"There is no column {part!r}.", _meant(part.casefold(), folded))
    return None


def _parts(parameter: Parameter, value: str) -> list[str]:
    """The columns that a value names."""
    listed = value.replace(";", ",").split(",") if parameter.kind == "columns" else [value]
    return [part.strip() for part in listed if part.strip()] if parameter.kind in ("column", "columns") else []


def _meant(value: str, there: Mapping[str, str]) -> str:
    near = get_close_matches(value, there, n=1)
    some = [*there.values()][:SHOWN]
    return (
        f"Did you mean {there[near[0]]}?"
        if near
        else f"There {'is' if len(some) == 1 else 'are'}: {', '.join(some) or 'none'}."
    )
