"""What the values of a skill can be: what the request says, and what is there. A small model chooses among these alone, and
is not asked about a value for which there is one possibility. Nothing is made up for it: a file that is not named among
several, a column of which the request has no word, or a number that it does not write is a reason not to use the skill."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, Field, create_model

from deskcrew.actions.params import OneOf
from deskcrew.engine.roles.role_kinds import Reply
from deskcrew.engine.steps.covering import NUMBER, Named, alike, named, said, unused
from deskcrew.facts.texts import quoted, spaced, speaks_of
from deskcrew.learning.skills.offering import as_action
from deskcrew.learning.skills.skill import Parameter, Skill

MORE = 2
"""Words that a value may have more than when it was recorded."""
MOST = 300
"""Maximum number of a task's texts that a grammar lists; if there are more, any text of the task is admitted."""
MOST_FILES = 40
"""The same of files, and of headings."""
LONGEST = 300
"""Maximum length of a value that may be any text, in characters."""
MARKS = "\"'`‘’“”„«»「」()<>*_.,;:!?"
"""Marks around a value that may be no part of it."""
OWNED = ("'s", "’s")
FREE = ("text", "mention", "json")
"""Kinds of parameters that may hold any text of a request."""


@dataclass(frozen=True, slots=True)
class There:
    """What the workspace contains. ``headings``: of the columns of a table; () if it has none."""

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    headings: Callable[[str], tuple[str, ...]] = lambda _: ()


@dataclass(frozen=True, slots=True)
class Blanks:
    """A skill's values as far as they are known. ``values``: the type of the reply that fills in the others; ``columns``:
    the headings that it may name; ``headings``: all of its tables; ``free``: any text of the request may be one of the
    others."""

    skill: Skill
    there: There
    asked: Named
    known: Mapping[str, str]
    values: type[BaseModel]
    columns: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    free: bool = False
    _new: tuple[Parameter, ...] = field(default=(), repr=False)
    _pairs: Mapping[str, tuple[str, tuple[str, ...]]] = field(
        default_factory=dict[str, "tuple[str, tuple[str, ...]]"], repr=False
    )
    """Files that are what another parameter's is not, where there are two."""

    def filled(self, reply: Mapping[str, Any]) -> dict[str, Any]:
        """All values, with a name for each new file that the task does not name."""
        given: dict[str, Any] = {**self.known}
        for name, value in reply.items():
            if isinstance(value, list):
                listed = cast("list[str]", value)
                every = _optional(self.skill, name) and {*listed} == {*self.columns}
                value = "" if every else ", ".join(listed)  # all columns are what is meant without any
            given[name] = value
        for name, (other, pair) in self._pairs.items():
            given[name] = next(file for file in pair if file != given[other])
        for parameter in self._new:
            given[parameter.name] = _new_name(parameter, self.skill, given, self.there)
        return {each.name: given[each.name] for each in self.skill.method.parameters}


