"""Explains validation errors of a file that somebody else wrote: where they are, and what is expected there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

MOST = 3
"""The number of problems reported at once."""
_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "it is missing",
    "extra_forbidden": lambda _: "this name is unknown",
    "literal_error": lambda found: f"it must be {found['expected']}",
    "string_pattern_mismatch": lambda _: "it does not have the required form",
    "string_too_short": lambda found: f"it must have at least {found['min_length']} characters",
    "string_too_long": lambda found: f"it must have at most {found['max_length']} characters",
    "too_short": lambda found: f"it must contain at least {found['min_length']}",
    "too_long": lambda found: f"it must contain at most {found['max_length']}",
    "greater_than_equal": lambda found: f"it must be at least {found['ge']}",
    "less_than_equal": lambda found: f"it must be at most {found['le']}",
    "greater_than": lambda found: f"it must be more than {found['gt']}",
    "less_than": lambda found: f"it must be less than {found['lt']}",
    "value_error": lambda found: str(found["error"]),
    "assertion_error": lambda found: str(found["error"]),
    "json_invalid": lambda _: "it cannot be read as JSON",
}
_KINDS = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "dict": "an object",
    "model": "an object",
    "list": "a list",
    "tuple": "a list",
}


def in_words(error: ValidationError) -> str:
    """The first :data:`MOST` problems of a validation error, on one line."""
    problems = error.errors(include_url=False)
    told = [_problem(each["loc"], each["type"], each.get("ctx") or {}) for each in problems[:MOST]]
    more = [f"{len(problems) - MOST} more"] if len(problems) > MOST else []
    return " ".join("; ".join((*told, *more)).split())


def _problem(place: tuple[int | str, ...], kind: str, found: Mapping[str, Any]) -> str:
    where = ".".join(str(part + 1) if isinstance(part, int) else part for part in place)
    if kind in _WORDS:
        words = _WORDS[kind](found).rstrip(".")
    elif (sort := kind.partition("_")[0]) in _KINDS:
        words = f"it must be {_KINDS[sort]}"
    else:
        words = "it is invalid"
    return f"{where}: {words}" if where else words
