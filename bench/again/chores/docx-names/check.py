"""The new name stands where the old one stood, in bold where that was, and nothing else has changed."""

import os
import sys
from pathlib import Path

from docx import Document
from make import facts, parts

made = facts(os.environ["DESKCREW_SEED"])
there = sorted(path.name for path in Path().iterdir() if not path.name.startswith("."))
if there != [made["file"]]:
    sys.exit(f"the folder holds {there}")
header, subject, body, rows = parts(made, made["new"])
notice = Document(made["file"])
found = [paragraph.text for paragraph in notice.paragraphs]
if found != [subject, *body]:
    sys.exit(f"its paragraphs are {found}")
if notice.sections[0].header.paragraphs[0].text != header:
    sys.exit(f"its header is {notice.sections[0].header.paragraphs[0].text!r}")
if [[cell.text for cell in row.cells] for row in notice.tables[0].rows] != rows:
    sys.exit("its table is another")
for paragraph in notice.paragraphs[1:]:
    bold = "".join(run.text for run in paragraph.runs if run.bold)
    if bold != (made["new"] if made["new"] in paragraph.text else ""):
        sys.exit(f"in bold is {bold!r}")
