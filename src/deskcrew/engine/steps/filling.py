"""The values that a skill can have: what the request says, and what the workspace contains. A small model only chooses among
these, and is not asked if there is one possibility. Nothing is made up: a file that is not named among several, a column of
which the request has no word, or a number that it does not contain is a reason not to use the skill."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from deskcrew.actions.params import OneOf
from deskcrew.engine.roles.role_kinds import Reply
from deskcrew.engine.steps.cells import Table
from deskcrew.engine.steps.columns import comparison, groups_meant, headings_for, subjects
from deskcrew.engine.steps.common_words import ARTICLES, FIRST, FOLDERS, FROM, KINDS, NUMBERS, TOWARDS
from deskcrew.engine.steps.covering import (
    NUMBER,
    SHORTEST,
    Named,
    alike,
    folders_meant,
    named,
    reversing_word,
    said,
    shape,
    unused_name,
    whole_number,
)
from deskcrew.engine.steps.rows import rows_meant
from deskcrew.engine.steps.sayings import choices_said
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.no_file import no_file
from deskcrew.facts.texts import quoted, spaced, speaks_of
from deskcrew.learning.skills.lexicon import is_small, words_of
from deskcrew.learning.skills.lexicon import kinds as known_kinds
from deskcrew.learning.skills.offering import as_action
from deskcrew.learning.skills.skill import Parameter, Skill

MORE = 2
"""How many words more than the recorded value a value may have."""
MOST = 300
"""Maximum number of a task's texts that a grammar lists; if there are more, any text of the task is admitted."""
MOST_FILES = 40
"""The same for files, and for headings."""
LONGEST = 300
"""Maximum length of a value that may be any text, in characters."""
MARKS = "\"'`‘’“”„«»「」()<>*_.,;:!?"
"""Characters around a value that may not be part of it."""
OWNED = ("'s", "’s")
SURE = frozenset(("then", "then_order", "end_of", "sheet", "where"))
"""Parameters of which the only thing that was found is what is meant."""
FREE = ("text", "mention", "json")
"""Kinds of parameters that may hold any text of a request."""


class Unfit(ValueError):
    """A value that cannot be used. ``name``: the parameter's name."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name


@dataclass(frozen=True, slots=True)
class There:
    """What the workspace contains. ``table``: returns a file as a table, without columns if it is none."""

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    table: Callable[[str], Table] = lambda _: Table()

    def headings(self, file: str) -> tuple[str, ...]:
        return self.table(file).headings

    def on(self, sheet: str) -> There:
        """The workspace with workbooks read from this sheet, if they have it; '': from the first."""
        table = self.table

        def read(file: str) -> Table:
            return table(file).sheets.get(sheet, table(file))

        return replace(self, table=read) if sheet else self


@dataclass(frozen=True, slots=True)
class Blanks:
    """A skill's values as far as they are known. ``values``: the type of the reply that fills in the others; ``columns``:
    the headings that they may name; ``headings``: all headings of the skill's tables; ``free``: whether any text of the
    request may be one of the others."""

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
    """Parameters that get the one of two files that another parameter does not: that parameter, and the two files."""

    @property
    def compared(self) -> bool:
        """Whether the request says what the values of a column are compared with."""
        return any(each.among and each.name in self.known for each in self.skill.method.parameters)

    def filled(self, reply: JsonObject) -> JsonObject:
        """All values, with a name for each new file that the task does not name."""
        given: JsonObject = {**self.known}
        for name, value in reply.items():
            if isinstance(value, list):
                listed = [str(each) for each in value]
                every = _optional(self.skill, name) and {*listed} == {*self.columns}
                value = "" if every else ", ".join(listed)  # all columns are what is meant without any
            given[name] = value
        for name, (other, pair) in self._pairs.items():
            given[name] = next(file for file in pair if file != given[other])
        given |= self.new_names(given)
        return {each.name: given[each.name] for each in self.skill.method.parameters}

    def new_names(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Names for the new files that the task does not name. ``given``: values with the files they are made from."""
        return {each.name: new_name(each, self.skill, given, self.there.files, _kinds(self.asked)) for each in self._new}


