"""What must equal a reference result: a table a task, of checks that say what of it counts and what is anybody's choice."""

from __future__ import annotations

import colorsys
from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from openpyxl.utils.cell import get_column_letter
from pydantic import Field

from deskcrew.facts.observation import Frozen
from deskcrew_bench.sheets.book import Book, Cells, Chart, Place, Series, Value, bounds, located, same

NEW, ANY = "new", "any"
"""In the place of a sheet's name: one that was not there at the start, or was empty; any at all."""
MOST = 3
"""Differences that are told of one check."""
PALE = 0.12
"""Saturation below which a colour has no hue that people see."""
HUES = (20, 45, 70, 165, 185, 260, 335)
"""Degrees between red, orange, yellow, green, cyan, blue, purple, and red again."""


class Compared:
    """A result beside one reference and the workbook that it began with."""

    def __init__(self, result: Book, gold: Book, start: Book) -> None:
        self.result, self.gold, self.start = result, gold, start

    def sheets(self, where: str) -> tuple[str, ...]:
        """The result's sheets that ``where`` means."""
        if where == NEW:
            shown = {chart.sheet for chart in self.result.charts}
            return tuple(
                name for name in (*self.result.sheets, *sorted(shown.difference(self.result.sheets)))
                if not self.start.cells(name) and (self.result.cells(name) or name in shown)
            )  # fmt: skip
        return self.result.sheets if where == ANY else tuple(name for name in self.result.sheets if name == where)


class Same(Frozen):
    """A sheet's cells have the same values as the gold's; only those in ``range``, where one is given."""

    what: Literal["same"]
    sheet: str
    range: str = ""

    def differences(self, compared: Compared) -> Iterator[str]:
        if self.sheet not in compared.result.sheets:
            yield f"there is no sheet {self.sheet}"
            return
        ours, theirs = compared.result.cells(self.sheet), compared.gold.cells(self.sheet)
        places = _places(self.range) if self.range else sorted({*ours, *theirs})
        for place in places:
            if not same(ours.get(place), theirs.get(place)):
                yield f"{_at(self.sheet, place)} is {ours.get(place)!r}, not {theirs.get(place)!r}"


class Sorted(Frozen):
    """The rows of ``range`` are the gold's, in its order but for rows that have the same in column ``by``."""

    what: Literal["sorted"]
    sheet: str
    range: str
    by: str

    def differences(self, compared: Compared) -> Iterator[str]:
        left, top, _, _ = bounds(self.range)
        by = bounds(f"{self.by}1")[0] - left
        ours, theirs = (book.block(f"'{self.sheet}'!{self.range}") for book in (compared.result, compared.gold))
        for number, (mine, wanted) in enumerate(zip(ours, theirs, strict=True), top):
            if not same(mine[by], wanted[by]):
                yield f"{self.sheet}!{self.by}{number} is {mine[by]!r}, not {wanted[by]!r}"
        left_over = list(theirs)
        for number, mine in enumerate(ours, top):
            found = next((each for each in left_over if _alike(mine, each)), None)
            if found is None:
                yield f"row {number} of {self.sheet} is none of the rows that there were"
            else:
                left_over.remove(found)


class Block(Frozen):
    """The gold's cells ``of`` stand together in one of the sheets that ``where`` means; ``fixed``: at the same place.
    ``accounting``: their numbers have a format of that kind."""

    what: Literal["block"]
    of: str
    where: str
    fixed: bool = False
    accounting: bool = False

    def differences(self, compared: Compared) -> Iterator[str]:
        wanted = compared.gold.block(self.of)
        _, (left, top, _, _) = located(self.of)
        sheets = compared.sheets(self.where)
        found = [(sheet, place) for sheet in sheets for place in _standing(compared.result, sheet, wanted)]
        if self.fixed:
            found = [each for each in found if each[1] == (top, left)]
        if not found:
            yield f"the values of {self.of} stand {'not at their place' if self.fixed else 'nowhere'} in {_named(sheets)}"
        elif self.accounting and not any(self._accounting(compared.result, *each, wanted) for each in found):
            yield f"the numbers of {self.of} have no accounting format"

    def _accounting(self, book: Book, sheet: str, place: Place, wanted: list[list[Value]]) -> bool:
        """Whether numbers but the first row's and column's labels are padded to the cell's width, as that kind is."""
        return all(
            "*" in book.number_format(sheet, (place[0] + row, place[1] + column))
            for row, line in enumerate(wanted)
            for column, value in enumerate(line)
            if isinstance(value, float) and (row or len(wanted) == 1)
        )


