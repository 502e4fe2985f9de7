"""A drawing with words in it. `make.py SEED DIR`"""

import itertools
import json
import random
import sys
from pathlib import Path

HEAD = """#FIG 3.2  Produced by xfig version 3.2.8b
Landscape
Center
Metric
A4
100.00
Single
-2
1200 2
"""
PIXEL = 15
"""Units of the drawing, as the program shows it at first; its canvas begins at 113, 96 of the screen."""


def text(words, left, top):
    """A text, from where its first letter stands."""
    return f"4 0 0 50 -1 0 18 0.0000 4 195 {150 * len(words)} {PIXEL * left} {PIXEL * top} {words}\\001\n"


def boxes(drawing):
    """The corners of each rectangle: left, top, right, bottom."""
    lines = drawing.splitlines()
    found = []
    for line, points in itertools.pairwise(lines):
        if line.startswith("2 2 "):
            numbers = [int(each) for each in points.split()]
            found.append((min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])))
    return found


def texts(drawing):
    """Each text, with where it begins: left, bottom."""
    found = []
    for line in drawing.splitlines():
        if line.startswith("4 "):
            fields = line.split(maxsplit=13)
            found.append((fields[13].removesuffix("\\001").strip(), int(fields[11]), int(fields[12])))
    return found


def facts(seed):
    chance = random.Random(f"xfig-box {seed}")
    words = chance.sample(["Pump", "Valve", "Tank", "Boiler", "Filter", "Meter", "Mixer"], 3)
    places = [(140, 120), (420, 200), (240, 400)]
    spots = [
        [word, x + chance.randint(-20, 20), y + chance.randint(-20, 20)] for word, (x, y) in zip(words, places, strict=True)
    ]
    word, left, bottom = chance.choice(spots)
    return {"file": chance.choice(["plant.fig", "cellar.fig", "line.fig"]), "spots": spots, "word": word,
            "corners": [113 + left - 25, 96 + bottom - 45, 113 + left + 110, 96 + bottom + 30]}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    drawing = HEAD + "".join(text(*spot) for spot in made["spots"])
    (Path(folder) / made["file"]).write_text(drawing, encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
