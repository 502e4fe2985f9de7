"""A calculation in words as keys."""

from __future__ import annotations

from decimal import Decimal

import pytest

from deskcrew.roles.sums import applied, says, spelt_out, worth


@pytest.mark.parametrize(
    ("words", "keys", "value"),
    [
        ("How much is 422 times 22 minus 954?", "422*22-954", "8330"),
        ("What is 4,315 divided by 25?", "4315/25", "172.6"),
        ("(12 + 8) * 3", "(12+8)*3", "60"),
        ("5 plus 3 times 2", "5+3*2", "11"),
    ],
)
def test_a_calculation_that_is_spelt_out(words: str, keys: str, value: str) -> None:
    assert spelt_out(words) == keys
    assert worth(keys) == Decimal(value)


@pytest.mark.parametrize(
    "words",
    [
        "What is 15% of 240?",
        "the square root of 4 plus 5",
        "7 plus 2, of which 3 are lost",
        "1 / 0",
        "page 12",
        "5 plus 6 squared",
    ],
)
def test_what_is_more_than_that_is_left_alone(words: str) -> None:
    assert spelt_out(words) == ""


def test_a_display_says_a_value_or_another_one() -> None:
    assert says("8,330", Decimal(8330))
    assert says("= −12.5", Decimal("-12.5"))
    assert says("0.333333333", Decimal(1) / 3)
    assert not says("833", Decimal(8330))
    assert not says("", Decimal(0))


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("then use the calculator to work out what 26 hours of his cost", "18*26"),
        ("multiply it by 12 with the calculator", "18*12"),
        ("divide that by 4", "18/4"),
        ("add 50 to the price", "18+50"),
        ("what are 19% of it", ""),
        ("what do 3 nights cost, and 2 breakfasts", ""),
        ("how is it with 3 of them", ""),
    ],
)
def test_a_calculation_with_a_number_found_out_before(words: str, keys: str) -> None:
    assert applied(words, "18 euros") == keys
