"""Makes skills from an OpenAPI description of a web service (F17), one per operation, without calling a model.

OpenAPI 3 is supported: parameters, JSON bodies, keys and tokens, and responses. An operation that needs more, such as a
file or a form, is left out, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import yaml
from pydantic import ValidationError

from deskcrew.errors import ConfigError
from deskcrew.facts.json_values import is_sequence, object_in
from deskcrew.facts.texts import ascii_words
from deskcrew.facts.unfit import in_words
from deskcrew.learning.skills.skill import (
    LONGEST_NAME,
    HttpMethod,
    Kind,
    Method,
    Parameter,
    Provenance,
    Request,
    RequestField,
    names_parameter,
)

MOST_BYTES = 8 << 20
LONGEST_TOLD = 300
"""The maximum length of a description in characters: it is untrusted text, and models read it."""
_METHODS: Mapping[str, HttpMethod] = {
    "get": "GET", "head": "HEAD", "options": "OPTIONS", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE",
}  # fmt: skip
_KINDS: Mapping[str, Kind] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "truth",
}
_DEPTH = 12
"""The maximum depth of a schema; below it anything is accepted."""
MOST_PARTS = 20_000
"""The maximum number of parts in the schemas of one operation after resolving references, which may multiply parts."""
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json\b")


@dataclass(frozen=True, slots=True)
class ServiceOperation:
    """One operation of a service, as a skill. ``id``: its name in the description; ``method``: None if it cannot be a skill,
    and ``why``: the reason, '' if it can."""

    id: str
    name: str
    description: str
    method: Method | None = None
    why: str = ""


class _Unfit(Exception):
    """An operation cannot be a skill. ``str()``: why."""


class _Aliased(Exception):
    """A YAML text uses an alias. ``str()``: the alias."""


class _Plain(yaml.SafeLoader):
    """A YAML loader that refuses aliases: a few lines of them can expand to more than fits into memory."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = cast("Any", self).peek_event()
        if isinstance(event, yaml.AliasEvent):
            raise _Aliased(cast("Any", event).anchor)
        return super().compose_node(parent, index)


@dataclass(slots=True)
class _Built:
    """Collects the parameters and fields of one request."""

    parameters: list[Parameter] = field(default_factory=list[Parameter])
    fields: list[RequestField] = field(default_factory=list[RequestField])
    secrets: list[str] = field(default_factory=list[str])

    def add(self, place: str, wire: str, schema: Mapping[str, Any], *, required: bool, told: str) -> None:
        taken = {each.name for each in self.parameters}
        plain = _snake(wire) or "body"
        numbered = (plain, *(f"{plain[:36]}_{n}" for n in range(2, 100)))
        name = next(each for each in numbered if each not in taken and names_parameter(each))
        kind = _KINDS.get(_type(schema), "json")
        choices = schema.get("enum") if kind == "text" else None
        known = next((schema[key] for key in ("example", "default") if key in schema), choices[0] if choices else "")
        value = known if isinstance(known, str) else yaml.safe_dump(known, default_flow_style=True).split("\n")[0]
        self.parameters.append(
            Parameter(
                name=name,
                kind=kind,
                value=value[:2000],
                description=_one_line(told or str(schema.get("description") or "")),
                optional=not required,
                choices=tuple(str(each) for each in choices or ()),
            )
        )
        self.fields.append(RequestField.model_validate({"place": place, "name": wire, "parameter": name}))


def operations(path: Path, *, server: str = "", secret: str = "") -> tuple[ServiceOperation, ...]:
    """All operations of a description in YAML or JSON. ``server``: replaces the address that it names; ``secret``: the name
    of the secret for its key or token, '' for the name of its scheme. Raises ConfigError if the description is invalid."""
    if server and not _in_full(server):
        raise ConfigError(f"--server {server!r} is not an address.", hint="In full, for example https://books.example/v1")
    text = _read(path)
    try:
        read = yaml.load(text, _Plain)
    except _Aliased as error:
        hint = "Write them out, or use $ref for shared parts."
        raise ConfigError(f"{path} uses YAML aliases (*{error}).", hint=hint) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} can be read neither as JSON nor as YAML.") from error
    document = _mapping(read)
    if not str(document.get("openapi") or "").startswith("3."):
        raise ConfigError(f"{path} is not an OpenAPI 3 description.", hint="Convert an older one first.")
    found = tuple(_Description(document, path.name, server, secret).operations())
    if not found:
        raise ConfigError(f"{path} describes no operation.")
    return found


