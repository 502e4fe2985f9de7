"""What a command typed into a desktop terminal may do to files. Nothing there can be rolled back, so its text decides, more
strictly than in the sandbox.

Code whose effect the line does not show counts as destructive, and so does overwriting. A terminal's working directory is
unknown: a name means any file of the workspace with that name.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterator, Sequence
from glob import has_magic

from deskcrew.environments.workspace import INSIDE, MAX_ENTRIES
from deskcrew.guard.commands import Judged, split_command
from deskcrew.guard.words import Words
from deskcrew.observation import FileEntry

_CUTS = re.compile(r"(?<![<>])>(?![>&])\|?\s*(\"[^\"]*\"|'[^']*'|[^\s;|&<>()]+)|>&\s*([^\s;|&<>()\d-][^\s;|&<>()]*)")
_COMPUTED = re.compile(r"(?:^|[;\n|&({!])\s*[\"']?(?:\$|`)")
"""A command whose name is computed first."""
_EXPANDED = frozenset("$`{")
_SYSTEM = re.compile(r"/(?:usr/(?:local/)?)?(?:s?bin|games)/[^/]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_ASKS_ONLY = frozenset({"--version", "-V", "--help"})


def judge_typed_command(command: str, words: Words, files: Sequence[FileEntry]) -> Judged:
    """Whether a command line loses files, or may. ``files``: those of the workspace, as in an observation."""
    return next(_losses(command.replace("\\\n", ""), words, _Files(files)), Judged("write"))


def _losses(command: str, words: Words, files: _Files) -> Iterator[Judged]:
    for found in _CUTS.finditer(command):
        target = (found[1] or found[2]).strip("\"'")
        if files.may_be(target):
            yield Judged("destroy", f"it writes over {target}")
    if _COMPUTED.search(command):
        yield Judged("destroy", "the name of a command is not told")
    for tokens in split_command(command):
        yield from _of_part(tokens, words, files)


def _of_part(tokens: list[str], words: Words, files: _Files) -> Iterator[Judged]:
    table = words.typed
    while tokens:
        word = tokens.pop(0)
        name = word.rpartition("/")[2].casefold()
        if _ASSIGNMENT.match(word) or word.startswith("-") or word.isdigit():
            continue
        if "/" in word and not _SYSTEM.fullmatch(word):
            yield Judged("destroy", f"what {word} does cannot be determined")
        elif "$" in name or "`" in name:
            yield Judged("destroy", "the name of a command is not told")
        elif (name in words.commands.unknown or name in table.hidden) and name not in words.commands.prefixes:
            if not tokens or not _ASKS_ONLY.issuperset(tokens):
                yield Judged("destroy", f"what {name} runs cannot be determined")
        elif _has(tokens, table.losing.get(name, ())):
            yield Judged("destroy", f"the command {name} destroys what was there")
        elif name in table.replacing:
            yield from _replaced(name, tokens, files)
        elif name in table.writing and _has(tokens, table.writing[name] or ("",)):
            yield from (Judged("destroy", f"{name} writes over {each}") for each in _plain(tokens) if files.may_be(each))
        if name not in words.commands.prefixes:
            return


def _replaced(name: str, tokens: list[str], files: _Files) -> Iterator[Judged]:
    """The losses of a command that writes its first operands to the place of its last."""
    *sources, goal = _plain(tokens) or [""]
    if _has(tokens, ("-t", "--target-directory")):
        yield Judged("destroy", f"where {name} writes cannot be determined")
    if name == "mv" and goal.startswith(("/", "~")) and not f"{goal}/".startswith(f"{INSIDE}/"):
        yield Judged("destroy", f"mv moves it away to {goal}")
    elif sources and files.would_be_replaced(sources, goal):
        yield Judged("destroy", f"{name} writes over what is there")


def _plain(tokens: Sequence[str]) -> list[str]:
    return [token for token in tokens if token and not token.startswith("-")]


def _has(tokens: Sequence[str], options: Sequence[str]) -> bool:
    """Whether one of these options is present, alone, with a value, or as a letter among others; '' always is."""
    for option in options:
        letter = option[1] if re.fullmatch(r"-\w", option) else ""
        if not option or any(token == option or token.startswith(f"{option}=") for token in tokens):
            return True
        if letter and any(re.match(rf"-\w*{letter}", token) for token in tokens):
            return True
    return False


class _Files:
    """The workspace's files, searchable by any suffix of their paths."""

    def __init__(self, entries: Sequence[FileEntry]) -> None:
        self._files = [f"/{each.path}" for each in entries if each.kind != "folder"]
        self._folders = [f"/{each.path}" for each in entries if each.kind == "folder"]
        self._cut = len(entries) >= MAX_ENTRIES

    def may_be(self, name: str) -> bool:
        """Whether an existing file may be meant."""
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
        """The names that a word may expand to, itself included."""
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
    """The part of a path that does not depend on the working directory; '' for the working directory or one above."""
    plain = posixpath.normpath(name).removeprefix(INSIDE) if name else "."
    return "" if plain in (".", "..") else re.sub(r"^(?:\.\./|~/|/)+(?:\.\.$)?", "", plain)
