"""The list holds these lines, and the pages are as they were."""

import os
import sys
from pathlib import Path

from make import facts, lines, pages

made = facts(os.environ["DESKCREW_SEED"])
site = pages(made)
there = {path.name for path in Path().iterdir() if not path.name.startswith(".")}
if there != {made["out"], *site}:
    sys.exit(f"too many or too few files: {sorted(there ^ {made['out'], *site})}")
if any(Path(name).read_text(encoding="utf-8") != text for name, text in site.items()):
    sys.exit("a page was changed")
found = Path(made["out"]).read_text(encoding="utf-8").splitlines()
if found != lines(made):
    sys.exit(f"it holds {found}")