def blanks(task: str, skill: Skill, there: There, *, corrected: bool = False, rows: bool = False) -> Blanks | None:
    """The values of a skill for a task. None if the skill needs something that does not exist or is not said, or has no
    place for something that the task names. ``corrected``: a person has corrected the task since, so parts of it may not
    count; ``rows``: whether it is looked for conditions for rows, of which None is returned if there are none."""
    parameters, asked = skill.method.parameters, replace(named(task, there.files, there.folders), binding=not corrected)
    wanted = [each for each in parameters if each.kind == "file" and each.given]
    asked = _but_columns(asked, there, len(wanted))
    given = {each.name: _files(asked, each, there, together=_together(each, wanted)) for each in wanted}
    tables = dict.fromkeys(file for files in given.values() for file in files[:MOST_FILES])
    asked = asked.about(tables) if tables else asked
    read_as: dict[str, tuple[str, ...]] = {}
    if any(each.kind == "sheet" for each in parameters):
        sheet = next((each for table in tables for each in there.table(table).sheets if speaks_of(asked.rest, each)), "")
        read_as["sheet"], there, asked = (sheet,), there.on(sheet), asked.but((sheet,) if sheet else ())
    if any(each.kind == "rows" for each in parameters):
        meant = rows_meant(asked, skill, [there.table(table) for table in tables]) if rows else None
        asked, where = meant or (asked, "")
        read_as["where"] = (where,)
    if rows and not read_as.get("where", ("",))[0]:
        return None
    columns = headings = tuple(dict.fromkeys(heading for table in tables for heading in there.headings(table)))
    if len([each for each in given.values() if any(map(there.headings, each))]) > 1:
        columns = tuple(heading for heading in columns if all(heading in there.headings(table) for table in tables))
    seen = [there.table(table) for table in tables]
    heads = headings_for(asked, skill, seen, columns) if headings else {}
    compared = comparison(asked, skill, seen, heads) if heads is not None else None
    if not all(given.values()) or heads is None or compared is None:
        return None
    if groups_meant(asked, skill, seen, heads):
        return None
    told = given | heads | compared | read_as
    asked = asked.but(subjects(asked, skill, seen, heads))
    fields: dict[str, Any] = {}
    known: dict[str, str] = {}
    new: list[Parameter] = []
    pairs: dict[str, tuple[str, tuple[str, ...]]] = {}
    infos = as_action(skill).params.model_fields
    among = {each.among for each in parameters if each.among}
    for each in parameters:
        choices = told.get(each.name) or _choices(task, asked, each, skill, there)
        if choices is None and not each.optional:
            return None
        if choices is None or choices == ("",) or (len(choices) == 1 and each.name in SURE):
            known[each.name] = choices[0] if choices else ""
        elif each.kind == "file" and not each.given and not choices and each.endings and not skill.method.steps:
            new.append(each)
        elif len(choices) == 2 and (other := next((name for name in fields if given.get(name) == choices), "")):
            if looked_in := _called(each, choices) or _looked_in(asked, choices, there):
                known |= {each.name: looked_in, other: next(file for file in choices if file != looked_in)}
                del fields[other]
            else:
                pairs[each.name] = (other, choices)
        elif not choices and each.usual:
            return None
        elif not choices and each.optional and (each.choices or each.kind not in FREE):
            known[each.name] = ""
        elif (not choices and each.kind in ("files", "integer") and not skill.method.steps) or (
            each.kind == "columns" and 0 < len(choices) < each.least
        ):
            return None
        elif len(choices) == 1 and (_is_told(each) or each.name in among or choices[0] == _taken_from(task, asked, skill)):
            known[each.name] = choices[0]
        elif (
            each.kind == "columns" and choices and asked.binding and (not each.optional or _all_said(asked, skill, choices))
        ):
            known[each.name] = ", ".join(choices)
        else:
            fields[each.name] = _field(each, infos[each.name], choices)
    open_ = [each for each in parameters if each.name in fields and not each.choices]
    left = {each.name: asked.new if each.kind == "file" else asked.texts + asked.numbers + asked.words for each in open_}
    left |= {each.name: (*left[each.name], *asked.folders) for each in open_ if each.kind in ("folder", "files")}
    places = [sum(each.kind == kind for each in parameters if not each.given) for kind in ("file", "column")]
    if (asked.binding and len(asked.new) > places[0]) or unused_name(asked, skill, given | heads | known | left, ()):
        return None
    free = any(each.kind in FREE for each in open_)
    if not free and not any(each.kind == "columns" for each in parameters) and len(said(asked, skill, columns)) > places[1]:
        return None
    values = create_model("Values", __base__=Reply, **fields)
    return Blanks(skill, there, asked, known, values, columns, headings, free, tuple(new), pairs)