@dataclass(slots=True)
class _Description:
    """Reads an OpenAPI description. ``file``: its name for people; ``server`` and ``secret``: see :func:`operations`."""

    document: Mapping[str, Any]
    file: str
    server: str
    secret: str
    _followed: int = 0

    def operations(self) -> Iterator[ServiceOperation]:
        for path, item in _mapping(self.document.get("paths")).items():
            try:
                shared = self._of(item)
                given = {method: self._of(shared[method]) for method in _METHODS if method in shared}
            except _Unfit as unfit:
                yield ServiceOperation(path, "", "", why=str(unfit))
                continue
            for method, one in given.items():
                yield self._operation(path, method, shared, one)

    def _operation(self, path: str, method: str, item: Mapping[str, Any], given: Mapping[str, Any]) -> ServiceOperation:
        id = str(given.get("operationId") or f"{method} {path}")
        name = _snake(id).replace("_", "-").strip("-")[:LONGEST_NAME].rstrip("-") or "request"
        told = _one_line(str(given.get("summary") or given.get("description") or id))
        try:
            return ServiceOperation(id, name, told, self._method(path, method, item, given, f"{id} {told}"))
        except _Unfit as unfit:
            return ServiceOperation(id, name, told, why=str(unfit))
        except ValidationError as error:
            return ServiceOperation(id, name, told, why=in_words(error))

    def _method(self, path: str, method: str, item: Mapping[str, Any], given: Mapping[str, Any], called: str) -> Method:
        built, self._followed = _Built(), 0
        for each in self._parameters(item, given):
            schema = self._schema(each.get("schema") or {})
            if "schema" not in each or (_type(schema) == "object" and each["in"] != "query"):
                raise _Unfit(f"its parameter {each['name']!r} is not written as a plain value")
            shown = {"example": each["example"]} if "example" in each else {}
            required = each["in"] == "path" or bool(each.get("required"))
            told = str(each.get("description") or "")
            built.add(each["in"], str(each["name"]), {**schema, **shown}, required=required, told=told)
        self._body(built, self._of(given.get("requestBody")))
        self._sign_in(built, given)
        address = self._address(path, item, given)
        missing = set(_placeholders(address)) - {each.name for each in built.fields if each.place == "path"}
        if missing:
            raise _Unfit(f"nothing says what {{{sorted(missing)[0]}}} in its address is")
        request = Request(
            method=_METHODS[method],
            address=address,
            fields=tuple(built.fields),
            answer=self._answer(given),
            called=" ".join(_apart(called).replace("_", " ").split())[:LONGEST_TOLD],
        )
        provenance = Provenance(
            run="", task=f"{given.get('operationId') or path} of {self.file}", secrets=tuple(built.secrets)
        )
        return Method(parameters=tuple(built.parameters), request=request, provenance=provenance)

    def _parameters(self, item: Mapping[str, Any], given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """The parameters of the path, overridden by those of the operation."""
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for each in (*_list(item.get("parameters")), *_list(given.get("parameters"))):
            one = self._of(each)
            if one.get("in") not in ("path", "query", "header", "cookie") or not one.get("name"):
                raise _Unfit("one of its parameters has no name or no place")
            if str(one["name"]).casefold() not in ("accept", "content-type", "authorization"):  # as OpenAPI says
                found[str(one["in"]), str(one["name"])] = one
        return list(found.values())

    def _body(self, built: _Built, body: Mapping[str, Any]) -> None:
        if not body:
            return
        content = _mapping(body.get("content"))
        kind = next((kind for kind in content if _JSON.match(kind)), None)
        if kind is None:
            raise _Unfit(f"its body is {', '.join(content) or 'not described'}, not JSON")
        schema = self._schema(_mapping(content[kind]).get("schema") or {})
        properties = _mapping(schema.get("properties"))
        if _type(schema) != "object" or not properties:
            built.add("body", "", schema, required=bool(body.get("required")), told=str(body.get("description") or ""))
            return
        wanted = _list(schema.get("required"))
        for name, one in properties.items():
            part = _mapping(one)
            if not part.get("readOnly"):
                built.add("body", name, part, required=bool(body.get("required", True)) and name in wanted, told="")

    def _sign_in(self, built: _Built, given: Mapping[str, Any]) -> None:
        """Add the fields for keys and tokens. Their values are secrets, of which only the names are known here."""
        wanted = _list(given["security"]) if "security" in given else _list(self.document.get("security"))
        schemes = _mapping(_mapping(self.document.get("components")).get("securitySchemes"))
        names = _mapping(wanted[0] if wanted else None)
        for name in names:
            scheme = self._of(schemes.get(name))
            secret = self.secret or _as_secret(name) or "key"
            held = f"{{{{secret:{secret}}}}}"
            match scheme.get("type"):
                case "apiKey":
                    place, key = scheme.get("in"), str(scheme.get("name"))
                    one = RequestField.model_validate({"place": place, "name": key, "text": held})
                case "oauth2" | "openIdConnect":
                    one = RequestField(place="header", name="Authorization", text=f"Bearer {held}")
                case "http" if str(scheme.get("scheme")).casefold() in ("bearer", "basic"):
                    how = str(scheme["scheme"]).capitalize()
                    one = RequestField(place="header", name="Authorization", text=f"{how} {held}")
                case _:
                    raise _Unfit(f"its way of signing in, {name!r}, is not supported")
            built.fields.append(one)
            built.secrets.append(secret)

    def _address(self, path: str, item: Mapping[str, Any], given: Mapping[str, Any]) -> str:
        servers = _list(given.get("servers")) or _list(item.get("servers")) or _list(self.document.get("servers"))
        first = _mapping(servers[0] if servers else None)
        base = self.server or str(first.get("url") or "")
        for name, variable in _mapping(first.get("variables")).items():
            base = base.replace(f"{{{name}}}", str(_mapping(variable).get("default") or ""))
        if not _in_full(base):
            raise _Unfit("the description does not give the server's full address: use --server URL")
        return f"{base.rstrip('/')}/{path.lstrip('/')}"

    def _answer(self, given: Mapping[str, Any]) -> dict[str, Any] | None:
        for status, each in sorted(_mapping(given.get("responses")).items(), key=lambda pair: str(pair[0])):
            content = _mapping(self._of(each).get("content"))
            if str(status).startswith("2") and (kind := next((kind for kind in content if _JSON.match(kind)), None)):
                return dict(self._schema(_mapping(content[kind]).get("schema") or {})) or None
        return None

    def _of(self, given: object) -> Mapping[str, Any]:
        """The value itself or, if it is a reference, the value that it refers to."""
        found = _mapping(given)
        for _ in range(_DEPTH):
            reference = found.get("$ref")
            if not isinstance(reference, str):
                return found
            if not reference.startswith("#/"):
                raise _Unfit(f"it refers to another file: {reference}")
            place: Any = self.document
            for part in reference[2:].split("/"):
                place = _mapping(place).get(part.replace("~1", "/").replace("~0", "~"))
            if place is None:
                raise _Unfit(f"it refers to something that does not exist: {reference}")
            found = _mapping(place)
        raise _Unfit("its references go round in circles")

    def _schema(self, given: object, depth: int = 0) -> dict[str, Any]:
        """A schema with its references resolved and the parts of ``allOf`` merged. ``oneOf`` and ``anyOf`` are not
        enforced."""
        if depth > _DEPTH:
            return {}
        self._followed += 1
        if self._followed > MOST_PARTS:
            raise _Unfit("it is too large, including what it refers to")
        schema = dict(self._of(given))
        for part in _list(schema.pop("allOf", ())):
            more = self._schema(part, depth + 1)
            properties = {**_mapping(schema.get("properties")), **_mapping(more.get("properties"))}
            required = [*_list(schema.get("required")), *_list(more.get("required"))]
            schema = {**more, **schema, "properties": properties, "required": required}
        kept = ("type", "enum", "required", "nullable", "description", "example", "default", "readOnly")
        made = {key: schema[key] for key in kept if key in schema}
        if properties := _mapping(schema.get("properties")):
            made["properties"] = {name: self._schema(part, depth + 1) for name, part in properties.items()}
        if isinstance(schema.get("items"), dict):
            made["items"] = self._schema(schema["items"], depth + 1)
        return made


def _placeholders(address: str) -> list[str]:
    """The names in braces in an address."""
    return [piece.partition("}")[0] for piece in address.split("{")[1:] if "}" in piece]


def _in_full(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False  # half an IPv6 address, for one


def _read(path: Path) -> str:
    try:
        if not path.is_file():
            raise ConfigError(f"{path} {'is not a file' if path.exists() else 'does not exist'}.")
        with path.open("rb") as file:
            read = file.read(MOST_BYTES + 1)  # not by its size: files in /proc claim 0
        if len(read) > MOST_BYTES:
            raise ConfigError(f"{path} is too large: at most {MOST_BYTES >> 20} MiB.")
        return read.decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ConfigError(f"{path} cannot be read: {reason}.") from error


def _mapping(given: object) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty mapping, since the description is untrusted."""
    return {str(key): value for key, value in object_in(given).items()}


def _list(given: object) -> Sequence[object]:
    return given if is_sequence(given) else ()


def _type(schema: Mapping[str, Any]) -> str:
    """The type of a schema; '' if there may be several."""
    kinds = [each for each in _list(schema.get("type")) if each != "null"] or [schema.get("type")]
    if len(kinds) != 1:
        return ""
    return str(kinds[0] or ("object" if "properties" in schema else ""))


def _apart(text: str) -> str:
    """``getBook`` as ``get Book``."""
    return re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)


def _snake(text: str) -> str:
    name = "_".join(ascii_words(_apart(text).casefold()))[:40].rstrip("_")
    return name if not name or name[0].isalpha() else f"p_{name}"[:40]


def _as_secret(name: str) -> str:
    allowed = (each if each.isascii() and (each.isalnum() or each in "_.-") else "-" for each in name)
    return "".join(allowed).lstrip("_.-0123456789")


def _one_line(text: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())[:LONGEST_TOLD]
