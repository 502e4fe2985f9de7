"""The answer names the largest file, and no other one."""

import os
import sys
from pathlib import PurePath

from make import facts

made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"].casefold()
named = [path for path in made["sizes"] if PurePath(path).name in answer]
if named != [made["largest"]]:
    sys.exit(f"the answer is {answer!r}; the largest is {made['largest']}")
