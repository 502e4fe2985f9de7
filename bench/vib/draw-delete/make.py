"""A plan of four rooms. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from shared import ROOMS, drawing


def facts(seed):
    chance = random.Random(f"draw-delete {seed}")
    rooms = chance.sample(ROOMS, 4)
    return {
        "file": chance.choice(["floor.fodg", "upstairs.fodg", "house.fodg"]),
        "rooms": rooms,
        "room": chance.choice(rooms),
    }


def main(seed, folder):
    made = facts(seed)
    (Path(folder) / made["file"]).write_text(drawing(made["rooms"]), encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
