"""What a command typed into a desktop terminal may do to files. Nothing there can be rolled back, so its text decides, more
strictly than in the sandbox.

Code whose effect the line does not show counts as destructive, and so does overwriting. A terminal's working directory is
unknown: a name means any file of the workspace with that name.
"""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Iterator, Sequence
from glob import has_magic
from itertools import dropwhile

from deskcrew.actions import shell
from deskcrew.actions.shell import Command
from deskcrew.environments.workspace import INSIDE, MAX_ENTRIES
from deskcrew.facts.observation import FileEntry
from deskcrew.guard.commands import JudgedRisk, programs
from deskcrew.guard.words import Words

_EXPANDED = frozenset("$`{")
_SYSTEM = frozenset(f"{under}{name}" for under in ("/", "/usr/", "/usr/local/") for name in ("bin", "sbin", "games"))
_ABOVE = frozenset({"", ".", "..", "~"})
_ASKS_ONLY = frozenset({"--version", "-V", "--help"})


def judge_typed_command(command: str, words: Words, files: Sequence[FileEntry]) -> JudgedRisk:
    """The risk of a command line: destroy if it loses files, or may. ``files``: the workspace's, as in an observation."""
    there = _Files(files)
    losses = (loss for each in shell.read(command).commands for loss in _losses(each, words, there))
    return next(losses, JudgedRisk("write"))


def _losses(command: Command, words: Words, files: _Files) -> Iterator[JudgedRisk]:
    for gone in command.redirections:
        if gone.cuts and files.may_be(gone.target):
            yield JudgedRisk("destroy", f"it writes over {gone.target}")
    for word, *rest in programs(command.words, words.commands):
        yield from _of_program(word, rest, words, files)


def _of_program(word: str, rest: list[str], words: Words, files: _Files) -> Iterator[JudgedRisk]:
    table, name = words.typed, shell.name_of(word)
    if not shell.EXPANDED.isdisjoint(word):
        yield JudgedRisk("destroy", "the name of a command is not told")
    elif "/" in word and posixpath.dirname(word) not in _SYSTEM:
        yield JudgedRisk("destroy", f"what {word} does cannot be determined")
    elif (name in words.commands.unknown or name in table.hidden) and name not in words.commands.prefixes:
        if not rest or not _ASKS_ONLY.issuperset(rest):
            yield JudgedRisk("destroy", f"what {name} runs cannot be determined")
    elif _has(rest, table.losing.get(name, ())):
        yield JudgedRisk("destroy", f"the command {name} destroys what was there")
    elif name in table.replacing:
        yield from _replaced(name, rest, files)
    elif name in table.writing and _has(rest, table.writing[name] or ("",)):
        yield from (JudgedRisk("destroy", f"{name} writes over {each}") for each in _plain(rest) if files.may_be(each))


def _replaced(name: str, tokens: list[str], files: _Files) -> Iterator[JudgedRisk]:
    """The losses by a command that writes its first operands to the location of its last."""
    *sources, goal = _plain(tokens) or [""]
    if _has(tokens, ("-t", "--target-directory")):
        yield JudgedRisk("destroy", f"where {name} writes cannot be determined")
    if name == "mv" and goal.startswith(("/", "~")) and not f"{goal}/".startswith(f"{INSIDE}/"):
        yield JudgedRisk("destroy", f"mv moves it away to {goal}")
    elif sources and files.would_be_replaced(sources, goal):
        yield JudgedRisk("destroy", f"{name} writes over what is there")


def _plain(tokens: Sequence[str]) -> list[str]:
    return [token for token in tokens if token and not token.startswith("-")]


def _has(tokens: Sequence[str], options: Sequence[str]) -> bool:
    """Whether one of these options is present: alone, with a value, or as a letter among others. '' always is."""
    for option in options:
        letter = option[1] if len(option) == 2 and option[0] == "-" else ""
        if not option or any(token == option or token.startswith(f"{option}=") for token in tokens):
            return True
        if letter and any(letter in token.partition("=")[0] for token in tokens if token[:1] == "-" != token[1:2]):
            return True
    return False


class _Files:
    """The workspace's files, searchable by any suffix of their paths."""

    def __init__(self, entries: Sequence[FileEntry]) -> None:
        self._files = [f"/{each.path}" for each in entries if each.kind != "folder"]
        self._folders = [f"/{each.path}" for each in entries if each.kind == "folder"]
        self._cut = len(entries) >= MAX_ENTRIES

    def may_be(self, name: str) -> bool:
        """Whether a name may mean an existing file."""
        if not _EXPANDED.isdisjoint(name):
            return True
        if name.startswith("/") and not name.startswith(f"{INSIDE}/"):
            return False  # outside, which is another matter
        return self._cut or any(_fits(path, name) for path in self._files)

    def would_be_replaced(self, sources: Sequence[str], goal: str) -> bool:
        """Whether writing ``sources`` to ``goal`` overwrites a file."""
        if not all(map(_EXPANDED.isdisjoint, (*sources, goal))) or self._cut:
            return True
        here = _end(goal) == ""
        if not here and not goal.endswith("/") and not any(_fits(path, goal) for path in self._folders):
            return self.may_be(goal)
        for source in sources:
            for base in self._called(source):
                there = f"{goal.rstrip('/')}/{base}" if not here else base
                if any(_fits(path, there) and not (here and _fits(path, source)) for path in self._files):
                    return True
        return False

    def _called(self, source: str) -> set[str]:
        """The names that a word may expand to, including its own."""
        base = posixpath.basename(source.rstrip("/"))
        return {base} | {
            posixpath.basename(path) for path in self._files if fnmatch.fnmatchcase(posixpath.basename(path), base)
        }


def _fits(path: str, name: str) -> bool:
    """Whether ``path`` may be called ``name`` in some working directory."""
    end = _end(name)
    if not end:
        return False
    return fnmatch.fnmatchcase(path, f"*/{end}") if has_magic(end) else path.endswith(f"/{end}")


def _end(name: str) -> str:
    """The part of a path that does not depend on the working directory; '' for that directory or one above."""
    plain = posixpath.normpath(name).removeprefix(INSIDE)
    return "/".join(dropwhile(_ABOVE.__contains__, plain.split("/")))
