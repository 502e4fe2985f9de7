"""The answer holds the number, and no other one."""

import os
import re
import sys

from make import facts

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
if set(re.findall(r"\d+", answer.replace(",", ""))) != {str(made["count"])}:
    sys.exit(f"the answer is {answer!r}; `{made['command']}` shows {made['count']}")
