"""The answer holds the amount, and no other amount; the invoice's number and the rate of the VAT may be said as well."""

import os
import re
import sys

from make import facts

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
wanted = float(made["amount"].replace(",", ""))
numbers = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", re.sub(r"20\s?%", "", answer.replace(",", "")))}
if wanted not in numbers or numbers - {wanted, made["number"]}:
    sys.exit(f"the answer is {answer!r}; the {made['figure']} of {made['customer']} is {made['amount']}")
