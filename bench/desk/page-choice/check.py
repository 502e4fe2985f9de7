"""The answer holds the price; of other numbers only that of the copies may stand in it."""

import os
import re
import sys

from make import facts

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
wanted = float(made["price"])
numbers = {float(number) for number in re.findall(r"(?<!A)\d+(?:\.\d+)?", answer.replace(",", ""))}
if wanted not in numbers or numbers - {wanted, made["copies"]}:
    sys.exit(f"the answer is {answer!r}; the page says {made['price']}")
