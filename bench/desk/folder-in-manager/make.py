"""A table of working hours. `make.py SEED DIR`"""

import csv
import json
import random
import sys
from pathlib import Path

NAMES = ("Anders", "Beatriz", "Celine", "Dilan", "Edith", "Farid", "Greta", "Hugo", "Ines", "Jonas")


def facts(seed):
    chance = random.Random(f"folder-in-manager {seed}")
    names = chance.sample(NAMES, chance.randint(6, 8))
    hours = chance.sample(range(60, 170), len(names))
    table = [
        ("name", "hours", "days off"),
        *((name, hour, chance.randint(0, 5)) for name, hour in zip(names, hours, strict=True)),
    ]
    return {"file": chance.choice(("hours.csv", "timesheet.csv", "june.csv")), "table": table,
            "most": max(zip(hours, names, strict=True))[1]}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    with open(Path(folder) / made["file"], "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(made.pop("table"))
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
