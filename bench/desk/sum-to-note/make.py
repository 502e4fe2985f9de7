"""A table of counts by place. `make.py SEED DIR`"""

import csv
import json
import random
import sys
from pathlib import Path

PLACES = ("Bergen", "Cork", "Ghent", "Leeds", "Lyon", "Malmo", "Porto", "Turin", "Utrecht", "Vigo")
COLUMNS = ("chairs", "visitors", "parcels", "members")


def facts(seed):
    chance = random.Random(f"sum-to-note {seed}")
    columns = chance.sample(COLUMNS, 3)
    rows = [(place, *(chance.randint(20, 950) for _ in columns)) for place in chance.sample(PLACES, chance.randint(6, 10))]
    asked = chance.randrange(3)
    return {"file": chance.choice(("branches.csv", "sites.csv", "offices.csv")), "table": [("place", *columns), *rows],
            "column": columns[asked], "note": chance.choice(("total.txt", "summary.txt", "for-the-report.txt")),
            "total": sum(row[asked + 1] for row in rows)}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    with open(Path(folder) / made["file"], "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(made.pop("table"))
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
