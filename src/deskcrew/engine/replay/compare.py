"""Compares an event that the engine produces again with the recorded one."""

from __future__ import annotations

import difflib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image, UnidentifiedImageError
from pydantic import JsonValue

from deskcrew.errors import JournalError
from deskcrew.facts.events import Body, Event, PartRef, Proved, RoleCalled
from deskcrew.facts.json_values import JsonObject

LONGEST = 400
"""The maximum number of characters of a value that are shown."""
MOST_LINES = 12
"""The maximum number of lines of a prompt's difference that are shown."""
Blob = Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first deviation from the record. ``event``: number of the recorded event, or of the last one if something
    came after the end; ``what``: which part of it; ``lines``: for a prompt, a unified diff."""

    event: int
    what: str
    recorded: str
    instead: str
    lines: tuple[str, ...] = ()


def difference(recorded: Event, body: Body, lane: str, cause: Event | None, blob: Blob) -> Difference | None:
    """What differs between a recorded event and one produced again; None if nothing does. Times and durations are not
    compared."""
    number, was = recorded.number, recorded.body
    if was.type != body.type:
        return Difference(number, "the event", told(was), told(body))
    if isinstance(was, RoleCalled) and isinstance(body, RoleCalled):
        found = _prompt(number, was, body, blob)
        if found is not None:
            return found
        body = body.model_copy(update={"parts": was.parts})
    if isinstance(was, Proved) and isinstance(body, Proved) and not was.rejected:
        body = body.model_copy(update={"rejected": ()})
    if (place := _first(data(was), data(body), "")) is not None:
        return Difference(number, f"{was.type}, {place[0]}", _short(place[1]), _short(place[2]))
    if recorded.header.lane != lane:
        return Difference(number, f"{was.type}, its subtask", recorded.header.lane or "none", lane or "none")
    caused = cause.id if cause is not None else None
    if recorded.header.cause != caused:
        led = f"event {cause.number}" if cause is not None else "none"
        return Difference(number, f"{was.type}, what led to it", f"event {recorded.header.cause or 'none'}", led)
    return None


def data(body: Body) -> JsonObject:
    """A body as plain data, without durations."""
    plain = body.model_dump(mode="json")
    plain.pop("seconds", None)
    return plain


def told(body: Body) -> str:
    """An event in one line."""
    plain = {name: value for name, value in data(body).items() if value not in (None, "", [], {}) and name != "type"}
    return f"{body.type} {_short(plain)}"


def _prompt(number: int, was: RoleCalled, now: RoleCalled, blob: Blob) -> Difference | None:
    who = f"the prompt of {was.role}"
    for place, (old, new) in enumerate(zip(was.parts, now.parts, strict=False), start=1):
        part = f"{who}, part {place} ({old.zone})"
        if (old.zone, old.kind) != (new.zone, new.kind):
            return Difference(number, part, f"{old.kind} in {old.zone}", f"{new.kind} in {new.zone}")
        if old.blob == new.blob or (old.kind == "image" and _same_pixels(blob(old.blob), blob(new.blob))):
            continue
        if old.kind == "image":
            return Difference(number, part, f"picture {old.blob[:12]}", f"picture {new.blob[:12]}")
        lines = _lines(blob(old.blob), blob(new.blob))
        return Difference(number, part, f"text {old.blob[:12]}", f"text {new.blob[:12]}", lines)
    if len(was.parts) != len(now.parts):
        return Difference(number, who, _zones(was.parts), _zones(now.parts))
    if was.schema_blob != now.schema_blob:
        lines = _lines(_indented(blob(was.schema_blob)), _indented(blob(now.schema_blob)))
        form = f"the form of {was.role}'s reply"
        return Difference(number, form, f"schema {was.schema_blob[:12]}", f"schema {now.schema_blob[:12]}", lines)
    return None


def _zones(parts: tuple[PartRef, ...]) -> str:
    return f"{len(parts)} parts: {', '.join(f'{part.kind} in {part.zone}' for part in parts)}"


def _lines(was: bytes, now: bytes) -> tuple[str, ...]:
    old, new = was.decode(errors="replace").splitlines(), now.decode(errors="replace").splitlines()
    changed = list(difflib.unified_diff(old, new, "recorded", "now", lineterm="", n=1))[:MOST_LINES]
    return tuple(line if len(line) <= LONGEST else f"{line[:LONGEST]}..." for line in changed)


def _indented(schema: bytes) -> bytes:
    return json.dumps(json.loads(schema), indent=1, sort_keys=True).encode() if schema else b""


def _same_pixels(was: bytes, now: bytes) -> bool:
    """Whether two pictures have the same pixels: another machine may compress the same picture differently."""
    try:
        with Image.open(io.BytesIO(was)) as old, Image.open(io.BytesIO(now)) as new:
            return old.size == new.size and old.convert("RGB").tobytes() == new.convert("RGB").tobytes()
    except (UnidentifiedImageError, OSError, ValueError) as error:
        raise JournalError("A picture of a prompt cannot be read.") from error


def _first(was: JsonValue, now: JsonValue, path: str) -> tuple[str, JsonValue, JsonValue] | None:
    """Path and both values of the first difference."""
    if was == now:
        return None
    pairs: list[tuple[str, JsonValue, JsonValue]] = []
    if isinstance(was, dict) and isinstance(now, dict):
        dotted = f"{path}." if path else ""
        pairs = [(dotted + name, was.get(name), now.get(name)) for name in sorted(was.keys() | now.keys())]
    elif isinstance(was, list) and isinstance(now, list):
        both = enumerate(zip(was, now, strict=False))
        pairs = [(f"{path}[{place}]", one, other) for place, (one, other) in both]
    inside = (found for name, one, other in pairs if (found := _first(one, other, name)) is not None)
    return next(inside, (path, was, now))


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text) - LONGEST} more characters)"
