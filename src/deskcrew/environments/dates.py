"""Dates, months and times of day as people write them: read in every common language, by the names that CLDR has for them
(Babel), and never guessed where a text can be read in several ways."""

from __future__ import annotations

import datetime
import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from deskcrew.errors import ActionError
from deskcrew.facts.texts import LETTER

if TYPE_CHECKING:
    from babel import Locale

LANGUAGES = (
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "he", "hi", "hr", "hu", "id",
    "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "ta", "th", "tr", "uk",
    "vi", "zh",
)  # fmt: skip
"""The languages whose names are tried if a text's language is unknown."""
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
"""The number of languages whose names are cached."""
_YEARS = re.compile(r"(?<!\d)\d{4}(?!\d)")
_NEAR = 20
"""The number of characters beside a month's name in which its day and year are looked for."""
_DAY_FIRST = re.compile(rf"(?<![\d.,:])(\d{{1,2}})[^\W\d_]{{0,2}}{_GAP}$")
_YEAR_FIRST = re.compile(rf"(?<!\d)(\d{{4}})[^\W\d_]?{_GAP}$")
_DAY_NEXT = re.compile(rf"{_GAP}(\d{{1,2}})(?![\d:])[^\W\d_]{{0,2}}")
_YEAR_NEXT = re.compile(rf"{_GAP}(\d{{4}})(?!\d)")
_SHORT_FIGURES = re.compile(r"(?<![\d.,:/-])(\d{4}|\d{1,2})\s?([-/.])\s?(\d{1,2})(?:\s?\2\s?(\d{4}|\d{2}))?(?![\d:])")
_LEAST = 3
"""The minimum number of letters of a weekday's short name: "so" and "do" are words."""


class Day(NamedTuple):
    """A day of a month. ``year``: 0 if it is not given."""

    year: int
    month: int
    day: int


class Weekday(NamedTuple):
    """A weekday. ``number``: 0 for Monday."""

    number: int


class Clock(NamedTuple):
    hours: int
    minutes: int


Moment = tuple[int, int, "Day | Weekday | Clock"]
"""The start and end of a passage in a text, and the day, weekday or time that it can mean."""


def dates_in(text: str) -> frozenset[datetime.date]:
    """All dates that a text can mean: 03/04/2026 is in March or April, a two-digit year leaves the century open, and a name
    can be another month's in another language. With dots, the day comes first. Empty if the text is not a date, or the day
    does not exist."""
    text = unaccented(text).strip() if len(text) <= LONGEST else ""
    if (figures := _FIGURES.fullmatch(text)) is not None:
        return frozenset(_in_figures(figures[2], figures[1], figures[3], figures[4]))
    return frozenset(_with_a_name(text)) if _YEARS.search(text) and _numbers(text) > 1 else frozenset()


def _numbers(text: str) -> int:
    return sum(figures for figures, _ in itertools.groupby(text, str.isdecimal))


def date_in(text: str) -> datetime.date | None:
    """The date that a text means; None if it is not a date. Raises ActionError if it can mean several."""
    dates = sorted(dates_in(text))
    if len(dates) > 1:
        raise ActionError(f"{text!r} can be {' or '.join(map(str, dates))}: {HOW}.")
    return dates[0] if dates else None


def time_in(text: str) -> datetime.timedelta | None:
    """The time since midnight that a text means; None if it is not a time. Above a day for durations, as in spreadsheets."""
    match = _CLOCK.fullmatch(unaccented(text).strip()) if len(text) <= LONGEST else None
    if match is None:
        return None
    hours = _hours(int(match["hours"]), _key(f"{match['before'] or ''}{match['after']}"))
    if hours is None:
        return None
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
    """Whether ``shown`` means the same date or time as ``typed``, in whatever notation. False if ``typed`` is ambiguous."""
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
    """All pairs of year and month in a text: a year next to a month's name, as in the heading of a calendar. ``language``:
    the text's language as a BCP 47 tag; its names are tried first, then those of all languages."""
    text = unaccented(text)
    for known in filter(None, (language, "*")):
        found = {
            (int(year[0]), month)
            for year in _YEARS.finditer(text)
            for month in _beside(text[max(0, year.start() - LONGEST) : year.start()], text[year.end() :][:LONGEST], known)
        }
        if found:
            return frozenset(found)
    return frozenset()


