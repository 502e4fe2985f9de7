"""The commands in a shell text, with their words and where their output goes, read by a parser of the shell's grammar.

A text that the grammar rejects may be anything: each of its words counts as the name of a command, and what follows an arrow
as written to. What a script does, and what a variable or an alias stands for, is not visible.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from deskcrew.actions.code import SHELLS

EXPANDED = frozenset("$`{*?")
"""Characters that a shell expands; a word with one of these cannot be determined from the text."""
_COMMANDS = frozenset({"command", "declaration_command", "unset_command"})
_REDIRECTIONS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_NO_WORDS = frozenset({"variable_assignment", "comment", *_REDIRECTIONS})
_MARKS = str.maketrans({**dict.fromkeys("'\"\\", ""), **dict.fromkeys(";,|&(){}`$<\0", " "), ">": " > "})
_DEEPEST = 4
"""Maximum depth of texts for a shell within each other that are read."""
_MOST = 100
"""Maximum number of words of a command in a text that the grammar rejects."""


@dataclass(frozen=True, slots=True)
class Redirection:
    """Where a command's output goes, or what it reads."""

    operator: str
    target: str

    @property
    def writes(self) -> bool:
        """Whether a file is written to: 2>&1 names none."""
        number = self.operator.endswith(">&") and self.target.strip("-").isdigit()
        return ">" in self.operator and bool(self.target) and not number

    @property
    def cuts(self) -> bool:
        """Whether the file's former content is lost."""
        return self.writes and ">>" not in self.operator


@dataclass(frozen=True, slots=True)
class Command:
    """A command. ``words``: without quotation marks, the name first; empty if there is only an assignment or a redirection.
    ``heard``: the text that it reads as input."""

    words: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    heard: str = ""

    @property
    def said(self) -> tuple[str, ...]:
        """All words of the command."""
        gone = (word for each in self.redirections for word in (each.operator, each.target))
        return (*self.assigned, *self.words, *gone)


@dataclass(frozen=True, slots=True)
class ShellLine:
    """The commands of a text. ``understood``: whether the grammar accepts it."""

    commands: tuple[Command, ...]
    understood: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        """The words of all commands, each once."""
        return tuple(dict.fromkeys(word for each in self.commands for word in each.said))


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a command as written. ``quote``: the mark around it, '' for none; ``heard``: it is not a word but input."""

    text: str
    quote: str = ""
    heard: bool = False


def name_of(word: str) -> str:
    """A program's name without its folder."""
    return posixpath.basename(word).casefold()


def is_assignment(word: str) -> bool:
    """Whether a word assigns a value to a variable."""
    name, equals, _ = word.partition("=")
    return bool(equals) and name.removesuffix("+").isidentifier()


@lru_cache(maxsize=256)
def read(text: str) -> ShellLine:
    """The commands of a text, including those in substitutions and in texts that it passes to a shell."""
    return _read(text, _DEEPEST)


def pieces(text: str) -> list[Piece]:
    """A command cut where quotations and input texts begin and end; together, the pieces are the whole command."""
    source = _encoded(text)
    cut: list[Piece] = []
    at = 0
    for node in _walk(_parser().parse(source).root_node):
        heard = node.type in ("heredoc_body", "heredoc_content")
        if node.start_byte < at or not (heard or node.type in ("string", "raw_string", "ansi_c_string")):
            continue
        quote = "" if heard else chr(source[node.start_byte])
        cut += [Piece(_decoded(source[at : node.start_byte])), Piece(_text(node), quote, heard)]
        at = node.end_byte
    return [each for each in (*cut, Piece(_decoded(source[at:]))) if each.text]


def variables(text: str) -> frozenset[str]:
    """The variables in a command."""
    nodes = _walk(_parser().parse(_encoded(text)).root_node)
    return frozenset(_text(node) for node in nodes if node.type == "variable_name")


