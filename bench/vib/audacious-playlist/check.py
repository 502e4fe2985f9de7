"""The playlist names those two, in this order, and no other."""

import os
import sys
from pathlib import Path
from urllib.parse import unquote

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
file = Path(made["list"])
if not file.exists():
    sys.exit(f"there is no {file}")
lines = [unquote(line.strip()) for line in file.read_text(encoding="utf-8-sig").splitlines()]
found = [line.rpartition("/")[2] for line in lines if line and not line.startswith("#")]
if found != [made["first"], made["second"]]:
    sys.exit(f"{file} names {found}")
