"""There is one new, empty folder with the right name, and the table is as it was."""

import csv
import os
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
there = {path.name for path in Path().iterdir() if not path.name.startswith(".")}
if there != {made["file"], made["most"]}:
    sys.exit(f"there are {sorted(there)}; a folder {made['most']} should be new")
if not Path(made["most"]).is_dir() or any(Path(made["most"]).iterdir()):
    sys.exit(f"{made['most']} is no empty folder")
with open(made["file"], newline="", encoding="utf-8") as file:
    if list(csv.reader(file)) != [[str(cell) for cell in row] for row in made["table"]]:
        sys.exit(f"{made['file']} was changed")