def _read(text: str, depth: int) -> ShellLine:
    text = text.replace("\\\n", "").replace("\0", "")  # a line that goes on is one line
    root = _parser().parse(_encoded(text)).root_node
    nodes = list(_walk(root))
    found = [_command(node) for node in nodes if node.type in _COMMANDS]
    found += [each for node in nodes if (each := _beside(node)) is not None]
    if root.has_error:
        found += _guessed(text)
    understood = not root.has_error
    for each in tuple(found) if depth else ():
        for inner in filter(str.strip, _handed(each)):
            line = _read(inner, depth - 1)
            found += line.commands
            understood = understood and line.understood
    return ShellLine(tuple(dict.fromkeys(found)), understood)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(source: bytes) -> str:
    return source.decode("utf-8", "surrogatepass")


def _text(node: Node) -> str:
    return _decoded(node.text or b"")


def _walk(root: Node) -> Iterator[Node]:
    """A node and all nodes below it, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def _command(node: Node) -> Command:
    """A command. Words after a redirection still belong to it."""
    redirections = _redirections(node)
    if node.parent is not None and node.parent.type == "redirected_statement":
        redirections += _redirections(node.parent)
    words = [each for each in node.children if each.type not in _NO_WORDS and each.text]
    words += [word for each in redirections for word in each.children_by_field_name("destination")[1:]]
    words += [word for each in redirections for word in each.children_by_field_name("argument")]
    assigned = (each for each in node.children if each.type == "variable_assignment")
    return Command(
        tuple(map(_plain, words)),
        tuple(map(_plain, assigned)),
        tuple(each for of in redirections if (each := _redirection(of)) is not None),
        "\n".join(map(_heard, redirections)).strip(),
    )


def _redirections(node: Node) -> list[Node]:
    """The redirections of a command; more may follow where an input text begins."""
    own = [each for each in node.children if each.type in _REDIRECTIONS]
    return [*own, *(inner for each in own if each.type == "heredoc_redirect" for inner in _redirections(each))]


def _beside(node: Node) -> Command | None:
    """Assignments or redirections that do not belong to one command."""
    if node.type == "variable_assignment" and (node.parent is None or node.parent.type not in _COMMANDS):
        return Command(assigned=(_plain(node),))
    if node.type != "redirected_statement" or any(each.type in _COMMANDS for each in node.children):
        return None
    found = tuple(each for of in _redirections(node) if (each := _redirection(of)) is not None)
    return Command(redirections=found) if found else None


def _redirection(node: Node) -> Redirection | None:
    if node.type != "file_redirect":
        return None
    target = next(iter(node.children_by_field_name("destination")), None)
    operator = next((_text(each) for each in node.children if not each.is_named), ">")
    return Redirection(operator, _plain(target) if target is not None else "")


def _heard(node: Node) -> str:
    """The text that a redirection passes to a command."""
    if node.type == "herestring_redirect":
        return _plain(node.children[-1])
    return "".join(_text(each) for each in node.children if each.type == "heredoc_body")


def _plain(node: Node) -> str:
    """A word without quotation marks; expansions in it stay as written."""
    text = _text(node)
    try:
        return " ".join(shlex.split(text))
    except ValueError:  # a mark within what is put in
        return text


def _handed(command: Command) -> Iterator[str]:
    """The texts that a command passes to a shell."""
    names = [name_of(word) for word in command.words]
    if "eval" in names:
        yield " ".join(command.words[names.index("eval") + 1 :])
    at = next((at for at, name in enumerate(names) if name in SHELLS), None)
    if at is not None:
        yield command.heard
        options = (each for each in range(at + 1, len(names) - 1) if names[each].startswith("-") and "c" in names[each])
        yield from (command.words[each + 1] for each in options)


def _guessed(text: str) -> Iterator[Command]:
    for line in text.splitlines():
        words = line.translate(_MARKS).split()
        for at, word in enumerate(words):
            behind = words[at - 1] == ">" if at else False
            yield Command(tuple(words[at : at + _MOST]), redirections=(Redirection(">", word),) if behind else ())
