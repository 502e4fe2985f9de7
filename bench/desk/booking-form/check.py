"""The answer is the booking number that the page gives for exactly these details."""

import os
import re
import sys

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
answer = os.environ["DESKCREW_ANSWER"]
if re.findall(r"\d+", answer) != [made["number"]]:
    sys.exit(f"the answer is {answer!r}; the page says {made['number']}")
