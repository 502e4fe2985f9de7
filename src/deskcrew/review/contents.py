"""What a changed file must be like, beyond having changed: the texts of a check of it, and whether they hold."""

from __future__ import annotations

import csv
import re

from deskcrew.review.wording import normal

IN_ORDER = "in order"
CAPITALS = "in capital letters"
SMALL = "in small letters"
LACKS = "without "
"""Followed by a text: it is not there any more, in this case of letters."""
LACKS_LINE = "without the line "
"""Followed by a text: no line is that and nothing more."""
NEW = "new"
"""Of a ``file_exists``: it was not there at the start."""
FROM = "from "
"""Of a ``file_exists``, followed by an archive: all that is in it is there."""
ROW = "row of "
"""In place of a cell's address, followed by a text: some cell of a row that has it."""
TABLES = (".xlsx", ".xlsm", ".csv", ".tsv", ".ods")


def wrong(text: str, wanted: str) -> str:
    """What speaks against ``text`` being as the mark ``wanted`` says; '' when nothing does."""
    if wanted.startswith(LACKS_LINE):
        old = normal(wanted.removeprefix(LACKS_LINE))
        lines = (normal(re.sub(r"^\W*(?:\d+[.)]\s+)?", "", line)) for line in text.splitlines())
        return f"the line {old!r} is still there" if old in lines else ""
    if wanted.startswith(LACKS):
        old = wanted.removeprefix(LACKS)
        return f"{old!r} is still there" if holds(old, text) else ""
    if wanted == CAPITALS:
        return "it has small letters" if any(c.islower() for c in text) or not text.strip() else ""
    if wanted == SMALL:
        return "it has capital letters" if any(c.isupper() for c in text) or not text.strip() else ""
    if wanted == IN_ORDER:
        return "" if in_order(text) else "its lines are not in order"
    return ""


def members(listing: str) -> list[tuple[str, int]]:
    """The files in an archive and their sizes in bytes, from what its reader says of it."""
    found = re.finditer(r"^(.+?)  (\d+) bytes", listing, re.MULTILINE)
    return [(match.group(1).rpartition("/")[2], int(match.group(2))) for match in found]


def holds(part: str, text: str) -> bool:
    """Whether ``part`` stands in ``text`` as it is written, as a word of its own."""
    begin = r"(?<!\w)" if part[:1].isalnum() else ""
    end = r"(?!\w)" if part[-1:].isalnum() else ""
    return re.search(begin + re.escape(part) + end, text) is not None


def in_order(text: str) -> bool:
    """Whether lines stand in some order that a person may mean: of letters or numbers, up or down, below a title or not."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for some in (lines, lines[1:] if len(lines) > 3 else []):
        orders = [some, [line.casefold() for line in some], ["".join(re.findall(r"\w", line.casefold())) for line in some]]
        numbers = [float(match.group(0)) for line in some if (match := re.match(r"-?\d+(?:\.\d+)?", normal(line)))]
        if len(some) > 1 and any(keys in (sorted(keys), sorted(keys, reverse=True)) for keys in orders):
            return True
        if len(some) > 1 and len(numbers) == len(some) and numbers in (sorted(numbers), sorted(numbers, reverse=True)):
            return True
    return False


def cells(text: str) -> list[list[str]]:
    """The rows of a table as its reader gives it."""
    lines = text.splitlines()
    mark = max(",;\t", key=lambda each: sum(line.count(each) for line in lines[:20]))
    return list(csv.reader(lines, delimiter=mark))


def row_has(text: str, item: str, value: str) -> str:
    """Why no row of a table that has ``item`` has a cell that says ``value``; '' when one does. Where no row has the item,
    it may be called otherwise: then any row counts."""
    rows = [[normal(cell) for cell in row] for row in cells(text)]
    meant = [row for row in rows if any(holds(normal(item), cell) for cell in row)] or rows
    if any(same(value, cell) for row in meant for cell in row):
        return ""
    return "; ".join(", ".join(filter(None, row)) for row in meant[:3])


def same(value: str, cell: str) -> bool:
    """Whether a cell says ``value``, with its unit or without."""
    value, cell = (re.sub(r"(?<=\d),(?=\d{1,2}\b)", ".", normal(each)) for each in (value, cell))
    value, cell = normal(value), normal(cell)
    bare = re.compile(r"[€$£%]|\b(?:eur|euros?|usd|gbp)\b")
    return value == cell or bare.sub("", value).strip() == bare.sub("", cell).strip()