def moments_in(text: str) -> Iterator[Moment]:
    """All days (even without a year), weekdays and times of day that a text may contain. ``text``: without accents."""
    yield from _named_days(text)
    for match in _SHORT_FIGURES.finditer(text):
        yield from ((*match.span(), day) for day in _days_in_figures(*match.groups()))
    for name in _weekday_pattern().finditer(text):
        yield from ((*name.span(), Weekday(number)) for number in _weekdays()[_key(name[0])])
    for match in _times_pattern().finditer(text):
        if (clock := _clock_of(match["hours"], match["minutes"], _key(match["half"] or match["alone"] or ""))) is not None:
            yield *match.span(), clock


# -- dates


def _named_days(text: str) -> Iterator[Moment]:
    """Days written with the month's name, with the day and year before or after it."""
    for name in _pattern("*").finditer(text):
        start, end = name.span()
        before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
        found: list[tuple[int, int, int, int]] = []
        if first := _DAY_FIRST.search(before):
            year = _YEAR_NEXT.match(after)
            found.append(
                (start - len(before) + first.start(), end + (year.end() if year else 0), _year_of(year), int(first[1]))
            )
        if after_it := _DAY_NEXT.match(after):
            year = _YEAR_NEXT.match(after, after_it.end())
            earlier = _YEAR_FIRST.search(before)
            from_ = start if earlier is None or year else start - len(before) + earlier.start()
            found.append((from_, end + (year or after_it).end(), _year_of(year or earlier), int(after_it[1])))
        for month in _months("*")[_key(name[0])]:
            yield from ((at, to, Day(year, month, day)) for at, to, year, day in found if _date(year or _LEAP, month, day))


_LEAP = 2000
"""A year in which every day exists."""


def _year_of(match: re.Match[str] | None) -> int:
    return int(match[1]) if match is not None else 0


def _days_in_figures(first: str, sign: str, middle: str, last: str | None) -> Iterator[Day]:
    if last is not None:
        yield from (Day(date.year, date.month, date.day) for date in _in_figures(sign, first, middle, last))
    elif len(first) < 4 and sign != "-":  # 3-5 is from three to five
        orders = ((middle, first), (first, middle)) if sign == "/" else ((middle, first),)
        yield from (Day(0, int(month), int(day)) for month, day in orders if _date(_LEAP, int(month), int(day)))


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


def _hours(hours: int, half: str) -> int | None:
    """The hours since midnight. ``half``: the text beside them, such as pm, or ''. None if the two are not a time."""
    if not half:
        return hours
    later = _halves().get(half)
    if later is None or (hours > 12 and not later):
        return None
    return hours if hours > 12 else hours % 12 + 12 * later


def _clock_of(hours: str, minutes: str | None, half: str) -> Clock | None:
    known = _hours(int(hours), half)
    return Clock(known, int(minutes or 0)) if known is not None and known < 24 else None


def _clock(time: datetime.timedelta) -> str:
    return str((datetime.datetime.min + time).time()).removesuffix(":00")


def _in_two(text: str) -> Iterator[tuple[str, str]]:
    """The texts before and after each place where a date may end and a time begin."""
    text = text.strip()
    for between in re.finditer(r"(?<=\d)T(?=\d)|[\s,]+", text) if len(text) <= LONGEST else ():
        yield text[: between.start()], text[between.end() :]


# -- names


def unaccented(text: str) -> str:
    """A text in lower case without accents, for comparing."""
    letters = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", _UNWRITTEN.sub("", letters)).replace("ı", "i")


