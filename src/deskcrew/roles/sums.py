"""A calculation that words spell out, as the keys of a calculator and as the number that must come out."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from decimal import Decimal, DivisionByZero, InvalidOperation

from deskcrew.observation import Observation

_NUMBER = r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SIGNS = (
    (r"multiplied\s+by|times|×|\*|(?<=\d)\s*x(?=\s*\d)", "*"),
    (r"divided\s+by|over|÷|/", "/"),
    (r"added\s+to|plus|\+", "+"),
    (r"minus|less|−|–|-", "-"),
)
_SIGN = "|".join(form for form, _ in _SIGNS)
_CHAIN = re.compile(
    rf"(?<![\w.])\(*\s*(?:{_NUMBER})\s*\)*(?:\s*(?:{_SIGN})\s*\(*\s*(?:{_NUMBER})\s*\)*)+(?![\w%]|\.\d)",
    re.I,
)
_OPERATIONS: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda left, right: left / right,
}
_PRECISION = Decimal("1e-6")


def spelt_out(words: str) -> str:
    """The one calculation in ``words`` in the signs of a calculator; '' where there is none, or more than that is said."""
    found = list(_CHAIN.finditer(words))
    if len(found) != 1:
        return ""
    rest = words[: found[0].start()] + words[found[0].end() :]
    if re.search(
        r"\d|\b(?:percent|squared|cubed|root|power|sum of|product of|half|twice|double|then|remainder|rounded)\b", rest, re.I
    ):
        return ""
    said = found[0].group(0)
    for form, sign in _SIGNS:
        said = re.sub(form, sign, said, flags=re.I)
    expression = re.sub(r"[\s,]", "", said)
    return expression if worth(expression) is not None else ""


def worth(expression: str) -> Decimal | None:
    """What comes out; None where nothing does."""
    try:
        return _value(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError, InvalidOperation, DivisionByZero, RecursionError):
        return None


def says(shown: str, value: Decimal) -> bool:
    """Whether a display that says ``shown`` shows ``value``, in as many places as it has."""
    plain = re.sub(r"[\s,'\u202f\u00a0]", "", shown).replace("−", "-").strip("=")
    try:
        told = Decimal(plain)
    except InvalidOperation:
        return False
    return abs(told - value) <= max(_PRECISION * abs(value), Decimal(0))


def is_calculator(seen: Observation) -> bool:
    """Whether the active window has a button for each digit; one or two may be under the pointer's tip."""
    window = seen.active_window
    names = {c.name for c in seen.controls if window is not None and c.window == window.id and "click" in c.operations}
    return len(names & set("0123456789")) >= 8 and bool(names & {"=", "+"})


def displays(seen: Observation) -> list[str]:
    """What the active window shows in fields and texts, the newest lines first."""
    window = seen.active_window
    values = [c.value for c in seen.controls if window is not None and c.window == window.id and c.value]
    return [line.strip() for text in (*values, seen.text) for line in reversed(text.splitlines()) if line.strip()]


def _value(node: ast.expr) -> Decimal:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Decimal(str(node.value))
    if isinstance(node, ast.BinOp) and (done := _OPERATIONS.get(type(node.op))) is not None:
        return done(_value(node.left), _value(node.right))
    raise ValueError
