"""What landed in a sheet: the same value however the sheet writes it, and nothing else."""

from __future__ import annotations

import pytest

from deskcrew.actions.landing import landed, same
from deskcrew.facts.addresses import parse


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("apple", "apple"), ("1234.5", "1,234.50"), ("1234,5", "1.234,50"), ("1,234.50", "1234.5"), ("1 234,5", "1234,5"),
        ("1234567890123", "1.23E+12"), ("3.14159", "3.14"), ("$5", "$5.00"), ("-3", "(3)"), ("5%", "5.00%"), ("0.05", "5%"),
        ("5", "5%"), ("true", "TRUE"), ("'007", "007"), ("2024-05-01", "05/01/24"), ("5/1/2024", "05/01/24"),
        ("1 May 2024", "2024-05-01"), ("9:30", "09:30:00 AM"), ("21:05", "09:05 PM"), ("25:30", "25:30:00"),
        ("3. März 2024", "03.03.24"), ("31.01.2024", "31.01.24"), ("2024-05-01 21:05", "05/01/24 09:05 PM"), ("", ""),
    ],
)  # fmt: skip
def test_the_same_value(typed: str, shown: str) -> None:
    assert same(typed, shown)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("ap", "apple"), ("apple", "Apple"), ("apple", ""), ("", "apple"), ("1.5", "15"), ("12", "13"), ("3.14159", "3.15"),
        ("007", "7"), ("1.2.3", "01/02/03"), ("1.2.03", "01/02/03"), ("2024-05-01", "05/02/24"), ("9:30", "9:31"),
        ("9:30", "09:30 PM"), ("5%", "6%"), ("0.5", "5%"), ("1/2", "0.5 kg"),
    ],
)  # fmt: skip
def test_another_value(typed: str, shown: str) -> None:
    assert not same(typed, shown)


def test_the_cells_that_hold_something_else_are_named() -> None:
    start = parse("B2")
    assert start is not None
    whole = landed("name\tqty\nap\t3\r\n=C3*2\t\n", "name\tqty\nap\t3\n6\t", start)
    assert (whole.held, whole.why) == (True, "6 of 6 cells hold what was typed; B4 shows '6'")
    partly = landed("name\tqty\nap\t3\n=C9/0\t1", "name\tqty\napple\t3\n#DIV/0!\t1", start)
    assert partly.held is False
    assert partly.why == ("4 of 6 cells hold what was typed; B3 shows 'apple', not 'ap'; B4 shows '#DIV/0!' for '=C9/0'")
    unsure = landed("=1/0\t1", "\t1", start)
    assert (unsure.held, unsure.why) == (
        None, "1 of 2 cells hold what was typed; B2 tells nothing: its formula has an error, or an empty result",
    )  # fmt: skip
    nothing = landed("a\tb\nc\td", "", start)
    assert (nothing.held, nothing.why[:41]) == (False, "0 of 4 cells hold what was typed; B2 show")
    assert landed("=1+1", "=1+1", start).why == "0 of 1 cell holds what was typed; B2 shows the formula as text"
