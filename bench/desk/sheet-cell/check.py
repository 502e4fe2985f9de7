"""That cell holds the number, every other one what it held, and it is still a workbook under its name."""

import os
import sys
from pathlib import Path

from make import facts, table
from openpyxl import load_workbook

made = facts(os.environ["DESKCREW_SEED"])
there = sorted(path.name for path in Path().iterdir() if not path.name.startswith("."))
if there != [made["file"]]:
    sys.exit(f"the folder holds {there}")
sheet = load_workbook(made["file"]).worksheets[0]
wanted = {(row, column): value for row, cells in enumerate(table(made), 1) for column, value in enumerate(cells, 1)}
wanted[made["row"], "ABCDE".index(made["letter"]) + 1] = made["value"]
held = {(cell.row, cell.column): cell.value for row in sheet.iter_rows() for cell in row if cell.value is not None}
if held != {place: value for place, value in wanted.items() if value is not None}:
    sys.exit(
        f"wanted and found: {[(wanted.get(at), held.get(at)) for at in {*wanted, *held} if wanted.get(at) != held.get(at)]}"
    )
