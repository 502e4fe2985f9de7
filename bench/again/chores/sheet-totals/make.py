"""A workbook of deliveries, to be summed up on a second sheet. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from openpyxl import Workbook

NAMES = {"Customer": ("Abel & Sons", "Brightwater", "Corner Shop", "Dunmore", "Eastfield", "Fairview"),
         "Driver": ("Anja", "Bela", "Chris", "Dora", "Emil", "Fanny"),
         "Region": ("Coast", "East", "Islands", "North", "South", "West")}  # fmt: skip
COLUMNS = ("Boxes", "Pallets", "Hours", "Returns")


def facts(seed):
    chance = random.Random(f"sheet-totals {seed}")
    group = chance.choice(list(NAMES))
    names, columns = chance.sample(NAMES[group], 4), chance.sample(COLUMNS, 2)
    rows = [(f"{chance.randint(1, 28)}.{chance.randint(1, 6)}.", chance.choice(names), *chance.choices(range(1, 61), k=2))
            for _ in range(chance.randint(15, 25))]  # fmt: skip
    return {"file": chance.choice(("deliveries.xlsx", "tours.xlsx", "half-year.xlsx")), "group": group,
            "sheet": chance.choice(("Totals", "Summary", "Sums")), "columns": columns, "column": columns[1],
            "rows": rows}  # fmt: skip


def table(made):
    return [("Date", made["group"], *made["columns"]), *made["rows"]]


def totals(made):
    found = {}
    for _, name, _, value in made["rows"]:
        found[name] = found.get(name, 0) + value
    return [(made["group"], made["column"]), *sorted(found.items())]


def main(seed, folder):
    made = facts(seed)
    book = Workbook()
    book.active.title = "Deliveries"
    for row in table(made):
        book.active.append(row)
    book.save(Path(folder) / made["file"])
    print(json.dumps({name: made[name] for name in ("file", "group", "sheet", "column")}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
