"""What a table contains: the values that a text mentions, and the kind of a column's values. People refer to a column by a
value in it, and often not at all if only one is of its kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from deskcrew.actions.tables import rows_of
from deskcrew.engine.steps.common_words import MONTHS, NEGATING, SINCE
from deskcrew.engine.steps.covering import SHORTEST
from deskcrew.facts.texts import speaks_of
from deskcrew.learning.skills.lexicon import WORD, is_small, words_of
from deskcrew.learning.skills.skill import Holds

BOM = "\ufeff"
SHEET = "[sheet "
"""The beginning of the line before each sheet in the text of a workbook."""
MEASURES: tuple[Holds, ...] = ("numbers", "dates", "times")
ENDING = 2
"""The maximum number of letters of an ending."""
FEW_WORDS = 3
"""The maximum number of words of a value that may be called by one of them."""
ROWS = 2000
"""The maximum number of rows that are read."""
THOUSAND = 3
"""The number of digits after a space in a number such as 10 000."""
DENSE = 2
"""In a column of codes, such as member numbers, the range of the numbers is less than this many times their count."""
BESIDE = " €$£%+-−"
"""Signs that may stand before or after a number."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table. ``columns``: the values of each column by its heading, '' for an empty cell; ``sheets``: the sheets of its
    workbook by name, itself the first of them, {} for another table."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    sheets: Mapping[str, Table] = field(default_factory=dict[str, "Table"])

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def said(self, text: str) -> dict[str, tuple[str, ...]]:
        """The values that a text mentions, by heading: only words, since numbers may mean anything, and months and years of
        dates."""
        plain, written, words = text.casefold(), WORD.findall(text), words_of(text)
        telling = {word for word in words if len(word) >= SHORTEST and not is_small(word)}
        periods = _periods(plain)
        found = {
            heading: tuple(
                each for each in dict.fromkeys(cells) if _is_said(each.casefold(), plain, words) or _is_short(each, written)
            )
            or _called(cells, telling)
            or tuple(each for each in periods if each in cells or self.holds(heading, "dates"))
            for heading, cells in self.columns.items()
        }
        return {heading: cells for heading, cells in found.items() if cells}

    def holds(self, heading: str, kind: Holds) -> bool:
        """Whether most values of a column are of a kind; ``gaps``: any is missing; ``keys``: all are there and differ."""
        cells = self.columns.get(heading, ())
        if kind == "measures":
            return any(self.holds(heading, each) for each in MEASURES)
        if kind in ("gaps", "keys"):
            return "" in cells if kind == "gaps" else "" not in cells and len({*cells}) == len(cells) > 0
        there = [each for each in cells if each]
        if kind == "codes":
            numbers = [int(cell) for cell in cells] if self.holds(heading, "keys") and all(map(str.isdecimal, cells)) else []
            return bool(numbers) and max(numbers) - min(numbers) < len(numbers) * DENSE
        return sum(_is(kind, each) for each in there) * 2 > len(there)


def table_of(text: str) -> Table:
    """The table in a text: the first sheet, if there are sheets."""
    plain, *sheets = f"\n{text.removeprefix(BOM)}".split(f"\n{SHEET}")
    if plain.strip() or not sheets:
        return _table(plain)
    parts = (sheet.partition("\n") for sheet in sheets)
    found = {name.removesuffix("]"): _table(rows) for name, _, rows in parts}
    return replace(next(iter(found.values())), sheets=found)


def _table(text: str) -> Table:
    head, *below = [row for row in rows_of(text.lstrip()) if any(row)][: ROWS + 1] or [[""]]
    found: dict[str, tuple[str, ...]] = {}
    for at, heading in enumerate(head):
        if heading.strip():
            found.setdefault(heading.strip(), tuple(row[at].strip() if at < len(row) else "" for row in below))
    return Table(found)