class Summary(Frozen):
    """A table that says of each key, in the gold's first column ``of``, the values beside it: as rows or as columns, in any
    order, with any totals and any labels. ``labelled``: the first row says which value is which, in any order too."""

    what: Literal["summary"]
    of: str
    where: str
    labelled: bool = False

    def differences(self, compared: Compared) -> Iterator[str]:
        wanted, sheets = compared.gold.block(self.of), compared.sheets(self.where)
        best: list[str] | None = None
        for sheet in sheets:
            cells = compared.result.cells(sheet)
            for grid in (cells, {(column, row): value for (row, column), value in cells.items()}):
                wrong = self._labelled(grid, wanted) if self.labelled else self._plain(grid, wanted)
                best = wrong if best is None or len(wrong) < len(best) else best
        yield from best if best is not None else [f"there is no table in {_named(sheets)}"]

    def _plain(self, grid: Cells, wanted: list[list[Value]]) -> list[str]:
        lines = _lines(grid)
        wrong: list[str] = []
        for key, *values in wanted:
            beside = [
                line[at + 1 : at + 1 + len(values)] for line in lines for at, each in enumerate(line) if same(each, key)
            ]
            if not any(_alike(each, values) for each in beside):
                wrong.append(f"{key!r} has {beside[0] if beside else 'no row'}, not {values}")
        return wrong

    def _labelled(self, grid: Cells, wanted: list[list[Value]]) -> list[str]:
        lines = _lines(grid)
        (_, *labels), *rows = wanted
        texts = [str(label) for label in labels]
        head = next((line for line in lines if set(texts) <= set(map(str, line))), None)
        if head is None:
            return [f"no row has the labels {texts[0]!r} and so on"] * (len(rows) + 1)
        columns = [list(map(str, head)).index(text) for text in texts]
        keyed = {str(line[0]): line for line in reversed(lines) if line and line[0] is not None}
        wrong: list[str] = []
        for key, *values in rows:
            line = keyed.get(str(key), [])
            mine = [line[at] if at < len(line) else None for at in columns]
            if not all(same(one, two) or (not one and not two) for one, two in zip(mine, values, strict=True)):
                wrong.append(f"the row of {key!r} differs")
        return wrong


class Highlighted(Frozen):
    """Those rows of ``range`` stand out that do in the gold, and no others; ``cells``: those cells. Colours have the gold's
    hue; ``font``: that of texts too."""

    what: Literal["highlighted"]
    sheet: str
    range: str
    cells: bool = False
    font: bool = False

    def differences(self, compared: Compared) -> Iterator[str]:
        before = compared.start.looks.get(self.sheet, {})
        ours, theirs = compared.result.looks.get(self.sheet, {}), compared.gold.looks.get(self.sheet, {})
        wanted = {place: theirs[place] for place in _places(self.range) if place in theirs and theirs[place].fill}
        whole = {place for place, look in ours.items() if look.fill and (place not in before or look != before[place])}
        like = next(iter(wanted.values()))
        if self.cells:
            wrong: set[Place] | set[int] = whole ^ set(wanted)
            yield from (f"{_at(self.sheet, place)} is wrongly highlighted or not" for place in sorted(whole ^ set(wanted)))
        else:
            wrong = {row for row, _ in whole} ^ {row for row, _ in wanted}
            yield from (f"row {row} of {self.sheet} is wrongly highlighted or not" for row in sorted(wrong))
        if wrong:
            return
        for place in sorted(whole):
            look = ours[place]
            if not _hue(look.fill, like.fill) or (self.font and not _hue(look.font, like.font)):
                yield f"{_at(self.sheet, place)} is {look.font or 'black'} on {look.fill}, not {like.font} on {like.fill}"