def check(given: Mapping[str, Any], skill: Skill, task: str | None, there: There) -> None:
    """Raise ValueError for values that no grammar prevents: a file that is missing, or that a new one would overwrite, a
    column that no table has, a text or a number that is not in the task. ``task`` None: a person gave them, and may give
    any."""
    there = there.on(str(given.get("sheet", "")))
    infos = as_action(skill).params.model_fields
    sources = [str(given[each.name]) for each in skill.method.parameters if each.kind == "file" and each.given]
    if len(set(sources)) < len(sources):
        raise ValueError(f"{sources[0]!r} cannot be both files")
    columns = {heading: cells for source in sources for heading, cells in there.table(source).columns.items()}
    headings = {heading.casefold() for heading in columns}
    theirs = {*columns, *(cell for cells in columns.values() for cell in cells)}
    for each in skill.method.parameters:
        value = str(given.get(each.name, ""))
        if each.kind == "file" and each.given != (value in there.files) and (each.given or value):
            wrong = (
                no_file(value, there.files, "the folder").rstrip(".") if each.given else f"there is already a file {value!r}"
            )
            raise Unfit(each.name, wrong)
        if each.kind in ("column", "columns") and headings:
            wanted = [part.strip() for part in value.split(",")] if each.kind == "columns" else [value]
            if missing := next((part for part in wanted if part and part.casefold() not in headings), ""):
                raise Unfit(each.name, f"there is no column {missing!r}")
        said = [value] if _of_task(each, infos[each.name]) else NUMBER.findall(value) if not each.choices else []
        own = task is None or (bool(each.among or each.holds) and value in theirs)
        new = next((part for part in said if not _written(part.casefold(), (task or "").casefold())), "")
        if new and each.kind in FREE and not own:
            raise Unfit(each.name, f"{new!r} is not in the request")


def possible(skill: Skill, given: Mapping[str, Any], there: There) -> dict[str, tuple[str, ...]]:
    """The choices for each value, by parameter; () if it may be anything."""
    parameters = skill.method.parameters
    sources = [str(given[each.name]) for each in parameters if each.kind == "file" and each.given]
    sheets = tuple(sheet for source in sources for sheet in there.table(source).sheets)
    there = there.on(str(given.get("sheet", "")))
    headings = tuple(dict.fromkeys(heading for source in sources for heading in there.headings(source)))
    files = {
        each.name: tuple(f for f in there.files if not each.endings or ends(f, each)) for each in parameters if each.given
    }
    return {
        each.name: each.choices
        or files.get(each.name, headings if each.kind in ("column", "columns") else sheets if each.kind == "sheet" else ())
        for each in parameters
    }


def as_far_as_known(found: Blanks) -> dict[str, str]:
    """The values that are known without a model; '' for a missing value that is required."""
    parameters, told = found.skill.method.parameters, dict(found.known)
    if all(each.name in told for each in parameters if each.given):
        told |= found.new_names(told)
    return {each.name: told.get(each.name, "") for each in parameters if not each.optional or told.get(each.name)}


def _written(part: str, task: str) -> bool:
    """Whether a task contains a text, or both ends of a range: pages 6 to 8 for 6-8."""
    return part in task or all(end and end in task for end in part.split("-"))


def _is_told(each: Parameter) -> bool:
    """Whether a parameter's only possible value is the one that is meant: it may not be left out, or was said."""
    return each.kind != "columns" and bool(
        not each.optional or each.choices or each.holds or each.among or each.said or each.kind in ("files", "integer")
    )