def blanks(task: str, skill: Skill, there: There, *, corrected: bool = False) -> Blanks | None:
    """What is to be filled in for a task. None: the skill needs something that is not there or not said, or has no place for
    something that the task names. ``corrected``: the task has been said otherwise since, so that some of it does not
    count."""
    parameters, asked = skill.method.parameters, replace(named(task, there.files), binding=not corrected)
    wanted = [each for each in parameters if each.kind == "file" and each.given]
    given = {each.name: _files(asked, each, there, together=_together(each, wanted)) for each in wanted}
    tables = dict.fromkeys(file for files in given.values() for file in files[:MOST_FILES])
    columns = headings = tuple(dict.fromkeys(heading for table in tables for heading in there.headings(table)))
    if len([each for each in given.values() if any(map(there.headings, each))]) > 1:
        columns = tuple(heading for heading in columns if all(heading in there.headings(table) for table in tables))
    spoken = tuple(heading for heading in columns if alike(asked.rest, heading))
    needed = [each for each in parameters if each.kind in ("column", "columns") and not each.optional]
    if not all(given.values()) or (needed and len(columns) > 1 and not spoken):
        return None
    fields: dict[str, Any] = {}
    known: dict[str, str] = {}
    new: list[Parameter] = []
    pairs: dict[str, tuple[str, tuple[str, ...]]] = {}
    infos = as_action(skill).params.model_fields
    for each in parameters:
        choices = given.get(each.name) or _choices(task, asked, each, skill, there, spoken or columns)
        if each.kind == "file" and not each.given and not choices and not skill.method.steps:
            new.append(each)
        elif len(choices) == 2 and (other := next((name for name in fields if given.get(name) == choices), "")):
            if looked_in := _looked_in(asked, choices, there):
                known |= {each.name: looked_in, other: next(file for file in choices if file != looked_in)}
                del fields[other]
            else:
                pairs[each.name] = (other, choices)
        elif not choices and each.optional and each.kind not in FREE:
            known[each.name] = ""
        elif (not choices and each.kind in ("files", "integer") and not skill.method.steps) or (
            each.kind == "columns" and 0 < len(choices) < each.least
        ):
            return None
        elif len(choices) == 1 and (not each.optional or each.choices) and each.kind != "columns":
            known[each.name] = choices[0]
        else:
            fields[each.name] = _field(each, infos[each.name], choices)
    open_ = [each for each in parameters if each.name in fields and not each.choices]
    left = {each.name: asked.new if each.kind == "file" else asked.texts + asked.numbers for each in open_}
    places = [sum(each.kind == kind for each in parameters if not each.given) for kind in ("file", "column")]
    if (asked.binding and len(asked.new) > places[0]) or unused(asked, skill, given | known | left, ()):
        return None
    free = any(each.kind in FREE for each in open_)
    if not free and not any(each.kind == "columns" for each in open_) and len(said(asked, skill, columns)) > places[1]:
        return None
    values = create_model("Values", __base__=Reply, **fields)
    return Blanks(skill, there, asked, known, values, columns, headings, free, tuple(new), pairs)


def check(given: Mapping[str, Any], skill: Skill, task: str | None, there: There) -> None:
    """Raise ValueError for values that no grammar kept away: a file that is missing, or that a new one would overwrite, a
    column that none of the tables has, a text or a number that is not in the task. ``task`` None: a person gave them, and
    may give any."""
    infos = as_action(skill).params.model_fields
    sources = [str(given[each.name]) for each in skill.method.parameters if each.kind == "file" and each.given]
    if len(set(sources)) < len(sources):
        raise ValueError(f"{sources[0]!r} cannot be both files")
    headings = {heading.casefold() for source in sources for heading in there.headings(source)}
    for each in skill.method.parameters:
        value = str(given[each.name])
        if each.kind == "file" and each.given != (value in there.files) and (each.given or value):
            raise ValueError(f"{each.name}: {'there is no file' if each.given else 'there is already a file'} {value!r}")
        if each.kind in ("column", "columns") and headings:
            wanted = [part.strip() for part in value.split(",")] if each.kind == "columns" else [value]
            if missing := next((part for part in wanted if part and part.casefold() not in headings), ""):
                raise ValueError(f"{each.name}: there is no column {missing!r}")
        said = [value] if _of_task(each, infos[each.name]) else NUMBER.findall(value) if not each.choices else []
        if each.kind in FREE and task is not None and (new := next((part for part in said if not _written(part, task)), "")):
            raise ValueError(f"{each.name}: {new!r} is not in the request")


def _written(part: str, task: str) -> bool:
    """Whether a task has a text, or both ends of a range: pages 6 to 8 for 6-8."""
    return part in task or all(end and end in task for end in part.split("-"))


def _optional(skill: Skill, name: str) -> bool:
    return any(each.name == name and each.optional for each in skill.method.parameters)


