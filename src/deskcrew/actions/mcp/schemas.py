"""Narrows a tool's JSON schema to the parameter types of actions: text, choice, number, boolean, list of texts.

Any value of a narrower type is valid for the schema. An optional parameter of another kind is left out; a required one makes
the whole tool unusable. Patterns are dropped: a hostile one could be made to run forever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from deskcrew.actions.action import Params
from deskcrew.actions.declared import DeclaredParam, Kind
from deskcrew.environments.describe import quote
from deskcrew.facts.json_values import JsonObject, is_list, is_object, list_in

LONGEST = 160
"""Maximum number of characters of a description that are shown."""
MOST, MOST_CHOICES = 24, 64
"""Maximum number of a tool's parameters, and of an enumeration's texts."""
LONGEST_VALUE = 60
"""Maximum length of an enumeration's text, and of a default. They go into prompts unchanged."""
_DEEP = 8
"""Maximum length of a chain of references."""
LONGEST_NAME = 60
"""Maximum length of a parameter's name."""
_KINDS: dict[str, Kind] = {"string": "text", "integer": "integer", "number": "number", "boolean": "truth"}
_LIMITS = {
    "text": {"minLength": "min_length", "maxLength": "max_length"},
    "texts": {"minItems": "min_length", "maxItems": "max_length"},
    "integer": {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"},
}
_LIMITS["number"] = _LIMITS["integer"]
_TYPES: dict[Kind, tuple[type, ...]] = {"integer": (int,), "number": (int, float), "truth": (bool,)}
_NOT_GIVEN: dict[Kind, Any] = {"text": "", "choice": "", "texts": ()}
"""The value that means "not given" for a parameter without a default; other kinds have none."""


class TooWide(Exception):
    """Raised for a schema that cannot be narrowed; ``str(error)`` says why, quoting nothing of the schema but names."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A narrowed schema. ``params``: its parameters by our names; ``names``: the tool's names by ours."""

    params: dict[str, DeclaredParam]
    names: dict[str, str]
    optional: frozenset[str]
    """Parameters that are not sent if they are empty."""

    def arguments(self, params: Params) -> JsonObject:
        """The tool's arguments for these parameters."""
        given = {name: getattr(params, name) for name in self.params}
        return {
            self.names[name]: list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType]
            for name, value in given.items()
            if value or name not in self.optional
        }


def narrow(schema: JsonObject) -> Narrowed:
    """Reduce a tool's JSON schema to the parameter types that replies may use. Raises TooWide if they cannot express it."""
    properties = _object(schema.get("properties", {}))
    required = list_in(schema.get("required"))
    if not all(name in properties for name in required):
        raise TooWide("it requires parameters that it does not describe")
    if any(word in schema for word in ("allOf", "anyOf", "oneOf", "not", "if", "dependentRequired", "dependentSchemas")):
        raise TooWide("which of its parameters are given depends on each other")
    if schema.get("minProperties"):
        raise TooWide("it says how many of its parameters must be given")
    params: dict[str, DeclaredParam] = {}
    names: dict[str, str] = {}
    optional: set[str] = set()
    for name, told in properties.items():
        try:
            param, empty = _param(name, _object(told), schema, required=name in required)
        except TooWide:
            if name in required:
                raise
            continue
        ours = _ours(name)
        if ours in params:
            raise TooWide(f"two of its parameters would be called {ours}")
        params[ours], names[ours] = param, name
        optional |= {ours} if empty else set()
    if len(params) > MOST:
        raise TooWide(f"it has more than {MOST} parameters")
    return Narrowed(params, names, frozenset(optional))


def _param(name: str, told: JsonObject, whole: JsonObject, *, required: bool) -> tuple[DeclaredParam, bool]:
    """One parameter, and whether it is omitted if empty. Raises TooWide if it has no supported type."""
    plain = _plain(name, told, whole)
    kind, choices = _kind(name, plain)
    limits, default = _limits(kind, plain), None if required else _default(kind, choices, told.get("default"))
    empty = default is None and not required
    if empty:
        if kind not in _NOT_GIVEN:
            raise TooWide(f"{name} has no default, and no value of its kind says that it is not given")
        default = _NOT_GIVEN[kind]
        limits.pop("min_length", None)
        choices = ("", *choices) if kind == "choice" else choices
    said = quote(str(told.get("description") or told.get("title") or name), LONGEST)
    param = DeclaredParam(kind=kind, description=said, required=required, default=default, choices=choices, limits=limits)
    return param, empty


