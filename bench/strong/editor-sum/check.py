"""The note has its old lines and at the end one more with the sum."""

import os
import re
import sys
from pathlib import Path

from make import facts

sys.path.append(str(Path(__file__).parents[1]))
from shared import places, untouched


def main():
    made = facts(os.environ["DESKCREW_SEED"])
    untouched(changed=(made["note"],))
    lines = [line.rstrip() for line in Path(made["note"]).read_text(encoding="utf-8-sig").splitlines()]
    old, new = lines[: len(made["lines"])], [line for line in lines[len(made["lines"]) :] if line]
    if old != made["lines"]:
        sys.exit(f"the old lines of {made['note']} are {old}")
    if len(new) != 1:
        sys.exit(f"{made['note']} has {len(new)} new lines: {new}")
    money = r"(?:EUR|euros?|€|欧元)?"
    told = re.fullmatch(rf"Total\s*[:：]\s*{money}\s*(\d[\d.,'’ \u00a0\u202f]*?)\s*{money}\.?", new[0], re.IGNORECASE)
    if not told or not places(told[1], made["sum"]):
        sys.exit(f"the new line is {new[0]!r}; the sum is {made['sum']:.2f}")


main()
