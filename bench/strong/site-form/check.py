"""The answer is the confirmation number that the page gives for exactly the right course and these details."""

import os
import re
import sys
from pathlib import Path

from make import facts

sys.path.append(str(Path(__file__).parents[1]))
from shared import untouched


def main():
    made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
    untouched()
    told = set(re.findall(r"(?<!\d)\d{5}(?!\d)", re.sub(r"(?<=\d)[ ,.'’\u00a0\u202f](?=\d{3}(?!\d))", "", answer)))
    if told != {made["number"]}:
        sys.exit(f"the answer is {answer!r}; the page says {made['number']} for {made['course']}")


main()
