"""JSON as it comes from outside: a value whose shape nobody has checked yet."""

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
    """Whether a value is a list, or a tuple, as a parsed array is one."""
    return isinstance(value, list | tuple)


def object_in(value: object) -> JsonObject:
    """An object read from JSON; an empty one if the value is none."""
    return value if is_object(value) else {}


def list_in(value: object) -> list[JsonValue]:
    """An array read from JSON; an empty one if the value is none."""
    return value if is_list(value) else []
