"""The note holds what the command prints and nothing else, and the log is as it was."""

import os
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
there = sorted(path.name for path in Path().iterdir() if not path.name.startswith("."))
if there != sorted((made["file"], made["note"])):
    sys.exit(f"there are {there}; {made['note']} should be new")
if Path(made["file"]).read_text(encoding="utf-8").splitlines() != made["lines"]:
    sys.exit(f"{made['file']} was changed")
text = Path(made["note"]).read_text(encoding="utf-8").strip()
if text != made["prints"]:
    sys.exit(f"{made['note']} reads {text!r}; the command prints {made['prints']}")
