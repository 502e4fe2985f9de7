"""The message about a file or column that was named and does not exist; the same in every interface."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import NamedTuple

from deskcrew.facts.meant import did_you_mean

_NAMED, _NEAR = "There is no file named ", "Nearest: "
_LACKS, _MEANT = " has no column ", " Did you mean "
_LISTED = 8


class Slip(NamedTuple):
    """A misspelt name. ``near``: the existing name that was probably meant."""

    name: str
    near: str


def no_file(name: str, files: Sequence[str], folder: object, *, meant: Collection[str] = ()) -> str:
    """The message that ``name`` is not in the folder, with what is. ``meant``: files named correctly: none is suggested."""
    stems = {each: _stem(each) for each in files if each not in meant}
    near = get_close_matches(_stem(name), stems.values(), n=1)
    near = get_close_matches(name, [each for each in stems if stems[each] in near], n=1, cutoff=0)
    there = f"{_NEAR}{near[0]}." if near else f"Files there: {_listed(name, files)}."
    return f"{_NAMED}{name} in {folder}. {there}"


def a_link(name: str, folder: object) -> str:
    """The message that ``name`` in the folder is a symbolic link: what it leads to may be outside of what a run may read."""
    otherwise = "Put a copy of the file in its place, or name that file."
    return f"{name} in {folder} is a symbolic link, which is not followed. {otherwise}"


def _listed(name: str, files: Sequence[str]) -> str:
    """The files, those of the same type first; of many, how many more there are."""
    kind = PurePosixPath(name).suffix.casefold()
    likely = sorted(files, key=lambda each: PurePosixPath(each).suffix.casefold() != kind)
    more = f" and {len(files) - _LISTED} more" if len(files) > _LISTED else ""
    return (", ".join(likely[:_LISTED]) or "none") + more


def _stem(file: str) -> str:
    """The name without its suffix: two names of three letters are not alike because both end in .csv."""
    return file.removesuffix(PurePosixPath(file).suffix)


def slip_told(told: str) -> Slip | None:
    """The slip in a message of :func:`no_file`; None if it suggests no name."""
    name, placed, rest = told.removeprefix(_NAMED).partition(" in ")
    near = rest.partition(f". {_NEAR}")[2].partition(". ")[0].removesuffix(".")
    return Slip(name, near) if told.startswith(_NAMED) and placed and near else None


def no_column(name: str, table: str, columns: Sequence[str]) -> str:
    """The message that a table has no column ``name``, with the columns that it has."""
    return f"{table}{_LACKS}{name!r}.{did_you_mean(name, columns)} It has: {', '.join(columns)}."


def column_slip_told(told: str) -> Slip | None:
    """The slip in a message of :func:`no_column`; None if it suggests no name."""
    name, meant, rest = told.partition(_LACKS)[2].partition(f".{_MEANT}")
    near = rest.partition("? It has: ")[0]
    return Slip(name[1:-1], near[1:-1]) if meant and name[1:-1] else None
