"""The drawing has one text more, which begins in that box; the boxes are where they were."""

import os
import sys
from pathlib import Path

from make import facts
from shared import PIXEL, boxes, texts

made = facts(os.environ["DESKCREW_SEED"])
drawing = Path(made["file"]).read_text(encoding="utf-8")
there = sorted(tuple(PIXEL * each for each in corners) for corners in made["boxes"])
if sorted(boxes(drawing)) != there:
    sys.exit(f"the boxes are {boxes(drawing)}, not {there}")
taken, *_ = made["taken"]
left, top, right, bottom = (PIXEL * each for each in made["box"])
new = [(word, left < x < right and top < y < bottom) for word, x, y in texts(drawing) if word != taken]
if new != [(made["label"], True)] or len(texts(drawing)) != 2:
    sys.exit(f"the texts are {texts(drawing)}")
