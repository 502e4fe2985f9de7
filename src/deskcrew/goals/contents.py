"""What a changed file must be like, beyond having changed: the texts of a check of it, and whether they hold."""

from __future__ import annotations

import csv
import re

from deskcrew.english.edits import applied, edits_of
from deskcrew.english.wording import normal
from deskcrew.verdict import CAPITALS, IN_ORDER, LACKS, LACKS_LINE, SENTENCE, SMALL

EVERYTHING = re.compile(
    r"\b(?:all|everything|entire|whole|complete|every|contents?|text|copy|copies|convert|transcri\w+|same|lines|as\s+(?:it|they)\s+(?:is|are))\b",
    re.I,
)
"""Words of tasks that have all of a document written down."""
DOCUMENTS = (".xlsx", ".xlsm", ".docx", ".pptx", ".odt", ".ods")
"""Files that are others after each saving, whatever they say."""
LOOKS = re.compile(
    r"\b(?:bold|italics?|underlin\w*|fonts?|colou?r\w*|format\w*|align\w*|cent(?:er|re)\w*|border\w*|highlight\w*|styles?|widths?|"
    r"wider|heights?|sizes?|larger|bigger|smaller|margins?|charts?|graphs?|pictures?|images?|merge\w*|freeze|hid\w+|password|"
    r"protect\w*|comments?|links?|hyperlinks?|landscape|portrait|headers?|footers?|formulas?|filter\w*|columns? wide)\b",
    re.I,
)
"""Words of changes that the text of a document does not show."""


SENTENCE_WORDS = 4
_OF_ITS_OWN = re.compile(r"\b(?:lines?|paragraphs?|entry|entries|item|row)\b", re.I)
_PLAIN_MARKS = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "…": "...", "–": "-", "\u00a0": " "})


def wrong(text: str, wanted: str) -> str:
    """What speaks against ``text`` being as the mark ``wanted`` says; '' when nothing does."""
    if wanted.startswith(LACKS_LINE):
        old = normal(wanted.removeprefix(LACKS_LINE))
        lines = (normal(re.sub(r"^\W*(?:\d+[.)]\s+)?", "", line)) for line in text.splitlines())
        return f"the line {old!r} is still there" if old in lines else ""
    if wanted.startswith(LACKS):
        old = wanted.removeprefix(LACKS)
        return f"{old!r} is still there" if holds(old, text) else ""
    if wanted == SENTENCE:
        return "" if len(re.findall(r"\w+", text)) >= SENTENCE_WORDS else "that is no sentence"
    if wanted == CAPITALS:
        return "it has small letters" if any(c.islower() for c in text) or not text.strip() else ""
    if wanted == SMALL:
        return "it has capital letters" if any(c.isupper() for c in text) or not text.strip() else ""
    if wanted == IN_ORDER:
        return "" if in_order(text) else "its lines are not in order"
    return ""


def other(order: str, was: str, text: str) -> str | None:
    """What else than ``order`` says differs between what a file ``was`` and its ``text`` now; '' when nothing does, None
    where nobody can say what it should be."""
    expected: str | None = was
    for edit in edits_of(order):
        expected = applied(edit, expected) if expected is not None else None
    if expected is None:
        return None
    wanted, there = _lines(expected), _lines(text)
    if wanted == there:
        return ""
    inline = edits_of(order)[-1]
    if inline.place == "any" and len(edits_of(order)) == 1 and _without(there, inline.texts) == _lines(was):
        return ""
    at_end = inline.place in ("end", "any") and len(inline.texts) == 1 and not _OF_ITS_OWN.search(order)
    if at_end and there in ([*wanted[:-2], " ".join(wanted[-2:])], [*wanted[:-2], "".join(wanted[-2:])]):
        return ""
    lacking = next((line for line in wanted if there.count(line) < wanted.count(line)), "")
    added = next((line for line in there if there.count(line) > wanted.count(line)), "")
    found = [f"{added!r} should not be there" if added else "", f"the line {lacking!r} is not there" if lacking else ""]
    return ", and ".join(filter(None, found)) or "its lines stand in another order"


def _without(lines: list[str], added: tuple[str, ...]) -> list[str]:
    """``lines`` without one of each that was added."""
    left = list(lines)
    for text in _lines("\n".join(added)):
        if text in left:
            left.remove(text)
    return left


def _lines(text: str) -> list[str]:
    """Lines to compare: spaces, empty lines and the form of quotation marks do not count."""
    plain = text.translate(_PLAIN_MARKS)
    return [" ".join(line.split()) for line in plain.splitlines() if line.strip()]


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
