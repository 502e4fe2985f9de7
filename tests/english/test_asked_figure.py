"""An answer without a figure where one is asked for."""

from __future__ import annotations

import pytest

from deskcrew.english.asked import no_figure


@pytest.mark.parametrize(
    ("question", "answer", "doubted"),
    [
        ("Which date is on it?", "New Document", True),
        ("Which date is on it?", "3 May", False),
        ("How many are there?", "the lamps", True),
        ("How many are there?", "twelve", False),
        ("How much does it cost?", "it is free", False),
        ("Who paid the total?", "Ann", False),
        ("Which city has the most people?", "Rome", False),
    ],
)
def test_a_figure_is_asked_for(question: str, answer: str, doubted: bool) -> None:
    assert bool(no_figure(question, answer)) is doubted
