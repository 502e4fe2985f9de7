"""The file lies in the folder, and every other one where it lay."""

import os
import sys
from pathlib import Path

from make import facts, held

made = facts(os.environ["DESKCREW_SEED"])
wanted = held(made)
wanted[f"{made['folder']}/{made['file']}"] = wanted.pop(made["file"])
there = [path for path in Path().rglob("*") if not any(part.startswith(".") for part in path.parts)]
found = {str(path): path.read_text(encoding="utf-8") for path in there if path.is_file()}
if found != wanted:
    sys.exit(f"there are {sorted(found)}")
if {str(path) for path in there if path.is_dir()} != set(made["folders"]):
    sys.exit(f"there are other folders than before: {sorted(str(path) for path in there if path.is_dir())}")