def _key(name: str) -> str:
    """A name without dots and blanks, for comparing."""
    return "".join(name.replace(".", " ").split())


@lru_cache(_KEPT)
def _months(language: str) -> Mapping[str, frozenset[int]]:
    """The numbers of the months that a name can mean in a language, "*" for all common ones: listopad is October in one of
    them and November in others."""
    known: dict[str, set[int]] = {}
    for name, month in _names_of_months(language):
        known.setdefault(_key(name), set()).add(month)
    return {name: frozenset(months) for name, months in known.items()}


@lru_cache(_KEPT)
def _pattern(language: str) -> re.Pattern[str]:
    """A pattern that finds names of months as whole words, the longest first. Some contain digits: 1月."""
    names = {r"[\s.]*".join(map(re.escape, name.replace(".", " ").split())) for name, _ in _names_of_months(language)}
    either = "|".join(sorted(names, key=len, reverse=True)) or r"(?!)"
    edge = r"(?<!\d(?=\d))"
    return re.compile(rf"(?:(?<!{LETTER})|(?<=\d)){edge}(?:{either}){edge}(?:(?!{LETTER})|(?=\d))")


def _names_of_months(language: str) -> Iterator[tuple[str, int]]:
    for locale in _locales(language):
        forms = cast("Mapping[str, Mapping[str, Mapping[int, str]]]", locale.months)
        for form in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                yield from ((unaccented(name).strip(" ."), month) for month, name in forms[form][width].items())


@lru_cache(1)
def _weekdays() -> Mapping[str, frozenset[int]]:
    """The numbers of the weekdays that a name can mean in any common language."""
    known: dict[str, set[int]] = {}
    for locale in _locales("*"):
        forms = cast("Mapping[str, Mapping[str, Mapping[int, str]]]", locale.days)
        for form, width in itertools.product(("format", "stand-alone"), ("wide", "abbreviated")):
            for number, name in forms[form][width].items():
                plain = _key(unaccented(name))
                if width == "wide" or len(plain) >= _LEAST:
                    known.setdefault(plain, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in known.items()}


@lru_cache(1)
def _weekday_pattern() -> re.Pattern[str]:
    either = "|".join(map(re.escape, sorted(_weekdays(), key=len, reverse=True)))
    return re.compile(rf"(?<!{LETTER})(?:{either})(?!{LETTER})")


@lru_cache(1)
def _times_pattern() -> re.Pattern[str]:
    """A pattern for times of day: with minutes, an h, or a mark of the half of the day: 7.45, 19h, 7 p.m."""
    halves = "|".join(r"\.?\s?".join(map(re.escape, name)) for name in sorted(_halves(), key=len, reverse=True))
    half, alone = (rf"\s?(?P<{group}>(?:{halves})\.?)(?!{LETTER})" for group in ("half", "alone"))
    minutes = rf"\s?[:.h]\s?(?P<minutes>[0-5]\d)(?:(?<=:\d\d):00)?(?![\d]|[.,:]\d)(?:{half})?"
    return re.compile(rf"(?<![\d.,:/-])(?P<hours>\d{{1,2}})(?:{minutes}|{alone}|\s?h(?!{LETTER}))")


@lru_cache(1)
def _halves() -> Mapping[str, bool]:
    """The marks of the first half of the day (False) and of the second (True), in any common language."""
    known: dict[str, bool] = {}
    for locale in _locales("*"):
        forms = cast("Mapping[str, Mapping[str, Mapping[str, str]]]", locale.day_periods)
        for width in ("wide", "abbreviated"):
            names = forms["format"][width]
            known |= {_key(unaccented(names[half])): half == "pm" for half in ("am", "pm") if half in names}
    return known


@lru_cache(_KEPT)
def _locales(language: str) -> tuple[Locale, ...]:
    """The locale of a language, empty if it is unknown; "*" for the locales of all common languages."""
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
