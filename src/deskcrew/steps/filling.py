"""What the values of a skill can be: what the task says, and what is there. A small model chooses among these alone, and
is not asked about a value for which there is one possibility."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, Field, create_model

from deskcrew.actions.params import OneOf
from deskcrew.roles.role_kinds import Reply
from deskcrew.skills.offering import as_action
from deskcrew.skills.skill import Parameter, Skill
from deskcrew.texts import file_names, names_file, quoted, spaced, speaks_of

MORE = 2
"""Words that a value may have more than when it was recorded."""
MOST = 300
"""Maximum number of a task's texts that a grammar lists; if there are more, any text of the task is admitted."""
MOST_FILES = 40
"""The same of files, and of headings."""
SHORTEST = 3
"""Letters that a file's name must have to be recognised without its ending."""
LONGEST = 300
"""Maximum length of a value that may be any text, in characters."""
COUNTED = 20
"""The largest number that may be meant where the task writes none in digits."""
MARKS = "\"'`‘’“”„«»「」()<>*_.,;:!?"
"""Marks around a value that may be no part of it."""
OWNED = ("'s", "’s")


@dataclass(frozen=True, slots=True)
class There:
    """What the workspace contains. ``headings``: of the columns of a table; () if it has none."""

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    headings: Callable[[str], tuple[str, ...]] = lambda _: ()


@dataclass(frozen=True, slots=True)
class Blanks:
    """A skill's values as far as they are known. ``values``: the type of the reply that fills in the others; ``columns``:
    the headings that it may name."""

    skill: Skill
    there: There
    known: Mapping[str, str]
    values: type[BaseModel]
    columns: tuple[str, ...] = ()
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


def blanks(task: str, skill: Skill, there: There) -> Blanks | None:
    """What is to be filled in for a task. None: the skill needs a file, and there is none of its kind."""
    parameters = skill.method.parameters
    wanted = [each for each in parameters if each.kind == "file" and each.given]
    given = {each.name: _files(task, each, there, alike=_alike(each, wanted)) for each in wanted}
    several = {each.name: _several(task, each, there) for each in parameters if each.kind == "files"}
    if not all(given.values()) or not all(choices for name, choices in several.items() if not _optional(skill, name)):
        return None
    tables = dict.fromkeys(file for files in given.values() for file in files[:MOST_FILES])
    columns = tuple(dict.fromkeys(heading for table in tables for heading in there.headings(table)))
    fields: dict[str, Any] = {}
    known: dict[str, str] = {}
    new: list[Parameter] = []
    pairs: dict[str, tuple[str, tuple[str, ...]]] = {}
    infos = as_action(skill).params.model_fields
    for each in parameters:
        own = [*given.get(each.name, ()), *several.get(each.name, ())]
        choices = tuple(own) or _choices(task, each, skill, there, columns)
        if each.kind == "file" and not each.given and not choices and not skill.method.steps:
            new.append(each)
        elif len(choices) == 2 and (other := next((name for name in fields if given.get(name) == choices), "")):
            pairs[each.name] = (other, choices)
        elif each.kind == "folder" and not choices:
            known[each.name] = ""
        elif len(choices) == 1 and not each.optional and each.kind != "columns":
            known[each.name] = choices[0]
        else:
            fields[each.name] = _field(each, infos[each.name], choices)
    values = create_model("Values", __base__=Reply, **fields)
    return Blanks(skill, there, known, values, columns, tuple(new), pairs)


def check(given: Mapping[str, Any], skill: Skill, task: str | None, there: There) -> None:
    """Raise ValueError for values that no grammar kept away: a file that is missing, or that a new one would overwrite, a
    column that none of the tables has, and a text that is not in the task. ``task`` None: a person gave them, and may give
    any text."""
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
        if task is not None and _of_task(each, infos[each.name]) and value not in task:
            raise ValueError(f"{each.name}: {value!r} is not in the request")


def _optional(skill: Skill, name: str) -> bool:
    return any(each.name == name and each.optional for each in skill.method.parameters)


def _of_task(parameter: Parameter, info: Any) -> bool:
    """Whether a value is a text of the task: it was one when its skill was recorded, or its kind says so."""
    recorded = any(isinstance(mark, OneOf) and mark.source == "texts" for mark in info.metadata)
    return parameter.kind == "mention" or (recorded and parameter.kind != "file")


