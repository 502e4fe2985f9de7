"""Skills that are one operation of a web service: builds the request, and checks whether the response matches its
description.

Only here do secrets enter a request, only in the skill's fields for them, and only for a host that the secret is bound to.
Parameter values cannot refer to secrets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from deskcrew.actions.action import Action, Outgoing, Params, Result, Scene
from deskcrew.actions.requesting import send
from deskcrew.errors import ActionError
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import JsonObject, is_list, is_object, object_in
from deskcrew.facts.observation import Control
from deskcrew.learning.skills.skill import Request, RequestField, Skill

if TYPE_CHECKING:
    from deskcrew.actions.action import Effect

MISFIT = 1
"""The exit code of a request whose response does not match its description. No other failure counts against the skill."""
_READS = ("GET", "HEAD", "OPTIONS")
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


@dataclass(slots=True)
class _Parts:
    """The parts of a request."""

    path: dict[str, str] = field(default_factory=dict[str, str])
    query: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    cookies: list[str] = field(default_factory=list[str])
    body: JsonObject = field(default_factory=JsonObject)
    whole: Any = None
    """The body, if it is not an object built from fields."""

    def put(self, where: RequestField, value: Any) -> None:
        match where.place:
            case "path":
                self.path[where.name] = quote(_text(value), safe="")
            case "query":
                values = value if is_list(value) else [value]
                self.query += [(where.name, _text(each)) for each in values]
            case "header":
                self.headers[where.name] = _one_line(where.name, _text(value))
            case "cookie":
                self.cookies.append(f"{where.name}={quote(_text(value), safe='')}")
            case "body" if where.name:
                self.body[where.name] = value
            case "body":
                self.whole = value

    def address(self, request: Request) -> str:
        address = request.address
        for name, value in self.path.items():
            if value in (".", ".."):
                raise ActionError(f"{name} cannot be {value!r}: it would be another address.")
            address = address.replace(f"{{{name}}}", value)
        if not self.query:
            return address
        return f"{address}{'&' if '?' in address else '?'}{urlencode(self.query)}"


def requesting(skill: Skill, params: type[Params]) -> Action:
    """The action that sends the skill's request. ``params``: the type of its parameters, which a role fills in."""
    request = skill.method.request
    assert request is not None, "only a skill with a request sends one"

    def typed(given: Any) -> JsonObject:
        try:
            return skill.typed(_told(given))
        except ValueError as error:
            raise ActionError(f"{skill.action}: {error}.") from error

    def outgoing(given: Any) -> Outgoing:
        """The request for the guard, without secrets."""
        parts = _parts(request, typed(given))
        said = tuple(_text(value) for value in _told(given).values())
        return Outgoing(request.method, parts.address(request), request.called or skill.name.replace("-", " "), said)

    def run(scene: Scene, given: Any, control: Control | None) -> Result:
        parts = _parts(request, typed(given))
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(request.address))
        for each in request.fields:
            if each.text:
                parts.put(each, scene.vault.lend(each.text, origin))
        said = parts.body or parts.whole
        body = json.dumps(said, ensure_ascii=False) if said is not None and said != {} else ""
        headers = {"Accept": "application/json", **parts.headers}
        headers |= {"Content-Type": "application/json"} if body else {}
        headers |= {"Cookie": "; ".join(parts.cookies)} if parts.cookies else {}
        answered = send(scene, request.method, parts.address(request), headers, body)
        told = f"HTTP {answered.status}\n{answered.text}".strip()
        if not 200 <= answered.status < 300:
            return Result(ok=False, text=told, error=f"The service answered {shorten(told, 300)}")
        wrong = "" if answered.cut else unlike(request, answered.type, answered.text)
        if wrong:
            return Result(ok=False, text=told, error=f"Its answer is not what was described: {wrong}.", exit_code=MISFIT)
        return Result(ok=True, text=answered.text or told)

    run.__doc__ = f"{skill.description.removesuffix('.')}. It asks {urlsplit(request.address).netloc}."
    effect: Effect = "none" if request.method in _READS else "lasting"
    risk = "network" if request.method in _READS else "send"
    return Action(skill.action, params, run, risk, effect, "sandbox", outgoing=outgoing)


def unlike(request: Request, kind: str, text: str) -> str:
    """Why a response does not match its description; '' if it does, or if there is no description."""
    if request.answer is None:
        return ""
    if kind != "application/json" and not kind.endswith("+json"):
        return f"it is {kind or 'nothing'}, not JSON"
    try:
        return _differs(request.answer, json.loads(text), "the answer")
    except ValueError:
        return "it is not JSON"


def _differs(schema: Mapping[str, Any], value: Any, where: str) -> str:
    """How a value violates its JSON Schema; '' if it does not. Only types, required fields, items and choices are
    checked."""
    if value is None and schema.get("nullable"):
        return ""
    kinds = schema.get("type")
    wanted = [str(kind) for kind in (kinds if is_list(kinds) else [kinds] if kinds else [])]
    if wanted and not any(_is(kind, value) for kind in wanted):
        return f"{where} is not of type {' or '.join(wanted)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} is {shorten(_text(value), 60)}, which is not one of its allowed values"
    if is_object(value):
        if missing := [name for name in schema.get("required", ()) if name not in value]:
            return f"{where} has no {missing[0]!r}"
        properties = object_in(schema.get("properties"))
        parts = ((object_in(properties[name]), name) for name in value if name in properties)
        return next((wrong for one, name in parts if (wrong := _differs(one, value[name], f"{where}.{name}"))), "")
    if is_list(value) and isinstance(schema.get("items"), dict):
        items = ((part, f"{where}[{number}]") for number, part in enumerate(value))
        return next((wrong for part, place in items if (wrong := _differs(schema["items"], part, place))), "")
    return ""


def _is(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, (object,)))


def _parts(request: Request, values: Mapping[str, Any]) -> _Parts:
    """The parts of the request with these values, without secrets."""
    parts = _Parts()
    for each in request.fields:
        if each.parameter and values[each.parameter] is not None:
            parts.put(each, values[each.parameter])
    return parts


def _told(given: Any) -> JsonObject:
    return given.model_dump() if isinstance(given, Params) else dict(given)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _one_line(name: str, value: str) -> str:
    if any(ord(character) < 32 or ord(character) == 127 for character in value):
        raise ActionError(f"{name} must be one line.")
    return value
