"""A table of spending by team and month, in which the team or the month of the question is missing. `make.py SEED DIR`"""

import csv
import json
import random
import sys
from pathlib import Path

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
TEAMS = ("Design", "Finance", "Legal", "Marketing", "Support", "Warehouse")


def facts(seed):
    chance = random.Random(f"missing-month {seed}")
    teams, first, number = chance.sample(TEAMS, 4), chance.randrange(4), chance.randint(5, 7)
    months = MONTHS[first : first + number]
    rows = [(team, *(chance.randint(200, 4_000) for _ in months)) for team in teams[1:]]
    who, month = chance.choice([(teams[0], chance.choice(months)), (teams[1], MONTHS[first + number])])
    return {
        "file": f"spending-{chance.randint(2022, 2026)}.csv",
        "who": who,
        "month": month,
        "table": [("Team", *months), *rows],
    }


def main(seed, folder):
    made = facts(seed)
    with open(Path(folder) / made["file"], "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(made.pop("table"))
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