def _called(cells: Iterable[str], said: Set[str]) -> tuple[str, ...]:
    """The one cell of a few words of which a word is ``said`` that no other cell has: Eva for Eva Long."""
    parts = {cell: {*words_of(cell)} for cell in dict.fromkeys(cells) if 1 < len(cell.split()) <= FEW_WORDS}
    found = [cell for cell, own in parts.items() if own & said]
    return tuple(found) if len(found) == 1 else ()


def _periods(text: str) -> tuple[str, ...]:
    """The months and years in a text in lower case: in march 2026, since 2020."""
    words = [word.strip(".,;:!?()") for word in text.split()]
    found: list[str] = []
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word in MONTHS and (_is_year(after) or before in SINCE):
            found.append(f"{word} {after}" if _is_year(after) else word)
        elif _is_year(word) and before in SINCE:
            found.append(word)
    return tuple(found)


def is_period(text: str) -> bool:
    """Whether a text is a month, a year, or both."""
    *months, last = text.casefold().split() or [""]
    return (_is_year(last) and all(each in MONTHS for each in months)) or text.casefold() in MONTHS


def _is_year(word: str) -> bool:
    return len(word) == len("2026") and word.isdecimal() and word[:2] in ("19", "20")


def _is_short(cell: str, words: Sequence[str]) -> bool:
    """Whether a cell of few letters is among the words as they are written, with a capital where no sentence begins (Bo, IT,
    B), or is one that no sentence needs: bo, but not is."""
    if not (cell.isalpha() and len(cell) < SHORTEST):
        return False
    plain = cell.casefold()
    telling = plain not in NEGATING and not is_small(plain)
    return (cell[0].isupper() and cell in words[1:]) or (telling and any(word.casefold() == plain for word in words))


def _is_said(cell: str, text: str, words: Iterable[str]) -> bool:
    """Whether a text, or one of its words with another ending, is a cell; all in lower case."""
    if len(cell) < SHORTEST or not any(sign.isalpha() for sign in cell):
        return False
    return speaks_of(text, cell) or (cell.isalpha() and any(_inflected(word, cell) for word in words))


def _inflected(word: str, other: str) -> bool:
    """Whether one word is the other with an ending, so that "saler" is no form of "Sales", nor "a" of "Ada"."""
    return (
        min(len(word), len(other)) >= SHORTEST
        and abs(len(word) - len(other)) <= ENDING
        and (word.startswith(other) or other.startswith(word))
    )


def is_date(text: str) -> bool:
    """Whether ``text`` is a date in digits."""
    parts = text.replace("/", "-").replace(".", "-").split("-")
    return len(parts) == 3 and all(each.isdecimal() for each in parts) and len(parts[1]) < 3


def _is(kind: Holds, cell: str) -> bool:
    dated = is_date(cell.split()[0])
    match kind:
        case "numbers":
            bare = cell.strip(BESIDE)
            return not (dated or _is("phones", cell)) and bare[:1].isdecimal() and not _is_code(bare) and _only(bare, ".,' ")
        case "dates":
            return dated or (len(words := cell.split()) == 3 and words[0].strip(".").isdecimal() and words[2].isdecimal())
        case "times":
            return ":" in cell and len(cell) <= len("23:59:59") and _only(cell, ":")
        case "mails":
            return "@" in cell and " " not in cell
        case "phones":
            grouped = any(len(group) != THOUSAND for group in cell.split()[1:])
            called = cell[0] in "+(0" or grouped or sum(map(cell.count, "-/.")) > 1
            return not dated and called and len(cell) > 5 and _only(cell, "+()/-. ")
        case "words":
            return cell[0].isalpha() and "@" not in cell
        case "gaps" | "keys" | "codes" | "measures":
            return False


def _is_code(number: str) -> bool:
    return number.startswith("0") and number[1:2].isdecimal()


def _only(cell: str, signs: Iterable[str]) -> bool:
    return all(sign.isdecimal() or sign in signs for sign in cell)
