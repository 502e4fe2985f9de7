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


def test_of_many_files_those_of_the_same_type_are_listed_first_and_the_rest_counted() -> None:
    many = [f"{letter}.txt" for letter in "bcdefghi"]
    told = no_file("one.pdf", [*many, "a.txt", "three.PDF"], "/w")
    listed = "three.PDF, b.txt, c.txt, d.txt, e.txt, f.txt, g.txt, h.txt and 2 more"
    assert told == f"There is no file named one.pdf in /w. Files there: {listed}."
    assert no_file("one.pdf", many, "/w").endswith("h.txt, i.txt."), "all of them: nothing is counted"
