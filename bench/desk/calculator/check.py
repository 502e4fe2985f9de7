"""The answer holds the result; of other numbers only those of the question may stand in it."""

import os
import re
import sys

from make import facts

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
asked = {made["first"], made["second"], made["third"]}
numbers = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", answer.replace(",", ""))}
if made["result"] not in numbers or numbers - asked - {made["result"]}:
    sys.exit(f"the answer is {answer!r}, not {made['result']}")
