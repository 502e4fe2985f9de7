"""The rectangle has the new text, and all are where they were."""

import os
import sys
from pathlib import Path

from make import facts
from shared import PLACES, shapes

made = facts(os.environ["DESKCREW_SEED"])
rooms = [made["name"] if room == made["room"] else room for room in made["rooms"]]
wanted = sorted((room, 10 * x, 10 * y) for room, (x, y) in zip(rooms, PLACES, strict=True))
found = shapes(Path(made["file"]).read_text(encoding="utf-8"))
if found != wanted:
    sys.exit(f"the drawing holds {found}, not {wanted}")
