"""Dates in a text, however they are written, and whether numbers in a name are one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deskcrew.english.wording import words_of
from deskcrew.environments.calendars import MONTHS

_MONTHS = tuple(month[:3] for month in MONTHS)
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_WRITTEN = (
    re.compile(rf"(?<!\d){_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+{_DAY}(?:,?\s+(?P<year>\d{{4}}))?(?!\d)", re.IGNORECASE),
)
_NUMBERS = re.compile(
    r"(?<!\d)(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?!\d)|(?<!\d)(\d{1,2})[-./](\d{1,2})[-./](\d{4}|\d\d)(?!\d)"
)
STEM = 6
"""Letters by which a word is known again: "inspection", "inspected"."""
_OTHERS = re.compile(r"\b(?:next|previous|last|following|due|until|deadline|expir\w*)\b", re.IGNORECASE)
"""What stands beside a date of something else than what the document is about."""
_DATE_OF = re.compile(
    r"\b(?:date|day)s?\s+(?:(?:is|being)\s+)?(?:(?:the\s+)?(?:one|that|day)\s+)?(?:of|on\s+which|when|that|the|its|it|in\s+which)\b([^.;,()]*)|\b(?:date|day)s?\b",
    re.IGNORECASE,
)
_THE_DATE = re.compile(r"\b([^\W\d_]+)\s+date\b", re.IGNORECASE)
_VAGUE = words_of(
    "which that this their there where when with stands stand written says document file name inside text from about page "
    "into using have been were does report reports"
)
"""Words that say nothing of a date in a document."""


def shown_in(text: str, numbers: Sequence[str]) -> bool:
    """Whether a text has the date that ``numbers`` make up, as they stand in a name; of fewer than three each by itself."""
    numbers = [part for number in numbers for part in _apart(number)]
    if len(numbers) != 3:
        return all(re.search(rf"(?<!\d)0*{int(number)}(?!\d)", text) for number in numbers)
    years = [number for number in numbers if len(number) == 4] or [numbers[0], numbers[2]]
    wanted = set[tuple[int, int, int]]()
    for year in years:
        one, other = (int(number) for at, number in enumerate(numbers) if at != numbers.index(year))
        wanted |= {(int(year) % 100, one, other), (int(year) % 100, other, one)}
    return any(date in wanted for date in dates(text))


def meant(text: str, task: str) -> str:
    """The lines of a text with the date that a task speaks of; all of it where it has but one date, '' where it has several
    and no line says which of them is meant."""
    found = {line: frozenset(dates(_of_years(line, text))) for line in text.splitlines()}
    if len({those for those in found.values() if those}) <= 1:
        return text
    left = [line for line, those in found.items() if those and not _OTHERS.search(line)]
    for word in _spoken_of(task)[:1]:
        said = [line for line in left if re.search(rf"\b{re.escape(word)}", line, re.IGNORECASE)]
        if len({found[line] for line in said}) == 1:
            return "\n".join(_of_years(line, text) for line in said)
    return ""


def _of_years(line: str, text: str) -> str:
    """A line with the years that its text names, for dates that have none."""
    years = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", text)
    return (
        line if re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", line) or not years else f"{line} [{' '.join(dict.fromkeys(years))}]"
    )


def _spoken_of(task: str) -> list[str]:
    """What the date is of that a task speaks of, as beginnings of words, what says most first."""
    said = re.sub(r"\bnot\b[^.,;()]*", " ", task)
    after = [word for match in _DATE_OF.finditer(said) for word in re.findall(r"[^\W\d_]+", match[1] or "")]
    before = [match[1] for match in _THE_DATE.finditer(said)]
    words = (word.casefold() for word in (*after, *before))
    return [word[:STEM] for word in words if len(word) > 3 and word not in _VAGUE]


def dates(text: str) -> Iterator[tuple[int, int, int]]:
    """Year without its century, month and day. A date without a year may be of any that the text names, and one in numbers
    alone may begin with its day or its month."""
    years = {int(year) % 100 for year in re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", text)}
    for form in _WRITTEN:
        for match in form.finditer(text):
            month = _MONTHS.index(match.group("month").casefold()) + 1
            of = {int(match.group("year")) % 100} if match.group("year") else years
            yield from ((year, month, int(match.group("day"))) for year in of)
    for match in _NUMBERS.finditer(text):
        if match.group(1):
            yield int(match.group(1)) % 100, int(match.group(2)), int(match.group(3))
        else:
            one, other, year = (int(number) for number in match.groups()[3:])
            yield year % 100, other, one
            yield year % 100, one, other


def _apart(number: str) -> list[str]:
    """20240307 as year, month and day."""
    if len(number) == 8 and number[:2] in ("19", "20"):
        return [number[:4], number[4:6], number[6:]]
    return [number[:2], number[2:4], number[4:]] if len(number) in (6, 8) else [number]