class Styled(Frozen):
    """A cell of a sheet that ``where`` means has the gold's fill, colour and weight; ``merged``: the range is one cell."""

    what: Literal["styled"]
    of: str
    where: str
    merged: str = ""

    def differences(self, compared: Compared) -> Iterator[str]:
        sheet, (left, top, _, _) = located(self.of)
        wanted, text = compared.gold.looks[sheet][(top, left)], compared.gold.cells(sheet).get((top, left))
        sheets = compared.sheets(self.where)
        for each in sheets:
            look = compared.result.looks.get(each, {}).get((top, left))
            if look is None or not same(compared.result.cells(each).get((top, left)), text):
                continue
            merged = {str(area) for area in compared.result.written[each].merged_cells.ranges}
            if self.merged and self.merged not in merged:
                yield f"{self.merged} is not merged"
            if not (_hue(look.fill, wanted.fill) and _hue(look.font, wanted.font) and look.bold == wanted.bold):
                yield f"{_at(each, (top, left))} looks {look}, not {wanted}"
            return
        yield f"{text!r} does not stand at {_at('', (top, left))} in {_named(sheets)}"


class Charted(Frozen):
    """A chart of one of these ``kinds`` in a sheet that ``where`` means draws the gold's values over its categories. Titles,
    ``legend`` and ``labels`` count where they are named; ``ordered``: so does the order of the points."""

    what: Literal["chart"]
    kinds: tuple[str, ...]
    where: str
    counts: tuple[Literal["title", "x", "y", "legend", "labels"], ...] = ()
    ordered: bool = False

    def differences(self, compared: Compared) -> Iterator[str]:
        (wanted,), sheets = compared.gold.charts, compared.sheets(self.where)
        charts = [chart for chart in compared.result.charts if chart.sheet in sheets]
        best = min((self._wrong(chart, wanted) for chart in charts), key=len, default=None)
        yield from best if best is not None else [f"there is no chart in {_named(sheets)}"]

    def _wrong(self, chart: Chart, wanted: Chart) -> list[str]:
        wrong = [] if chart.kind in self.kinds else [f"the chart is of the kind {chart.kind}"]
        if len(chart.series) != len(wanted.series):
            wrong.append(f"the chart has {len(chart.series)} series, not {len(wanted.series)}")
        wrong += [
            f"no series of the chart is {each.name or 'the one wanted'!r}"
            for each in wanted.series
            if not any(self._drawn(mine, each) for mine in chart.series)
        ]
        for name in self.counts:
            mine, theirs = getattr(chart, name), getattr(wanted, name)
            if mine != theirs and str(mine).strip().casefold() != str(theirs).strip().casefold():
                wrong.append(f"the chart's {name} is {mine!r}, not {theirs!r}")
        return wrong

    def _drawn(self, mine: Series, wanted: Series) -> bool:
        if len(mine.points) != len(wanted.points):
            return False
        if self.ordered:
            return all(_alike(one, two) for one, two in zip(mine.points, wanted.points, strict=True))
        return all(any(_alike(one, two) for two in mine.points) for one in wanted.points)


class Pivoted(Frozen):
    """There is a pivot table with the gold's fields in a sheet that ``where`` means; ``fixed``: at the same cell."""

    what: Literal["pivot"]
    where: str
    fixed: bool = False

    def differences(self, compared: Compared) -> Iterator[str]:
        (wanted,), sheets = compared.gold.pivots, compared.sheets(self.where)
        fields = [(each.rows, each.columns, each.data) for each in compared.result.pivots if each.sheet in sheets]
        if not fields:
            yield f"there is no pivot table in {_named(sheets)}"
        elif (wanted.rows, wanted.columns, wanted.data) not in fields:
            yield f"the pivot table is of {fields[0]}, not {(wanted.rows, wanted.columns, wanted.data)}"
        elif self.fixed and not any(each.at == wanted.at for each in compared.result.pivots if each.sheet in sheets):
            yield f"the pivot table does not begin at {wanted.at}"


