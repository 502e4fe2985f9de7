"""Settings of a game that somebody else has played. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

SETTINGS = {"fullscreen": 0, "width": 640, "height": 480, "textures": 2, "reflection": 0, "background": 0, "shadow": 0}
"""Little to draw: the picture is computed by the processor."""


def facts(seed):
    chance = random.Random(f"ball-player {seed}")
    player, before = chance.sample(["Maja", "Tomke", "Ines", "Ruben", "Pavel", "Noor", "Lotte", "Emil"], 2)
    return {"player": f"{player}{chance.randint(11, 99)}", "before": before, "letters": len(before)}


def main(seed, folder):
    made = facts(seed)
    settings = Path(folder) / ".neverball" / "neverballrc"
    settings.parent.mkdir()
    settings.write_text(
        "".join(f"{name} {value}\n" for name, value in (SETTINGS | {"player": made["before"]}).items()), encoding="utf-8"
    )
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
