"""The answer holds the closing time, and no other; the opening time may stand before it."""

import os
import re
import sys

from make import facts

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
(branch,) = [each for each in made["branches"] if each["name"] == made["branch"]]
times = re.findall(r"\d{1,2}:\d{2}", answer)
if not times or times[-1] != made["closes"] or set(times) - {branch["opens"], made["closes"]}:
    sys.exit(f"the answer is {answer!r}; it closes at {made['closes']}")
