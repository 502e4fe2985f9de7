"""The picture has twelve bars as high as the values say; the answer names the highest and the lowest month with theirs."""

import os
import re
import sys
from pathlib import Path

import numpy
from PIL import Image

from make import MONTHS, facts

sys.path.append(str(Path(__file__).parents[1]))
from shared import places, untouched

WORDS = (
    ("january", "jan", "januar", "jänner", "enero"), ("february", "feb", "februar", "febrero"), ("march", "mar", "märz", "marzo"),
    ("april", "apr", "abril"), ("may", "mai", "mayo"), ("june", "jun", "juni", "junio"), ("july", "jul", "juli", "julio"),
    ("august", "aug", "agosto"), ("september", "sep", "sept", "septiembre", "setiembre"), ("october", "oct", "oktober", "octubre"),
    ("november", "nov", "noviembre"), ("december", "dec", "dezember", "diciembre"),
)  # fmt: skip
CHINESE = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
HIGH = (r"\bhigh(?:est)?\b|\bpeak\w*|\bmost\b|\bmaxim\w+|\bmax\b|höchst|meist|stärkst|größt|\bspitze|más alt|\bmayor\b|máxim|"
        r"\bpico\b|\bmás visit|最高|最多|最大|高峰|峰值")  # fmt: skip
LOW = (r"\blow(?:est)?\b|\bfewest\b|\bleast\b|\bminim\w+|\bmin\b|niedrigst|wenigst|geringst|tiefst|schwächst|kleinst|más baj|"
       r"\bmenor\b|mínim|\bmenos\b|最低|最少|最小|低谷")  # fmt: skip


def named(text, month):
    """Where the text names the month."""
    place = MONTHS.index(month)
    words = "|".join(WORDS[place])
    form = rf"(?<![^\W_])(?:{words})(?![a-zäöüñáéíóú])|(?<!\d)0?{place + 1}\s*月|(?<![十一二三四五六七八九]){CHINESE[place]}月"
    return [match.start() for match in re.finditer(form, text)]


def look_at_answer(made, answer):
    text = answer.casefold()
    ends = {}
    for month, value in ((made["high"], made["most"]), (made["low"], made["least"])):
        months, values = named(text, month), places(text, value)
        if not months or not values:
            sys.exit(f"the answer {answer!r} does not name {month} with {value}")
        ends[month] = min(((month, value) for month in months for value in values), key=lambda pair: abs(pair[0] - pair[1]))
    (month, value), (low_month, low_value) = ends[made["high"]], ends[made["low"]]
    if (month < low_month) != (value < low_value):
        sys.exit(f"the answer {answer!r} gives the months each other's value")
    high, low = re.search(HIGH, text), re.search(LOW, text)
    if high and low and (high.start() < low.start()) != (month < low_month):
        sys.exit(f"the answer {answer!r} mistakes the highest for the lowest")


def masks(pixels):
    """Ways to tell what may be a bar from what is behind it."""
    small = pixels.astype(int)
    light, dark = small.max(axis=2), small.min(axis=2)
    codes = (small // 16) @ numpy.array((256, 16, 1))
    kinds, inverse, counts = numpy.unique(codes, return_inverse=True, return_counts=True)
    inverse, behind = inverse.reshape(codes.shape), numpy.zeros(codes.shape, bool)
    ground = {int(codes[0, 0]), int(codes[-1, -1]), int(kinds[counts.argmax()])}
    for code in ground:
        shade = numpy.array((code // 256, code // 16 % 16, code % 16)) * 16 + 8
        behind |= numpy.abs(small - shade).max(axis=2) < 20
    front = ~behind & (dark < 232)
    yield front & (light - dark > 40)
    big = counts >= 0.0025 * codes.size
    yield front & big[inverse]
    yield front & big[inverse] & (light > 90)
    yield front
    for code, _ in sorted(zip(kinds, counts, strict=True), key=lambda pair: -pair[1])[:5]:
        yield front & (codes == code)


def bars(mask, gap):
    """The height of each upright bar from left to right, those which end on one line."""
    height, width = mask.shape
    run, hole = numpy.zeros(width, int), numpy.zeros(width, int)
    best, foot = numpy.zeros(width, int), numpy.zeros(width, int)
    for row in range(height):
        here = mask[row]
        run = numpy.where(here, numpy.where(run > 0, run + hole + 1, 1), run)
        hole = numpy.where(here, 0, hole + 1)
        run = numpy.where(hole > gap, 0, run)
        longer = here & (run > best)
        best, foot = numpy.where(longer, run, best), numpy.where(longer, row, foot)
    found, start = [], 0
    for column in range(1, width + 1):
        if column == width or abs(best[column] - best[column - 1]) > 2 or abs(foot[column] - foot[column - 1]) > 2:
            if best[start] >= 4 and column - start >= 2:
                last = found[-1] if found else None
                middle = (int(numpy.median(best[start:column])), int(numpy.median(foot[start:column])))
                if last and start - last[3] <= max(4, width // 100) and abs(last[0] - middle[0]) <= 2 and abs(last[1] - middle[1]) <= 2:
                    found[-1] = (*middle, last[2], column)
                else:
                    found.append((*middle, start, column))
            start = column
    found = [bar for bar in found if bar[3] - bar[2] >= max(4, width // 125)]
    if not found:
        return []
    line = numpy.median([bar[1] for bar in found])
    found = [bar for bar in found if abs(bar[1] - line) <= max(3, height // 100)]
    if not found:
        return []
    wide = numpy.median([bar[3] - bar[2] for bar in found])
    return [bar[0] for bar in found if 0.5 * wide <= bar[3] - bar[2] <= 2 * wide]


def fits(heights, values):
    if len(heights) != len(values):
        return False
    slope, base = numpy.polyfit(values, heights, 1)
    reach = max(heights) - min(heights)
    off = numpy.abs(slope * numpy.array(values) + base - numpy.array(heights)).max()
    return slope > 0 and reach > 40 and off <= max(3, 0.025 * reach)


def look_at_picture(made):
    try:
        with Image.open(made["picture"]) as picture:
            kind, (width, height) = picture.format, picture.size
            picture = picture.convert("RGBA")
            paper = Image.new("RGBA", picture.size, "white")
            paper.alpha_composite(picture)
    except Exception as error:
        sys.exit(f"{made['picture']} is no picture: {error}")
    if kind != "PNG" or width < made["width"] or height < made["height"]:
        sys.exit(f"{made['picture']} is {kind} of {width}x{height}; PNG of {made['width']}x{made['height']} was asked for")
    paper = paper.convert("RGB")
    step = max(1, round(max(width, height) / 1000))
    pixels = numpy.asarray(paper)[::step, ::step]
    values = made["values"]
    orders = (values, values[::-1], sorted(values), sorted(values, reverse=True))
    seen = []
    for mask in masks(pixels):
        for turned in (mask, mask.T[::-1]):
            for gap in (0, 3, max(4, turned.shape[0] // 25)):
                heights = bars(turned, gap)
                seen.append(heights)
                if any(fits(heights, order) for order in orders):
                    return
    sys.exit(f"{made['picture']} has no twelve bars of the right heights; seen {max(seen, key=len)}")


def main():
    made = facts(os.environ["DESKCREW_SEED"])
    untouched(added=(made["picture"],))
    if not Path(made["picture"]).is_file():
        sys.exit(f"there is no {made['picture']}")
    look_at_picture(made)
    look_at_answer(made, os.environ["DESKCREW_ANSWER"])


main()
