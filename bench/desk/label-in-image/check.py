"""The answer holds the serial number, and not the part number."""

import os
import sys

from make import facts

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
shown = "".join(character for character in answer.upper() if character.isalnum())
if made["serial"].replace("-", "") not in shown or made["part"] in shown:
    sys.exit(f"the answer is {answer!r}; the serial number is {made['serial']}")
