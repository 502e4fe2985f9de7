"""The new workbook has the old sheets and one more with the three largest expenses; the answer is their sum."""

import os
import re
import sys
from pathlib import Path

import openpyxl
from openpyxl.utils import range_boundaries

from make import facts

sys.path.append(str(Path(__file__).parents[1]))
from shared import places, untouched


class Formulas:
    """Works out the usual formulas of a workbook that was saved without their values."""

    def __init__(self, path):
        self.plain, self.told = openpyxl.load_workbook(path, data_only=True), openpyxl.load_workbook(path)

    def value(self, sheet, row, column, depth=0):
        shown = self.plain[sheet].cell(row, column).value
        raw = self.told[sheet].cell(row, column).value
        if shown is not None or not isinstance(raw, str) or not raw.startswith("=") or depth > 20:
            return shown
        try:
            return self.work_out(sheet, raw[1:], depth)
        except Exception:
            return None

    def work_out(self, sheet, told, depth):
        def area(name, reference):
            left, top, right, bottom = range_boundaries(reference.replace("$", ""))
            bottom = bottom or self.plain[name].max_row
            cells = [(row, column) for row in range(top or 1, bottom + 1) for column in range(left, right + 1)]
            return [self.value(name, row, column, depth + 1) for row, column in cells]

        def flat(values):
            for value in values:
                if isinstance(value, list):
                    yield from flat(value)
                elif isinstance(value, (int, float)):
                    yield value

        def text(value, form):
            return shown(value, form)

        known = {
            "SUM": lambda *values: sum(flat(values)), "MAX": lambda *values: max(flat(values)),
            "LARGE": lambda values, place: sorted(flat(values), reverse=True)[int(place) - 1],
            "ROUND": lambda value, digits: round(value + 1e-9, int(digits)), "TEXT": text,
            "INDEX": lambda values, row, column=1: values[int(row) - 1],
            "MATCH": lambda value, values, kind=0: values.index(value) + 1, "AREA": area,
            "CELL": lambda name, reference: area(name, reference)[0],
        }  # fmt: skip
        reference = re.compile(
            r"\"[^\"]*\"|(?:(?:'([^']+)'|([^\W\d][\w ]*))!)?"
            r"(\$?[A-Z]{1,2}\$?\d+(?::\$?[A-Z]{1,2}\$?\d+)?|\$?[A-Z]{1,2}:\$?[A-Z]{1,2})(?![\w(])"
        )

        def turn(match):
            if not match[3]:
                return match[0]
            return f"{'AREA' if ':' in match[3] else 'CELL'}({(match[1] or match[2] or sheet)!r},{match[3]!r})"

        python = re.sub(r"(?<=[\d)])%", "/100", reference.sub(turn, told).replace("^", "**"))
        bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", python)
        if "__" in python or not set(re.findall(r"[^\W\d]\w*", bare)) <= set(known):
            return None
        return eval(python, {"__builtins__": {}}, known)  # noqa: S307 names and dots were looked at above


def shown(value, form):
    """The number as the sheet shows it, without the sign for percent, and whether it was meant in percent."""
    bare = re.sub(r"\"[^\"]*\"|\\.|\[[^\]]*\]|_.", "", form.split(";")[0])
    if isinstance(value, str):
        return value.strip()
    if "%" in bare:
        value *= 100
    if form == "General":
        return f"{value:.10g}" if "." in f"{value:.10g}" else f"{value:.1f}"
    digits = re.search(r"\.([0#?]+)", bare)
    return f"{value + 1e-9:.{len(digits[1]) if digits else 0}f}"


def is_share(cell, value, share):
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return False
    text = shown(value, cell.number_format)
    return bool(re.fullmatch(r"\d+[.,]\d\s*%?", text)) and re.sub(r"[\s%]", "", text).replace(",", ".") == share


def is_amount(value, amount):
    if isinstance(value, str):
        return bool(places(value, amount)) and "%" not in value
    return isinstance(value, (int, float)) and abs(value - amount) < 0.005


def lines(sheet):
    """The values of a sheet without what is empty at the ends."""
    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    for row in rows:
        while row and row[-1] in (None, ""):
            row.pop()
    while rows and not rows[-1]:
        rows.pop()
    return rows


def plain(name):
    return re.sub(r"\s+", " ", name).strip().casefold()


def main():
    made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
    untouched(added=(made["result"],))
    if not Path(made["result"]).is_file():
        sys.exit(f"there is no {made['result']}")
    try:
        cells = Formulas(made["result"])
    except Exception as error:
        sys.exit(f"{made['result']} is no workbook: {error}")
    old = openpyxl.load_workbook(made["book"])
    for name in old.sheetnames:
        if name not in cells.told.sheetnames or lines(cells.plain[name]) != lines(old[name]):
            sys.exit(f"the sheet {name} is not in {made['result']} as it was")
    new = [name for name in cells.told.sheetnames if name not in old.sheetnames]
    if [plain(name) for name in new] != [plain(made["sheet"])]:
        sys.exit(f"the new sheets are {new}, not one named {made['sheet']}")
    sheet, at = cells.told[new[0]], []
    for row in sheet.iter_rows():
        for cell in row:
            thing = cells.value(new[0], cell.row, cell.column)
            if isinstance(thing, str) and plain(thing) in {plain(line[4]) for line in made["rows"]}:
                at.append((plain(thing), cell.row))
    if [thing for thing, _ in at] != [plain(thing) for thing, _, _ in made["top"]] or len({row for _, row in at}) != 3:
        sys.exit(f"the expenses in the new sheet are {[thing for thing, _ in at]}")
    for (thing, amount, share), (_, row) in zip(made["top"], at, strict=True):
        values = [(cell, cells.value(new[0], row, cell.column)) for cell in sheet[row]]
        if not any(is_amount(value, amount) for _, value in values):
            sys.exit(f"the line of {thing} lacks {amount}: {[value for _, value in values]}")
        if not any(is_share(cell, value, share) for cell, value in values):
            sys.exit(f"the line of {thing} lacks {share} percent: {[value for _, value in values]}")
    if not places(answer, made["sum"]):
        sys.exit(f"the answer is {answer!r}; the three add up to {made['sum']:.2f}")
    if places(answer, made["net_sum"]):
        sys.exit(f"the answer {answer!r} tells another sum too")


main()
