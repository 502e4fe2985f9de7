"""The note is one line of words with the total and no other number; the table is as it was."""

import csv
import os
import re
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
with open(made["file"], newline="", encoding="utf-8") as file:
    if list(csv.reader(file)) != [[str(cell) for cell in row] for row in made["table"]]:
        sys.exit(f"{made['file']} was changed")
note = Path(made["note"])
if not note.exists():
    sys.exit(f"there is no {note}")
text = note.read_text(encoding="utf-8").strip()
numbers = re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d)[, \u00a0](?=\d{3}\b)", "", text))
if [float(number) for number in numbers] != [made["total"]]:
    sys.exit(f"{note} reads {text!r}; the total is {made['total']}")
if "\n" in text or made["column"] not in text.casefold() or len(text.split()) < 4:
    sys.exit(f"{note} is not a sentence on the {made['column']}: {text!r}")
