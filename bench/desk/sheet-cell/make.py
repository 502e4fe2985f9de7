"""A stock list as a workbook. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from openpyxl import Workbook

ITEMS = ("desk lamp", "floor lamp", "desk chair", "folding chair", "bookcase", "filing cabinet", "whiteboard", "coat stand",
         "side table", "footrest")  # fmt: skip
SUPPLIERS = ("Brandt", "Corwen", "Nordlys", "Tilbury")
COLUMNS = ("Item", "Supplier", "price", "stock", "minimum order")


def facts(seed):
    chance = random.Random(f"sheet-cell {seed}")
    rows = [(item, chance.choice(SUPPLIERS), chance.randint(900, 24_000) / 100, chance.randint(2, 80), chance.randint(1, 6))
            for item in chance.sample(ITEMS, chance.randint(6, 9))]  # fmt: skip
    row, column = chance.randrange(len(rows)), chance.choice((2, 3))
    value = chance.randint(2_500, 9_900) * 10 / 100 + 0.05 if column == 2 else chance.randint(100, 400)
    return {"file": chance.choice(("stock.xlsx", "furniture.xlsx", "office-items.xlsx")), "rows": rows, "item": rows[row][0],
            "column": COLUMNS[column], "value": round(value, 2), "row": row + 2, "letter": "ABCDE"[column]}  # fmt: skip


def table(made):
    """The rows of the sheet, with the titles above and the totals below."""
    last = len(made["rows"]) + 1
    return [COLUMNS, *made["rows"], ("Total", None, None, f"=SUM(D2:D{last})", None)]


def main(seed, folder):
    made = facts(seed)
    book = Workbook()
    book.active.title = "Stock"
    for row in table(made):
        book.active.append(row)
    book.save(Path(folder) / made["file"])
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
