"""A workbook of expenses whose largest by net are not its largest by gross. `make.py SEED DIR`"""

import datetime
import json
import random
import sys
from pathlib import Path

import openpyxl
from openpyxl.styles import Font

sys.path.append(str(Path(__file__).parents[1]))
from shared import steady

THINGS = (
    ("Office chairs", "Furniture", 19), ("Train tickets Berlin", "Travel", 7), ("Printer paper", "Supplies", 19),
    ("Tax adviser", "Services", 19), ("Staff training", "Training", 0), ("Liability insurance", "Insurance", 0),
    ("Cleaning company", "Services", 19), ("Trade journals", "Books", 7), ("Laptop repair", "Equipment", 19),
    ("Hotel in Vienna", "Travel", 7), ("Coffee machine", "Equipment", 19), ("Web hosting", "Services", 19),
    ("Summer party catering", "Events", 7), ("First aid course", "Training", 0), ("Meeting table", "Furniture", 19),
    ("Phone contract", "Services", 19), ("Reference books", "Books", 7), ("Building insurance", "Insurance", 0),
    ("Toner cartridges", "Supplies", 19), ("Projector", "Equipment", 19), ("Flight to Porto", "Travel", 19),
    ("Window blinds", "Furniture", 19), ("Flower delivery", "Events", 7), ("Parking permits", "Travel", 0),
    ("Server backup", "Services", 19), ("Whiteboards", "Furniture", 19), ("Postage", "Supplies", 0),
    ("Language course", "Training", 0), ("Desk lamps", "Equipment", 19),
)  # fmt: skip
PEOPLE = ("Ida Lund", "Marc Petit", "Ravi Nair", "Sara Conti", "Tom Beck")
HEADS = ("No.", "Date", "Paid by", "Category", "Description", "Net", "VAT %", "Gross", "Budget")


def table(chance, year):
    rows = []
    for number, (thing, kind, tax) in enumerate(chance.sample(THINGS, chance.randint(24, 27)), 1):
        net = round(chance.uniform(18, 620) if chance.random() < 0.7 else chance.uniform(650, 980), 2)
        day = datetime.datetime(year, 1, 4) + datetime.timedelta(days=13 * number + chance.randint(0, 9))
        gross = round(net * (100 + tax) / 100 + 1e-9, 2)
        rows.append([100 + number, day, chance.choice(PEOPLE), kind, thing, net, tax, gross, 50 * chance.randint(2, 30)])
    return rows


def fair(rows):
    """Whether the three largest are plain, other than by net or budget, and no share is about to round either way."""
    gross = sorted((row[7] for row in rows), reverse=True)
    total = sum(gross)
    def best(column):
        return {row[4] for row in sorted(rows, key=lambda row: row[column])[-3:]}
    shares = [value * 1000 / total % 1 for value in gross[:3]]
    nets = sum(row[5] for row in sorted(rows, key=lambda row: row[5])[-3:])
    gaps = min(gross[place] - gross[place + 1] for place in range(3))
    return (gaps > 2 and best(5) != best(7) != best(8) and all(abs(share - 0.5) > 0.08 for share in shares)
            and abs(nets - sum(gross[:3])) > 5)  # fmt: skip


def facts(seed):
    chance = random.Random(f"expenses {seed}")
    year = chance.choice((2024, 2025))
    made = {"book": chance.choice(("expenses.xlsx", "spending.xlsx", "costs.xlsx")), "year": year,
            "sheet": chance.choice(("Top 3", "Largest", "Top expenses")),
            "result": chance.choice(("expenses-top3.xlsx", "largest-expenses.xlsx", "report.xlsx"))}  # fmt: skip
    rows = table(chance, year)
    while not fair(rows):
        rows = table(chance, year)
    total = round(sum(row[7] for row in rows), 2)
    best = sorted(rows, key=lambda row: -row[7])[:3]
    made["top"] = [[row[4], row[7], f"{row[7] * 100 / total:.1f}"] for row in best]
    made["total"], made["sum"] = total, round(sum(row[7] for row in best), 2)
    made["net_sum"] = round(sum(sorted((row[5] for row in rows), reverse=True)[:3]), 2)
    made["rows"] = [[row[0], row[1].isoformat(), *row[2:]] for row in rows]
    return made


def build(seed, folder):
    made = facts(seed)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Expenses"
    sheet.append(HEADS)
    for row in made["rows"]:
        sheet.append([row[0], datetime.datetime.fromisoformat(row[1]), *row[2:]])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for line in range(2, sheet.max_row + 1):
        sheet.cell(line, 2).number_format = "yyyy-mm-dd"
        sheet.cell(line, 6).number_format = sheet.cell(line, 8).number_format = "#,##0.00"
    for letter, width in zip("ABCDEFGHI", (6, 12, 13, 12, 24, 11, 8, 11, 10), strict=True):
        sheet.column_dimensions[letter].width = width
    notes = book.create_sheet("Notes")
    notes.append(["Budget is what was set aside for the whole category, not what was spent."])
    path = Path(folder) / made["book"]
    book.save(path)
    steady(path)
    return made


def main(seed, folder):
    made = build(seed, folder)
    del made["rows"]
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