def _taken_from(task: str, asked: Named, skill: Skill) -> str:
    """The folder that a request names as that which the skill looks into, or the only one if it needs no other; '' if it
    names none."""
    folders, places = folders_meant(asked, skill), _places(skill)
    found = folders if all(places) else tuple(each for each in folders if _before(each, task) in FROM)
    return found[0] if True in places and len(found) == 1 else ""


def _places(skill: Skill) -> list[bool]:
    """Whether each folder of a skill may be left out."""
    return [each.optional for each in skill.method.parameters if each.kind == "folder"]


def _before(folder: str, task: str) -> str:
    """The word before the name of a folder in a task, such as from or to."""
    before = words_of(task.casefold().partition(PurePosixPath(folder).name.casefold())[0])
    return next((word for word in reversed(before) if not word.startswith(FOLDERS) and word not in ARTICLES), "")


def _all_said(asked: Named, skill: Skill, headings: tuple[str, ...]) -> bool:
    """Whether a request names all of the headings, so that none may be left out."""
    return {*headings} <= {*said(asked, skill, headings)}


def _optional(skill: Skill, name: str) -> bool:
    return any(each.name == name and each.optional for each in skill.method.parameters)


def _of_task(parameter: Parameter, info: Any) -> bool:
    """Whether a parameter's value is a text of the task: it was when its skill was recorded, or its kind says so."""
    recorded = any(isinstance(mark, OneOf) and mark.source == "texts" for mark in info.metadata)
    return parameter.kind == "mention" or (recorded and parameter.kind != "file")


def _choices(
    task: str,
    asked: Named,
    each: Parameter,
    skill: Skill,
    there: There,
) -> tuple[str, ...] | None:
    """The values that a parameter may have, without ''; (): any, or only ''; None: a text, which the request has not."""
    if each.choices:
        return _chosen(asked, each)
    match each.kind:
        case "file":
            named_ = tuple(file for file in asked.new if ends(file, each))
            # What a file of any kind is called is for the request to say.
            free = not each.endings and not skill.method.steps
            return named_ or (() if each.endings else asked.new) or (spans(task, each.value) if free else ())
        case "files":
            return _several(task, asked, each, skill, there)
        case "folder" if each.optional:
            led = () if all(_places(skill)) else TOWARDS
            return tuple(folder for folder in folders_meant(asked, skill) if _before(folder, task) not in led)
        case "mention" if each.holds:
            return asked.numbers or None
        case "mention" | "folder" if len(asked.texts) >= sum(map(_is_open, skill.method.parameters)):
            return asked.texts
        case "folder":
            # It may be new, and is called by a word then: a longer name is quoted.
            taken = _taken_from(task, asked, skill)
            spoken = [folder for folder in asked.folders if folder != taken]
            led = [folder for folder in spoken if _before(folder, task) in TOWARDS]
            new = _words(task, asked) if any(word.startswith(FOLDERS) for word in words_of(task)) else asked.texts
            words = (word for word in _words(task, asked) if word not in TOWARDS | ARTICLES and not word.startswith(FOLDERS))
            after = (word for word in words if _before(word, task) in TOWARDS)
            new = new if each.value else tuple(after) or new
            named_ = (each.value, *spoken, *(word for word in new if word != taken))
            return tuple(led) if len(led) == 1 else tuple(dict.fromkeys(filter(None, named_))) or None
        case "integer" if not skill.method.steps:
            return _integers(each, asked) if _is_counted(asked, each, skill) else ()
        case _ if _of_task(each, as_action(skill).params.model_fields[each.name]):
            return spans(task, each.value) if skill.method.steps else _texts(task, asked, each, skill)
        case _:
            return ()


def _texts(task: str, asked: Named, each: Parameter, skill: Skill) -> tuple[str, ...] | None:
    """The texts of a request that may be a value: those that neither begin nor end with a small word or a mark, name no
    file, and say more than the name of the skill; where it is known which words are no value, the longest without these.
    None if there is none; (): any."""
    found, own = spans(task, each.value), {*words_of(skill.name)}
    files = [PurePosixPath(file).name.casefold() for file in (*asked.files, *asked.new)]
    beside, others = (
        {*words_of(" ".join(saying.words for other in some for saying in other.said))} if each.said else set[str]()
        for some in (skill.method.parameters, [other for other in skill.method.parameters if other is not each])
    )

    def says(text: str) -> bool:
        words = words_of(text)
        told = text == text.strip(MARKS) and not any(word in beside or is_small(word) for word in (*words[:1], *words[-1:]))
        return (
            told
            and not (words and own.issuperset(word for word in words if not is_small(word)))
            and not any(file in text.casefold() for file in files)
            and not (each.said and (not words or text.endswith(OWNED) or others.intersection(words)))
        )

    told = tuple(text for text in found if text in asked.texts or says(text))
    if each.said:
        told = tuple(text for text in told if not any(text in other for other in told if other != text))
    return told or (None if found else ())


