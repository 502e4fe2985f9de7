"""The JSON schema of an answer as it goes over the wire.

Kept: the order of fields (a model fills them in that order), enumerations, constants, unions, ``$defs``. Left out: what
only costs tokens, and bounds that a grammar cannot carry. Whatever is left out here is still checked when the reply is
validated, because that is done with the type itself.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from pydantic import BaseModel

MAX_REPETITIONS = 2000
"""llama.cpp refuses a grammar rule that repeats more often than about this."""

ENDS_WITH = "x-ends-with"
"""What a text must end with, for engines that can demand it: llama.cpp's patterns are over the text as JSON writes it."""
_NO_REPLY_ENDS = r"[^}]|\}+(?:[^}\]]|\][^}])"
"""Text without ``}]}``: a small model that forgets to end a text continues the end of its reply, and talks. What it did
write of that end can be the last of the text, and is corrected afterwards."""
_BOUNDS = ("maxLength", "minLength", "maxItems", "minItems")


def wire_schema(type: type[BaseModel], *, grammar: bool) -> dict[str, Any]:
    """The schema to send.

    ``grammar``: the server turns it into a grammar, so bounds and patterns must suit one, and every field is required:
    optional fields would come after the required ones whatever order they are declared in.
    """
    schema = cast("dict[str, Any]", _clean(type.model_json_schema(), grammar=grammar, names=False))
    return schema if grammar else _inline(schema)


def _inline(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with each definition that is named once in its place: its name, told twice, says nothing."""
    named = cast("dict[str, Any]", schema.get("$defs") or {})
    often = Counter(_named_in(schema))
    once = {name: named[name] for name in named if often[name] == 1 and name not in _named_in(named[name])}

    def placed(node: Any) -> Any:
        if isinstance(node, list):
            return [placed(item) for item in cast("list[Any]", node)]
        if not isinstance(node, dict):
            return node
        given = cast("dict[str, Any]", node)
        if (name := _name(given)) in once:
            return placed({**once[name], **{key: value for key, value in given.items() if key != "$ref"}})
        return {key: placed(value) for key, value in given.items()}

    kept = {name: placed(node) for name, node in named.items() if name not in once}
    whole = placed({key: value for key, value in schema.items() if key != "$defs"})
    return {**whole, "$defs": kept} if kept else whole


def _named_in(node: Any) -> Iterator[str]:
    """The definitions that a schema names, each as often as it does."""
    if isinstance(node, dict):
        given = cast("dict[str, Any]", node)
        if name := _name(given):
            yield name
        node = [*given.values()]
    if isinstance(node, list):
        for item in cast("list[Any]", node):
            yield from _named_in(item)


def _name(node: dict[str, Any]) -> str:
    """The definition that a schema names in place of one of its own; '' where it does not."""
    named = node.get("$ref")
    return named.removeprefix("#/$defs/") if isinstance(named, str) else ""


def guidance_grammar(schema: dict[str, Any]) -> str:
    """The schema as a grammar of llguidance, the engine inside ``local``, that leaves no room for white space.

    llama.cpp's own grammar for a schema does, and small models fill it: the same reply takes about twice the tokens.
    """
    # lenient: without it, a single keyword that llguidance does not know leaves the whole reply unconstrained.
    options = {"whitespace_flexible": False, "lenient": True}
    return "%llguidance {}\nstart: %json " + json.dumps({**_optional(schema), "x-guidance": options})


def _optional(node: Any) -> Any:
    """Fields with a default may be left out: llguidance keeps the declared order for them too, and a small model that is
    made to fill in what it would not have said spoils the field before it. Not the constants that tell the members of a
    union apart: without them the reply cannot be read."""
    if isinstance(node, list):
        return [_optional(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    made = {key: _optional(value) for key, value in cast("dict[str, Any]", node).items()}
    if isinstance(end := made.pop(ENDS_WITH, None), str):
        made["pattern"] = f"^(?:{_NO_REPLY_ENDS})*(?:\\}}+\\]?)?{re.escape(end)}(?:\\}}\\]\\}}?)?$"
    # The type tells a schema from a mapping of fields, one of which may be called "properties".
    if made.get("type") == "object" and isinstance(fields := made.get("properties"), dict):
        named = cast("dict[str, Any]", fields)
        made["required"] = [name for name in named if "default" not in named[name] or "const" in named[name]]
    return made


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
    return cleaned if names or not grammar else _strict(cleaned)


def _strict(node: dict[str, Any]) -> dict[str, Any]:
    """For a grammar: no other fields than those declared, all of them, and unions in the form every engine takes."""
    if isinstance(fields := node.get("properties"), dict):
        node["required"] = [*cast("dict[str, Any]", fields)]
        node.setdefault("additionalProperties", False)
    if "oneOf" in node:
        # The members differ by a constant, so that at most one fits anyway.
        node["anyOf"] = node.pop("oneOf")
    return node


def _dropped(key: str, value: Any, *, grammar: bool) -> bool:
    if key in ("title", "discriminator"):
        # The discriminator's own field is a constant in every member, which is what a server enforces.
        return True
    if not grammar:
        return key == ENDS_WITH
    if key in _BOUNDS:
        return isinstance(value, int) and value > MAX_REPETITIONS
    # llama.cpp only takes patterns anchored at both ends, and fails the whole request otherwise.
    return key == "pattern" and not (isinstance(value, str) and value.startswith("^") and value.endswith("$"))