def _default(kind: Kind, choices: tuple[str, ...], given: JsonValue) -> Any:
    """The default in a schema; None if it is not of this kind."""
    if kind == "choice":
        return given if given in choices else None
    if kind == "texts":
        return tuple(given) if is_list(given) and all(map(_short, given)) else None
    if kind == "text":
        return given if _short(given) else None
    fits = isinstance(given, _TYPES[kind]) and isinstance(given, bool) == (kind == "truth")
    return given if fits else None


def _short(value: object) -> bool:
    """Whether a value is a short text of one line, without invisible characters."""
    return isinstance(value, str) and quote(value, LONGEST_VALUE) == f'"{value}"'


def _plain(name: str, told: JsonObject, whole: JsonObject) -> JsonObject:
    """The schema of a parameter without references, and without null beside its only type."""
    for _ in range(_DEEP):
        if isinstance(reference := told.get("$ref"), str):
            found: JsonValue = whole
            for part in reference.removeprefix("#/").split("/"):
                found = _object(found).get(part.replace("~1", "/").replace("~0", "~"))
            told = _object(found)
        elif isinstance(ways := told.get("anyOf", told.get("oneOf")), list):
            others = [way for way in map(_object, list_in(ways)) if way.get("type") != "null"]
            if len(others) != 1:
                raise TooWide(f"{name} may be of several kinds")
            told = others[0]
        else:
            return told
    raise TooWide(f"{name} refers to itself")


def _kind(name: str, plain: JsonObject) -> tuple[Kind, tuple[str, ...]]:
    """The kind of a parameter, and its choices. Raises TooWide if it is not supported."""
    if any(word in plain for word in ("allOf", "not", "if", "contains", "uniqueItems", "multipleOf")):
        raise TooWide(f"what {name} may be depends on more than its type")
    choices = [plain["const"]] if "const" in plain else plain.get("enum")
    if isinstance(choices, list):
        texts = [choice for choice in choices if isinstance(choice, str) and choice]
        if not 0 < len(texts) <= MOST_CHOICES or not all(map(_short, texts)):
            raise TooWide(f"{name} is not one of a few short texts")
        return "choice", tuple(dict.fromkeys(texts))
    types = plain.get("type")
    if isinstance(types, list):
        others = [each for each in types if each != "null"]
        types = others[0] if len(others) == 1 else None
    if types == "array":
        items = _object(plain.get("items", {}))
        if items.get("type") == "string" and not items.keys() & {"enum", "const", "anyOf", "oneOf", "allOf", "not"}:
            return "texts", ()
    if not isinstance(types, str) or types not in _KINDS:
        raise TooWide(f"{name} is not a text, number, truth value or list of texts")
    return _KINDS[types], ()


def _limits(kind: Kind, plain: JsonObject) -> dict[str, int | float | str]:
    """The limits of a parameter, as far as they are valid numbers."""
    found: dict[str, object] = {ours: plain.get(theirs) for theirs, ours in _LIMITS.get(kind, {}).items()}
    allowed = int if kind in ("text", "texts", "integer") else (int, float)
    return {name: value for name, value in found.items() if isinstance(value, allowed) and not isinstance(value, bool)}


def _ours(name: str) -> str:
    """Our name for a parameter. Raises TooWide if no reply could name it."""
    ours = "".join(each if each.isascii() and each.isalnum() else "_" for each in name).lstrip("_")
    if not ours[:1].isalpha() or len(ours) > LONGEST_NAME:
        raise TooWide(f"no parameter can be called {quote(name, 40)}")
    return f"{ours}_" if hasattr(Params, ours) or ours.startswith("model_") else ours


def _object(told: JsonValue) -> JsonObject:
    """``told`` as an object. Raises TooWide if it is not one."""
    if not is_object(told):
        raise TooWide("its schema is not a JSON schema")
    return told
