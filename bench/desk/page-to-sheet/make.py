"""A page with figures by branch, worked out when it is shown, and a workbook in which one is missing. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from openpyxl import Workbook

BRANCHES = ("Castle Street", "Harbour", "Mill Lane", "Old Town", "Riverside", "Station Road", "Westgate")
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Visitors</title>
<h1>Visitors last week</h1>
<table border="1"><thead><tr><th>Branch</th><th>Busiest day</th><th>Weekly total</th></tr></thead><tbody></tbody></table>
<script>
for (const [branch, ...days] of {weeks}) {{
  const row = document.querySelector("tbody").insertRow();
  for (const text of [branch, Math.max(...days), days.reduce((sum, day) => sum + day)]) row.insertCell().textContent = text;
}}
</script>
</html>
"""


def facts(seed):
    chance = random.Random(f"page-to-sheet {seed}")
    weeks = [(branch, *(chance.randint(40, 400) for _ in range(6))) for branch in chance.sample(BRANCHES, 5)]
    row, figure = chance.randrange(5), chance.choice(("weekly total", "busiest day"))
    days = weeks[row][1:]
    listed = sorted(range(5), key=lambda at: weeks[at][0])
    return {"page": chance.choice(("visitors.html", "week.html", "counter.html")), "weeks": weeks, "figure": figure,
            "file": chance.choice(("report.xlsx", "branches.xlsx", "figures.xlsx")), "branch": weeks[row][0],
            "column": chance.choice(("Visitors", "Guests", "This week")), "listed": [weeks[at][0] for at in listed],
            "staff": [chance.randint(2, 15) for _ in listed], "row": listed.index(row) + 2,
            "value": sum(days) if figure == "weekly total" else max(days)}  # fmt: skip


def table(made):
    """The rows of the sheet as they are made: the column that is to be filled in is empty."""
    return [
        ("Branch", "Staff", made["column"]),
        *((name, staff, None) for name, staff in zip(made["listed"], made["staff"], strict=True)),
    ]


def main(seed, folder):
    made = facts(seed)
    book = Workbook()
    for row in table(made):
        book.active.append(row)
    book.save(Path(folder) / made["file"])
    (Path(folder) / made["page"]).write_text(PAGE.format(weeks=json.dumps(made["weeks"])), encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
