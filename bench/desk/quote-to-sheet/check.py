"""The price stands in its cell, every other cell is as it was, and no file was added."""

import os
import sys
from pathlib import Path

from make import facts, table
from openpyxl import load_workbook

made = facts(os.environ["DESKCREW_SEED"])
there = sorted(path.name for path in Path().iterdir() if not path.name.startswith("."))
if there != sorted((made["file"], made["letter"])):
    sys.exit(f"the folder holds {there}")
wanted = {(row, column): value for row, cells in enumerate(table(made), 1) for column, value in enumerate(cells, 1) if value}
wanted[made["row"], 3] = made["value"]
sheet = load_workbook(made["file"]).worksheets[0]
held = {(cell.row, cell.column): cell.value for row in sheet.iter_rows() for cell in row if cell.value is not None}
if held != wanted:
    sys.exit(f"the sheet holds {held}; the {made['item']} should have {made['value']}")
