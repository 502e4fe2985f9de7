"""The JSON schema of an answer as it goes over the wire.

Kept: the order of fields (a model fills them in that order), enumerations, constants, unions, ``$defs``. Left out: what
only costs tokens, and bounds that a grammar cannot carry. Whatever is left out here is still checked when the reply is
validated, because that is done with the type itself.
"""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel

MAX_REPETITIONS = 2000
"""llama.cpp refuses a grammar rule that repeats more often than about this."""

_BOUNDS = ("maxLength", "minLength", "maxItems", "minItems")


def wire_schema(type: type[BaseModel], *, grammar: bool, compact: bool = False) -> dict[str, Any]:
    """The schema to send.

    ``grammar``: the server turns it into a grammar, so bounds and patterns must suit one, and every field is required:
    optional fields would come after the required ones whatever order they are declared in. ``compact``: ask for JSON
    without white space, in the way of llguidance (the engine inside ``local``), which saves a third of the reply.
    """
    schema = cast("dict[str, Any]", _clean(type.model_json_schema(), grammar=grammar, names=False))
    if compact:
        schema["x-guidance"] = {"whitespace_flexible": False}
    return schema


def _clean(node: Any, *, grammar: bool, names: bool) -> Any:
    """``names``: the keys of this mapping are names of fields or definitions, not keywords of JSON schema."""
    if isinstance(node, list):
        return [_clean(item, grammar=grammar, names=False) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    cleaned: dict[str, Any] = {}
    for key, value in cast("dict[str, Any]", node).items():
        if not names and _dropped(key, value, grammar=grammar):
            continue
        if not names and key in ("enum", "const", "default", "required", "examples"):
            cleaned[key] = value
        else:
            cleaned[key] = _clean(value, grammar=grammar, names=not names and key in ("properties", "$defs"))
    if grammar and not names and isinstance(fields := cleaned.get("properties"), dict):
        cleaned["required"] = [*cast("dict[str, Any]", fields)]
    return cleaned


def _dropped(key: str, value: Any, *, grammar: bool) -> bool:
    if key in ("title", "discriminator"):
        # The discriminator's own field is a constant in every member, which is what a server enforces.
        return True
    if not grammar:
        return False
    if key in _BOUNDS:
        return isinstance(value, int) and value > MAX_REPETITIONS
    # llama.cpp only takes patterns anchored at both ends, and fails the whole request otherwise.
    return key == "pattern" and not (isinstance(value, str) and value.startswith("^") and value.endswith("$"))
