"""Wrong ends, each a function that leaves them in the workspace (the current folder) and returns the answer."""

import os

import openpyxl

from make import facts

MADE = facts(os.environ.get("DESKCREW_SEED", "1"))


def fill(column=7, result=MADE["result"], form="0.0%", title=MADE["sheet"], least=False, whole=None, drop=False):
    book = openpyxl.load_workbook(MADE["book"])
    rows = list(book["Expenses"].iter_rows(min_row=2, values_only=True))
    total = whole or sum(row[column] for row in rows)
    best = sorted(rows, key=lambda row: -row[column])[:3]
    if least:
        best.reverse()
    sheet = book.create_sheet(title)
    for row in best:
        sheet.append([row[4], row[column], row[column] / total])
        sheet.cell(sheet.max_row, 3).number_format = form
    if drop:
        book["Expenses"].delete_rows(5)
    book.save(result)
    return f"{sum(row[column] for row in best):.2f}"


def by_net():
    return fill(column=5)


def by_budget():
    return fill(column=8)


def shares_of_the_three():
    return fill(whole=MADE["sum"])


def over_the_original():
    fill(result=MADE["book"])
    return fill()


def whole_percents():
    return fill(form="0%")


def two_decimals():
    return fill(form="0.00%")


def smallest_first():
    return fill(least=True)


def other_sheet_name():
    return fill(title="Sheet3")


def other_file_name():
    return fill(result="other.xlsx")


def row_lost():
    return fill(drop=True)


def total_told():
    fill()
    return f"{MADE['total']:.2f}"


def extra_file():
    answer = fill()
    open("script.py", "w").write("pass")
    return answer
