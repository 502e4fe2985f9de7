"""The words of ``words.toml``, typed, and how a control's name is compared with them."""

from __future__ import annotations

import re
import tomllib
from functools import cached_property
from importlib import resources
from typing import Any, Literal

from deskcrew.observation import Frozen

Raised = Literal["destroy", "send", "spend", "credential"]
BY_WEIGHT: tuple[Raised, ...] = ("spend", "credential", "send", "destroy")
"""The gravest first: a name that fits several counts as the first of them."""


class Named(Frozen):
    whole: frozenset[str]
    part: tuple[str, ...]


class Commands(Frozen):
    destroy: frozenset[str]
    network: frozenset[str]
    send: frozenset[str]
    credential: frozenset[str]
    unknown: frozenset[str]
    prefixes: frozenset[str]
    git_network: frozenset[str]


class Windows(Frozen):
    runner_titles: tuple[str, ...]
    file_managers: tuple[str, ...]
    path_fields: tuple[str, ...]
    paste: tuple[str, ...]
    browsers: tuple[str, ...]
    address_fields: tuple[str, ...]


class Code(Frozen):
    destroy: frozenset[str]
    destroy_methods: frozenset[str]
    shell: frozenset[str]
    network: frozenset[str]
    send: frozenset[str]


class Shortcut(Frozen):
    """Keys that do what a control of one of these names does."""

    keys: tuple[frozenset[str], ...]
    names: tuple[str, ...]
    apps: tuple[str, ...] | None = None
    risk: Raised | None = None
    action: str = ""

    def fits(self, keys: frozenset[str], app: str) -> bool:
        """Whether pressing ``keys`` in a program of that name is meant."""
        return keys in self.keys and (self.apps is None or any(part in app.casefold() for part in self.apps))


class Words(Frozen):
    """All of the table."""

    controls: dict[Raised, Named]
    commands: Commands
    windows: Windows
    code: Code
    shortcuts: tuple[Shortcut, ...] = ()

    @classmethod
    def load(cls) -> Words:
        """The built-in table."""
        text = resources.files("deskcrew.guard").joinpath("words.toml").read_text(encoding="utf-8")
        data: dict[str, Any] = tomllib.loads(text)
        return cls.model_validate(data)

    @cached_property
    def _parts(self) -> dict[Raised, re.Pattern[str]]:
        # \b means nothing between the characters of languages without spaces, hence the lookarounds for letters only.
        return {
            risk: re.compile("|".join(rf"(?<![a-z]){re.escape(part)}(?![a-z])" for part in self.controls[risk].part))
            for risk in BY_WEIGHT
        }

    def of_control(self, name: str) -> Raised | None:
        """What operating a control of that name does, None if it does not tell."""
        plain = " ".join(re.sub(r"[_&.…!>»→:]+", lambda m: "" if m.group() in "_&" else " ", name.casefold()).split())
        for risk in BY_WEIGHT:
            if plain in self.controls[risk].whole or self._parts[risk].search(plain):
                return risk
        return None
