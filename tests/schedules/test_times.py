"""Times as they are written, in a time zone with summer time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

import pytest

from deskcrew.errors import UsageError
from deskcrew.ways_in.schedules.times import times


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def unix(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def next_of(text: str, after: str, count: int = 2) -> list[str]:
    found = islice(times(text).after(unix(after), begun=unix("2026-03-01T00:00:30")), count)
    return [datetime.fromtimestamp(each).isoformat(sep=" ") for each in found]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("9:00", "2026-03-02 09:00:00", "2026-03-03 09:00:00"),
        ("MON  9:00", "2026-03-02 09:00:00", "2026-03-09 09:00:00"),
        ("mon-fri 08:30", "2026-03-02 08:30:00", "2026-03-03 08:30:00"),
        ("sat,sun 23:05", "2026-03-07 23:05:00", "2026-03-08 23:05:00"),
        ("0 9 1 * *", "2026-04-01 09:00:00", "2026-05-01 09:00:00"),
        ("0 9 * * 0", "2026-03-08 09:00:00", "2026-03-15 09:00:00"),
        ("30m", "2026-03-02 08:30:30", "2026-03-02 09:00:30"),
        ("1d", "2026-03-03 00:00:30", "2026-03-04 00:00:30"),
    ],
)
def test_what_is_written_is_when_it_is(text: str, first: str, second: str) -> None:
    assert next_of(text, "2026-03-02T08:15:00") == [first, second]


def test_a_time_that_has_come_is_not_still_to_come() -> None:
    assert next_of("9:00", "2026-03-02T09:00:00", 1) == ["2026-03-03 09:00:00"]


def test_summer_time_leaves_out_no_day_and_repeats_none() -> None:
    assert next_of("2:30", "2026-03-28T12:00:00", 2) == ["2026-03-29 03:30:00", "2026-03-30 02:30:00"]
    assert next_of("2:30", "2026-10-24T12:00:00", 2) == ["2026-10-25 02:30:00", "2026-10-26 02:30:00"]


def test_those_that_have_come_are_counted_to_a_bound() -> None:
    then, begun = unix("2026-03-02T08:00:00"), unix("2026-03-01T00:00:00")
    assert len(times("9:00").between(then, unix("2026-03-05T10:00:00"), begun=begun)) == 4
    assert len(times("1m").between(then, unix("2036-03-05T10:00:00"), begun=begun)) == 1000


@pytest.mark.parametrize("text", ["", "25:00", "9:61", "mond 9:00", "30s", "0m", "* * *", "0 9 31 2 *", "tomorrow", "9"])
def test_what_is_no_time_is_said(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        times(text)
    assert repr(text) in str(raised.value)
    assert "mon 9:00" in raised.value.hint
