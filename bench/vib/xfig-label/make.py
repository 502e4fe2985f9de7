"""A drawing with a box that has a word in it, and two that have none. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from shared import FIGURE, PIXEL, text


def box(left, top, right, bottom):
    """A rectangle, from its corners in pixels of the canvas."""
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    points = " ".join(f"{PIXEL * x} {PIXEL * y}" for x, y in corners)
    return f"2 2 0 1 0 7 50 -1 -1 0.000 0 0 -1 0 0 5\n\t {points}\n"


def facts(seed):
    chance = random.Random(f"xfig-label {seed}")
    taken, word = chance.sample(["Pump", "Valve", "Tank", "Boiler", "Filter", "Meter", "Mixer"], 2)
    left, top, deep = chance.randint(60, 110), chance.randint(60, 100), chance.randint(200, 260)
    rooms = {"upper right": [left + 330, top], "lower left": [left, top + deep]}
    which = chance.choice(list(rooms))
    x, y = rooms[which]
    return {"file": chance.choice(["plant.fig", "cellar.fig", "line.fig"]), "taken": [taken, left + 40, top + 60],
            "boxes": [[a, b, a + 180, b + 110] for a, b in ([left, top], *rooms.values())], "which": which,
            "box": [x, y, x + 180, y + 110], "label": f"{word} {chance.randint(2, 9)}",
            "at": [113 + x + 40, 96 + y + 60]}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    drawing = FIGURE + "".join(box(*corners) for corners in made["boxes"]) + text(*made["taken"])
    (Path(folder) / made["file"]).write_text(drawing, encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
