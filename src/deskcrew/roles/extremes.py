"""The row of a table that words mean by what is most or least in it: "which laptop is the cheapest?"

A small model names the first row, and finds that supported. Compared is only where every word is understood: one column can
be meant, all of it are figures, one row has the extreme. Whatever else the words say ("with 16 GB") leaves it to others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from deskcrew.roles.tabular import Table, column_named

_MONEY = frozenset(["price", "prices", "cost", "costs", "fee", "fees", "rate", "rates", "fare", "fares", "amount", "charge"])
_BY: dict[str, tuple[int, frozenset[str]]] = {
    **dict.fromkeys(("cheapest", "least expensive"), (-1, _MONEY)),
    **dict.fromkeys(("most expensive", "dearest", "priciest", "costliest"), (1, _MONEY)),
    "heaviest": (1, frozenset({"weight"})),
    "lightest": (-1, frozenset({"weight"})),
    "tallest": (1, frozenset({"height"})),
    "longest": (1, frozenset({"length", "duration"})),
    "shortest": (-1, frozenset({"length", "duration", "height"})),
    "oldest": (1, frozenset({"age"})),
    "youngest": (-1, frozenset({"age"})),
}
"""Words that say what is compared, as the titles of its column, and which end of it is meant."""
_ENDS = {
    **dict.fromkeys(("highest", "largest", "biggest", "greatest", "most", "maximum", "longest", "best"), 1),
    **dict.fromkeys(("lowest", "smallest", "least", "fewest", "minimum", "shortest"), -1),
}
_EXTREME = "|".join(sorted((re.escape(word) for word in {*_BY, *_ENDS}), key=len, reverse=True))
SUPERLATIVE = re.compile(
    rf"\b(?:{_EXTREME}|newest|latest|earliest|closest|nearest|fastest|slowest|worst|strongest|hottest|coldest)\b", re.I
)
"""Words that ask for a comparison."""
_ASKS = r"^(?:(?:and|then|please|now|find out|check|see|look up|tell me|let me know|i (?:need|want) to know)[\s,:]+)*"
_NOUN = r"(?P<noun>[a-z][\w-]*(?:\s+[a-z][\w-]*)?)"
_THERE = r"(?:\s+(?:(?:shown|listed|offered|there|here)\b)?\s*(?:(?:on|in|of)\s+(?:the|this|that)\s+[\w-]+(?:\s+\w+)?)?)?"
_FORMS = tuple(
    re.compile(rf"{_ASKS}{form}{_THERE}\s*[?.!]*$", re.I)
    for form in (
        rf"(?:which|what)\s+{_NOUN}\s+(?:is|has|have|was|had|got)\s+(?:the\s+)?(?P<end>{_EXTREME})"
        r"(?:\s+(?P<column>[\w-]+(?:\s+\w+)?))?",
        rf"(?:which|what)\s+{_NOUN}\s+(?P<column>costs?)\s+(?:the\s+)?(?P<end>most|least)",
        r"(?:what(?:\s+is|['’]s)|which\s+is|name|find|give me)\s+(?:the\s+name\s+of\s+)?"
        rf"the\s+(?P<end>{_EXTREME})\s+{_NOUN}",
    )
)
_FIGURE = re.compile(r"^[^\w-]*(-?\d[\d.,'\s]*\d|-?\d)(?:\s*[^\d\s:./-].{0,12})?$")


def extreme_named(tables: Sequence[Table], words: str) -> str:
    """What ``words`` ask for by what is most or least in one of ``tables``; '' where there is a doubt."""
    match = next((found for form in _FORMS if (found := form.match(words.strip()))), None)
    if match is None:
        return ""
    found = {value for table in tables if (value := _in(table, match))}
    return found.pop() if len(found) == 1 else ""


def _in(table: Table, match: re.Match[str]) -> str:
    end = match["end"].casefold()
    said = match.groupdict().get("column") or ""
    sign, titles = _BY[end] if end in _BY and not said else (_ENDS.get(end, 0) or _BY.get(end, (0,))[0], frozenset[str]())
    head = [title.casefold() for title in table.rows[0]]
    if titles:
        columns = [at for at, title in enumerate(head) if titles & set(re.findall(r"[a-z]+", title))]
        column = columns[0] if len(columns) == 1 else None
    else:
        column = column_named(table, "price" if said.casefold().startswith("cost") else said or match["noun"])
    rows = table.rows[1:]
    if column is None or not sign or len(rows) < 2 or any(len(row) <= column for row in rows):
        return ""
    figures = [figure(row[column]) for row in rows]
    if None in figures:
        return ""
    best = max(sign * value for value in figures if value is not None)
    at = [number for number, value in enumerate(figures) if value is not None and sign * value == best]
    if len(at) != 1:
        return ""
    if not said and not titles:
        return rows[at[0]][column]  # the figure itself is asked for
    key = column_named(table, match["noun"], besides=column)
    key = (
        next((c for c, cell in enumerate(rows[at[0]]) if c != column and figure(cell) is None), None) if key is None else key
    )
    return rows[at[0]][key] if key is not None else ""


def figure(text: str) -> float | None:
    """The number that a cell holds, with a unit or none; None where it is no figure, or may be read in two ways."""
    match = _FIGURE.match(text.strip())
    if match is None:
        return None
    number = re.sub(r"[\s']", "", match[1])
    marks = re.findall(r"[.,]", number)
    if len(set(marks)) == 2:  # 1,099.50 or 1.099,50: the last one is that of decimals
        number = number.replace(marks[0], "").replace(",", ".")
    elif len(marks) > 1 and not re.fullmatch(r"-?\d{1,3}(?:[.,]\d{3})+", number):
        return None  # a date, or a number of another kind
    elif marks and re.fullmatch(r"-?[1-9]\d{0,2}(?:[.,]\d{3})+", number):
        number = re.sub(r"[.,]", "", number)
    else:
        number = number.replace(",", ".")
    try:
        return float(number)
    except ValueError:
        return None
