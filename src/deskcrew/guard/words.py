"""The tables of ``words.toml`` (commands, windows, code, keys), typed, and the tables for names of controls."""

from __future__ import annotations

import tomllib
from functools import cache, cached_property
from importlib import resources

from deskcrew.facts.observation import Frozen
from deskcrew.guard.names import Names, Raised


class Signs(Frozen):
    """``currencies``: their codes and names; ``crosses``: symbols that close or remove something; ``bins``: symbols that
    remove something, as icons with a class in ``removing`` do; ``leaving``: parts of addresses that sign the user out."""

    currencies: tuple[str, ...]
    crosses: frozenset[str]
    bins: frozenset[str]
    removing: frozenset[str]
    leaving: frozenset[str]


class CommandWords(Frozen):
    destroy: frozenset[str]
    network: frozenset[str]
    send: frozenset[str]
    credential: frozenset[str]
    unknown: frozenset[str]
    prefixes: frozenset[str]
    git_network: frozenset[str]


class Typing(Frozen):
    """Commands typed into a terminal. ``hidden``: what they run cannot be determined, as with ``CommandWords.unknown``;
    ``losing``: with one of these options or words they destroy files; ``replacing``: the last operand is overwritten;
    ``writing``: any operand is, with one of these options, or always if no option is listed."""

    hidden: frozenset[str]
    replacing: frozenset[str]
    losing: dict[str, tuple[str, ...]]
    writing: dict[str, tuple[str, ...]]


class Windows(Frozen):
    runner_titles: tuple[str, ...]
    file_managers: tuple[str, ...]
    path_fields: tuple[str, ...]
    paste: tuple[str, ...]
    browsers: tuple[str, ...]
    address_fields: tuple[str, ...]


class CodeWords(Frozen):
    destroy: frozenset[str]
    destroy_methods: frozenset[str]
    shell: frozenset[str]
    network: frozenset[str]
    send: frozenset[str]


class Shortcut(Frozen):
    """Keys with the effect of a control with one of these names. ``beside_button``: in a page, only with such a button."""

    keys: tuple[frozenset[str], ...]
    names: tuple[str, ...]
    apps: tuple[str, ...] | None = None
    risk: Raised | None = None
    action: str = ""
    beside_button: bool = False

    def fits(self, keys: frozenset[str], app: str) -> bool:
        """Whether ``keys`` are this shortcut in a program of that name."""
        return keys in self.keys and (self.apps is None or any(part in app.casefold() for part in self.apps))


class Words(Frozen):
    """The whole table."""

    signs: Signs
    commands: CommandWords
    typed: Typing
    windows: Windows
    code: CodeWords
    shortcuts: tuple[Shortcut, ...] = ()

    @classmethod
    @cache
    def load(cls) -> Words:
        """The built-in table, read once a process: it is frozen, and part of the program."""
        text = resources.files("deskcrew.guard").joinpath("words.toml").read_text(encoding="utf-8")
        data = tomllib.loads(text)
        return cls.model_validate(data)

    @cached_property
    def without_destroying(self) -> Words:
        """This table for cases where changes to files are judged by their actual effect, not by a command's text."""
        commands = self.commands.model_copy(update={"destroy": frozenset[str]()})
        code = self.code.model_copy(update={"destroy": frozenset[str](), "destroy_methods": frozenset[str]()})
        return self.model_copy(update={"commands": commands, "code": code})

    @cached_property
    def names(self) -> Names:
        """What names of controls say, in every language that has a table."""
        return Names.load(self.signs.currencies)
