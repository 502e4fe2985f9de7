"""Messages about invalid input, with what is valid."""

from __future__ import annotations

from pydantic import ValidationError

PLAIN = frozenset(
    {"int_parsing", "float_parsing", "bool_parsing", "literal_error", "finite_number", "int_from_float"}
    | {"greater_than", "greater_than_equal", "less_than", "less_than_equal"}
)
"""Kinds of errors in numbers, booleans and choices. Any other value may contain a password, and is not shown."""


def said_with(error: ValidationError) -> str:
    """The first validation error as a sentence, with the given value if that may be shown."""
    one = error.errors()[0]
    wrong = one["msg"].removeprefix("Value error, ").partition(", unable")[0].rstrip(".")
    if one["type"] not in PLAIN:
        return wrong
    return f"{one['input']!r} was given; {wrong.replace('Input should', 'it should')}"
