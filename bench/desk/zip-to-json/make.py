"""An archive with a table for each branch. `make.py SEED DIR`"""

import json
import random
import sys
import zipfile
from pathlib import Path

WHATS = {"sales": "amount", "returns": "pieces", "visits": "visitors", "donations": "euros"}
BRANCHES = ("north", "harbour", "old-town", "station", "airport", "market")


def facts(seed):
    chance = random.Random(f"zip-to-json {seed}")
    what = chance.choice(list(WHATS))
    year = chance.randint(2021, 2026)
    tables = {branch: [(day, chance.randint(5, 900), chance.randint(1, 9)) for day in range(1, chance.randint(9, 20))]
              for branch in chance.sample(BRANCHES, chance.randint(3, 4))}  # fmt: skip
    totals = {branch: sum(value for _, value, _ in rows) for branch, rows in tables.items()}
    return {"what": what, "column": WHATS[what], "archive": f"{what}-{year}.zip", "folder": f"{what}-{year}",
            "out": f"{what}-totals.json", "tables": tables, "totals": totals | {"all": sum(totals.values())}}  # fmt: skip


def texts(made):
    """The text of each table by its name."""
    head = f"day,{made['column']},staff\n"
    return {f"{branch}.csv": head + "".join(f"{day},{value},{staff}\n" for day, value, staff in rows)
            for branch, rows in made["tables"].items()}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    with zipfile.ZipFile(Path(folder) / made["archive"], "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts(made).items():
            archive.writestr(name, text)
    made.pop("tables")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
