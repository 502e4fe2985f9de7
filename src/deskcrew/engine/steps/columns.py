"""Finds, without a model, the columns that a task is about, and what their values are compared with: people name a column,
or a value in it, or nothing if only one is of the kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from deskcrew.engine.steps.cells import MEASURES, Table, is_date, is_period
from deskcrew.engine.steps.common_words import AGE, AGES, AND, BEFORE_COLUMNS, FROM, JOINED, NO, OLD, OR, YES, YOUNG
from deskcrew.engine.steps.covering import (
    Named,
    alike,
    denied,
    headings_said,
    left_out,
    same,
    strange,
)
from deskcrew.engine.steps.sayings import choices_said, tells_column
from deskcrew.facts.texts import normal
from deskcrew.learning.skills.lexicon import words_of
from deskcrew.learning.skills.skill import Holds, Parameter, Skill

ANY: tuple[Holds, ...] = ("keys", "words")
"""Kinds of columns of which the first may be taken: any key tells rows apart, and a row's subject precedes its details."""
LAST, YOUNGEST = ("largest", "descending"), ("youngest", "jüngst", "joven", "jeune")
"""Choices that put the largest value first, and beginnings of words for those who are youngest."""
FEW = 8
"""Maximum number of different values of a column, such as yes and no, for any to be meant if none is named."""


def headings_for(
    asked: Named, skill: Skill, tables: Sequence[Table], columns: tuple[str, ...]
) -> dict[str, tuple[str, ...]] | None:
    """The headings that each column parameter of a skill may have: those that the request mentions, or mentions a value of,
    or the only one of the kind. None if one is required and cannot be found."""
    spoken = headings_said(asked, skill, columns)
    valued = tuple(each for each in columns if any(each in table.said(asked.bare) for table in tables))
    compared = {each.among for each in skill.method.parameters}
    comparing = _is_compared(asked, _how(skill))
    ends = _ends(asked, skill, spoken, tables)
    found: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    wanted = [each for each in skill.method.parameters if each.kind in ("column", "columns") or each.holds]
    for each in sorted(wanted, key=lambda each: each.holds is None):
        fit = tuple(name for name in columns if not each.holds or any(table.holds(name, each.holds) for table in tables))
        if each.name in ends:
            continue
        fit = columns if len(columns) == 1 else fit
        if each.kind == "column" and not each.holds and each.name not in compared:
            fit = _told_of(asked, skill, tables, fit)
        if each.holds == "numbers":  # the total without VAT
            fit = tuple(name for name in fit if not left_out(name, asked.rest))
        chosen = tuple(heading for heading in spoken if heading in fit and heading not in taken)
        if each.kind == "mention":
            found[each.name] = (*asked.numbers, *chosen)
            if not found[each.name] and not each.optional:
                return None
            continue
        optional = each.optional and each.holds != "measures"  # the end of which column is to be known
        needed = not optional or (each.name in compared and comparing)
        if not chosen and each.kind == "column":
            told = tuple(heading for heading in fit if alike(each.description, heading))
            chosen = told if len(told) == 1 else chosen
        if each.name in compared and valued:
            chosen = tuple(heading for heading in chosen if heading in valued) or valued
        elif each.name in compared and each.optional:
            measured = bool(asked.numbers)  # the sum of the amounts over 100, which are taken
            fit = tuple(
                name for name in fit if not measured or any(t.holds(name, kind) for t in tables for kind in MEASURES)
            )
            chosen = tuple(heading for heading in spoken if heading in fit) if needed else ()
        elif not chosen and each.kind == "column" and (each.holds or not optional):
            left = tuple(heading for heading in fit if heading not in taken)
            chosen = _only(each, left if each.holds in ANY else _of_age(asked, left, tables), tables)
            if each.holds == "measures" and _names_another(asked, skill, columns):
                chosen = ()
        if not chosen and each.holds and not each.optional:
            chosen = tuple(name for name in spoken if not left_out(name, asked.rest))
        if not chosen and each.kind == "column" and needed:
            chosen = _measures(asked, skill, tables, tuple(name for name in fit if name not in taken), each.name in compared)
        if not chosen and needed:
            return None
        taken |= {*chosen} if len(chosen) == 1 and chosen[0] in fit else set()
        found[each.name] = chosen
    return _in_order(asked, skill, found) | _by_age(asked, skill, found, tables) | ends | _second(asked, skill, spoken)


