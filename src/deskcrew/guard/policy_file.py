"""Parses a policy's TOML. Every mistake is reported with file, line, rule and field, and a suggestion."""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from glob import has_magic
from typing import Any, Literal, NoReturn, TypeVar

from pydantic import ValidationError

from deskcrew.actions import builtin
from deskcrew.errors import ConfigError
from deskcrew.facts.json_values import JsonObject, is_list, is_object, list_in
from deskcrew.facts.meant import did_you_mean
from deskcrew.facts.quotes import unquoted
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


class _Reader:
    def __init__(self, text: str, source: str, actions: Collection[str]) -> None:
        self._lines = text.splitlines()
        self._source = source
        self._known = (*_action_names(), *actions)

    def read(self, data: Mapping[str, object], taken: Collection[str]) -> PolicyFile:
        if unknown := [key for key in data if key not in _TOP]:
            self._fail("", unknown[0], "there is no such setting", _TOP, line=self._line_of(unknown[0], 0, len(self._lines)))
        include = data.get("include_default", True)
        if not isinstance(include, bool):
            self._fail(
                "", "include_default", "it must be true or false", line=self._line_of("include_default", 0, len(self._lines))
            )
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
            self._fail("", section, f"write each as its own table, [[{section}]]")
        return tables

    def _hosts(self, data: Mapping[str, object]) -> tuple[str, ...]:
        given, line = data.get("hosts", []), self._line_of("hosts", 0, len(self._lines))
        hosts = tuple(host for host in list_in(given) if isinstance(host, str) and host)
        if not is_list(given) or len(hosts) < len(given):
            self._fail("", "hosts", "it must be a list of host names", line=line)
        try:
            return checked_hosts(hosts)
        except ValueError as error:
            return self._fail("", "hosts", str(error), line=line)

    def _entry(self, section: Section, number: int, entry: JsonObject, kind: type[_E], known: tuple[str, ...]) -> _E:
        what = "rule" if section == "rules" else "limit"
        named = entry.get("name")
        label = f"{what} {named!r}" if isinstance(named, str) and named else f"{what} number {number + 1}"
        begin, end = self._block(section, number)
        if unknown := [key for key in entry if key not in known]:
            self._fail(label, unknown[0], f"a {what} has no such key", known, line=self._line_of(unknown[0], begin, end))
        try:
            # As JSON, because strict JSON takes lists for tuples and still no "3" for 3.
            made = kind.model_validate_json(json.dumps(entry, default=str), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = str(first["loc"][0]) if first["loc"] else ""
            problem, choices = in_words(first["type"], first["msg"], first.get("ctx", {}))
            line = self._line_of(field, begin, end) or begin or None
            self._fail(label, field, problem, choices, line=line, given=first["input"])
        if made.action is not None:
            self._actions(label, made.action, self._line_of("action", begin, end))
        return made

    def _actions(self, label: str, names: tuple[str, ...], line: int | None) -> None:
        """Fail on an unknown action: a rule with a misspelt name would never match."""
        for name in names:
            if not has_magic(name) and name.casefold() not in self._known:
                self._fail(label, "action", f"there is no action {name!r}", self._known, line=line, given=name)

    def _unique(self, rules: tuple[Rule, ...], limits: tuple[Limit, ...], taken: Collection[str]) -> None:
        seen: set[str] = set()
        sections: tuple[tuple[Section, tuple[Rule | Limit, ...]], ...] = (("rules", rules), ("limits", limits))
        for section, entries in sections:
            for number, entry in enumerate(entries):
                label = f"{section[:-1]} {entry.name!r}"
                begin, end = self._block(section, number)
                line = self._line_of("name", begin, end)
                if entry.name in seen:
                    self._fail(label, "name", "the name is used twice", line=line)
                if entry.name in taken:
                    self._fail(label, "name", "a built-in rule has this name; choose another", line=line)
                seen.add(entry.name)

    def _block(self, section: Section, number: int) -> tuple[int, int]:
        """The first and last line (from 1) of an entry; 0, 0 if its notation does not show them."""
        tables = [(n, name) for n, line in enumerate(self._lines, 1) if (name := _table(line))]
        heads = [n for n, name in tables if name == f"[[{section}]]"]
        if number >= len(heads):
            return 0, 0
        after = (n for n, _ in tables if n > heads[number])
        return heads[number], next(after, len(self._lines) + 1) - 1

    def _line_of(self, key: str, begin: int, end: int) -> int | None:
        lines = enumerate(self._lines[max(begin - 1, 0) : end], max(begin, 1))
        named = (number for number, line in lines if "=" in line and line.partition("=")[0].strip().strip("\"'") == key)
        return next(named, None) if key else None

    def _fail(
        self,
        label: str,
        field: str,
        problem: str,
        known: Collection[str] = (),
        *,
        line: int | None = None,
        given: object = None,
    ) -> NoReturn:
        where = [self._source, f"line {line}" if line else "", label, f"field {field!r}" if field else ""]
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


def in_words(kind: str, message: str, context: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The problem in words, and the possible values."""
    if kind == "literal_error":
        choices = tuple(str(context.get("expected", "")).split("'")[1::2])
        return f"it must be one of {', '.join(choices)}", choices
    plain = {
        "missing": "it is missing",
        "tuple_type": "it must be a string or a list of strings",
        "string_type": "it must be a string, in quotation marks",
        "bool_type": "it must be true or false",
        "int_type": "it must be a whole number",
        "greater_than_equal": f"it must not be below {context.get('ge')}",
    }
    return plain.get(kind, message.removeprefix("Value error, ")), ()


@functools.cache
def _action_names() -> tuple[str, ...]:
    return tuple(sorted(builtin()))
