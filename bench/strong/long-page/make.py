"""A page of 150 rows that look alike, in one of which two amounts differ. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

ARTICLES = ("Envelopes C5", "Envelopes B4", "Labels 70 mm", "Labels 105 mm", "Folding boxes S", "Folding boxes M", "Folding boxes L",
            "Packing tape", "Bubble wrap", "Padded bags")  # fmt: skip
SHOPS = ("Bath", "Derby", "Exeter", "Leeds", "Lincoln", "Oxford", "York")
HEADS = ("Delivery", "Date", "Shop", "Article", "Ordered", "Delivered", "Crates", "Weight (kg)")
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 1em 2em }} td, th {{ padding: .15em 1.2em .15em 0; text-align: left }}</style>
<h1>{title}</h1>
<table>
<tr>{heads}</tr>
{rows}
</table>
<p>End of the list.</p>
</html>
"""


def facts(seed):
    chance = random.Random(f"long-page {seed}")
    rows = []
    for place, number in enumerate(sorted(chance.sample(range(2100, 9700), 150))):
        amount = chance.randint(112, 987)
        date = f"2026-{7 + place // 50:02}-{1 + place % 50 * 3 // 5:02}"
        rows.append([f"D-{number}", date, chance.choice(SHOPS), chance.choice(ARTICLES), amount, amount, chance.randint(2, 30),
                     f"{amount * chance.randint(2, 9) / 10:.1f}"])  # fmt: skip
    odd = chance.randint(70, 140)
    digits = list(str(rows[odd][4]))
    while int("".join(digits)) == rows[odd][4] or digits[0] == "0":
        if len(set(digits)) > 1 and chance.random() < 0.5:
            chance.shuffle(digits)
        else:
            digits[chance.randint(1, 2)] = str(chance.randint(0, 9))
    rows[odd][5] = int("".join(digits))
    return {"page": chance.choice(("deliveries.html", "quarter.html", "supplies.html")), "count": len(rows), "rows": rows,
            "delivery": rows[odd][0], "ordered": rows[odd][4], "delivered": rows[odd][5],
            "title": chance.choice(("Deliveries", "Deliveries to our shops"))}  # fmt: skip


def build(seed, folder):
    made = facts(seed)
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    rows = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in made["rows"])
    (Path(folder) / made["page"]).write_text(PAGE.format(title=made["title"], heads=heads, rows=rows), encoding="utf-8")
    return made


def main(seed, folder):
    made = build(seed, folder)
    del made["rows"]
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
