"""A letter that names prices, and a workbook in which one is missing. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from docx import Document
from openpyxl import Workbook

FIRMS = ("Harlow & Sons", "Nordic Supplies", "Peck Trading", "Vale Office")
ITEMS = ("desk lamp", "filing cabinet", "notice board", "office chair", "paper shredder", "step ladder", "wall clock")


def facts(seed):
    chance = random.Random(f"quote-to-sheet {seed}")
    items = chance.sample(ITEMS, 5)
    prices = {item: chance.randint(12, 480) for item in items}
    listed = sorted(items)
    item = chance.choice(items)
    return {"firm": chance.choice(FIRMS), "letter": chance.choice(("quote.docx", "offer.docx", "prices-2026.docx")),
            "file": chance.choice(("orders.xlsx", "furniture.xlsx", "purchase.xlsx")), "prices": prices, "item": item,
            "listed": listed, "pieces": [chance.randint(1, 9) for _ in listed], "row": listed.index(item) + 2,
            "value": prices[item]}  # fmt: skip


def table(made):
    """The rows of the sheet as they are made: the price that is asked for is missing, so are all others."""
    return [("Item", "Pieces", "Price"), *((item, n, None) for item, n in zip(made["listed"], made["pieces"], strict=True))]


def main(seed, folder):
    made = facts(seed)
    letter = Document()
    letter.add_heading(f"Quotation from {made['firm']}", level=1)
    letter.add_paragraph("Thank you for your enquiry. We can deliver within two weeks, at these prices for one piece:")
    for item, price in made["prices"].items():
        letter.add_paragraph(f"{item.capitalize()}: {price} euros", style="List Bullet")
    letter.add_paragraph("Delivery is 25 euros in all. The offer holds for 30 days.")
    letter.save(Path(folder) / made["letter"])
    book = Workbook()
    for row in table(made):
        book.active.append(row)
    book.save(Path(folder) / made["file"])
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
