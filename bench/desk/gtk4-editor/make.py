"""A list of things to buy. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

FILES = ("shopping.txt", "packing-list.txt", "hardware-store.txt", "party.txt")
ITEMS = ("candles", "paper cups", "rope, 10 m", "batteries (AA)", "duct tape", "sparkling water", "matches", "bin bags",
         "olives", "napkins")  # fmt: skip


def facts(seed):
    chance = random.Random(f"gtk4-editor {seed}")
    item, *items = chance.sample(ITEMS, chance.randint(5, 8))
    return {"file": chance.choice(FILES), "item": item, "items": items}


def main(seed, folder):
    made = facts(seed)
    (Path(folder) / made["file"]).write_text("\n".join(made["items"]) + "\n", encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