def _chosen(asked: Named, each: Parameter) -> tuple[str, ...] | None:
    """The choices of a parameter that a request may mean: those that it mentions, only the first if the parameter is
    optional; otherwise the usual one, or all. None if it is known how people say them, and none is said."""
    told = choices_said(asked.rest, each)
    if each.usual:
        meant = tuple(dict.fromkeys(choice for choices in told for choice in choices))
        meant = meant or (() if reversing_word(asked.rest) else (each.usual,))
        return meant if len(meant) == 1 else ()
    if each.said and each.optional:
        return told[0] if told and asked.binding else tuple(dict.fromkeys(c for choices in told for c in choices))
    said = tuple(c for c in each.choices if shape(c) in map(shape, asked.numbers))
    said = said or tuple(c for c in each.choices if len(c) > 2 and speaks_of(asked.rest.casefold(), c))
    if told:
        return tuple(dict.fromkeys(c for choices in told for c in choices))
    if each.said and not said:
        return None
    return said if len(said) == 1 else each.choices


def _is_open(each: Parameter) -> bool:
    """Whether a parameter takes a text of the task, or the name of a new folder."""
    return (each.kind == "mention" and not each.holds) or (each.kind == "folder" and not each.optional)


def _words(task: str, asked: Named) -> Iterable[str]:
    """The words of a task that may name a folder: no short words, which are in every sentence, and no file's name."""
    files = {PurePosixPath(file).name.casefold() for file in (*asked.files, *asked.new)}
    words = dict.fromkeys((*asked.texts, *(word.strip(MARKS) for word in task.split())))
    return (word for word in words if len(word) >= SHORTEST and word.casefold() not in files)


def _is_counted(asked: Named, each: Parameter, skill: Skill) -> bool:
    """Whether a request says of what a number is the count, if the skill takes so many from one end: the first, the best."""
    told = [other for other in skill.method.parameters if other.said and other.optional] if each.optional else []
    ends = [other for other in told if "sum" not in other.choices]
    words = FIRST.union(words_of(skill.name)) if ends else FIRST
    return not told or any(choices_said(asked.rest, end) for end in ends) or not words.isdisjoint(words_of(asked.rest))


def _integers(each: Parameter, asked: Named) -> tuple[str, ...]:
    """The whole numbers in a request; if there are none and small numbers are usual, those in words."""
    found = tuple(number for number in map(whole_number, asked.numbers) if number.isdigit())
    if found or len(each.value) > 1:
        return found
    return tuple(NUMBERS[word] for word in asked.bare.casefold().split() if word in NUMBERS)


def _field(each: Parameter, info: Any, choices: tuple[str, ...]) -> tuple[Any, Any]:
    """A parameter as a field of the reply."""
    if not 0 < len(choices) <= (MOST_FILES if each.kind in ("file", "files", "column", "columns") else MOST):
        return (Annotated[str, Field(max_length=LONGEST)], ...) if info.annotation is str else (info.annotation, info)
    if each.kind == "columns":
        listed = list[Literal[choices]]  # type: ignore[valid-type]
        return Annotated[listed, Field(min_length=0 if each.optional else each.least, max_length=len(choices))], ...
    if each.kind == "integer" and not each.optional:
        return Literal[tuple(int(number) for number in choices)], ...
    left_out = each.optional and not each.among and each.holds != "measures"
    return Literal[("", *choices) if left_out else choices], ...


def _kind(parameter: Parameter) -> tuple[str, ...]:
    """The suffixes of a parameter's files: that of the recorded file, if nothing else is said."""
    return parameter.endings or (PurePosixPath(parameter.value).suffix.casefold(),)


