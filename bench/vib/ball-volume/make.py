"""Settings of a game with other volumes. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

SETTINGS = {"fullscreen": 0, "width": 640, "height": 480, "textures": 2, "reflection": 0, "background": 0, "shadow": 0}
"""Little to draw: the picture is computed by the processor."""


def facts(seed):
    chance = random.Random(f"ball-volume {seed}")
    sound, music = chance.sample([2, 3, 4, 5, 7, 8, 9], 2)
    return {"sound": sound, "music": music, "left": [521 + round(17.2 * notch) for notch in (sound, music)]}


def main(seed, folder):
    made = facts(seed)
    settings = Path(folder) / ".neverball" / "neverballrc"
    settings.parent.mkdir()
    settings.write_text(
        "".join(f"{name} {value}\n" for name, value in (SETTINGS | {"sound_volume": 10, "music_volume": 6}).items()),
        encoding="utf-8",
    )
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
