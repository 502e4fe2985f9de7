"""The JSON schema of an answer as it is sent.

Kept: the order of fields (a model fills them in that order), enumerations, constants, unions, ``$defs``. Left out: what only
costs tokens, and limits that a grammar cannot express. Those are still checked when the reply is validated, because that is
done with the type itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from pydantic import BaseModel

MAX_REPETITIONS = 2000
"""llama.cpp refuses a grammar rule that repeats more often than about this."""

_BOUNDS = ("maxLength", "minLength", "maxItems", "minItems")


def wire_schema(type: type[BaseModel], *, grammar: bool) -> dict[str, Any]:
    """The schema to send.

    ``grammar``: the server turns it into a grammar, so bounds and patterns must suit one, and every field is required:
    optional fields would come after the required ones whatever order they are declared in.
    """
    schema = cast("dict[str, Any]", _clean(type.model_json_schema(), grammar=grammar, names=False))
    return schema if grammar else _inline(schema)


def _inline(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with each definition that is used once inlined: repeating its name adds nothing."""
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
    """The definitions that a schema refers to, each as often as it does."""
    if isinstance(node, dict):
        given = cast("dict[str, Any]", node)
        if name := _name(given):
            yield name
        node = [*given.values()]
    if isinstance(node, list):
        for item in cast("list[Any]", node):
            yield from _named_in(item)


def _name(node: dict[str, Any]) -> str:
    """The definition that a schema refers to; '' if it has none."""
    named = node.get("$ref")
    return named.removeprefix("#/$defs/") if isinstance(named, str) else ""


def guidance_grammar(schema: dict[str, Any]) -> str:
    """The schema as a grammar of llguidance, the engine inside ``local``, without room for white space.

    llama.cpp's own grammar for a schema allows it, and small models fill it: the same reply takes about twice the tokens.
    """
    # lenient: without it, a single keyword that llguidance does not know leaves the whole reply unconstrained.
    options = {"whitespace_flexible": False, "lenient": True}
    return "%llguidance {}\nstart: %json " + json.dumps({**_optional(schema), "x-guidance": options})


def _optional(node: Any) -> Any:
    """Make fields with a default optional: llguidance keeps the declared order for them too, and a small model that is
    forced to fill in what it would not have said spoils the field before it. Not the constants that discriminate the members
    of a union: without them the reply cannot be parsed."""
    if isinstance(node, list):
        return [_optional(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    made = {key: _optional(value) for key, value in cast("dict[str, Any]", node).items()}
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
    """For a grammar: only declared fields, all of them required, and unions in the form every engine accepts."""
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
        return False
    if key in _BOUNDS:
        return isinstance(value, int) and value > MAX_REPETITIONS
    # llama.cpp only takes patterns anchored at both ends, and fails the whole request otherwise.
    return key == "pattern" and not (isinstance(value, str) and value.startswith("^") and value.endswith("$"))
