"""Checks a month of the demo's chore from its files alone: ``python check.py BEFORE AFTER FACTS``. Imports nothing of
Deskcrew."""

import json
import pathlib
import sys

import openpyxl


def rows(folder, name):
    return [list(row) for row in openpyxl.load_workbook(folder / name)["Trips"].iter_rows(values_only=True)]


def wrong(before, after, facts):
    table = rows(before, facts["book"])
    theirs = [row for row in table[1:] if row[1] == facts["traveller"]]
    kilometres = sum(row[4] for row in theirs)
    cents = min(kilometres, facts["limit"]) * facts["near"] + max(kilometres - facts["limit"], 0) * facts["far"]
    number = facts["first"]
    for letter in f"{facts['traveller']}{kilometres:g}":
        number = (number * 31 + ord(letter)) % 9000
    wanted = (before / facts["letter"]).read_text().rstrip().splitlines()
    wanted += [f"Amount: {cents / 100:.2f} EUR", f"Claim number: {1000 + number}"]
    found = (after / facts["letter"]).read_text().rstrip().splitlines()
    if found != wanted:
        return f"{facts['letter']} ends with {found[-2:]}, not with {wanted[-2:]}"
    for row in theirs:
        row[5] = "yes"
    if rows(after, facts["book"]) != table:
        return f"{facts['book']} is not as it should be"
    if (before / facts["page"]).read_bytes() != (after / facts["page"]).read_bytes():
        return f"{facts['page']} was changed"
    left = sorted(path.name for path in after.iterdir() if not path.name.startswith("."))
    there = sorted(path.name for path in before.iterdir())
    return "" if left == there else f"there are {left}, not {there}"


def main():
    said = wrong(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), json.loads(sys.argv[3]))
    print(said or "right")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
