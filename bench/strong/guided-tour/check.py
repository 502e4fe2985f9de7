"""The note has its old lines and at the end one more with the room that the pictures show and the day that the papers say."""

import os
import re
import sys
from pathlib import Path

from make import facts

sys.path.append(str(Path(__file__).parents[1]))
from shared import untouched


def main():
    made = facts(os.environ["DESKCREW_SEED"])
    untouched(changed=(made["note"],))
    lines = [line.rstrip() for line in Path(made["note"]).read_text(encoding="utf-8-sig").splitlines()]
    old, new = lines[: len(made["lines"])], [line for line in lines[len(made["lines"]) :] if line]
    if old != made["lines"]:
        sys.exit(f"the old lines of {made['note']} are {old}")
    if len(new) != 1:
        sys.exit(f"{made['note']} has {len(new)} new lines: {new}")
    if not re.fullmatch(rf"{made['label']}\s*[:：]\s*{made['room']}\s*[,，]\s*{made['day']}\.?", new[0]):
        sys.exit(f"the new line is {new[0]!r}; it is the {made['room']}, closed on {made['day']}")


main()
