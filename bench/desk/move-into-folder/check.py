"""The files of that kind, and nothing else, are in the folder as they were; the others are where they were."""

import os
import sys
from pathlib import Path

from make import content, facts
from openpyxl import load_workbook

made = facts(os.environ["DESKCREW_SEED"])
wanted = {f"{made['folder']}/{name}" for name in made["moved"]} | set(made["others"])
there = {str(path) for path in Path().rglob("*") if path.is_file() and not str(path).startswith(".")}
if there != wanted:
    sys.exit(f"missing: {sorted(wanted - there)}; not expected: {sorted(there - wanted)}")
for path in map(Path, wanted):
    # The bytes of a workbook tell when it was made.
    book = path.suffix == ".xlsx"
    if (load_workbook(path).active["A1"].value if book else path.read_bytes()) != (
        path.stem if book else content(path.name)
    ):
        sys.exit(f"{path} has other content")
if folders := {path.name for path in Path().iterdir() if path.is_dir() and path.name[0] != "."} - {made["folder"]}:
    sys.exit(f"there are other folders: {sorted(folders)}")
