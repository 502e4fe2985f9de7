"""Wrong ends, each a function that leaves them in the workspace (the current folder) and returns the answer."""

import os
from pathlib import Path

from PIL import Image, ImageDraw

from make import MONTHS, facts
from right import draw

MADE = facts(os.environ.get("DESKCREW_SEED", "1"))
SIZE = (MADE["width"], MADE["height"])
RIGHT = f"The highest month is {MADE['high']} with {MADE['most']} and the lowest {MADE['low']} with {MADE['least']}."


def rows(values=MADE["values"]):
    return list(zip(MONTHS, values, strict=True))


def other_column():
    draw(MADE["picture"], SIZE, rows(MADE["others"][0]))
    return RIGHT


def other_column_sorted():
    draw(MADE["picture"], SIZE, rows(MADE["others"][1]), "sorted")
    return RIGHT


def too_small():
    draw(MADE["picture"], (640, 480), rows())
    return RIGHT


def eleven_months():
    draw(MADE["picture"], SIZE, rows()[:11])
    return RIGHT


def line_chart():
    picture = Image.new("RGB", SIZE, "white")
    points = [(80 + place * 60, SIZE[1] - 40 - value // 15) for place, value in enumerate(MADE["values"])]
    ImageDraw.Draw(picture).line(points, fill="#1f77b4", width=3)
    picture.save(MADE["picture"])
    return RIGHT


def empty_picture():
    Image.new("RGB", SIZE, "white").save(MADE["picture"])
    return RIGHT


def a_jpeg():
    draw("x.jpg", SIZE, rows())
    Path("x.jpg").rename(MADE["picture"])
    return RIGHT


def other_name():
    draw("other.png", SIZE, rows())
    return RIGHT


def no_values():
    draw(MADE["picture"], SIZE, rows())
    return f"{MADE['high']} is highest and {MADE['low']} lowest."


def mixed_up():
    draw(MADE["picture"], SIZE, rows())
    return f"The highest month is {MADE['low']} with {MADE['least']} and the lowest {MADE['high']} with {MADE['most']}."


def swapped_values():
    draw(MADE["picture"], SIZE, rows())
    return f"Highest: {MADE['high']} ({MADE['least']}), lowest: {MADE['low']} ({MADE['most']})."


def other_months():
    draw(MADE["picture"], SIZE, rows())
    others = [month for month in MONTHS if month not in (MADE["high"], MADE["low"])]
    return f"The highest is {others[0]} with {MADE['most']}, the lowest {others[1]} with {MADE['least']}."


def table_changed():
    draw(MADE["picture"], SIZE, rows())
    Path(MADE["table"]).write_text("month\n", encoding="utf-8")
    return RIGHT
