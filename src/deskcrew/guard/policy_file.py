"""Parses a policy's TOML. Every mistake is reported with file, line, rule and field, and a suggestion."""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from glob import has_magic
from typing import Literal, NamedTuple, NoReturn, TypeVar

from pydantic import ValidationError

from deskcrew.actions import builtin
from deskcrew.errors import ConfigError
from deskcrew.facts.json_values import JsonObject, is_list, is_object, list_in
from deskcrew.facts.meant import did_you_mean
from deskcrew.facts.quotes import unquoted
from deskcrew.facts.unfit import choices, fault
from deskcrew.guard.conditions import FIELDS, checked_hosts
from deskcrew.guard.rules import COUNTED, Limit, Rule

_TOP = ("include_default", "hosts", "rules", "limits")
_RULE = ("name", "effect", "every_time", "why", *FIELDS)
_LIMIT = ("name", "most", "per", "effect", "why", *(field for field in FIELDS if field in COUNTED))
Section = Literal["rules", "limits"]
_E = TypeVar("_E", Rule, Limit)


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """The contents of a policy file."""

    rules: tuple[Rule, ...]
    limits: tuple[Limit, ...]
    hosts: tuple[str, ...]
    include_default: bool


def read(text: str, source: str, *, taken: Collection[str], actions: Collection[str] = ()) -> PolicyFile:
    """Parse the text of a policy file. ``source``: its name in errors; ``taken``: names of built-in rules; ``actions``:
    names of actions besides the built-in ones.

    Raises ConfigError for the first mistake.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source} is not TOML: {error}.", hint=unquoted(text, error)) from error
    return _Reader(text, source, actions).read(data, taken)


class _Where(NamedTuple):
    """What an error is about: the rule or limit, '' for the file, and its first line (from 1) and last line. Both are 0 if
    its notation does not show them."""

    label: str
    begin: int
    end: int


class _Reader:
    def __init__(self, text: str, source: str, actions: Collection[str]) -> None:
        self._lines = text.splitlines()
        self._source = source
        self._known = (*_action_names(), *actions)
        self._file = _Where("", 0, len(self._lines))

    def read(self, data: Mapping[str, object], taken: Collection[str]) -> PolicyFile:
        if unknown := [key for key in data if key not in _TOP]:
            self._fail(self._file, unknown[0], "there is no such setting", _TOP)
        include = data.get("include_default", True)
        if not isinstance(include, bool):
            self._fail(self._file, "include_default", "it must be true or false")
        rules = tuple(self._entry("rules", n, entry, Rule, _RULE) for n, entry in enumerate(self._tables(data, "rules")))
        limits = tuple(
            self._entry("limits", n, entry, Limit, _LIMIT) for n, entry in enumerate(self._tables(data, "limits"))
        )
        self._unique(rules, limits, taken if include else ())
        return PolicyFile(rules, limits, self._hosts(data), include)

    def _tables(self, data: Mapping[str, object], section: Section) -> list[JsonObject]:
        given = data.get(section, [])
        tables = [table for table in list_in(given) if is_object(table)]
        if not is_list(given) or len(tables) < len(given):
            self._fail(self._file, section, f"write each as its own table, [[{section}]]")
        return tables

    def _hosts(self, data: Mapping[str, object]) -> tuple[str, ...]:
        given = data.get("hosts", [])
        hosts = tuple(host for host in list_in(given) if isinstance(host, str) and host)
        if not is_list(given) or len(hosts) < len(given):
            self._fail(self._file, "hosts", "it must be a list of host names")
        try:
            return checked_hosts(hosts)
        except ValueError as error:
            return self._fail(self._file, "hosts", str(error))

    def _entry(self, section: Section, number: int, entry: JsonObject, kind: type[_E], known: tuple[str, ...]) -> _E:
        place = self._place(section, number, entry.get("name"))
        if unknown := [key for key in entry if key not in known]:
            self._fail(place, unknown[0], f"a {section[:-1]} has no such key", known)
        try:
            # As JSON, because strict JSON takes lists for tuples and still no "3" for 3.
            made = kind.model_validate_json(json.dumps(entry, default=str), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = str(first["loc"][0]) if first["loc"] else ""
            self._fail(place, field, fault(error), choices(error), given=first["input"])
        for name in made.action or ():  # a rule with a misspelt name would never match
            if not has_magic(name) and name.casefold() not in self._known:
                self._fail(place, "action", f"there is no action {name!r}", self._known, given=name)
        return made

    def _unique(self, rules: tuple[Rule, ...], limits: tuple[Limit, ...], taken: Collection[str]) -> None:
        seen: set[str] = set()
        sections: tuple[tuple[Section, tuple[Rule | Limit, ...]], ...] = (("rules", rules), ("limits", limits))
        for section, entries in sections:
            for number, entry in enumerate(entries):
                if entry.name in seen:
                    self._fail(self._place(section, number, entry.name), "name", "the name is used twice")
                if entry.name in taken:
                    problem = "a built-in rule has this name; choose another"
                    self._fail(self._place(section, number, entry.name), "name", problem)
                seen.add(entry.name)

    def _place(self, section: Section, number: int, name: object) -> _Where:
        what = section[:-1]
        label = f"{what} {name!r}" if isinstance(name, str) and name else f"{what} number {number + 1}"
        tables = [(n, header) for n, line in enumerate(self._lines, 1) if (header := _table(line))]
        heads = [n for n, header in tables if header == f"[[{section}]]"]
        if number >= len(heads):
            return _Where(label, 0, 0)
        after = (n for n, _ in tables if n > heads[number])
        return _Where(label, heads[number], next(after, len(self._lines) + 1) - 1)

    def _fail(
        self, place: _Where, field: str, problem: str, known: Collection[str] = (), *, given: object = None
    ) -> NoReturn:
        """Raise ConfigError with the line of a field, or the first line of what it is in."""
        lines = enumerate(self._lines[: place.end], 1)
        keys = ((n, line.partition("=")[0].strip().strip("\"'")) for n, line in lines if n >= place.begin and "=" in line)
        line = next((n for n, key in keys if field and key == field), place.begin)
        where = [self._source, f"line {line}" if line else "", place.label, f"field {field!r}" if field else ""]
        word = str(given) if isinstance(given, str) else field
        hint = meant(word, known) if known else "`deskcrew docs policy` shows how a policy is written."
        raise ConfigError(f"{', '.join(part for part in where if part)}: {problem.rstrip('.')}.", hint=hint)


def _table(line: str) -> str:
    """The header of the table that a line of TOML begins, with its brackets; '' if it begins none."""
    text = "".join(line.partition("#")[0].split())
    return text if text.startswith("[") and text.endswith("]") and text.strip("[]").isidentifier() else ""


def meant(word: str, known: Collection[str]) -> str:
    """A hint for an unknown word: the closest known word, or all of them."""
    return did_you_mean(word, known).strip() or f"There are: {', '.join(known)}."


@functools.cache
def _action_names() -> tuple[str, ...]:
    return tuple(sorted(builtin()))
