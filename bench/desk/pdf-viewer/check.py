"""The answer names the heading and no other, and the number of pages."""

import os
import re
import sys

from make import facts

WORDS = {"5": "five", "6": "six", "7": "seven", "8": "eight"}

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"].casefold()
named = [heading for heading in made["headings"] if heading.casefold() in answer]
wanted = str(made["count"])
numbers = set(re.findall(r"\d+", answer)) - ({str(made["page"])} - {wanted})
if named != [made["heading"]] or numbers - {wanted} or not (numbers or WORDS[wanted] in answer):
    sys.exit(f"the answer is {answer!r}; page {made['page']} is {made['heading']!r}, and there are {wanted}")
