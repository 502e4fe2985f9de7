"""Dates and times as people write them, in several languages, and what is never guessed."""

from __future__ import annotations

import datetime

import pytest

from deskcrew.environments.dates import as_fields_have_it, date_in, dates_in, means, months_in, time_in
from deskcrew.errors import ActionError


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("01/31/2026", "2026-01-31"), ("31/01/2026", "2026-01-31"), ("31-01-2026", "2026-01-31"), ("5/5/2026", "2026-05-05"),
        ("31.01.2026", "2026-01-31"), ("03.04.2026", "2026-04-03"), ("31. 1. 2026", "2026-01-31"),
        ("2026-01-31", "2026-01-31"), ("2026/01/31", "2026-01-31"), ("2026. 1. 31.", "2026-01-31"),
        ("31 January 2026", "2026-01-31"), ("3rd of Feb. 2026", "2026-02-03"), ("December 24, 2026", "2026-12-24"),
        ("31-Jan-2026", "2026-01-31"), ("3. März 2026", "2026-03-03"), ("3. MÄRZ 2026", "2026-03-03"),
        ("1er février 2026", "2026-02-01"), ("1 fevrier 2026", "2026-02-01"), ("31 de enero de 2026", "2026-01-31"),
        ("31 января 2026 г.", "2026-01-31"), ("2026. január 31.", "2026-01-31"), ("2026 m. sausio 31 d.", "2026-01-31"),
        ("15 KASIM 2026", "2026-11-15"), ("2026年12月31日", "2026-12-31"), ("2026년 1월 31일", "2026-01-31"),
        ("31 tháng 12, 2026", "2026-12-31"), ("3 มี.ค. 2026", "2026-03-03"), ("٣١ مارس ٢٠٢٦", "2026-03-31"),
        ("31\u200f/01\u200f/2026", "2026-01-31"),
    ],
)  # fmt: skip
def test_a_date_is_read_in_the_one_way_it_can_be(said: str, wanted: str) -> None:
    assert (str(date_in(said)), as_fields_have_it(said)) == (wanted, wanted)


@pytest.mark.parametrize(
    ("said", "readings"),
    [
        ("03/04/2026", ["2026-03-04", "2026-04-03"]),
        ("3-4-2026", ["2026-03-04", "2026-04-03"]),
        ("31/12/26", ["1926-12-31", "2026-12-31"]),
        ("5.5.26", ["1926-05-05", "2026-05-05"]),
        ("3. listopada 2026", ["2026-10-03", "2026-11-03"]),
    ],
)
def test_a_date_that_can_be_several_is_refused(said: str, readings: list[str]) -> None:
    assert {*readings} <= {*map(str, dates_in(said))}
    for read in (date_in, as_fields_have_it):
        with pytest.raises(ActionError, match=f"can be .*{readings[-1]}.*: write a date as 2026-01-31"):
            read(said)
    assert not means(said, readings[0])


@pytest.mark.parametrize(
    "said",
    ["tomorrow", "31 June 2026", "01.31.2026", "2026-31-01", "2026-02-30", "Room 3 May 2026", "3 or 4 May 2026", "May 2026",
     "1.2.3", "12345", "#ff0000", "31 Foo 2026", "", "3 May 2026 " * 20],
)  # fmt: skip
def test_what_is_no_date_stays_as_it_is(said: str) -> None:
    assert date_in(said) is None
    assert as_fields_have_it(said) == said


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("1:45 PM", "13:45"), ("12:05 am", "00:05"), ("12:05 p.m.", "12:05"), ("8:05", "08:05"), ("13:45", "13:45"),
        ("13:45:00", "13:45"), ("9:30:15", "09:30:15"), ("午前1:45", "01:45"), ("오후 1:45", "13:45"),
        ("1:45 μ.μ.", "13:45"), ("1:45 p. m.", "13:45"), ("13:45 PM", "13:45"), ("13:45 AM", "13:45 AM"), ("8:65", "8:65"),
        ("8:05 xx", "8:05 xx"), ("25:30", "25:30"), ("31 January 2026, 1:45 PM", "2026-01-31T13:45"),
        ("31.01.2026 08:15", "2026-01-31T08:15"), ("2026-01-31T13:45", "2026-01-31T13:45"),
    ],
)  # fmt: skip
def test_a_time_is_put_in_as_fields_have_it(said: str, wanted: str) -> None:
    assert as_fields_have_it(said) == wanted


def test_a_time_is_that_since_midnight_and_a_duration_may_be_longer() -> None:
    assert time_in("12:30 am") == datetime.timedelta(minutes=30)
    assert time_in("25:30") == datetime.timedelta(days=1, hours=1, minutes=30)


@pytest.mark.parametrize(
    ("typed", "shown", "same"),
    [
        ("2027-02-03", "2/3/2027", True), ("3. Februar 2027", "03.02.27", True), ("2027-02-03", "2/4/2027", False),
        ("03.04.2026", "2026-03-04", False), ("1:45 PM", "13:45", True), ("8:05", "8:05 PM", False), ("8:05", "", False),
        ("31 January 2026 1:45 PM", "2026-01-31T13:45", True), ("2026-01-31 13:45", "2026-01-31T13:46", False),
        ("x", "x", False),
    ],
)  # fmt: skip
def test_what_is_shown_means_what_was_typed(typed: str, shown: str, same: bool) -> None:
    assert means(typed, shown) is same


@pytest.mark.parametrize(
    ("text", "language", "months"),
    [
        ("Prev March 2026 Next", "en", {(2026, 3)}), ("März 2026", "de-AT", {(2026, 3)}), ("March 2026", "de", {(2026, 3)}),
        ("marzo de 2026", "", {(2026, 3)}), ("2026年3月", "ja", {(2026, 3)}), ("2026. március", "xx", {(2026, 3)}),
        ("مارس ٢٠٢٦", "ar", {(2026, 3)}), ("listopad 2026", "hr", {(2026, 10)}), ("listopad 2026", "cs_CZ", {(2026, 11)}),
        ("listopad 2026", "", {(2026, 10), (2026, 11)}), ("May 2026\nJune 2026", "", {(2026, 5), (2026, 6)}),
        ("Summer 2026, 12 Marchers", "en", set[tuple[int, int]]()),
    ],
)  # fmt: skip
def test_a_calendars_month_is_read_in_the_language_of_its_page(
    text: str, language: str, months: set[tuple[int, int]]
) -> None:
    assert months_in(text, language) == months
