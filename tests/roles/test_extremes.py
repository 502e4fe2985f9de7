"""Questions for what is most or least in a table."""

from __future__ import annotations

import pytest

from deskcrew.roles.extremes import extreme_named, figure
from deskcrew.roles.tabular import Table

LAPTOPS = Table(
    (
        ("Model", "Memory", "Price"),
        ("Aero 13", "16 GB", "1,099 euros"),
        ("Bolt 15", "8 GB", "549 euros"),
        ("Cirrus 14", "16 GB", "799 euros"),
    )
)
CITIES = Table(
    (("Country", "City", "Sales", "Staff"), ("F", "Lyon", "120", "9"), ("D", "Kiel", "80", "9"), ("D", "Ulm", "99", "4"))
)


@pytest.mark.parametrize(
    ("table", "words", "value"),
    [
        (LAPTOPS, "tell me which laptop is the cheapest.", "Bolt 15"),
        (LAPTOPS, "Which model costs the most?", "Aero 13"),
        (LAPTOPS, "What is the most expensive laptop on the page?", "Aero 13"),
        (LAPTOPS, "which laptop has the lowest price?", "Bolt 15"),
        (LAPTOPS, "What is the lowest price?", "549 euros"),
        (CITIES, "Which city has the highest sales?", "Lyon"),
        (CITIES, "which country has the smallest staff in the table?", "D"),
        # Words that nobody understands here, two rows of the same figure, a column of which nothing is said.
        (LAPTOPS, "Which laptop with 16 GB is the cheapest?", ""),
        (LAPTOPS, "Which is the cheapest laptop with more than 8 GB?", ""),
        (CITIES, "Which city has the most staff?", ""),
        (CITIES, "Which city is the cheapest?", ""),
        (CITIES, "Which city is the largest?", ""),
        (LAPTOPS, "Which laptop is the lightest?", ""),
    ],
)
def test_row_with_the_extreme(table: Table, words: str, value: str) -> None:
    assert extreme_named([table], words) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,099 euros", 1099),
        ("1.099,50 €", 1099.5),
        ("$12.50", 12.5),
        ("-3", -3),
        ("3,5", 3.5),
        ("1 200", 1200),
        ("n/a", None),
        ("Bolt 15", None),
        ("12.03.2026", None),
        ("10:30", None),
    ],
)
def test_figures(text: str, value: float | None) -> None:
    assert figure(text) == value