def ends(file: str, parameter: Parameter) -> bool:
    """Whether a file has a suffix of a parameter's files."""
    return file.casefold().endswith(_kind(parameter))


def _together(parameter: Parameter, others: Iterable[Parameter]) -> int:
    """How many of ``others`` take files of the same kind."""
    return sum(_kind(other) == _kind(parameter) for other in others)


def _files(asked: Named, parameter: Parameter, there: There, *, together: int) -> tuple[str, ...]:
    """The files that a parameter may take: those that the request names, of the right kind if any is; or else those that
    exist, or have a column, a value or the most columns that it names. () if there are not as many as parameters of the kind
    (``together``), so that it is not said which."""
    kind = tuple(file for file in there.files if ends(file, parameter))
    fit = tuple(file for file in asked.files if file in kind) or (() if parameter.endings else asked.files)
    said = {file: sum(alike(asked.rest, heading) for heading in there.headings(file)) for file in kind}
    tables = tuple(file for file in kind if said[file])
    most = tuple(file for file in tables if said[file] == max(said.values()))
    valued = tuple(file for file in kind if there.table(file).said(asked.rest))
    both, meant = (tuple(file for file in some if file in valued) for some in (tables, fit))
    return next((each for each in (fit, meant, kind, tables, both, most, valued) if len(each) == together), ())


def _but_columns(asked: Named, there: There, places: int) -> Named:
    """A request without the files that there are no ``places`` for if each word for them is a column of another that it
    names: "by Hours" is no hours.csv beside hours.xlsx."""

    def is_column(word: str, but: str) -> bool:
        return any(alike(word, heading) for file in asked.files if file != but for heading in there.headings(file))

    columns = {file for file, words in asked.spoken.items() if all(is_column(word, file) for word in words)}
    left = tuple(file for file in asked.files if file not in columns)
    spoken = {file: words for file, words in asked.spoken.items() if file not in columns}
    return replace(asked, files=left, spoken=spoken).about(spoken) if columns and len(left) == places else asked


def _called(each: Parameter, files: tuple[str, ...]) -> str:
    """The one of two files whose name fits the parameter's description: new_prices.csv is the new table; '' if open."""
    told = {*words_of(each.description)}
    found = [file for file in files if told.intersection(words_of(PurePosixPath(file).stem))]
    return found[0] if len(found) == 1 else ""


def _looked_in(asked: Named, tables: tuple[str, ...], there: There) -> str:
    """The one of two tables in which something is looked up: only that has a column that the request names; '' if open."""

    def has(table: str, other: str) -> bool:
        own = (each for each in there.headings(table) if each not in there.headings(other) and not alike(table, each))
        return any(alike(asked.rest, each) for each in own)

    found = [table for table, other in zip(tables, tables[::-1], strict=True) if has(table, other)]
    return found[0] if len(found) == 1 else ""


def _several(task: str, asked: Named, parameter: Parameter, skill: Skill, there: There) -> tuple[str, ...]:
    """Names of files, or patterns for them: those that the request names, in its order, else all of the kinds that it names,
    except the kind that they are to become, else all that exist. () if there are too few."""
    fit = [file for file in there.files if not parameter.endings or ends(file, parameter)]
    if chosen := [file for file in asked.files if file in fit]:
        chosen = [file for file in chosen if file not in asked.spoken] or chosen
        return (", ".join(sorted(chosen, key=lambda file: place(task, file))),) if len(chosen) >= parameter.least else ()
    written: list[str] = re.findall(r"[\w./-]*\*[\w.*/-]*\w", task)
    if patterns := [each for each in written if any(PurePosixPath(file).match(each) for file in fit)]:
        return (", ".join(patterns),)
    beside = True in _places(skill)
    meant = (folder for folder in folders_meant(asked, skill) if _before(folder, task) not in TOWARDS)
    inside = _taken_from(task, asked, skill) if beside else next(meant, "")
    fit = [file for file in fit if file.startswith(f"{inside}/")] if inside else fit
    own = {*words_of(skill.name), *words_of(skill.description)}
    sayings = (choices for each in skill.method.parameters for choices in choices_said(asked.rest, each))
    become = [choice for choices in sayings for choice in choices]
    if become.count(form := next(reversed(become), "")) == 1:  # jpg to jpg is said of those that are jpg
        fit = [file for file in fit if PurePosixPath(file).suffix[1:].casefold() != form] or fit
    kinds = _kinds(asked, own)
    said = [file for file in fit if PurePosixPath(file).suffix.casefold() in kinds]
    if beside and not said:  # all in that folder, or none of a kind that is not there
        missing = [f"*{end}" for end in kinds if end[1:] in known_kinds() or end in {*chain(*KINDS.values())}]
        return (", ".join(dict.fromkeys(missing)),) if missing else ()
    where = "" if beside else f"{inside}/" if inside else "**/" if any("/" in file for file in fit) else ""
    kinds = dict.fromkeys(f"{where}*{PurePosixPath(file).suffix}" for file in said or fit)
    return (", ".join(kinds),) if len(said or fit) >= parameter.least else ()


