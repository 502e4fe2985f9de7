"""What somebody wrote that does not fit, said with what fits."""

from __future__ import annotations

from pydantic import ValidationError

PLAIN = frozenset(
    {"int_parsing", "float_parsing", "bool_parsing", "literal_error", "finite_number", "int_from_float"}
    | {"greater_than", "greater_than_equal", "less_than", "less_than_equal"}
)
"""Kinds of mistakes in a number, a yes or no, or a choice. Any other value may hold a password, and is not shown."""


def said_with(error: ValidationError) -> str:
    """What is wrong first, with what was given."""
    one = error.errors()[0]
    wrong = one["msg"].removeprefix("Value error, ").partition(", unable")[0].rstrip(".")
    if one["type"] not in PLAIN:
        return wrong
    return f"{one['input']!r} was given; {wrong.replace('Input should', 'it should')}"
