"""Whether a program compares numbers of a CSV file as text, so that 9 comes after 100.

Small models forget to convert the values that they sort by. Nothing fails, and the result looks right.
"""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterator, Sequence

from deskcrew.actions.tables import delimiter_of

_ORDERS = frozenset({"sort", "sorted", "min", "max", "nlargest", "nsmallest"})
_CONVERTS = r"(?:int|float|Decimal)\s*\([^()\n]*\[\s*['\"]?{}['\"]?\s*\]"


def compared_as_text(code: str, tables: Sequence[str]) -> str:
    """The name of the numeric column by which ``code`` orders rows as text; '' if there is none, or it makes no
    difference. ``tables``: the texts of the CSV files that it read."""
    if "csv" not in code or "pandas" in code:
        return ""
    try:
        keys = dict.fromkeys(_keys(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    for key in keys:
        if re.search(_CONVERTS.format(re.escape(str(key))), code):
            continue
        for text in tables:
            if (name := _misordered(text, key)) is not None:
                return name
    return ""


def _keys(tree: ast.AST) -> Iterator[str | int]:
    """The literal keys that the code orders by: ``row['x']`` or ``row[1]`` without a conversion."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in _ORDERS:
            continue
        lambdas = [each.value.body for each in node.keywords if each.arg == "key" and isinstance(each.value, ast.Lambda)]
        plain = [each.elt for each in node.args if isinstance(each, (ast.GeneratorExp, ast.ListComp))]
        for body in lambdas or plain:
            if isinstance(body, ast.Subscript) and isinstance(body.slice, ast.Constant):
                value = body.slice.value
                if isinstance(value, (str, int)):
                    yield value


def _misordered(text: str, key: str | int) -> str | None:
    """The name of the column, if its numbers are ordered differently as text; else None."""
    try:
        header, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)) if row]
    except (csv.Error, ValueError):
        return None
    at = key if isinstance(key, int) else header.index(key) if key in header else None
    if at is None or not -len(header) <= at < len(header):
        return None
    cells = [row[at] for row in rows if len(row) == len(header)]
    try:
        differs = sorted(cells) != sorted(cells, key=float)
    except ValueError:
        return None
    return header[at] if differs else None