def place(task: str, file: str) -> int:
    """The index at which a task names a file; its length if it does not."""
    at = task.casefold().find(PurePosixPath(file).stem.casefold())
    return at if at >= 0 else len(task)


def _kinds(asked: Named, own: Container[str] = ()) -> tuple[str, ...]:
    """The suffixes of the kinds of files that a request mentions, in its order. ``own``: the skill's words, which mean no
    files."""
    words = [word.strip(MARKS).casefold() for word in asked.rest.replace("-", " ").split()]
    words = [word for word in words if word not in own]
    return tuple(end for word in words for end in KINDS.get(word, (f".{word}", f".{word.removesuffix('s')}")))


def new_name(
    parameter: Parameter, skill: Skill, given: Mapping[str, Any], files: Container[str] = (), kinds: Iterable[str] = ()
) -> str:
    """A name for a new file that nobody named: that of the file that it is made from, and what was done, as in the skill's
    example with ``given`` in place of the example's values: sales by region. ``files``: names that are taken; ``kinds``:
    suffixes that a request names."""
    source = next((each for each in skill.method.parameters if each.given or each.kind in ("files", "folder")), None)
    example, ending = PurePosixPath(parameter.value), PurePosixPath(parameter.value).suffix
    values = {
        each.value.casefold(): str(given.get(each.name, each.value) if each.optional else given.get(each.name) or each.value)
        for each in skill.method.parameters
    }
    done = [values[word].casefold().replace("/", "-") if word in values else word for word in example.stem.split()]
    made_from = str(given.get(source.name, "")) if source is not None else ""
    if source is not None and (called := _called_by(made_from)):
        old, new = PurePosixPath(source.value), PurePosixPath(made_from)
        done = [called, *(word for word in done if word not in (old.stem, "files") and word not in KINDS)]
        if source.kind == "file" and new.suffix != old.suffix:
            others = tuple(each for each in parameter.endings if each != new.suffix)
            kept = old.suffix == ending and new.suffix in parameter.endings
            ending = new.suffix if kept else next(iter(others), ending)
    said = [each for each in kinds if each in parameter.endings]
    others = [each for each in said if each != PurePosixPath(made_from).suffix.casefold()]
    ending, stem = next(iter((*others, *said)), ending), " ".join(filter(None, done))
    if source is not None and source.kind == "file" and "/" in made_from:
        stem = f"{PurePosixPath(made_from).parent}/{stem}"  # beside what it is made from
    names = (f"{stem}{ending}" if number == 1 else f"{stem} {number}{ending}" for number in count(1))
    return next(name for name in names if name not in files)


def _called_by(files: str) -> str:
    """The name, without ending, of a file or folder, or of the one folder that all of several files are in; '' if none."""
    paths = [PurePosixPath(part.strip()) for part in files.split(",")]
    if len(paths) == 1 and "*" not in files:
        return paths[0].stem
    folders = {path.parent for path in paths}
    return folders.pop().name.replace("*", "") if len(folders) == 1 else ""


def spans(task: str, like: str) -> tuple[str, ...]:
    """The texts in a task that may be a value ``like`` this one: quoted texts, and all runs of words up to a few longer than
    it, with and without the punctuation around them. (): any text, if there are too many, or words have no spaces
    between."""
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
