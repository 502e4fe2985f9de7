"""The answer holds the count, and no other number but the limit that was asked about."""

import os
import re
import sys

from make import facts

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
numbers = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", answer)} - ({made["limit"]} - {made["count"]})
if numbers != {made["count"]}:
    sys.exit(f"the answer is {answer!r}; it should be {made['count']}")
