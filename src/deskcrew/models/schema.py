"""The JSON schema of an answer in the form in which it is sent.

Kept are the order of fields (a model fills them in that order), enumerations, constants, unions and ``$defs``. Left out are
keywords that only cost tokens, and limits that a grammar cannot express; these are still checked, since the reply is
validated with the type itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from pydantic import BaseModel, JsonValue

from deskcrew.facts.json_values import JsonObject, object_in

MAX_REPETITIONS = 2000
"""The approximate number of repetitions from which llama.cpp refuses a grammar rule."""

_BOUNDS = ("maxLength", "minLength", "maxItems", "minItems")


def wire_schema(type: type[BaseModel], *, grammar: bool) -> JsonObject:
    """The schema to send.

    ``grammar``: the server turns the schema into a grammar, so bounds and patterns must suit one, and every field is
    required: optional fields would come after the required ones, whatever order they are declared in.
    """
    schema = _cleaned(type.model_json_schema(), grammar=grammar, names=False)
    return schema if grammar else _inline(schema)


def _inline(schema: JsonObject) -> JsonObject:
    """A schema in which each definition that is used only once is inlined, which saves tokens."""
    named = object_in(schema.get("$defs"))
    often = Counter(_named_in(schema))
    once = {name: named[name] for name in named if often[name] == 1 and name not in _named_in(named[name])}

    def placed(node: JsonValue) -> JsonValue:
        if isinstance(node, list):
            return [placed(item) for item in node]
        return inlined(node) if isinstance(node, dict) else node

    def inlined(node: JsonObject) -> JsonObject:
        if (name := _name(node)) in once:
            return inlined({**object_in(once[name]), **{key: value for key, value in node.items() if key != "$ref"}})
        return {key: placed(value) for key, value in node.items()}

    kept = {name: placed(node) for name, node in named.items() if name not in once}
    whole = inlined({key: value for key, value in schema.items() if key != "$defs"})
    return {**whole, "$defs": kept} if kept else whole


def _named_in(node: JsonValue) -> Iterator[str]:
    """The names of the definitions that a schema refers to, each as often as it is referred to."""
    if isinstance(node, dict):
        if name := _name(node):
            yield name
        node = [*node.values()]
    if isinstance(node, list):
        for item in node:
            yield from _named_in(item)


def _name(node: JsonObject) -> str:
    """The name of the definition that a schema node refers to; '' if it refers to none."""
    named = node.get("$ref")
    return named.removeprefix("#/$defs/") if isinstance(named, str) else ""


def guidance_grammar(schema: JsonObject) -> str:
    """The schema as a grammar for llguidance, the engine inside ``local``, that allows no white space.

    llama.cpp's own grammar for a schema allows white space, and small models use it: about twice the tokens for a reply.
    """
    # lenient: without it, a single keyword that llguidance does not know leaves the whole reply unconstrained.
    options = {"whitespace_flexible": False, "lenient": True}
    return "%llguidance {}\nstart: %json " + json.dumps({**object_in(_optional(schema)), "x-guidance": options})


def _optional(node: JsonValue) -> JsonValue:
    """Make fields with a default optional, except the constants that discriminate the members of a union, without which the
    reply cannot be parsed. llguidance keeps the declared order for optional fields, too, and a small model that must fill in
    a field that it would have left out spoils the field before it."""
    if isinstance(node, list):
        return [_optional(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {key: _optional(value) for key, value in node.items()}
    # The type tells a schema from a mapping of fields, one of which may be called "properties".
    if made.get("type") == "object" and isinstance(fields := made.get("properties"), dict):
        described = {name: object_in(field) for name, field in fields.items()}
        made["required"] = [name for name, field in described.items() if "default" not in field or "const" in field]
    return made


def _clean(node: JsonValue, *, grammar: bool, names: bool) -> JsonValue:
    if isinstance(node, list):
        return [_clean(item, grammar=grammar, names=False) for item in node]
    return _cleaned(node, grammar=grammar, names=names) if isinstance(node, dict) else node


def _cleaned(node: JsonObject, *, grammar: bool, names: bool) -> JsonObject:
    """A node without what is not sent. ``names``: its keys are names of fields or definitions, not JSON schema keywords."""
    cleaned: JsonObject = {}
    for key, value in node.items():
        if not names and _dropped(key, value, grammar=grammar):
            continue
        if not names and key in ("enum", "const", "default", "required", "examples"):
            cleaned[key] = value
        else:
            cleaned[key] = _clean(value, grammar=grammar, names=not names and key in ("properties", "$defs"))
    return cleaned if names or not grammar else _strict(cleaned)


def _strict(node: JsonObject) -> JsonObject:
    """Adapt a node to grammars: only declared fields, all required, and unions in a form that every engine accepts."""
    if isinstance(fields := node.get("properties"), dict):
        node["required"] = [*fields]
        node.setdefault("additionalProperties", False)
    if "oneOf" in node:
        # The members differ by a constant, so that at most one fits anyway.
        node["anyOf"] = node.pop("oneOf")
    return node


def _dropped(key: str, value: JsonValue, *, grammar: bool) -> bool:
    if key in ("title", "discriminator"):
        # The discriminator's own field is a constant in every member, which is what a server enforces.
        return True
    if not grammar:
        return False
    if key in _BOUNDS:
        return isinstance(value, int) and value > MAX_REPETITIONS
    # llama.cpp only takes patterns anchored at both ends, and fails the whole request otherwise.
    return key == "pattern" and not (isinstance(value, str) and value.startswith("^") and value.endswith("$"))
