"""Replaces values in programs, but only in data, never in words of the language, and quotes them as their place needs. Pure.

In Python, data are string and number literals; in a shell command, its words.
"""

from __future__ import annotations

import io
import re
import shlex
import string
import tokenize
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from itertools import pairwise

from deskcrew.actions import shell
from deskcrew.facts.texts import places_of, words_in

Swap = Callable[[str, Callable[[str], str]], str]
"""Replaces values in a text. The given function converts a new value to the notation of its place."""


_BARE_SIGNS = str.maketrans(dict.fromkeys("_./:=@%+,-", "a"))
_IN_QUOTES = str.maketrans({mark: f"\\{mark}" for mark in '\\"$`'})
_WRITTEN = {92: "\\\\", **{code: f"\\x{code:02x}" for code in (*range(32), 127)}}
"""Escapes for the characters that a string literal cannot contain as they are."""
_RUNNING = frozenset({"exec", "xargs", "sudo", "env", "time"})
_BEHIND_NAMES = ("(", "=", "-=", "+=", "*=", "/=", "%=", "[", "++", "--")


class Unwritable(Exception):
    """A value cannot be written at its place. ``str()``: the value."""


def in_python(code: str, swap: Swap) -> str:
    """Python code with other values in its literals. Code that cannot be parsed is left unchanged. Raises Unwritable if a
    value cannot be written in its literal."""
    made, end = list[str](), 0
    for start, stop in _literals(code):
        made += [code[end:start], _literal(code[start:stop], swap)]
        end = stop
    return "".join([*made, code[end:]])


@lru_cache(maxsize=256)
def unreplaced_in_python(code: str) -> str:
    """Python code without its comments and everything that :func:`in_python` replaces."""
    left, end = list[str](), 0
    for start, stop in _literals(code):
        left += [code[end:start], *_parts(code[start:stop])[1][1::2]]
        end = stop
    return " ".join([*left, code[end:]])


def names_in_python(value: str, code: str, own: Collection[str] = ()) -> bool:
    """Whether a value is also a name, a part of a name, or an operator in a program: ``max`` in ``max(hours)`` and in
    ``max_hours``. Case is ignored. A value with other characters, such as ``Total:``, never is. ``own``: names to ignore."""
    program = unreplaced_in_python(code)
    if _is_operator(value):
        return value in program
    signs = "".join(value.replace("_", "").replace("-", "").split())
    if not signs.isalnum() or not any(map(str.isalpha, signs)):
        return False
    names = " ".join("" if name in own else name for name in words_in(program))
    said, words = (words_in(text.casefold().replace("_", " ")) for text in (names, value))
    return f" {' '.join(words)} " in f" {' '.join(said)} "


def names_in_shell(value: str, command: str) -> bool:
    """Whether a value is also a name in a shell command: a program, an option or a variable, or a name in a program that is
    one of its words."""
    cut = shell.pieces(command)
    if _is_operator(value):
        return any(value in each.text for each in cut if not each.quote)
    if not value.isidentifier():
        return False
    said = [each.words for each in shell.read(command).commands]
    called = (word for words in said for before, word in pairwise(("exec", *words)) if before in _RUNNING)
    named = {each.casefold() for each in (*map(shell.name_of, called), *shell.variables(command))}
    options = {part.casefold() for words in said for word in words if word.startswith("-") for part in word.split("-")}
    name = value.casefold()
    return name in named | options or any(_is_name(name, each.text.casefold()) for each in cut if each.quote)


def _is_name(name: str, program: str) -> bool:
    """Whether a program calls, indexes or assigns to something with this name."""
    behind = ((program[at - 1 : at], program[at + len(name) :]) for at in places_of(name, program))
    apart = (rest for before, rest in behind if not words_in(before) and not words_in(rest[:1]))
    return any(rest.lstrip().startswith(_BEHIND_NAMES) for rest in apart)


def _is_operator(value: str) -> bool:
    return bool(value) and set(value) <= set("<>!=+*/%&|^~-")


def in_shell(command: str, swap: Swap) -> str:
    """A shell command with other values in its words. Raises Unwritable if it is unclear how a value must be quoted."""
    return "".join(swap(piece.text, _of_shell(piece)) for piece in shell.pieces(command))


def _of_shell(piece: shell.Piece) -> Callable[[str], str]:
    def written(value: str) -> str:
        if value and value.isascii() and value.translate(_BARE_SIGNS).isalnum():
            return value
        if piece.heard or piece.quote == "$" or "\0" in value:
            raise Unwritable(value)
        if piece.quote == "'":
            return value.replace("'", "'\\''")
        if piece.quote == '"':
            return value.translate(_IN_QUOTES)
        return shlex.quote(value)

    return written


def _literals(code: str) -> Iterator[tuple[int, int]]:
    """The offsets at which literals and comments begin and end."""
    lines = [0]
    for line in code.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    begun = 0
    opened: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            start = lines[token.start[0] - 1] + token.start[1]
            stop = lines[token.end[0] - 1] + token.end[1]
            kind = tokenize.tok_name[token.type]
            if kind == "FSTRING_START":  # of Python 3.12 and later
                opened.append(start)
            elif kind == "FSTRING_END":
                begun = opened.pop()
                if not opened:
                    yield begun, stop
            elif kind in ("STRING", "NUMBER", "COMMENT") and not opened:
                yield start, stop
    except (tokenize.TokenError, SyntaxError):
        return


def _literal(text: str, swap: Swap) -> str:
    """A literal or comment with its values replaced."""
    opening, pieces, quote = _parts(text)
    if not quote:
        return text if text.startswith("#") else _number(text, swap)
    prefix = opening.removesuffix(quote).lower()

    def written(value: str) -> str:
        if "r" in prefix or "b" in prefix:
            if not (value.isascii() and value.isprintable()) or set(value) & {"\\", "'", '"', "{", "}"}:
                raise Unwritable(value)
            return value
        plain = value.translate(_WRITTEN).replace(quote[0], f"\\{quote[0]}")
        return plain.replace("{", "{{").replace("}", "}}") if "f" in prefix else plain

    made = "".join(piece if at % 2 else swap(piece, written) for at, piece in enumerate(pieces))
    return f"{opening}{made}{quote}"


def _parts(literal: str) -> tuple[str, list[str], str]:
    """The opening of a string literal, its texts with, at odd indices, its replacement fields, and its closing quote; '' for
    a number and a comment."""
    rest = literal.lstrip(string.ascii_letters)
    quote = next((each for each in ('"""', "'''", '"', "'") if rest.startswith(each)), "")
    if not quote:
        return "", [], ""
    prefix, body = literal[: -len(rest)], rest[len(quote) : -len(quote)]
    computes = "f" in prefix.lower()
    pieces = re.split(r"(\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})", body) if computes else [body]
    return f"{prefix}{quote}", pieces, quote


def _number(text: str, swap: Swap) -> str:
    """A number literal, replaced if all of it is a value."""
    before, *found = swap(text, lambda value: f"\0{value}\0").split("\0")
    if before or len(found) != 2 or found[1]:
        return text
    whole, point, part = found[0].partition(".")
    plain = whole.isascii() and whole.isdecimal() and (whole == "0" or whole[0] != "0")
    if not plain or (point and not (part.isascii() and part.isdecimal())):
        raise Unwritable(found[0])
    return found[0]