def _of_task(parameter: Parameter, info: Any) -> bool:
    """Whether a value is a text of the task: it was one when its skill was recorded, or its kind says so."""
    recorded = any(isinstance(mark, OneOf) and mark.source == "texts" for mark in info.metadata)
    return parameter.kind == "mention" or (recorded and parameter.kind != "file")


def _choices(
    task: str, asked: Named, each: Parameter, skill: Skill, there: There, columns: tuple[str, ...]
) -> tuple[str, ...]:
    """The values that it may have, without '' for none; (): any, or none."""
    if each.choices:
        said = tuple(c for c in each.choices if len(c) > 2 and speaks_of(asked.rest.casefold(), c))
        return said if len(said) == 1 else each.choices
    match each.kind:
        case "file":
            return tuple(file for file in asked.new if ends(file, each)) or (() if each.endings else asked.new)
        case "files":
            return _several(task, asked, each, there)
        case "column" | "columns":
            return columns[:MOST_FILES]
        case "folder":
            # One that may be left out is there; another may be new.
            spoken = tuple(folder for folder in there.folders if speaks_of(task, folder))
            return spoken if each.optional else tuple(dict.fromkeys((each.value, *spoken, *spans(task, each.value))))
        case "integer" if not skill.method.steps:
            return tuple(number for number in asked.numbers if number.isdigit())
        case _ if _of_task(each, as_action(skill).params.model_fields[each.name]):
            return spans(task, each.value)
        case _:
            return ()


def _field(each: Parameter, info: Any, choices: tuple[str, ...]) -> tuple[Any, Any]:
    """A parameter as a field of the reply."""
    if not 0 < len(choices) <= (MOST_FILES if each.kind in ("file", "files", "column", "columns") else MOST):
        return (Annotated[str, Field(max_length=LONGEST)], ...) if info.annotation is str else (info.annotation, info)
    if each.kind == "columns":
        listed = list[Literal[choices]]  # type: ignore[valid-type]
        return Annotated[listed, Field(min_length=0 if each.optional else each.least, max_length=len(choices))], ...
    if each.kind == "integer" and not each.optional:
        return Literal[tuple(int(number) for number in choices)], ...
    return Literal[("", *choices) if each.optional else choices], ...


def _kind(parameter: Parameter) -> tuple[str, ...]:
    """The endings of its files: that of the recorded one, if nothing else is said."""
    return parameter.endings or (PurePosixPath(parameter.value).suffix.casefold(),)


def ends(file: str, parameter: Parameter) -> bool:
    """Whether a file's name ends as those of a parameter do."""
    return file.casefold().endswith(_kind(parameter))


def _together(parameter: Parameter, others: Iterable[Parameter]) -> int:
    """How many parameters are files of the same kind."""
    return sum(_kind(other) == _kind(parameter) for other in others)


def _files(asked: Named, parameter: Parameter, there: There, *, together: int) -> tuple[str, ...]:
    """The files that it may be: those that the request names, of the right kind if any of them is, or else those that are
    there, or that have a column that it names. (): they are not as many as there are parameters of the kind, so it is not
    said which."""
    kind = tuple(file for file in there.files if ends(file, parameter))
    fit = tuple(file for file in asked.files if file in kind) or (() if parameter.endings else asked.files)
    tables = tuple(file for file in kind if any(alike(asked.rest, heading) for heading in there.headings(file)))
    return next((each for each in (fit, kind, tables) if len(each) == together), ())


def _looked_in(asked: Named, tables: tuple[str, ...], there: There) -> str:
    """Which of two tables is the second one, in which something is looked up: it alone has what the request names."""

    def has(table: str, other: str) -> bool:
        own = (each for each in there.headings(table) if each not in there.headings(other) and not alike(table, each))
        return any(alike(asked.rest, each) for each in own)

    found = [table for table, other in zip(tables, tables[::-1], strict=True) if has(table, other)]
    return found[0] if len(found) == 1 else ""


