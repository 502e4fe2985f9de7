"""One time was changed, and nothing else."""

import os
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
there = sorted(path.name for path in Path().iterdir() if not path.name.startswith("."))
if there != [made["file"]]:
    sys.exit(f"there are {there}, not {made['file']} alone")
text = Path(made["file"]).read_text(encoding="utf-8")
if text.rstrip() != made["right"].rstrip():
    sys.exit(f"{made['file']} reads {text!r}; it should read {made['right']!r}")
