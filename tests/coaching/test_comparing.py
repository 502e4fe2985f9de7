"""Numbers that a program takes for words."""

from __future__ import annotations

import pytest

from deskcrew.coaching.comparing import compared_as_text

ROWS = "import csv\nrows = list(csv.DictReader(open('a.csv')))\n"
TABLE = "name,size\nBo,9\nAl,100\nCy,20\n"


@pytest.mark.parametrize(
    ("code", "table", "column"),
    [
        ("rows.sort(key=lambda row: row['size'])", TABLE, "size"),
        ("print(max(rows, key=lambda row: row['size'])['name'])", TABLE, "size"),
        ("print(min(row['size'] for row in rows))", TABLE, "size"),
        ("print(sorted(csv.reader(open('a.csv')), key=lambda row: row[1]))", TABLE, "size"),
        ("rows.sort(key=lambda row: int(row['size']))", TABLE, ""),
        ("rows.sort(key=lambda row: row['name'])", TABLE, ""),
        ("for row in rows: row['size'] = float(row['size'])\nprint(max(rows, key=lambda row: row['size']))", TABLE, ""),
        ("rows.sort(key=lambda row: row['size'])", "name,size\nBo,10\nAl,20\n", ""),  # the same order either way
        ("rows.sort(key=lambda row: row['none'])", TABLE, ""),
        ("rows.sort(key=lambda row: row[", TABLE, ""),
    ],
)
def test_a_program_that_orders_numbers_as_words_is_known(code: str, table: str, column: str) -> None:
    assert compared_as_text(ROWS + code, [table]) == column
