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
_IT = r"(?:it|this|that|them|the\s+[\w -]{2,30}?|(?:his|her|their|its)\s+[\w -]{2,30}?)"
_APPLIED = (
    (r"(?:%|percent)", ""),
    (rf"\bmultipl\w+\s+{_IT}\s+(?:by|with)\s+N\b|\b{_IT}\s+times\s+N\b|\bN\s+times\s+{_IT}\b|\btimes\s+N\b", "V*N"),
    (rf"\bdivid\w+\s+{_IT}\s+by\s+N\b|\bsplit\w*\s+{_IT}\s+(?:by|between|among)\s+N\b|\bdivided\s+by\s+N\b", "V/N"),
    (rf"\badd\w*\s+N\s+(?:\w+\s+)?to\s+{_IT}|\badd\w*\s+{_IT}\s+(?:to|and)\s+N\b|\bplus\s+N\b", "V+N"),
    (rf"\b(?:subtract\w*|tak\w+|deduct\w*)\s+N\s+(?:\w+\s+)?(?:away\s+)?(?:from|off)\s+{_IT}|\bminus\s+N\b", "V-N"),
    (
        r"\b(?:what|how much)\b[^.?!]*\bN\s+[a-z][\w -]{1,60}?\s+(?:would\s+|will\s+|do\s+|does\s+|are\s+)?"
        r"(?:costs?|come to|comes to|make|makes|amount|earn|earns|add up|bring|worth)\b|"
        r"\b(?:cost|costs|price|pay|wage|earnings|amount|total)\s+(?:of|for)\s+N\s+[a-z]|"
        r"\b(?:what|how much)\b[^.?!]*\b(?:earns?|gets?|is paid|is to be paid|costs?|pay)\b[^.?!]*\b(?:for|in)\s+N\s+[a-z]",
        "V*N",
    ),
)
"""What is wanted with one number N of the words and one value V that was found out; percentages are left to others."""
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


def applied(words: str, value: str) -> str:
    """The calculation that ``words`` want with a number that was found out before ("what 3 of it cost", "multiply it by 3"),
    in the signs of a calculator; '' where there is none, or more than one number is said."""
    bare = re.sub(r"\b(?:an?|one|1|per|each)\s+(?:hour|day|piece|unit|week|month)\b", "", words, flags=re.I)
    numbers = re.findall(rf"(?<![\w.])(?:{_NUMBER})(?![\w.]*\d)", bare)
    plain = re.sub(r"[^\d.]", "", value.replace(",", "")).strip(".")
    if len(numbers) != 1 or not plain or worth(plain) is None:
        return ""
    number = numbers[0].replace(",", "")
    for form, made in _APPLIED:
        if re.search(form.replace("N", re.escape(numbers[0])), bare, re.I):
            return made.replace("N", number).replace("V", plain)
    return ""


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
    names = {c.name for c in seen.in_front if "click" in c.operations}
    return len(names & set("0123456789")) >= 8 and bool(names & {"=", "+"})


def displays(seen: Observation) -> list[str]:
    """What the active window shows in fields and texts, the newest lines first."""
    values = [c.value for c in seen.in_front if c.value]
    return [line.strip() for text in (*values, seen.text) for line in reversed(text.splitlines()) if line.strip()]


def _value(node: ast.expr) -> Decimal:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Decimal(str(node.value))
    if isinstance(node, ast.BinOp) and (done := _OPERATIONS.get(type(node.op))) is not None:
        return done(_value(node.left), _value(node.right))
    raise ValueError
