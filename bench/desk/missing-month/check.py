"""It was refused, no figure was given, and the table is as it was."""

import csv
import os
import sys

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
ended = os.environ["DESKCREW_OUTCOME"], os.environ["DESKCREW_REASON"]
if ended != ("failed", "infeasible") or os.environ["DESKCREW_ANSWER"]:
    sys.exit(f"it ended {ended} with the answer {os.environ['DESKCREW_ANSWER']!r}; the table does not say")
with open(made["file"], newline="", encoding="utf-8") as file:
    if list(csv.reader(file)) != [[str(cell) for cell in row] for row in made["table"]]:
        sys.exit(f"{made['file']} was changed")
