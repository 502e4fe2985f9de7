"""The profile of each model: ``profiles.toml``, and a file of the user's, which takes precedence."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from deskcrew.errors import ConfigError
from deskcrew.facts.json_values import JsonObject, list_in, object_in
from deskcrew.facts.observation import Frozen
from deskcrew.facts.quotes import unquoted
from deskcrew.facts.unfit import in_words
from deskcrew.models.client import Profile

OutputMode = Literal["native", "guidance", "tool", "prompted"]
"""How a model is asked for a typed answer; see ``profiles.toml``."""


class Facts(Frozen):
    """What is known about a model: the profile that the engine reads, and ``output``, which only the adapter needs."""

    profile: Profile
    output: OutputMode = "tool"


UNKNOWN = Facts(profile=Profile(name="unknown", contracts=True))
"""The facts of a model that no entry matches: no vision, no schema enforcement, a small context, and a contract is required.
Errs on the side of caution."""


READS, MOST_READ = 16_000, 12_000
"""The context in tokens from which a model is shown more than a small model is, and the maximum characters then."""
Entry = tuple[list[str], JsonObject]
"""The globs of an entry, and its other fields."""


def find(model: str, *, user_file: Path | None = None) -> Facts:
    """The facts of the first entry of the user's file whose globs match ``model``, completed by the first built-in entry
    that matches.

    Raises ConfigError, with file and entry, if the user's file cannot be parsed.
    """
    built_in = resources.files("deskcrew.models").joinpath("profiles.toml")
    known = _first(model, _entries("profiles.toml", built_in.read_text(encoding="utf-8")))
    own: JsonObject | None = None
    if user_file is not None:
        try:
            text = user_file.read_text(encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{user_file}: {error.strerror}") from error
        entries = _entries(str(user_file), text)
        for _, fields in entries:
            _facts(str(user_file), fields)
        own = _first(model, entries)
    if own is None:
        return UNKNOWN if known is None else _facts("profiles.toml", known)
    merged: JsonObject = {**(known or {}), **own}
    if "contracts" in own and "freely" not in own:
        merged["freely"] = own["contracts"]
    if "context" in own and "reading" not in own:
        known_reading = merged.get("reading")
        merged["reading"] = max(known_reading if isinstance(known_reading, int) else 0, _reading(own["context"]))
    if "output" in own and "whole_replies" not in own:
        merged.pop("whole_replies", None)
    return _facts(str(user_file), merged)


def _first(model: str, entries: list[Entry]) -> JsonObject | None:
    return next((fields for globs, fields in entries if any(fnmatchcase(model, glob) for glob in globs)), None)


def _entries(origin: str, text: str) -> list[Entry]:
    try:
        entries = list_in(tomllib.loads(text).get("profile"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{origin}: {error}", hint=unquoted(text, error)) from error
    found: list[Entry] = []
    for number, entry in enumerate(map(object_in, entries), 1):
        fields: JsonObject = {"name": f"entry {number}", **entry}
        globs = [str(glob) for glob in list_in(fields.pop("match", []))]
        if fields.get("scripted") and not all(glob.startswith("scripted:") for glob in globs):
            raise ConfigError(f"{origin}: profile {fields['name']!r}: scripted: allowed only for scripted:FILE.")
        if fields.get("free_text") == "none":
            raise ConfigError(f"{origin}: profile {fields['name']!r}: free_text: must be short or full.")
        found.append((globs, fields))
    return found


def _reading(context: object) -> int:
    """The default of ``Profile.reading`` for a given ``context``; 0 for a small one."""
    return min(MOST_READ, context // 10) if isinstance(context, int) and context >= READS else 0


def _facts(origin: str, given: JsonObject) -> Facts:
    fields = dict(given)
    output = fields.pop("output", UNKNOWN.output)
    fields.setdefault("contracts", True)
    fields.setdefault("freely", fields["contracts"] or fields.get("scripted", False))
    fields.setdefault("whole_replies", output == "native")  # whose schemas are strict
    try:
        return Facts.model_validate({"profile": fields, "output": output})
    except ValidationError as error:
        raise ConfigError(f"{origin}: profile {fields['name']!r}: {in_words(error)}") from error
