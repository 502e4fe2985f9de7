"""The tables are unpacked, the totals are right, and nothing else is new."""

import json
import os
import sys
from pathlib import Path

from make import facts, texts

made = facts(os.environ["DESKCREW_SEED"])
there = {path.name for path in Path().iterdir() if not path.name.startswith(".")}
if there != {made["archive"], made["folder"], made["out"]}:
    sys.exit(f"there are {sorted(there)}; {made['folder']} and {made['out']} should be new")
unpacked = {path.name: path.read_text(encoding="utf-8") for path in Path(made["folder"]).iterdir()}
if unpacked != texts(made):
    sys.exit(f"{made['folder']} holds {sorted(unpacked)}, not the archive's files as they were")
try:
    written = json.loads(Path(made["out"]).read_text(encoding="utf-8"))
except ValueError as error:
    sys.exit(f"{made['out']} is no JSON: {error}")
if written != made["totals"] or any(isinstance(value, bool) for value in written.values()):
    sys.exit(f"{made['out']} holds {written}; the totals are {made['totals']}")
