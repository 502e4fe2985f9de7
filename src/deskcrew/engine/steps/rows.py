"""Finds, without a model, which rows of a table a request means, beside what is to be done with them: those from Oslo with a
fee over 40."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from deskcrew.engine.steps.cells import Table
from deskcrew.engine.steps.common_words import CLAUSES, NEGATING
from deskcrew.engine.steps.covering import NUMBER, Named, headings_said
from deskcrew.engine.steps.sayings import choices_said
from deskcrew.learning.skills.lexicon import conditions
from deskcrew.learning.skills.skill import Skill

LIMITS = frozenset(("more than", "less than", "at least", "at most"))


def rows_meant(asked: Named, skill: Skill, tables: Sequence[Table]) -> tuple[Named, str] | None:
    """A request without the conditions that it says for rows, and these as a skill takes them. A skill that has a condition
    of its own keeps the first. None if there are no others, or one cannot be read."""
    own = any(each.among for each in skill.method.parameters)
    kept: list[str] = []
    found: dict[tuple[str, str], list[str]] = {}
    numbers, first = asked.numbers, None
    for clause in _clauses(asked.rest):
        part = replace(asked, rest=clause, bare=clause)
        said = _condition(part, skill, tables)
        if said is None:
            return None
        first = first or said[:2]
        if not said or (own and said[:2] == first):
            kept.append(clause)
            continue
        heading, how, value = said
        begun = not CLAUSES.isdisjoint(clause.casefold().split()[:2])
        if how in LIMITS and not begun:
            return None  # what is to be done stands there, too
        kept.append("" if begun else part.but(value.split(" or ")).rest)
        found.setdefault((heading, how), []).append(value)
        numbers = tuple(each for each in numbers if each not in NUMBER.findall(clause))
    if not found:
        return None
    rest = " ".join(filter(None, kept))
    told = " and ".join(f"{heading} {how} {' or '.join(values)}" for (heading, how), values in found.items())
    return replace(asked, rest=rest, bare=rest, numbers=numbers), told


def _clauses(text: str) -> Iterator[str]:
    """The parts of a text that begin with a word such as "where" or "from", or stand behind a comma."""
    clause: list[str] = []
    for word in text.split():
        if clause and (word.casefold() in CLAUSES or clause[-1].endswith(",")):
            turned = clause[-1:] if clause[-1].casefold() in NEGATING else []
            yield " ".join(clause[: len(clause) - len(turned)])
            clause = turned
        clause.append(word)
    yield " ".join(clause)


def _condition(part: Named, skill: Skill, tables: Sequence[Table]) -> tuple[str, str, str] | tuple[()] | None:
    """The column, the condition and the value that a part of a request says of rows. () if it says none, None if it is open
    which."""
    hows = {each for choices in choices_said(part.rest, conditions()) for each in choices}
    numbers = NUMBER.findall(part.rest)
    columns = tuple(dict.fromkeys(heading for table in tables for heading in table.headings))
    if limits := hows & LIMITS:
        fit = [each for each in columns if any(table.holds(each, "measures") for table in tables)]
        said = [each for each in headings_said(part, skill, columns) if each in fit]
        heads = said or [each for each in fit if not any(table.holds(each, "codes") for table in tables)]
        if not numbers:
            return ()
        return (heads[0], limits.pop(), numbers[0]) if len(heads) == len(limits) == len(numbers) == 1 else None
    cells = {heading: said for table in tables for heading, said in table.said(part.bare).items()}
    if not cells or hows - {"is not"}:
        return ()
    if len(cells) > 1:
        named = [each for each in headings_said(part, skill, columns) if each in cells]
        cells = {each: cells[each] for each in named}
    if len(cells) != 1:
        return None
    [(heading, values)] = cells.items()
    alone = [each for each in values if not any(each != other and each.casefold() in other.casefold() for other in values)]
    return heading, "is not" if hows else "is", " or ".join(alone)
