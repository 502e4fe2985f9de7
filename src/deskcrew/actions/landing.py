"""Compares what was typed into a spreadsheet with what it shows: the same value counts, however the sheet formats it.

A sheet shows 1234.5 as 1,234.50, an ISO date in its locale's format, and a formula as its result. What it converted,
autocompleted or refused is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from itertools import zip_longest

from deskcrew.actions.action import Finding
from deskcrew.environments.dates import dates_in, means
from deskcrew.facts.addresses import Cells, address_of

NAMED = 6
"""Maximum number of cells reported individually."""
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_FIGURES = frozenset("0123456789.,+-eE")
_AROUND = " \t\n\u00a0\u202f$€£¥"
_WRONG = re.compile(r"#[^\s]+[!?]|#N/A|#+|Err:\d+")
"""What a formula with an error shows."""


def landed(typed: str, read: str, start: Cells) -> Finding:
    """Whether the cells from ``start`` on contain what was typed. ``read``: their contents, in the same rows and columns;
    LibreOffice reports a formula with an error as an empty cell."""
    total, wrong, unsure, results = 0, list[str](), list[str](), list[str]()
    for row, column, text, shown in _pairs(typed, read):
        total += 1
        where = address_of(start.top + row, start.left + column)
        formula = text.startswith("=") and len(text) > 1
        if problem := _problem(text, shown):
            wrong.append(f"{where} {problem}")
        elif formula and not shown:
            unsure.append(f"{where} tells nothing: its formula has an error, or an empty result")
        elif formula:
            results.append(f"{where} shows {shown!r}")
    held = total - len(wrong) - len(unsure)
    told = f"{held} of {total} {'cell holds' if total == 1 else 'cells hold'} what was typed"
    named = [*wrong, *unsure] or results
    why = f"{told}; {_listed(named)}" if named else told
    return Finding(held=False if wrong else None if unsure else True, why=why)


def _pairs(typed: str, read: str) -> Iterator[tuple[int, int, str, str]]:
    """Row, column, what was typed and what is shown, cell by cell."""
    rows = typed.replace("\r\n", "\n").removesuffix("\n").split("\n")
    for row, (line, told) in enumerate(zip_longest(rows, read.split("\n")[: len(rows)], fillvalue="")):
        texts = line.split("\t")
        for column, (text, shown) in enumerate(zip_longest(texts, told.split("\t")[: len(texts)], fillvalue="")):
            yield row, column, text.strip(), shown.strip()


def _listed(told: list[str]) -> str:
    more = f" and {len(told) - NAMED} more" if len(told) > NAMED else ""
    return "; ".join(told[:NAMED]) + more


def _problem(typed: str, shown: str) -> str:
    """What is wrong with a cell, '' if nothing."""
    if typed.startswith("=") and len(typed) > 1:
        if shown == typed:
            return "shows the formula as text"
        return f"shows {shown!r} for {typed!r}" if _WRONG.fullmatch(shown) else ""
    return "" if same(typed, shown) else f"shows {shown!r}, not {typed!r}"


def same(typed: str, shown: str) -> bool:
    """Whether a cell's text stands for the value that was typed."""
    if shown == typed or (typed.startswith("'") and shown == typed[1:]):
        return True
    if typed.casefold() in ("true", "false"):
        return shown.casefold() == typed.casefold()
    return _same_number(typed, shown) or means(typed, shown) or _same_date(typed, shown)


def _same_number(typed: str, shown: str) -> bool:
    """Whether two numbers agree in the digits shown."""
    if typed.lstrip("+-")[:1] == "0" and typed.lstrip("+-")[1:2].isdecimal():
        return False  # it loses something as a number: a postal code, a telephone number
    shares = typed.endswith("%"), shown.endswith("%")
    for wanted in _numbers(typed):
        for number in _numbers(shown):
            exponent = number.as_tuple().exponent
            slack = Decimal(5).scaleb(exponent - 1) if isinstance(exponent, int) else Decimal(0)
            scaled = [wanted, wanted * 100] if shares == (False, True) else [wanted]
            scaled = [wanted, wanted / 100] if shares == (True, False) else scaled
            if any(abs(each - number) <= (slack if len(_digits(each)) > len(_digits(number)) else 0) for each in scaled):
                return True
    return False


def _digits(number: Decimal) -> str:
    return "".join(map(str, number.normalize().as_tuple().digits))


def _numbers(text: str) -> set[Decimal]:
    """The possible values of a number: 1,234 is one thousand in one locale and one and a bit in another."""
    text = text.strip(_AROUND).rstrip(f"%{_AROUND}")
    if text.startswith("(") and text.endswith(")"):
        text = f"-{text[1:-1]}"
    readings: set[str] = set()
    if match := _GROUPED.fullmatch(text):
        readings.add(text.replace(match[1], "").replace(",", "."))
    if _FIGURES.issuperset(text):
        readings.add(text.replace(",", "."))
    found: set[Decimal] = set()
    for reading in readings:
        try:
            found.add(Decimal(reading))
        except InvalidOperation:
            continue
    return found


def _same_date(typed: str, shown: str) -> bool:
    """Whether both texts can mean the same date, since a sheet reads figures in the order in which it shows them. Dotted
    figures without a whole year are excluded: they are as often a version number."""
    return "." not in typed and not dates_in(typed).isdisjoint(dates_in(shown))
