"""The drawing has one box more, which holds that word and no other; the words are where they were."""

import os
import sys
from pathlib import Path

from make import facts
from shared import PIXEL, boxes, texts

made = facts(os.environ["DESKCREW_SEED"])
drawing = Path(made["file"]).read_text(encoding="utf-8")
words = [(word, PIXEL * left, PIXEL * bottom) for word, left, bottom in made["spots"]]
if sorted(texts(drawing)) != sorted(words):
    sys.exit(f"the words are {texts(drawing)}, not {words}")
held = [
    [word for word, x, y in words if left < x < right and top < y < bottom] for left, top, right, bottom in boxes(drawing)
]
if held != [[made["word"]]]:
    sys.exit(f"the words in each box are {held}")