class Linked(Frozen):
    """The cells of ``range`` are linked to what the gold's are, in whatever folder a program writes that it is."""

    what: Literal["linked"]
    sheet: str
    range: str

    def differences(self, compared: Compared) -> Iterator[str]:
        ours, theirs = compared.result.links(self.sheet), compared.gold.links(self.sheet)
        for place in _places(self.range):
            mine, wanted = ours.get(place, ""), theirs.get(place, "")
            if mine.rpartition("/")[2] != wanted.rpartition("/")[2]:
                yield f"{_at(self.sheet, place)} is linked to {mine!r}, not {wanted!r}"


class Filtered(Frozen):
    """The same rows are shown."""

    what: Literal["filtered"]
    sheet: str

    def differences(self, compared: Compared) -> Iterator[str]:
        rows = sorted(compared.result.hidden(self.sheet) ^ compared.gold.hidden(self.sheet))
        yield from (f"row {row} of {self.sheet} is shown, or not, and should be otherwise" for row in rows)


Check = Annotated[
    Same | Sorted | Block | Summary | Highlighted | Styled | Charted | Pivoted | Linked | Filtered,
    Field(discriminator="what"),
]


class Must(Frozen):
    """What counts of one task. ``begin``: whose first sheets the work begins with: the workbook's, or the gold's own, where
    the workbook is not the one that the gold was made from."""

    checks: tuple[Check, ...] = Field(min_length=1)
    begin: Literal["workbook", "gold"] = "workbook"

    def wrong(self, result: Book, golds: Sequence[Book], start: Book) -> list[str]:
        """How ``result`` differs from that of ``golds`` which it is nearest to; [] where it is right."""
        found = [self._against(Compared(result, gold, start)) for gold in golds]
        return min(found, key=len)

    def _against(self, compared: Compared) -> list[str]:
        return [text for check in self.checks for text in _first(check.differences(compared))]


def _first(texts: Iterator[str]) -> list[str]:
    every = list(texts)
    return every if len(every) <= MOST else [*every[:MOST], f"and {len(every) - MOST} more"]


def _alike(first: Sequence[Value], other: Sequence[Value]) -> bool:
    return len(first) == len(other) and all(same(one, two) for one, two in zip(first, other, strict=True))


def _places(area: str) -> list[Place]:
    left, top, right, bottom = bounds(area)
    return [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]


def _standing(book: Book, sheet: str, wanted: list[list[Value]]) -> Iterator[Place]:
    """Where a block of values begins in a sheet."""
    cells = book.cells(sheet)
    for row, column in cells:
        if same(cells[row, column], wanted[0][0]) and all(
            same(cells.get((row + down, column + right)), value)
            for down, line in enumerate(wanted)
            for right, value in enumerate(line)
        ):
            yield row, column


def _lines(cells: Cells) -> list[list[Value]]:
    """The rows of a sheet that are not empty."""
    rows: dict[int, dict[int, Value]] = {}
    for (row, column), value in cells.items():
        rows.setdefault(row, {})[column] = value
    return [[line.get(column) for column in range(1, max(line) + 1)] for _, line in sorted(rows.items())]


def _hue(colour: str, wanted: str) -> bool:
    """Whether two colours, '' for none, would be called by the same name: black, white and greys by how light they are."""
    if not colour or not wanted:
        return colour == wanted
    (hue, light, strong), (other, bright, full) = _parts(colour), _parts(wanted)
    if strong < PALE or full < PALE or {light, bright} & {0.0, 1.0}:
        return abs(light - bright) < 0.15 and (strong < PALE or light in (0.0, 1.0)) == (full < PALE or bright in (0.0, 1.0))
    return _name(hue) == _name(other)


def _name(hue: float) -> int:
    return bisect(HUES, 360 * hue) % len(HUES)


def _parts(colour: str) -> tuple[float, float, float]:
    """Hue, lightness and saturation, each 0 to 1."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return colorsys.rgb_to_hls(red, green, blue)


def _at(sheet: str, place: Place) -> str:
    name = f"{get_column_letter(place[1])}{place[0]}"
    return f"{sheet}!{name}" if sheet else name


def _named(sheets: Sequence[str]) -> str:
    return ", ".join(sheets) if sheets else "a sheet that is not there"
