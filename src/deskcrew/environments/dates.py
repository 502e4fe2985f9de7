"""Dates, months and times of day as people write them: read in every common language, by the names that CLDR has for them
(Babel), and never guessed where a text can be read in several ways."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from deskcrew.errors import ActionError
from deskcrew.texts import LETTER

if TYPE_CHECKING:
    from babel import Locale

LANGUAGES = (
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "he", "hi", "hr", "hu", "id",
    "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "ta", "th", "tr", "uk",
    "vi", "zh",
)  # fmt: skip
"""Those whose names are known where nothing says which language a text is in."""
HOW = "write a date as 2026-01-31, a time as 13:45, both as 2026-01-31T13:45"
LONGEST = 60
"""The maximum number of characters of a date or time."""
_FIGURES = re.compile(r"(\d{4}|\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{1,2})\.?")
_CLOCK = re.compile(
    r"(?P<before>[^\W\d_][^\d:]*)?(?P<hours>\d{1,2}):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d)(?:[.,]0+)?)?(?P<after>[^\d:]*)"
)
_UNWRITTEN = re.compile("[\u0300-\u036f\u200e\u200f\u061c]")
"""Accents, which people leave out, and marks of the direction of writing, which locales put between figures."""
# Between the parts of a date with the month's name (put in as \0) there is at most a short word, as "de" is; a letter or two
# may follow a number: 3rd, 1er, 31日.
_GAP = r"[\s,./-]*(?:[^\W\d_]{1,3}(?:[.’']\s*|\s+))?"
_DAY, _YEAR = r"(?P<day>\d{1,2})(?!\d)[^\W\d_]{0,2}", r"(?P<year>\d{4})(?!\d)[^\W\d_]?"
_ORDERS = tuple(
    re.compile(rf"{_GAP.join(parts)}[\s.,]*(?:[^\W\d_]{{1,2}}\.?)?")
    for parts in ((_DAY, "\0", _YEAR), ("\0", _DAY, _YEAR), (_YEAR, "\0", _DAY))
)
_DAYS_LENGTH = datetime.timedelta(days=1)
_KEPT = 32
"""The number of languages whose names are kept ready."""
_YEARS = re.compile(r"(?<!\d)\d{4}(?!\d)")


def dates_in(text: str) -> frozenset[datetime.date]:
    """All dates that a text can be: 03/04/2026 is one in March and one in April, of a year in two figures the century is
    open, a name may be that of another month in another language. Dotted, the day comes first. Empty for anything else, and
    for a day that does not exist."""
    text = _folded(text).strip() if len(text) <= LONGEST else ""
    if (figures := _FIGURES.fullmatch(text)) is not None:
        return frozenset(_in_figures(figures[2], figures[1], figures[3], figures[4]))
    return frozenset(_with_a_name(text)) if _YEARS.search(text) and len(re.findall(r"\d+", text)) > 1 else frozenset()


def date_in(text: str) -> datetime.date | None:
    """The date that a text is, None for anything else. Raises ActionError where it can be several."""
    dates = sorted(dates_in(text))
    if len(dates) > 1:
        raise ActionError(f"{text!r} can be {' or '.join(map(str, dates))}: {HOW}.")
    return dates[0] if dates else None


def time_in(text: str) -> datetime.timedelta | None:
    """The time since midnight; None for anything else. More than a day where it is a duration, as sheets have them."""
    match = _CLOCK.fullmatch(_folded(text).strip()) if len(text) <= LONGEST else None
    if match is None:
        return None
    hours = int(match["hours"])
    if half := _key(f"{match['before'] or ''}{match['after']}"):
        later = _halves().get(half)
        if later is None or (hours > 12 and not later):
            return None
        hours = hours if hours > 12 else hours % 12 + 12 * later
    return datetime.timedelta(hours=hours, minutes=int(match["minutes"]), seconds=int(match["seconds"] or 0))


def as_fields_have_it(text: str) -> str:
    """A date, a time or both in the format that fields of pages accept: 2026-01-31, 13:45, 2026-01-31T13:45; anything else
    unchanged. Raises ActionError for a date that can be read in several ways."""
    if (time := time_in(text)) is not None:
        return _clock(time) if time < _DAYS_LENGTH else text
    if (date := date_in(text)) is not None:
        return date.isoformat()
    for before, after in _in_two(text):
        if (time := time_in(after)) is not None and time < _DAYS_LENGTH and (date := date_in(before)) is not None:
            return f"{date}T{_clock(time)}"
    return text


def means(typed: str, shown: str) -> bool:
    """Whether the one date or time that was typed is shown, however either is written."""
    wanted = dates_in(typed)
    if wanted:
        return len(wanted) == 1 and wanted <= dates_in(shown)
    if (time := time_in(typed)) is not None:
        return time == time_in(shown)
    return any(
        (time := time_in(after)) is not None and time == time_in(late) and means(before, early)
        for before, after in _in_two(typed)
        for early, late in _in_two(shown)
    )


def months_in(text: str, language: str = "") -> frozenset[tuple[int, int]]:
    """Year and month wherever a text has the two beside each other, as the headings of calendars do. ``language``: of the
    text, as BCP 47 has it; its names are looked for first, then those of all."""
    text = _folded(text)
    for known in filter(None, (language, "*")):
        found = {
            (int(year[0]), month)
            for year in _YEARS.finditer(text)
            for month in _beside(text[max(0, year.start() - LONGEST) : year.start()], text[year.end() :][:LONGEST], known)
        }
        if found:
            return frozenset(found)
    return frozenset()


# -- dates


def _in_figures(sign: str, first: str, middle: str, last: str) -> Iterator[datetime.date]:
    if len(first) == 4:
        orders = ((first, middle, last),)
    else:
        orders = ((last, middle, first),)
        orders += ((last, first, middle),) if sign != "." else ()
        orders += ((first, middle, last),) if len(last) == 2 else ()
    for year, month, day in orders:
        for century in ("",) if len(year) == 4 else ("19", "20") if len(year) == 2 else ():
            yield from _date(int(century + year), int(month), int(day))


def _date(year: int, month: int, day: int) -> tuple[datetime.date, ...]:
    try:
        return (datetime.date(year, month, day),)
    except ValueError:
        return ()


def _with_a_name(text: str) -> Iterator[datetime.date]:
    for name in _pattern("*").finditer(text):
        around = f"{text[: name.start()]}\0{text[name.end() :]}"
        for match in filter(None, (order.fullmatch(around) for order in _ORDERS)):
            for month in _months("*")[_key(name[0])]:
                yield from _date(int(match["year"]), month, int(match["day"]))


def _beside(before: str, after: str, language: str) -> Iterator[int]:
    """The months whose names are next to a year."""
    for name in _pattern(language).finditer(before):
        if re.fullmatch(_GAP, before[name.end() :]):
            yield from _months(language)[_key(name[0])]
    for name in _pattern(language).finditer(after):
        if re.fullmatch(rf"[^\W\d_]?{_GAP}", after[: name.start()]):
            yield from _months(language)[_key(name[0])]


# -- times


def _clock(time: datetime.timedelta) -> str:
    return str((datetime.datetime.min + time).time()).removesuffix(":00")


def _in_two(text: str) -> Iterator[tuple[str, str]]:
    """What stands before and after each place where a date may end and a time begin."""
    text = text.strip()
    for between in re.finditer(r"(?<=\d)T(?=\d)|[\s,]+", text) if len(text) <= LONGEST else ():
        yield text[: between.start()], text[between.end() :]


# -- names


def _folded(text: str) -> str:
    """A text in which case and accents do not count."""
    letters = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", _UNWRITTEN.sub("", letters)).replace("ı", "i")


def _key(name: str) -> str:
    """A name in which dots and blanks do not count either."""
    return "".join(name.replace(".", " ").split())


@lru_cache(_KEPT)
def _months(language: str) -> Mapping[str, frozenset[int]]:
    """The numbers of the months that have a name in a language, "*" for all common ones: listopad is October in one of them
    and November in others."""
    known: dict[str, set[int]] = {}
    for name, month in _names_of_months(language):
        known.setdefault(_key(name), set()).add(month)
    return {name: frozenset(months) for name, months in known.items()}


@lru_cache(_KEPT)
def _pattern(language: str) -> re.Pattern[str]:
    """Finds those names as words of their own, the longest first. Some have numbers in them: 1月."""
    names = {r"[\s.]*".join(map(re.escape, name.replace(".", " ").split())) for name, _ in _names_of_months(language)}
    either = "|".join(sorted(names, key=len, reverse=True)) or r"(?!)"
    edge = r"(?<!\d(?=\d))"
    return re.compile(rf"(?:(?<!{LETTER})|(?<=\d)){edge}(?:{either}){edge}(?:(?!{LETTER})|(?=\d))")


def _names_of_months(language: str) -> Iterator[tuple[str, int]]:
    for locale in _locales(language):
        forms = cast("Mapping[str, Mapping[str, Mapping[int, str]]]", locale.months)
        for form in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                yield from ((_folded(name).strip(" ."), month) for month, name in forms[form][width].items())


@lru_cache(1)
def _halves() -> Mapping[str, bool]:
    """What is written beside a time for the first half of the day (False) and for the second, in any common language."""
    known: dict[str, bool] = {}
    for locale in _locales("*"):
        forms = cast("Mapping[str, Mapping[str, Mapping[str, str]]]", locale.day_periods)
        for width in ("wide", "abbreviated"):
            names = forms["format"][width]
            known |= {_key(_folded(names[half])): half == "pm" for half in ("am", "pm") if half in names}
    return known


@lru_cache(_KEPT)
def _locales(language: str) -> tuple[Locale, ...]:
    """The locale of a language, none if it is unknown; "*" for those of all common ones."""
    from babel import Locale, UnknownLocaleError

    if language == "*":
        return tuple(map(Locale.parse, LANGUAGES))
    whole = language.replace("_", "-")  # as pages also write it
    for tag in (whole, whole.split("-")[0]):
        try:
            return (Locale.parse(tag, sep="-"),)
        except (UnknownLocaleError, ValueError):  # a page may say anything
            continue
    return ()