def _choices(task: str, each: Parameter, skill: Skill, there: There, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The values that it may have, without '' for none; (): any."""
    if each.choices:
        return each.choices
    match each.kind:
        case "file":
            return _new_files(task, each, there)
        case "column" | "columns":
            return columns[:MOST_FILES]
        case "folder":
            # One that may be left out is there; another may be new.
            new = () if each.optional else (each.value, *spans(task, each.value))
            return tuple(dict.fromkeys((*new[:1], *there.folders, *new[1:])))
        case "integer" if not skill.method.steps:
            written = tuple(dict.fromkeys(str(int(number)) for number in re.findall(r"(?<![\w.,])\d{1,9}(?!\w)", task)))
            return written or tuple(str(number) for number in range(1, COUNTED + 1))
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
        return Annotated[listed, Field(min_length=0 if each.optional else 1, max_length=len(choices))], ...
    if each.kind == "integer" and not each.optional:
        return Literal[tuple(int(number) for number in choices)], ...
    return Literal[("", *choices) if each.optional else choices], ...


def _ends(file: str, parameter: Parameter) -> bool:
    """Whether a file is of the kind of a parameter's: that of the recorded one, if nothing else is said."""
    name = file.casefold()
    if parameter.endings:
        return name.endswith(parameter.endings)
    return PurePosixPath(name).suffix == PurePosixPath(parameter.value).suffix.casefold()


def _alike(parameter: Parameter, others: Iterable[Parameter]) -> int:
    """How many parameters are files of the same kind."""
    return sum(other.endings == parameter.endings for other in others) if parameter.endings else 1


def _files(task: str, parameter: Parameter, there: There, *, alike: int) -> tuple[str, ...]:
    """The files that it may be: those that the task names, of the right kind if any of them is; if it does not name as many
    as there are parameters ``alike``, all of that kind."""
    kind = tuple(file for file in there.files if _ends(file, parameter))
    named = tuple(file for file in there.files if names_file(task, file))
    fit = tuple(file for file in named if file in kind) or _spoken_of(task, kind)
    return (fit if len(fit) >= alike else ()) or (() if parameter.endings else named) or kind


def _spoken_of(task: str, files: Iterable[str]) -> tuple[str, ...]:
    """Files whose name without its ending occurs in the task."""
    said = task.casefold()
    stems = ((file, PurePosixPath(file).stem.casefold()) for file in files)
    return tuple(file for file, stem in stems if len(stem) >= SHORTEST and speaks_of(said, stem))


def _new_files(task: str, parameter: Parameter, there: There) -> tuple[str, ...]:
    """Files that the task names and that are not there, of the right kind if any of them is; () if it names none."""
    new = tuple(_whole(task, file, there) for file in file_names(task) if file not in there.files)
    return tuple(file for file in new if _ends(file, parameter)) or (() if parameter.endings else new)


def _whole(task: str, file: str, there: There) -> str:
    """The name of a new file with blanks in it, if it begins like that of a file that is there: sales sorted.csv."""
    for stem in (PurePosixPath(each).stem for each in there.files):
        if found := re.search(rf"(?<![\w-]){re.escape(stem)} {re.escape(file)}", task, re.IGNORECASE):
            return found[0]
    return file


def _several(task: str, parameter: Parameter, there: There) -> tuple[str, ...]:
    """Names and patterns of files: those that the task names, together and alone; if it names none, patterns for those that
    are there. (): there are none."""
    fit = [file for file in there.files if not parameter.endings or _ends(file, parameter)]
    named = [file for file in fit if names_file(task, file)]
    spoken = _spoken_of(task, fit) if parameter.endings and not named else ()
    named = named or (list(spoken) if len(spoken) > 1 else [])
    if named:
        named.sort(key=lambda file: _place(task, file))
        return tuple(dict.fromkeys((", ".join(named), *named)))
    written = [each for each in re.findall(r"[\w./-]*\*[\w.*/-]*\w", task) if any(_matches(file, each) for file in fit)]
    if written:
        return tuple(written)
    patterns = dict.fromkeys(pattern for file in fit for pattern in _patterns(file))
    kinds = dict.fromkeys(f"*{PurePosixPath(file).suffix}" for file in fit if "/" not in file)
    return tuple(dict.fromkeys((*patterns, *((", ".join(kinds),) if len(kinds) > 1 else ()))))[:MOST_FILES]


def _place(task: str, file: str) -> int:
    at = task.casefold().find(PurePosixPath(file).stem.casefold())
    return at if at >= 0 else len(task)


def _matches(file: str, pattern: str) -> bool:
    return PurePosixPath(file).match(pattern)


def _patterns(file: str) -> tuple[str, ...]:
    path = PurePosixPath(file)
    folder = f"{path.parent}/" if path.parent.name else ""
    return (f"{folder}*{path.suffix}", f"**/*{path.suffix}") if folder else (f"*{path.suffix}",)


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
