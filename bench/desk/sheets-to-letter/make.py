"""A workbook with two sheets of the same form, and a letter. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

import docx
import openpyxl

BOOKS = {"rents.xlsx": ("Tenant", "Deposit", "Rent"), "members.xlsx": ("Member", "Fee", "Donation"),
         "suppliers.xlsx": ("Supplier", "Invoiced", "Paid")}  # fmt: skip
NAMES = ("Ahmadi", "Bergmann", "Costa", "Dupont", "Ekström", "Farkas", "Grady", "Hussein")
LETTERS = ("letter.docx", "reply.docx", "reminder.docx")


def facts(seed):
    chance = random.Random(f"sheets-to-letter {seed}")
    book = chance.choice(list(BOOKS))
    year = chance.randint(2022, 2025)
    names = chance.sample(NAMES, 6)
    figures = chance.sample(range(1100, 9800), 4 * len(names))
    sheets = {
        str(each): [(name, figures.pop(), figures.pop()) for name in chance.sample(names, 6)] for each in (year, year + 1)
    }
    column, who = chance.choice((1, 2)), chance.choice(names)
    sheet = str(year + 1)
    amount = next(row[column] for row in sheets[sheet] if row[0] == who)
    heading = BOOKS[book][column]
    return {"book": book, "sheet": sheet, "sheets": sheets, "heading": heading, "who": who, "amount": amount,
            "letter": chance.choice(LETTERS), "before": f"For {sheet} our books show", "after": "euros.",
            "lines": [f"Dear Mr {who},", "Thank you for your letter.", "Here is the figure you asked for."]}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in made.pop("sheets").items():
        sheet = book.create_sheet(title)
        for row in (BOOKS[made["book"]], *rows):
            sheet.append(row)
    book.save(Path(folder) / made["book"])
    letter = docx.Document()
    for line in made["lines"]:
        letter.add_paragraph(line)
    letter.save(Path(folder) / made["letter"])
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
