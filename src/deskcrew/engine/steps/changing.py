"""What refers to a run before: its reading with what a person names since in its place (the same for february.csv; no, by
Date), and what it made (keep the first 3 of that).

What is named must have exactly one place among the values; else the words are a task of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from deskcrew.engine.steps.cells import Table
from deskcrew.engine.steps.columns import comparison
from deskcrew.engine.steps.common_words import AGAIN, NO
from deskcrew.engine.steps.covering import Named, headings_said, idle, named, spoken_of, unused_name
from deskcrew.engine.steps.filling import There, check, ends, new_name
from deskcrew.engine.steps.sayings import choices_said
from deskcrew.facts.events import SkillUse
from deskcrew.facts.texts import FILE_NAME, QUOTED, file_names
from deskcrew.facts.verdict import Earlier
from deskcrew.learning.skills.lexicon import words_of
from deskcrew.learning.skills.skill import Parameter, Skill

THAT = re.compile(
    r"\b(?:(?i:(?:the|this|that|these|those) (?:new )?results?|(?:this|that) (?:file|table|list|document)|them|"
    r"(?:this|that|these|those)(?=\s*(?:[.,;:!?]|$|(?:an?|and|as|by|for|from|in|into|to|with)\b))|"
    r"davon|daraus|eso|esto|ça|cela)|[Ii]t)\b"
)
"""Words that may stand for what was made before. None is in capitals: IT may be a cell."""
GOOD = ("done", "unverified")


def with_results(task: str, before: Sequence[Earlier], files: Sequence[str]) -> tuple[str, str]:
    """A task with the files that the last good run before it made in place of the word that stands for them, and what is to
    be told of that. If it names no file, the one file that was made stands behind it. Else the task alone, and ''."""
    words = task
    good = next((run for run in reversed(before) if run.status in GOOD and not set(files).isdisjoint(run.made)), None)
    if good is None:
        return task, ""
    made = [path for path in good.made if path in files]
    for names in (FILE_NAME, QUOTED):
        words = names.sub(lambda found: "_" * len(found[0]), words)
    if word := THAT.search(words):
        before_it = task[: word.start()]
        if not (file_names(before_it) or spoken_of(before_it, files)):
            those = ", ".join(made)
            told = f'"{word[0]}" is {those}, which run {good.run} made'
            return f"{before_it}{those}{task[word.end() :]}", told
    asked = named(task, files)
    return (f"{task} {made[0]}" if len(made) == 1 and not (asked.files or asked.new) else task), ""


def refers_back(words: str) -> bool:
    """Whether words refer to what was done before: the same, again."""
    return not AGAIN.isdisjoint(words_of(words))


def changed(before: SkillUse, skill: Skill, words: str, there: There) -> dict[str, str] | None:
    """The values of an earlier use of ``skill`` with what ``words`` name in their place. None if they name something that
    has no place, or nothing."""
    no, comma, rest = words.partition(",")
    asked = named(rest if comma and no.strip().casefold() in NO else words, there.files, there.folders)
    given = {each.name: before.values.get(each.name, "") for each in skill.method.parameters}
    old = dict(given)
    tables = _of_files(asked, skill, given, there)
    if tables is None or skill.method.steps or asked.new:
        return None
    headings = tuple(dict.fromkeys(heading for table in tables for heading in table.headings))
    for name, value in _named_values(asked, skill, given, tables, headings):
        if name is None:
            return None
        given[name] = value
    if given == old and not refers_back(words):
        return None
    for each in skill.method.parameters:
        taken = {"", new_name(each, skill, old), *there.files} if each.kind == "file" and not each.given else set[str]()
        if given[each.name] in taken or (taken and asked.files):
            given[each.name] = new_name(each, skill, given, there.files)
    try:
        check(given, skill, None, there)
    except ValueError:
        return None
    asked = asked.but(AGAIN)  # the same as before
    return None if unused_name(asked, skill, given, headings) or idle(asked, skill, given) else given


def _of_files(asked: Named, skill: Skill, given: dict[str, str], there: There) -> list[Table] | None:
    """The tables that the skill reads once the named files are in ``given``; None if these have no place."""
    sources = [each for each in skill.method.parameters if each.kind == "file" and each.given]
    several = [each for each in skill.method.parameters if each.kind == "files"]
    if asked.files and len(asked.files) == len(sources):
        if not all(map(ends, asked.files, sources)):
            return None
        given |= {each.name: file for each, file in zip(sources, asked.files, strict=True)}
    elif asked.files and not sources and len(several) == 1 and all(ends(file, several[0]) for file in asked.files):
        given[several[0].name] = ", ".join(asked.files)
    elif asked.files:
        return None
    there = there.on(given.get("sheet", ""))
    return [there.table(given[each.name]) for each in sources]


def _named_values(
    asked: Named, skill: Skill, given: dict[str, str], tables: Sequence[Table], headings: tuple[str, ...]
) -> list[tuple[str | None, str]]:
    """What is named, each with its parameter; None if it has not exactly one."""
    parameters = skill.method.parameters
    found: list[tuple[str | None, str]] = []
    lists = [each.name for each in parameters if each.kind == "columns"]
    spoken = headings_said(asked, skill, headings)
    if spoken and len(lists) == 1:
        found.append((lists[0], ", ".join(spoken)))
    else:
        found += [(_column(heading, parameters, tables), heading) for heading in spoken]
    for each in parameters:
        told = choices_said(asked.rest, each)
        found += [(each.name if len(told) == len(choices) == 1 else None, choices[0]) for choices in told]
    value = next((each for each in parameters if each.among), None)
    if value is not None:
        return found + _compared(asked, skill, value, given | {name: value for name, value in found if name}, tables)
    numbers = [each.name for each in parameters if each.kind in ("integer", "number")]
    texts = [each.name for each in parameters if each.kind == "mention"]
    found += [(numbers[0] if len(numbers) == len(asked.numbers) == 1 else None, number) for number in asked.numbers]
    return found + [(texts[0] if len(texts) == len(asked.texts) == 1 else None, text) for text in asked.texts]


def _column(heading: str, parameters: Sequence[Parameter], tables: Sequence[Table]) -> str | None:
    """The one parameter that a heading is for: of those for a column of its kind, or for any; None if there are several."""
    columns = [each for each in parameters if each.kind == "column"]
    kind = [each.name for each in columns if each.holds and any(table.holds(heading, each.holds) for table in tables)]
    free = [each for each in columns if not each.holds]
    fit = kind or [each.name for each in free if not each.optional] or [each.name for each in free]
    return fit[0] if len(fit) == 1 else None


def _compared(
    asked: Named, skill: Skill, value: Parameter, given: dict[str, str], tables: Sequence[Table]
) -> list[tuple[str | None, str]]:
    """What a column is to be compared with, and which, if a cell of only one is named."""
    said = [heading for table in tables for heading in table.said(asked.bare)]
    if not (said or asked.numbers or asked.texts):
        return []
    column = given[value.among] if given[value.among] in said or len(said) != 1 else said[0]
    told = (comparison(asked, skill, tables, {value.among: (column,)}) or {}).get(value.name, ())
    moved = [(value.among, column)] if column != given[value.among] else []
    return [*moved, (value.name if len(told) == 1 else None, told[0] if told else "")]
