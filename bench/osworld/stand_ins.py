"""Makes files for the tasks of which ``right/`` has a result by hand, where their own are not at hand.

``python bench/osworld/stand_ins.py DIR``, then ``--files DIR``. They are of the kind that the tasks speak of, and ours: they
show that beginnings, evaluators and controls work, and nothing of how hard the tasks are.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import docx
import openpyxl
from docx.enum.text import WD_COLOR_INDEX

REVENUE = [("Week", "Revenue", "Total Expenses"), (1, 5200, 3100), (2, 4875, 2950), (3, 6110, 3425)]
SPENT = [("Name", "spent"), ("Ana", 12.3456), ("Ben", 7.1), ("Cleo", 100)]
ANSWERS = {"Gemini": ["The Iliad is older.", "Homer wrote it."], "Other": ["It is the Odyssey."]}


def _book(path: Path, rows: list[tuple[Any, ...]], title: str = "Sheet1") -> Any:
    book: Any = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return book


def calc(folder: Path) -> None:
    """A workbook with revenue, and one with amounts; what they are compared with."""
    place = folder / "libreoffice_calc/1273e544-688f-496b-8d89-3e0f40aa0606"
    _book(place / "NetIncome.xlsx", REVENUE)
    gold = _book(place / "3_NetIncome_gt1.xlsx", REVENUE)
    sheet = gold.create_sheet("Sheet2")
    for row in REVENUE:
        sheet.append([row[1]])
    gold.save(place / "3_NetIncome_gt1.xlsx")
    place = folder / "libreoffice_calc/6e99a1ad-07d2-4b66-a1ce-ece6d99c20a5"
    _book(place / "Keep_Two_decimal_points.xlsx", SPENT)
    _book(place / "Keep_Two_decimal_points_gold.xlsx", SPENT)
    with (place / "Keep_Two_decimal_points_gold-Sheet1.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([SPENT[0], *((name, f"{amount:.2f}") for name, amount in SPENT[1:])])


def writer(folder: Path) -> None:
    """Documents with a heading, and in another font."""
    for task, name in (
        ("3ef2b351-8a84-4ff2-8724-d86eae9b842e", "Constitution_Template_With_Guidelines.docx"),
        ("0e763496-b6bb-4508-a427-fad0b6c3e195", "Dublin_Zoo_Intro.docx"),
    ):
        document = docx.Document()
        document.add_paragraph().add_run("The first line").font.name = "Arial"
        document.add_paragraph().add_run("What follows it.").font.name = "Arial"
        path = folder / "libreoffice_writer" / task / name
        path.parent.mkdir(parents=True, exist_ok=True)
        document.save(str(path))


def several(folder: Path) -> None:
    """Answers of models, and the document that is wanted of them."""
    place = folder / "multi_apps/5bc63fb9-276a-4439-a7c1-9dc76401737f"
    place.mkdir(parents=True, exist_ok=True)
    (place / "LLM results.json").write_text(json.dumps(ANSWERS))
    document = docx.Document()
    for answer in ANSWERS["Gemini"]:
        paragraph = document.add_paragraph()
        for number, part in enumerate(answer.split("Iliad")):
            if number:
                paragraph.add_run("Iliad").font.highlight_color = WD_COLOR_INDEX.YELLOW
            paragraph.add_run(part)
    document.save(str(place / "gemini_results_Gold.docx"))


if __name__ == "__main__":
    for make in (calc, writer, several):
        make(Path(sys.argv[1]))
