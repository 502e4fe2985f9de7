"""What is said of a file that is not there."""

from __future__ import annotations

import pytest

from deskcrew.facts.no_file import no_file, slip_told


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("nope.csv", ""),
        ("mai.csv", "may.csv"),
        ("orderz.xlsx", "orders.csv"),
        ("sales.cvs", "sales.csv"),
    ],
)
def test_names_are_alike_by_more_than_their_suffix(name: str, near: str) -> None:
    told = no_file(name, ["may.csv", "orders.csv", "sales.csv", "sales.xlsx", "sorted.csv"], "/w")
    slip = slip_told(told)
    assert (slip.near if slip else "") == near, told
