"""Types and checks for JSON from outside, whose shape has not been validated yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from pydantic import JsonValue

JsonObject = dict[str, JsonValue]


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether a value that was read from JSON is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[JsonValue]]:
    """Whether a value that was read from JSON is an array."""
    return isinstance(value, list)


def is_sequence(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is a list or a tuple."""
    return isinstance(value, list | tuple)


def object_in(value: object) -> JsonObject:
    """The value if it is a JSON object, else an empty object."""
    return value if is_object(value) else {}


def list_in(value: object) -> list[JsonValue]:
    """The value if it is a JSON array, else an empty array."""
    return value if is_list(value) else []