def _ends(asked: Named, skill: Skill, spoken: Sequence[str], tables: Sequence[Table]) -> dict[str, tuple[str, ...]]:
    """The values of a skill that keeps the first or last rows of a table, if a request means them as they stand: it says so,
    and neither a column nor another end. {} if it does not, or the skill keeps none."""
    end = next((each for each in skill.method.parameters if "first" in each.choices), None)
    if end is None:
        return {}
    said = tuple(dict.fromkeys(each for choices in choices_said(asked.rest, end) for each in choices))
    others = tuple(each for each in said if each not in ("first", "last"))
    if others or not said:
        return {end.name: others} if len(others) == 1 else {}
    column = next(each.name for each in skill.method.parameters if each.kind == "column")
    measured = [each for each in spoken if any(table.holds(each, "measures") for table in tables)]
    return {end.name: ("smallest" if said[0] == "first" else "largest",)} if measured else {column: ("",), end.name: said}


def _second(asked: Named, skill: Skill, spoken: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The two columns that rows are sorted by and the order of each, which stands behind it; {} for other skills."""
    order = next((each for each in skill.method.parameters if each.name == "order"), None)
    column = next((each for each in skill.method.parameters if each.name == "column"), None)
    if order is None or column is None or not any(each.name == "then" for each in skill.method.parameters):
        return {}
    words = words_of(asked.rest)
    by = next((at for at, word in enumerate(words) if word in BEFORE_COLUMNS), len(words))
    places = [min(at for at, word in enumerate(words) for part in words_of(each) if same(word, part)) for each in spoken]
    if len(spoken) != 2 or by > min(places) or not asked.binding:
        return {"then": ("",), "then_order": ("",)}
    parts = (" ".join(words[: places[1]]), " ".join(words[places[1] :]))
    said = [tuple(each for some in choices_said(part, order) for each in some)[:1] for part in parts]
    return {"column": (spoken[0],), "then": (spoken[1],), "order": said[0] or ("",), "then_order": said[1] or ("",)}


def _told_of(asked: Named, skill: Skill, tables: Sequence[Table], columns: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some columns that measure something, if a request says so: the oldest order is not the largest Order. All, if
    it does not, or none does."""
    if not any(tells_column(asked.rest, each) for each in skill.method.parameters):
        return columns
    measures = [name for name in columns if any(table.holds(name, kind) for table in tables for kind in MEASURES)]
    return tuple(name for name in measures if not any(table.holds(name, "codes") for table in tables)) or columns


def groups_meant(asked: Named, skill: Skill, tables: Sequence[Table], heads: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a request asks for the best of what a skill that keeps rows would list more than once: the top 3 customers."""
    end = next((each for each in skill.method.parameters if "first" in each.choices), None)
    if end is None or tells_column(asked.rest, end):
        return False
    columns = tuple(dict.fromkeys(heading for table in tables for heading in table.headings))
    left = [each for each in headings_said(asked, skill, columns) if not any(each in some for some in heads.values())]
    return any(each in table.columns and not table.holds(each, "keys") for each in left for table in tables)


def subjects(asked: Named, skill: Skill, tables: Sequence[Table], heads: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The headings by which a request calls the rows that it puts in order: the youngest member, if each row is of another
    one."""
    if not any(saying.tells for each in skill.method.parameters for saying in each.said):
        return ()
    columns = tuple(dict.fromkeys(heading for table in tables for heading in table.headings))
    spoken = (each for each in headings_said(asked, skill, columns) if not any(each in some for some in heads.values()))
    return tuple(each for each in spoken if all(table.holds(each, "keys") for table in tables))


def _by_age(
    asked: Named, skill: Skill, heads: Mapping[str, tuple[str, ...]], tables: Sequence[Table]
) -> dict[str, tuple[str, ...]]:
    """Which end of a column is the oldest or youngest, by parameter: the first day of birth, but the largest age. {} if
    neither is asked for, or the column is open."""
    words = words_of(asked.rest)
    young = any(word.startswith(YOUNGEST) for word in words)
    if not (young or any(word.startswith(OLD) for word in words)):
        return {}
    columns = [some[0] for some in heads.values() if len(some) == 1]
    end = next((each for each in skill.method.parameters if any(saying.tells for saying in each.said)), None)
    said = {each for some in choices_said(asked.rest, end) for each in some} if end is not None else set[str]()
    if end is None or len(columns) != 1 or len(said) != 2:
        return {}
    dated = any(table.holds(columns[0], "dates") for table in tables)
    since = dated or not any(word in AGE for word in words_of(columns[0]))
    return {end.name: tuple(each for each in said if (each in LAST) is (young is since))}


def _in_order(asked: Named, skill: Skill, found: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The two columns that a request reckons with, in its order: price divided by weight; with "from" between them in the
    other one: costs from price."""
    other = next((each.name for each in skill.method.parameters if each.kind == "mention"), "")
    both = found.get(other, ())
    first = next(
        (name for name, chosen in found.items() if name != other and len(both) == len(set(both) & set(chosen)) == 2), ""
    )
    if not first:
        return found
    _, _, behind = asked.rest.casefold().partition(both[0].casefold())
    one, two = both[::-1] if FROM & set(words_of(behind.partition(both[1].casefold())[0])) else both
    return found | {first: (one,), other: (two,)}


def _how(skill: Skill) -> Parameter | None:
    """The parameter that says how the values of a column are compared, None if there is none: it has opposites."""
    return next((each for each in skill.method.parameters if each.opposites), None)


def _is_compared(asked: Named, how: Parameter | None) -> bool:
    return how is not None and any(choices_said(asked.rest, how, alone=alone) for alone in (False, True))


def _only(each: Parameter, fit: tuple[str, ...], tables: Sequence[Table]) -> tuple[str, ...]:
    """The column for a parameter about which nothing was said, among those that fit: the only one, codes not counted as
    numbers, or the first if any will do; () if it is open."""
    codes = [name for name in fit if each.holds == "numbers" and any(table.holds(name, "codes") for table in tables)]
    left = tuple(name for name in fit if name not in codes)
    return left[:1] if len(left) == 1 or each.holds in ANY else ()


def _measures(asked: Named, skill: Skill, tables: Sequence[Table], fit: tuple[str, ...], compared: bool) -> tuple[str, ...]:
    """The columns that a request measures without naming any: those of the kind that it implies (the cheapest, over 100), or
    the only one that measures anything (the biggest)."""
    told = any(tells_column(asked.rest, each) for each in skill.method.parameters)
    if not any(choices_said(asked.rest, each) for each in skill.method.parameters) or (compared and not asked.numbers):
        return ()
    if not told and _names_another(asked, skill, fit):
        return ()
    dated = compared and any(map(is_date, asked.numbers))
    kinds: tuple[Holds, ...] = MEASURES if told else ("dates",) if dated else ("numbers",)
    measures = [name for name in fit if any(table.holds(name, kind) for table in tables for kind in kinds)]
    found = tuple(name for name in measures if not any(table.holds(name, "codes") for table in tables))
    found = _of_age(asked, found, tables)
    return found if told or compared or len(found) == 1 else ()


def _names_another(asked: Named, skill: Skill, columns: Sequence[str]) -> bool:
    """Whether a request has a word that may be a column which is not there: the best paid."""
    called = " ".join((*(PurePosixPath(file).stem for file in asked.files), *columns))
    return bool(strange(asked, skill, {"": called}))


def _of_age(asked: Named, columns: tuple[str, ...], tables: Sequence[Table]) -> tuple[str, ...]:
    """Those of some columns that can tell an age, if a request measures one without naming a column; else all. Nobody is as
    old as their membership."""
    words = words_of(asked.rest)
    if not any(word.startswith((*OLD, *YOUNG)) or word in AGE for word in words):
        return columns
    of_people = not any(word.startswith(OLD) for word in words)

    def tells(heading: str) -> bool:
        parts = words_of(heading)
        if any(same(part, each) for part in parts for each in AGES):
            return True
        joined = any(part.startswith(JOINED) for part in parts)
        return not (of_people or joined) and any(table.holds(heading, "dates") for table in tables)

    return tuple(heading for heading in columns if tells(heading))


def comparison(
    asked: Named, skill: Skill, tables: Sequence[Table], heads: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]] | None:
    """What a skill compares the values of a column with, and how, by parameter. {} if it compares none, None if not said."""
    value = next((each for each in skill.method.parameters if each.among), None)
    how = _how(skill)
    if value is None:
        return {}
    mine = heads.get(value.among, ())
    if how is None:
        values = _named_cells(asked, mine, tables)
        return {value.name: values} if values else None
    if how.optional:
        columns = tuple(dict.fromkeys(heading for table in tables for heading in table.headings))
        left = [each for each in headings_said(asked, skill, columns) if not any(each in some for some in heads.values())]
        if any(not table.holds(each, "keys") for each in left for table in tables):
            return None  # how many customers is not how many orders
    if not mine:
        return {how.name: ("",), value.name: ("",)} if how.optional else {}
    usual = tuple(each for each in how.choices if each not in {saying.choice for saying in how.said})
    told = tuple(dict.fromkeys(each for choices in choices_said(asked.rest, how) for each in choices))
    cells = {normal(cell): cell for table in tables for heading in mine for cell in table.columns.get(heading, ()) if cell}
    if values := _compared(asked, mine, tables, OR if how.optional else OR | AND):
        there = any(normal(one) in cells for each in values for one in each.split(" or ")) or any(
            is_period(each) for each in values
        )
        return {how.name: told or usual, value.name: values} if told or there else None
    gaps = any(table.holds(heading, "gaps") for table in tables for heading in mine)
    if gaps and (missing := choices_said(asked.rest, how, alone=True)):
        return {how.name: missing[0], value.name: ("",)}
    if len({*cells} & YES) == len({*cells} & NO) == 1 and len(cells) == len(("yes", "no")):  # who has not paid
        wanted = NO if denied(asked.rest, mine) else YES
        return {how.name: usual, value.name: tuple(cell for plain, cell in cells.items() if plain in wanted)}
    if len(cells) <= FEW and all(map(str.isalpha, cells)):
        return {how.name: usual, value.name: tuple(cells.values())}
    return {how.name: told} if told and not how.optional else None


def _named_cells(asked: Named, headings: tuple[str, ...], tables: Sequence[Table]) -> tuple[str, ...]:
    """The values of the columns that a request mentions."""
    said = (cells for table in tables for heading, cells in table.said(asked.bare).items() if heading in headings)
    return tuple(dict.fromkeys(cell for cells in said for cell in cells))


def _compared(
    asked: Named, headings: tuple[str, ...], tables: Sequence[Table], joined_by: frozenset[str]
) -> tuple[str, ...]:
    """The values that a request mentions: those of the columns, all of one as one if they are joined by such a word, or
    dates, numbers or quoted texts."""

    def hold(kind: Holds) -> bool:
        return any(table.holds(heading, kind) for table in tables for heading in headings)

    if said := _named_cells(asked, headings, tables):
        alone = tuple(
            each for each in said if not any(each != other and each.casefold() in other.casefold() for other in said)
        )
        joined = len(headings) == 1 and not joined_by.isdisjoint(words_of(asked.bare))
        return (" or ".join(alone),) if joined else said
    dates = tuple(number for number in asked.numbers if is_date(number))
    return dates if hold("dates") and dates else asked.numbers if hold("numbers") else asked.texts
