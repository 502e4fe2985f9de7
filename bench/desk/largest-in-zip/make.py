"""An archive whose largest file packs well, so that its packed size misleads. `make.py SEED DIR`"""

import json
import random
import sys
import zipfile
from pathlib import Path

ARCHIVES = ("site-visit", "handover", "trade-fair", "annual-review")
FOLDERS = ("photos", "plans", "letters", "tables")
NAMES = ("entrance.bmp", "floorplan.bmp", "offer.txt", "minutes.txt", "prices.csv", "contacts.csv", "map.bmp", "notes.txt")


def facts(seed):
    chance = random.Random(f"largest-in-zip {seed}")
    paths = [f"{chance.choice(FOLDERS)}/{name}" for name in chance.sample(NAMES, chance.randint(5, 8))]
    sizes = {path: chance.randint(4_000, 60_000) for path in paths}
    packed, unpacked = chance.sample(paths, 2)
    sizes |= {packed: chance.randint(90_000, 120_000), unpacked: chance.randint(150_000, 300_000)}
    return {"archive": f"{chance.choice(ARCHIVES)}-{chance.randint(2021, 2026)}.zip", "sizes": sizes,
            "largest": unpacked}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    sizes, chance = made.pop("sizes"), random.Random(seed)
    with zipfile.ZipFile(Path(folder) / made["archive"], "w", zipfile.ZIP_DEFLATED) as archive:
        for path, size in sizes.items():
            content = b"lorem ipsum dolor sit amet\n" * (size // 27 + 1)
            archive.writestr(path, content[:size] if path == made["largest"] else chance.randbytes(size))
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
