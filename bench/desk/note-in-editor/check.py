"""The file holds its lines and the new one after them, and nothing else."""

import os
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
lines = Path(made["file"]).read_text(encoding="utf-8").rstrip("\n").split("\n")
if [line.rstrip() for line in lines] != [*made["lines"], made["line"]]:
    sys.exit(f"{made['file']} reads {lines}")
