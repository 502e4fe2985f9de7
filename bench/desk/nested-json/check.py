"""The answer holds the value, and not that of another device."""

import os
import re
import sys

from make import facts

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"].casefold()
networks = [device["settings"]["network"] for room in made["rooms"] for device in room["devices"]]
values = {network[made["key"]] for network in networks}
named = {value for value in values if re.search(rf"(?<![\w.-]){re.escape(value)}(?![\w-]|\.\d)", answer)}
if named != {made["value"]}:
    sys.exit(f"the answer is {answer!r}; the {made['label']} is {made['value']}")
