"""What a right run leaves. `right.py WORKSPACE [LANGUAGE [KIND]]`, with DESKCREW_SEED set"""

import os
import sys

import openpyxl

from make import facts


def main(folder, language="en", kind="percent"):
    made = facts(os.environ.get("DESKCREW_SEED", "1"))
    os.chdir(folder)
    book = openpyxl.load_workbook(made["book"])
    rows = list(book["Expenses"].iter_rows(min_row=2, values_only=True))
    total = sum(row[7] for row in rows)
    best = sorted(rows, key=lambda row: -row[7])[:3]
    sheet = book.create_sheet(made["sheet"])
    sheet.append(["Description", "Gross", "Share"])
    for place, row in enumerate(best, 2):
        share = row[7] / total
        sheet.append([row[4], row[7], {"percent": share, "number": round(share * 100, 1), "text": f"{share * 100:.1f} %",
                      "comma": f"{share * 100:.1f}%".replace(".", ",")}.get(kind)])  # fmt: skip
        if kind == "percent":
            sheet.cell(place, 3).number_format = "0.0%"
        if kind == "formula":
            last = len(rows) + 1
            sheet.cell(place, 2).value = f"=LARGE(Expenses!$H$2:$H${last},{place - 1})"
            sheet.cell(place, 1).value = f"=INDEX(Expenses!E2:E{last},MATCH(B{place},Expenses!H2:H{last},0))"
            sheet.cell(place, 3).value = f"=ROUND(B{place}/SUM(Expenses!H2:H{last})*100,1)"
    book.save(made["result"])
    text = f"{sum(row[7] for row in best):,.2f}"
    swapped = text.translate(str.maketrans(",.", ".,"))
    print({"en": f"The three add up to {text}.", "de": f"Zusammen ergeben die drei {swapped} Euro.",
           "es": f"Los tres suman {swapped.replace('.', ' ')}.", "zh": f"这三笔合计{text.replace(',', '')}元。"}[language])  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
