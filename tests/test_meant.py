"""Somebody who mistypes a name is asked whether they meant one that there is."""

from __future__ import annotations

import pytest

from deskcrew.facts.meant import did_you_mean

HEADINGS = ("Day", "Amount", "Net amount")


@pytest.mark.parametrize(
    ("name", "told"),
    [("amuont", " Did you mean 'Amount'?"), ("AMOUNT", " Did you mean 'Amount'?"), ("Xylophone", ""), ("", "")],
)
def test_the_nearest_name_is_asked_about_whatever_the_case(name: str, told: str) -> None:
    assert did_you_mean(name, HEADINGS) == told


def test_several_are_asked_about_the_nearest_first_and_as_they_are_shown() -> None:
    assert did_you_mean("modle", ("mode", "model"), most=2, shown="web.{}") == " Did you mean 'web.mode' or 'web.model'?"
