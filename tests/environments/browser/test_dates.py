"""Dates and times in the form that fields of pages take."""

from __future__ import annotations

import pytest

from deskcrew.environments.browser.dates import as_fields_have_it


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("01/31/2026", "2026-01-31"),
        ("1/3/2026", "2026-01-03"),
        ("2026-01-31", "2026-01-31"),
        ("31 January 2026", "2026-01-31"),
        ("3rd of Feb. 2026", "2026-02-03"),
        ("December 24, 2026", "2026-12-24"),
        ("31 June 2026", "31 June 2026"),
        ("1:45 PM", "13:45"),
        ("12:05 am", "00:05"),
        ("12:05 p.m.", "12:05"),
        ("8:05", "08:05"),
        ("13:45", "13:45"),
        ("tomorrow", "tomorrow"),
    ],
)
def test_what_people_write_is_put_in_as_fields_have_it(said: str, wanted: str) -> None:
    assert as_fields_have_it(said) == wanted
