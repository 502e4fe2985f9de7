"""The note holds the titles line by line, perhaps as a bulleted list, and nothing else is new."""

import os
import re
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
there = {path.name for path in Path().iterdir() if not path.name.startswith(".")}
if there != {made["file"], made["note"]}:
    sys.exit(f"there are {sorted(there)}; {made['note']} should be the only new file")
text = Path(made["note"]).read_text(encoding="utf-8-sig")
lines = [re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", line.strip()) for line in text.splitlines() if line.strip()]
if lines != made["titles"]:
    sys.exit(f"{made['note']} reads {text!r}; the titles are {made['titles']}")
