"""What is wrong with input, in words for people, with what is valid; pydantic's own words are for models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

MOST = 3
"""The number of problems reported at once."""
_RIGHT: Mapping[str, str] = {
    "literal_error": "{expected}",
    "finite_number": "a number",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "greater_than": "more than {gt}",
    "less_than": "less than {lt}",
}
_KINDS: Mapping[str, str] = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "dict": "a table of names and values",
    "model": "a table of names and values",
    "list": "a list, in [ ]",
    "tuple": "a list, in [ ]",
}
_WORDS: Mapping[str, str] = {
    "missing": "it is missing",
    "extra_forbidden": "this name is unknown",
    "string_pattern_mismatch": "it does not have the required form",
    "string_too_short": "it must have at least {min_length} characters",
    "string_too_long": "it must have at most {max_length} characters",
    "too_short": "it must contain at least {min_length}",
    "too_long": "it must contain at most {max_length}",
    "value_error": "{error}",
    "assertion_error": "{error}",
    "json_invalid": "it cannot be read as JSON",
}


def fault(error: ValidationError, *, shown: bool = False) -> str:
    """What is wrong first, without a full stop. ``shown``: with the value, if it is a number, a truth value or a choice: any
    other may contain a password."""
    return _fault(error.errors()[0], shown=shown)


def _fault(one: Any, *, shown: bool = False) -> str:
    kind, given = one["type"], one.get("ctx", {})
    found = {name: int(value) if isinstance(value, float) and value.is_integer() else value for name, value in given.items()}
    right = _RIGHT.get(kind, "").format(**found) or _KINDS.get(kind.partition("_")[0], "")
    if kind in _WORDS or not right:
        return _WORDS.get(kind, "it is invalid").format(**found).rstrip(".")
    return f"{one['input']!r} is not {right}" if shown and not kind.endswith("_type") else f"it must be {right}"


def choices(error: ValidationError) -> tuple[str, ...]:
    """The values that there are, if what is wrong first is a choice; else ()."""
    one = error.errors()[0]
    return tuple(one.get("ctx", {}).get("expected", "").split("'")[1::2]) if one["type"] == "literal_error" else ()


def in_words(error: ValidationError) -> str:
    """The first :data:`MOST` problems of a validation error and where they are, on one line."""
    problems = error.errors(include_url=False)
    told = [_placed(each) for each in problems[:MOST]]
    more = [f"{len(problems) - MOST} more"] if len(problems) > MOST else []
    return " ".join("; ".join((*told, *more)).split())


def _placed(one: Any) -> str:
    where = ".".join(str(part + 1) if isinstance(part, int) else part for part in one["loc"])
    return f"{where}: {_fault(one)}" if where else _fault(one)
