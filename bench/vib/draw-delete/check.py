"""The rectangle is gone, and the others are where they were."""

import os
import sys
from pathlib import Path

from make import facts
from shared import PLACES, shapes

made = facts(os.environ["DESKCREW_SEED"])
rooms = made["rooms"]
wanted = sorted((room, 10 * x, 10 * y) for room, (x, y) in zip(rooms, PLACES, strict=True) if room != made["room"])
found = shapes(Path(made["file"]).read_text(encoding="utf-8"))
if found != wanted:
    sys.exit(f"the drawing holds {found}, not {wanted}")
