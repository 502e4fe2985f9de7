"""The new sheet holds the totals, written or worked out there, and the other one what it held."""

import os
import sys
from pathlib import Path

from make import facts, table, totals
from openpyxl import load_workbook

made = facts(os.environ["DESKCREW_SEED"])
there = sorted(path.name for path in Path().iterdir() if not path.name.startswith("."))
if there != [made["file"]]:
    sys.exit(f"the folder holds {there}")
book = load_workbook(made["file"], data_only=True)
if book.sheetnames != ["Deliveries", made["sheet"]]:
    sys.exit(f"its sheets are {book.sheetnames}")
for name, wanted in (("Deliveries", table(made)), (made["sheet"], totals(made))):
    found = [tuple(row) for row in book[name].iter_rows(values_only=True)]
    if found != [tuple(row) for row in wanted]:
        sys.exit(f"{name} holds {found}")
