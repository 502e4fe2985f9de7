"""A letter with gaps and a workbook of customers to fill them from. `make.py SEED DIR`"""

import json
import random
import re
import sys
from pathlib import Path

import docx
import openpyxl
from openpyxl.styles import Font

sys.path.append(str(Path(__file__).parents[1]))
from shared import steady

FIRST = ("Anna", "Anne", "Hannah", "Paul", "Paula", "Maria", "Mario", "Daniel", "Daniela")
LAST = ("Berger", "Bergner", "Keller", "Kellner", "Moreau", "Moran")
STREETS = ("Mill Lane", "Station Road", "Church Street", "Harbour Way", "Garden Row", "Castle Hill")
CITIES = ("Oxford", "York", "Bath", "Leeds", "Derby", "Exeter", "Lincoln", "Durham")
COURSES = ("Bookkeeping I", "Bookkeeping II", "Photography", "Garden design", "First aid", "Italian for beginners")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
COLUMNS = ("customer", "name", "street", "city", "phone", "course", "start", "seats", "fee")
OLD_DATE = "Date: 4 May 2023"
LETTER = (
    ("Riverside Evening School",), (OLD_DATE,), ("<<name>>",), ("<<street>>",), ("<<city>>",),
    ("Your booking of the course ", "<<course>>"), ("Dear ", "<<name>>", ","),
    ("thank you for your booking. We have kept ", "<<", "seats", ">>", " seats for you in the course <<course>>, which starts on ",
     "<<start>>", "."),
    ("Please transfer the fee within 14 days and give your customer number, so that we can find your payment.",),
    None,
    ("If anything in this letter is wrong, call us on 01632 960417 before the course starts.",),
    ("Kind regards",), ("Ida Lund, Riverside Evening School",),
)  # fmt: skip
TABLE = (("Customer number", "<<customer>>"), ("Fee in pounds", "<<fee>>"), ("Phone we have of you", "<<phone>>"))


def day(chance, year):
    return f"{chance.randint(3, 28)} {chance.choice(MONTHS)} {year}"


def facts(seed):
    chance = random.Random(f"letter {seed}")
    names = [f"{first} {last}" for first in FIRST for last in LAST]
    people = []
    for number, name in enumerate(chance.sample(names, 14)):
        street = f"{chance.randint(2, 98)} {chance.choice(STREETS)}"
        phone = f"01632 960{chance.randint(100, 416)}"
        fee = chance.choice((85, 120, 140, 165, 210, 260)) + number
        people.append([f"C-{chance.randint(10, 99)}{number + 10}", name, street, chance.choice(CITIES), phone,
                       chance.choice(COURSES), day(chance, 2027), chance.randint(2, 9), fee])  # fmt: skip
    made = {"template": chance.choice(("letter.docx", "template.docx")), "date": day(chance, 2026), "people": people,
            "book": chance.choice(("customers.xlsx", "bookings.xlsx"))}  # fmt: skip
    row = dict(zip(COLUMNS, chance.choice(people), strict=True))
    stem = chance.choice(("letter", "booking")) + "-" + row["name"].split()[1].lower()
    made.update(row=row, name=row["name"], result=f"{stem}.docx", pdf=f"{stem}.pdf", old_date=OLD_DATE)
    pieces = ["".join(part) for line in LETTER for part in ([line] if line else TABLE) for part in ([part] if line else part)]
    filled = [re.sub(r"<<(\w+)>>", lambda match: str(row[match[1]]), piece) for piece in pieces]
    made["lines"] = [f"Date: {made['date']}" if piece == OLD_DATE else piece for piece in filled]
    return made


def build(seed, folder):
    made = facts(seed)
    letter = docx.Document()
    for place, parts in enumerate(LETTER):
        if parts is None:
            table = letter.add_table(rows=0, cols=2, style="Table Grid")
            for line in TABLE:
                for cell, text in zip(table.add_row().cells, line, strict=True):
                    cell.text = text
            continue
        line = letter.add_heading(level=1) if place == 0 else letter.add_paragraph()
        for part in parts:
            line.add_run(part).bold = True if parts[0].startswith("Your booking") else None
    letter.save(Path(folder) / made["template"])
    steady(Path(folder) / made["template"])
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Customers"
    sheet.append(COLUMNS)
    for person in made["people"]:
        sheet.append(person)
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for letter, width in zip("ABCDEFGHI", (10, 18, 22, 12, 14, 22, 20, 8, 8), strict=True):
        sheet.column_dimensions[letter].width = width
    book.save(Path(folder) / made["book"])
    steady(Path(folder) / made["book"])
    return made


def main(seed, folder):
    made = build(seed, folder)
    del made["people"]
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
