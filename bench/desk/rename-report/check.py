"""The report has its new name and its old text, and nothing else is there or was changed."""

import os
import sys
from pathlib import Path

import docx
from make import OTHER, facts

made = facts(os.environ["DESKCREW_SEED"])
there = {path.name for path in Path().iterdir() if not path.name.startswith(".")}
if there != {made["new"], *OTHER}:
    sys.exit(f"there are {sorted(there)}; the report should be {made['new']}")
if tuple(paragraph.text for paragraph in docx.Document(made["new"]).paragraphs) != made["lines"]:
    sys.exit(f"{made['new']} is not the report as it was")
if any(Path(name).read_text(encoding="utf-8") != text for name, text in OTHER.items()):
    sys.exit("another file was changed")
