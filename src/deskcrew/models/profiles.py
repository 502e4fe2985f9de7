"""The profile of each model: ``profiles.toml``, preceded by a file of the user's."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from deskcrew.errors import ConfigError
from deskcrew.facts.observation import Frozen
from deskcrew.facts.quotes import unquoted
from deskcrew.models.client import Profile

OutputMode = Literal["native", "guidance", "tool", "prompted"]
"""How a model is asked for a typed answer; see ``profiles.toml``."""


class Facts(Frozen):
    """What is known about a model: the profile the engine reads, and what only the adapter needs."""

    profile: Profile
    output: OutputMode = "tool"


UNKNOWN = Facts(profile=Profile(name="unknown", contracts=True))
"""For a model that no entry matches: no vision, no schema enforcement, a small context, and a contract is required. Errs on
the side of caution."""


def find(model: str, *, user_file: Path | None = None) -> Facts:
    """The facts of the first entry whose globs match ``model``; the user's file comes first.

    Raises ConfigError, with file and entry, for a file that does not parse.
    """
    built_in = resources.files("deskcrew.models").joinpath("profiles.toml")
    texts = [("profiles.toml", built_in.read_text(encoding="utf-8"))]
    if user_file is not None:
        try:
            texts.insert(0, (str(user_file), user_file.read_text(encoding="utf-8")))
        except OSError as error:
            raise ConfigError(f"{user_file}: {error.strerror}") from error
    for origin, text in texts:
        for globs, facts in _parse(origin, text):
            if any(fnmatchcase(model, glob) for glob in globs):
                return facts
    return UNKNOWN


def _parse(origin: str, text: str) -> list[tuple[list[str], Facts]]:
    try:
        entries: list[dict[str, Any]] = tomllib.loads(text).get("profile", [])
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{origin}: {error}", hint=unquoted(text, error)) from error
    found: list[tuple[list[str], Facts]] = []
    for number, entry in enumerate(entries, 1):
        fields = dict(entry)
        globs = fields.pop("match", [])
        output = fields.pop("output", UNKNOWN.output)
        fields.setdefault("name", f"entry {number}")
        if fields.get("scripted") and not all(glob.startswith("scripted:") for glob in globs):
            raise ConfigError(f"{origin}: profile {fields['name']!r}: scripted: only scripted:FILE is.")
        if fields.get("free_text") == "none":
            raise ConfigError(f"{origin}: profile {fields['name']!r}: free_text: short or full.")
        fields.setdefault("contracts", True)
        fields.setdefault("freely", fields["contracts"] or fields.get("scripted", False))
        fields.setdefault("whole_replies", output == "native")  # whose schemas are strict
        try:
            found.append((globs, Facts.model_validate({"profile": fields, "output": output})))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(key) for key in first["loc"])
            raise ConfigError(f"{origin}: profile {fields['name']!r}: {place}: {first['msg']}") from error
    return found
