"""What a right run leaves. `right.py WORKSPACE [LANGUAGE [KIND]]`, with DESKCREW_SEED set"""

import csv
import os
import sys

from PIL import Image, ImageDraw

from make import facts

KINDS = ("plain", "grid", "labels", "inside", "dark", "edged", "cut", "sideways", "sorted", "coloured", "grey", "large")


def draw(path, size, rows, kind="plain", base=0):
    """A chart as the usual programs draw it."""
    back, ink, fill = ("#222", "#ddd", "#8dd3c7") if kind == "dark" else ("white", "black", "#1f77b4")
    fill = "#999999" if kind == "grey" else fill
    if kind == "large":
        size = (size[0] * 2, size[1] * 2)
    wide, high = size
    picture = Image.new("RGB", size, back)
    pen = ImageDraw.Draw(picture)
    if kind == "sorted":
        rows = sorted(rows, key=lambda row: -row[1])
    if kind == "cut":
        base = 600
    left, top, right, bottom = wide // 8, high // 9, wide - wide // 10, high - high // 9
    most = max(value for _, value in rows) * 1.05 - base
    pen.rectangle((left, top, right, bottom), outline=ink)
    if kind == "sideways":
        step = (bottom - top) / len(rows)
        for place, (name, value) in enumerate(rows):
            at = top + step * (place + 0.1)
            pen.rectangle((left, at, left + (right - left) * value / most, at + step * 0.8), fill=fill)
            pen.text((left - 60, at + 8), name[:3], fill=ink)
    else:
        step = (right - left) / len(rows)
        for place, (name, value) in enumerate(rows):
            at, up = left + step * (place + 0.1), bottom - (bottom - top) * (value - base) / most
            hue = {max: "#d62728", min: "#2ca02c"} if kind == "coloured" else {}
            colour = next((hue[end] for end in hue if value == end(row[1] for row in rows)), fill)
            pen.rectangle((at, up, at + step * 0.8, bottom), fill=colour, outline=ink if kind == "edged" else None)
            pen.text((at + 5, bottom + 8), name[:3], fill=ink)
            if kind == "labels":
                pen.text((at + 10, up - 14), str(value), fill=ink)
            if kind == "inside":
                pen.text((at + 10, up + 8), str(value), fill="white")
    if kind == "grid":
        for line in range(1, 6):
            pen.line((left, top + (bottom - top) * line // 6, right, top + (bottom - top) * line // 6), fill="#b0b0b0")
    pen.text((wide // 2 - 60, top - 20), "Visitors by month", fill=ink)
    picture.save(path)


def main(folder, language="en", kind="plain"):
    made = facts(os.environ.get("DESKCREW_SEED", "1"))
    os.chdir(folder)
    with open(made["table"], encoding="utf-8") as table:
        rows = [(row["month"], int(row["visitors"])) for row in csv.DictReader(table)]
    draw(made["picture"], (made["width"], made["height"]), rows, kind)
    (high, most), (low, least) = max(rows, key=lambda row: row[1]), min(rows, key=lambda row: row[1])
    names = dict(zip((row[0] for row in rows), range(1, 13), strict=True))
    german = ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember")
    spanish = ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
               "diciembre")  # fmt: skip
    a, b = names[high], names[low]
    dots = [f"{value:,}".replace(",", ".") for value in (most, least)]
    print({
        "en": f"The bar chart of the visitors from January to December peaks in {high} with {most:,} and is lowest in {low} with {least:,}.",
        "de": f"Das Balkendiagramm zeigt die meisten Besucher im {german[a - 1]} ({dots[0]}) und die wenigsten im {german[b - 1]} ({dots[1]}).",
        "es": f"El gráfico muestra los visitantes por mes: el más bajo es {spanish[b - 1]} con {least} y el más alto {spanish[a - 1]} con {most}.",
        "zh": f"柱形图显示各月参观人数，最高的是{a}月，为{most}人，最低的是{b}月，为{least}人。",
    }[language])  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