def _several(task: str, asked: Named, parameter: Parameter, there: There) -> tuple[str, ...]:
    """Names of files, or patterns for them: those that the request names, in its order, else all of the kind that it names
    by its ending, else all that are there. (): there are too few."""
    fit = [file for file in there.files if not parameter.endings or ends(file, parameter)]
    if chosen := [file for file in asked.files if file in fit]:
        return (", ".join(sorted(chosen, key=lambda file: _place(task, file))),) if len(chosen) >= parameter.least else ()
    written: list[str] = re.findall(r"[\w./-]*\*[\w.*/-]*\w", task)
    if patterns := [each for each in written if any(PurePosixPath(file).match(each) for file in fit)]:
        return (", ".join(patterns),)
    inside = next((folder for folder in there.folders if speaks_of(task, folder)), "")
    fit = [file for file in fit if file.startswith(f"{inside}/")] if inside else fit
    words = set(asked.rest.casefold().split())
    said = [file for file in fit if words & {PurePosixPath(file).suffix[1:].casefold() + end for end in ("", "s")}]
    where = f"{inside}/" if inside else "**/" if any("/" in file for file in fit) else ""
    kinds = dict.fromkeys(f"{where}*{PurePosixPath(file).suffix}" for file in said or fit)
    return (", ".join(kinds),) if len(said or fit) >= parameter.least else ()


def _place(task: str, file: str) -> int:
    at = task.casefold().find(PurePosixPath(file).stem.casefold())
    return at if at >= 0 else len(task)


def _new_name(parameter: Parameter, skill: Skill, given: Mapping[str, Any], there: There) -> str:
    """A name for a new file that the task does not name: as in the skill's example, with the name and the ending of the file
    that it is made from in the place of those there."""
    source = next((each for each in skill.method.parameters if each.kind == "file" and each.given), None)
    example, ending = PurePosixPath(parameter.value), PurePosixPath(parameter.value).suffix
    stem = example.stem
    if source is not None:
        old, new = PurePosixPath(source.value), PurePosixPath(str(given[source.name]))
        stem = stem.replace(old.stem, new.stem)
        if new.suffix != old.suffix:
            others = tuple(each for each in parameter.endings if each != new.suffix)
            kept = old.suffix == ending and new.suffix in parameter.endings
            ending = new.suffix if kept else next(iter(others), ending)
    names = (f"{stem}{ending}" if number == 1 else f"{stem} {number}{ending}" for number in count(1))
    return next(name for name in names if name not in there.files)


def spans(task: str, like: str) -> tuple[str, ...]:
    """The texts in a task that a value ``like`` this may be: those in quotation marks, and all of consecutive words up to
    a few more than it has, with and without the marks around them. (): any text, where there are too many, or words are not
    separated by spaces."""
    if not spaced(task):
        return ()
    words, longest = list(re.finditer(r"\S+", task)), len(like.split()) + MORE
    found = dict.fromkeys(quoted(task))
    for at, first in enumerate(words):
        for last in words[at : at + longest]:
            text = task[first.start() : last.end()]
            bare = text.strip(MARKS)
            owner = next((bare.removesuffix(end) for end in OWNED if bare.endswith(end)), bare)
            found |= dict.fromkeys((bare, owner, text.rstrip(MARKS), text))
    found.pop("", None)
    return tuple(found) if len(found) <= MOST else ()


def headings_of(text: str) -> tuple[str, ...]:
    """The headings of a table, from its text: of its first sheet, if it has any."""
    lines: Iterable[str] = (line for line in text.splitlines() if line.strip() and not line.startswith("[sheet "))
    first = next(iter(lines), "")
    separator = max(",;\t|", key=first.count)
    row = next(csv.reader([first or separator], delimiter=separator))
    return tuple(dict.fromkeys(heading.strip().removeprefix("\ufeff") for heading in row if heading.strip()))
