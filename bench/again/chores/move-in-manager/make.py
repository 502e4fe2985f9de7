"""Some notes, and folders to put them into. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

FILES = ("agenda.txt", "budget.csv", "contract.txt", "minutes.txt", "prices.csv", "route.txt", "rota.csv", "wishes.txt")
FOLDERS = ("Archive", "Clients", "Done", "Finance", "Later", "Travel")


def facts(seed):
    chance = random.Random(f"move-in-manager {seed}")
    files, folders = chance.sample(FILES, 5), chance.sample(FOLDERS, 3)
    return {"files": {name: f"{name} of week {chance.randint(1, 52)}\n" for name in files}, "folders": folders,
            "file": files[0], "folder": folders[0]}  # fmt: skip


def held(made):
    """The text of each file before, by its path."""
    return {**made["files"], f"{made['folders'][1]}/old.txt": "an old one\n"}


def main(seed, folder):
    made = facts(seed)
    for name in made["folders"]:
        (Path(folder) / name).mkdir()
    for name, text in held(made).items():
        (Path(folder) / name).write_text(text, encoding="utf-8")
    print(json.dumps({"file": made["file"], "folder": made["folder"]}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
