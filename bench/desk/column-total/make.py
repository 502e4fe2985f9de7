"""A table of who paid what. `make.py SEED DIR`"""

import csv
import json
import random
import sys
from pathlib import Path

COLUMNS = ("paid", "hours", "miles", "points")
PEOPLE = ("Ines", "Jonas", "Kofi", "Lena", "Marta", "Nils")


def facts(seed):
    chance = random.Random(f"column-total {seed}")
    people = chance.sample(PEOPLE, 4)
    column, other = chance.sample(COLUMNS, 2)
    rows = [(chance.choice(people), chance.randint(3, 90), chance.randint(100, 900)) for _ in range(chance.randint(18, 30))]
    return {
        "file": f"{column}-{chance.randint(2021, 2026)}.csv",
        "column": column,
        "other": other,
        "person": people[0],
        "rows": [*rows, (people[0], 17, 400)],
    }


def main(seed, folder):
    made = facts(seed)
    with open(Path(folder) / made["file"], "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("name", made["other"], made["column"]))
        writer.writerows((name, other, value) for name, value, other in made.pop("rows"))
    print(json.dumps(made | {"total": total(seed)}))


def total(seed):
    made = facts(seed)
    return sum(value for name, value, _ in made["rows"] if name == made["person"])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
