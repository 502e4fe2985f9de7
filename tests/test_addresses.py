"""Addresses of cells and ranges, in all the ways in which people and programs write them."""

from __future__ import annotations

import pytest

from deskcrew.facts.addresses import Cells, address_of, parse, position_of


@pytest.mark.parametrize(
    ("text", "cells", "written"),
    [
        ("B7", Cells(6, 1, 6, 1), "B7"),
        ("b7", Cells(6, 1, 6, 1), "B7"),
        ("$AA$10", Cells(9, 26, 9, 26), "AA10"),
        ("A1:D20", Cells(0, 0, 19, 3), "A1:D20"),
        ("D20:A1", Cells(0, 0, 19, 3), "A1:D20"),
        ("C3:C3", Cells(2, 2, 2, 2), "C3"),
        ("Sheet2.B7", Cells(6, 1, 6, 1, "Sheet2"), "Sheet2.B7"),
        ("Sheet2!A1:B3", Cells(0, 0, 2, 1, "Sheet2"), "Sheet2.A1:B3"),
        ("Übersicht!B7", Cells(6, 1, 6, 1, "Übersicht"), "Übersicht.B7"),
        ("$'It''s 2.x'.B7", Cells(6, 1, 6, 1, "It's 2.x"), "'It''s 2.x'.B7"),
        ("12", None, ""), ("B0", None, ""), ("ABCD1", None, ""), ("A1:", None, ""), ("A1\n", None, ""), ("", None, ""),
        ("two words.B7", None, ""), ("C:C", None, ""), ("'" + "x" * 80 + "'.B7", None, ""),
    ],
)  # fmt: skip
def test_what_an_address_means(text: str, cells: Cells | None, written: str) -> None:
    assert parse(text) == cells
    assert cells is None or (str(cells) == written and parse(written) == cells)


def test_the_place_of_one_cell_as_programs_write_it() -> None:
    assert [position_of(text) for text in ("D7", "XFD1048576", "d7", "A1:B2", "Sheet2.D7")] == [
        (6, 3), (1048575, 16383), None, None, None,
    ]  # fmt: skip
    assert all(position_of(address_of(row, column)) == (row, column) for row in (0, 9, 99) for column in (0, 25, 26, 702))
