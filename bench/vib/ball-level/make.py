"""Settings of a game, and a level that may be played at once. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

SETTINGS = {"fullscreen": 0, "width": 640, "height": 480, "textures": 2, "reflection": 0, "background": 0, "shadow": 0}
"""Little to draw: the picture is computed by the processor."""


def facts(seed):
    chance = random.Random(f"ball-level {seed}")
    names = {
        "Neverball Easy": ("easy/easy", 257),
        "Neverball Medium": ("medium/locks", 293),
        "Neverball Hard": ("hard/grid", 329),
    }
    chosen = chance.choice(list(names))
    map, row = names[chosen]
    return {
        "set": chosen,
        "map": f"map-{map}.sol",
        "row": row,
        "level": "01",
        "seconds": chance.choice([3, 4, 5]),
        "player": "Kim",
    }


def main(seed, folder):
    made = facts(seed)
    settings = Path(folder) / ".neverball" / "neverballrc"
    settings.parent.mkdir()
    settings.write_text(
        "".join(f"{name} {value}\n" for name, value in (SETTINGS | {"player": made["player"]}).items()), encoding="utf-8"
    )
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
