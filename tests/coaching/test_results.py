"""Programs that do not count to the third of something or take numbers for words, and quantities that nothing used."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from deskcrew.coaching.results import compared_as_text, uncounted, unused_quantity
from deskcrew.events import Operation

FILTERS = "print(next_one['name'] if next_one['kind'] == 'scanner' else '')"
THIRD = "Which name has the third device in the hall?"


@pytest.mark.parametrize(
    ("part", "code", "told"),
    [
        (THIRD, FILTERS, "count to the third: of all that fit, in their order, take [2]"),
        ("Which name has the 4th device in the hall?", FILTERS, "count to the 4th"),
        (THIRD, "print(hall['devices'][2]['name'])", ""),
        (THIRD, "for n, d in enumerate(devices):\n    print(d)", ""),
        (THIRD, "if seen == 3: print(d)", ""),
        (THIRD, "print(devices[20])", "count to the third"),
        ("What was paid in the second quarter?", FILTERS, ""),
        ("What happened on the 3rd of May?", FILTERS, ""),
        ("What happened on the 3rd May?", FILTERS, ""),
        ("Who came first, and who was the second?", FILTERS, ""),
        ("Which name has the first device?", FILTERS, ""),
    ],
)
def test_whether_a_program_counts(part: str, code: str, told: str) -> None:
    said = uncounted(part, code)
    assert (told in said) if told else not said


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


def state(question: str, *operations: Operation, outputs: int = 1) -> Any:
    turns = [SimpleNamespace(done=[SimpleNamespace(operation=each)]) for each in operations]
    return SimpleNamespace(question=question, turns=turns, collected_by=lambda *kinds: [kinds] * outputs)


@pytest.mark.parametrize(
    ("code", "left"),
    [("print(price * 2)", True), ("print(price * 14)", False), ("print(price * 140)", True)],
)
def test_a_quantity_that_code_left_out(code: str, left: bool) -> None:
    done = Operation(function="run_python_code", params={"code": code})
    assert bool(unused_quantity(state("Tell me how much 14 tickets cost?", done))) is left


def test_what_was_typed_key_by_key_was_used() -> None:
    keys = [
        Operation(function="hotkey", params={"keys": ["escape"], "text": "1"}),
        Operation(function="hotkey", params={"keys": ["1"], "text": "*9="}),
    ]
    assert unused_quantity(state("What do 11 tickets cost?", *keys)) == ""


def test_where_nothing_was_worked_out_or_no_quantity_is_asked_for() -> None:
    assert unused_quantity(state("What do 11 tickets cost?", outputs=0)) == ""
    assert unused_quantity(state("What is the total of 2025-11.csv?")) == ""
