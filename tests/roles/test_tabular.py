"""Which cell words mean."""

from __future__ import annotations

import pytest

from deskcrew.observation import Box, Control, Observation, Window
from deskcrew.roles import tabular
from deskcrew.roles.tabular import Table

STOCK = Table(
    (
        ("Item", "Supplier", "price", "minimum order"),
        ("desk lamp", "Brandt", "12.50", "3"),
        ("lamp", "Corwen", "9.00", "2"),
        ("side table", "Brandt", "40.00", "1"),
        ("Total", "", "61.50", ""),
    )
)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("the price of the desk lamp", "12.50"),
        ("What is the minimum order for side tables?", "1"),
        ("the price of the lamp", "9.00"),
        ("the price of the item side table", "40.00"),
        ("the price of what Brandt sells", ""),  # two rows
        ("the price", ""),
        ("the colour of the desk lamp", ""),
        ("price and minimum order of the lamp", ""),
        ("the price of the lamp and of the side table", ""),
    ],
)
def test_a_cell_is_named_by_its_row_and_its_column(words: str, value: str) -> None:
    assert tabular.value_named([STOCK], words) == value


def test_a_table_that_was_read_is_one_again() -> None:
    text = f"Stock of the week\n{STOCK.text}\nas of Monday"
    assert tabular.tables_in(text) == [Table(STOCK.rows)]


def cell(label: str, name: str, value: str | None, x: int, y: int, role: str = "cell") -> Control:
    return Control(label=label, role=role, name=name, value=value, box=Box(x=x, y=y, width=50, height=20), window=1)


def test_cells_of_a_page_stand_in_rows_and_those_of_a_sheet_at_addresses() -> None:
    window = Window(id=1, title="A page", app="Browser", box=Box(x=0, y=0, width=500, height=500), active=True)
    heads = (cell("1", "Room", None, 10, 10, "column header"), cell("2", "Price", None, 60, 11, "column header"))
    body = (cell("4", "80", None, 60, 40), cell("3", "Single", None, 10, 40))
    assert tabular.read(Observation(windows=(window,), controls=heads + body)) == [
        Table((("Room", "Price"), ("Single", "80")), (("1", "2"), ("3", "4")))
    ]
    sheet = (cell("A1", "A1", "Room", 10, 10), cell("B1", "B1", "Price", 60, 10), cell("A2", "A2", "Single", 10, 30))
    table = tabular.sheet(sheet)
    assert table is not None
    assert table.rows == (("Room", "Price"), ("Single", ""))
    assert table.label(1, 0) == "A2"
    assert table.label(1, 1) == ""
