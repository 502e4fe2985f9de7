"""The item is the last line, once, and the others are as they were."""

import os
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
there = sorted(path.name for path in Path().iterdir() if not path.name.startswith("."))
if there != [made["file"]]:
    sys.exit(f"there are {there}, not {made['file']} alone")
text = Path(made["file"]).read_text(encoding="utf-8")
if [line.rstrip() for line in text.splitlines() if line.strip()] != [*made["items"], made["item"]]:
    sys.exit(f"{made['file']} reads {text!r}; {made['item']!r} should be its last line, and nothing else new")
