"""The answer holds the total, and no other number."""

import os
import re
import sys

from make import total

wanted, answer = str(total(os.environ["DESKCREW_SEED"])), os.environ["DESKCREW_ANSWER"]
numbers = re.findall(r"\d+(?:\.\d+)?", answer.replace(",", ""))
if {number.removesuffix(".0") for number in numbers} != {wanted}:
    sys.exit(f"the answer is {answer!r}; the total is {wanted}")
