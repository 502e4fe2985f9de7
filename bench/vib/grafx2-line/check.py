"""White pixels, and nothing else, were added; they lie along the straight line, and from one square to the other."""

import os
import sys

from make import COLOURS, facts, picture
from PIL import Image

made = facts(os.environ["DESKCREW_SEED"])
before, after = picture(made).convert("RGB"), Image.open(made["file"]).convert("RGB")
if after.size != before.size:
    sys.exit(f"the picture has {after.size} pixels")
(x0, y0), (x1, y1) = made["ends"]
changed = {(x, y) for x in range(before.width) for y in range(before.height)
           if before.getpixel((x, y)) != after.getpixel((x, y))}  # fmt: skip
wrong = [at for at in changed if after.getpixel(at) != COLOURS["white"]]
aside = [(x, y) for x, y in changed if abs(y - (y0 + (y1 - y0) * (x - x0) / (x1 - x0))) > 6 or not x0 - 6 <= x <= x1 + 6]
gaps = [x for x in range(x0 + 5, x1 - 4) if not any(at[0] == x for at in changed)]
if wrong or aside or gaps:
    sys.exit(
        f"{len(changed)} pixels changed: {len(wrong)} not white, {len(aside)} beside the line, {len(gaps)} columns open"
    )
