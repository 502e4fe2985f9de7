"""The letter is as it was and ends with the sentence; the workbook is as it was; nothing else is there."""

import os
import re
import sys
from pathlib import Path

import docx
import openpyxl
from make import BOOKS, facts

made = facts(os.environ["DESKCREW_SEED"])
there = {path.name for path in Path().iterdir() if not path.name.startswith(".")}
if there != {made["book"], made["letter"]}:
    sys.exit(f"there are {sorted(there)}; only {made['letter']} should have been changed")
*old, new = [paragraph.text.strip() for paragraph in docx.Document(made["letter"]).paragraphs if paragraph.text.strip()]
if old != made["lines"]:
    sys.exit(f"before its last paragraph the letter reads {old}, not {made['lines']}")
amount = f"{made['amount'] // 1000}[,. \u00a0\u202f]?{made['amount'] % 1000:03}(?:[.,]00?)?"
if not re.fullmatch(f"{re.escape(made['before'])} {amount} {re.escape(made['after'])}", new):
    sys.exit(f"the letter ends with {new!r}; the amount is {made['amount']}")
sheets = {sheet.title: list(sheet.values) for sheet in openpyxl.load_workbook(made["book"])}
if sheets != {title: [BOOKS[made["book"]], *rows] for title, rows in made["sheets"].items()}:
    sys.exit(f"{made['book']} was changed")
