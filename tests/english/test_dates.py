"""Which of several dates in a document a task speaks of."""

from __future__ import annotations

import pytest

from deskcrew.english.dates import dates, meant

LETTER = "Written: 27 April 2025\nTo the owner\nDate of the survey: 15 April 2025\nNext survey: 3 May 2027\n"


@pytest.mark.parametrize(
    ("task", "day"),
    [
        ("Rename it to survey-YYYY-MM-DD.txt by the date of the survey that it reports on.", 15),
        ("Use the day of the survey (not the day the report was written).", 15),
        ("Name it after the date when it was written.", None),  # "written" may also speak of the name
        ("with the survey date in front", 15),
        ("where the date is the one on which the survey took place", 15),
        ("Put its date into the name.", None),
        ("by the date of the visit", None),
    ],
)
def test_of_several_dates_the_one_is_meant_whose_line_says_so(task: str, day: int | None) -> None:
    assert {found[2] for found in dates(meant(LETTER, task))} == ({day} if day else set())


def test_a_single_date_is_meant_whatever_stands_beside_it() -> None:
    assert meant("Ghent, 3 May 2025\nDear all,", "with the date of the letter") == "Ghent, 3 May 2025\nDear all,"


def test_a_date_without_its_year_has_that_of_its_text() -> None:
    text = "Plan for 2026\nMeeting: 3 May\nDeadline: 9 June\n"
    assert set(dates(meant(text, "the date of the meeting"))) == {(26, 5, 3)}
