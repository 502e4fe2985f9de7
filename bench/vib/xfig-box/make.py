"""A drawing with words in it. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from shared import FIGURE, text


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
    drawing = FIGURE + "".join(text(*spot) for spot in made["spots"])
    (Path(folder) / made["file"]).write_text(drawing, encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
