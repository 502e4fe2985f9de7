"""The answer is the amount, and the file is still there alone."""

import os
import re
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
there = [path.name for path in Path().iterdir() if not path.name.startswith(".")]
if there != [made["file"]]:
    sys.exit(f"the folder holds {there}")
answer = re.sub(r"(?<=\d)[, \u00a0](?=\d{3}\b)", "", os.environ["DESKCREW_ANSWER"])
if [float(number) for number in re.findall(r"\d+(?:\.\d+)?", answer)] != [made["result"]]:
    sys.exit(f"the answer is {answer!r}; {made['hours']} hours cost {made['result']}")
