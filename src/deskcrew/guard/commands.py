"""The risk of a shell command or a piece of Python, judged from its text.

In the sandbox, changes to files are judged by their actual effect instead (``environments/layer.py``); without a sandbox the
text has to do, and what is typed into a terminal is judged more strictly (``guard/typed.py``).

A heuristic, not a security boundary: the sandbox is the boundary. It cannot see what a script does that the command starts,
what a variable or an alias expands to, what is decoded or downloaded and then run, or a command typed in several pieces.
Where a command hides what it does (eval, an interpreter, ``base64 | sh``) it says ``unknown`` rather than guess.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deskcrew.actions import shell
from deskcrew.actions.action import Risk
from deskcrew.environments.workspace import INSIDE
from deskcrew.guard.words import CommandWords, Words

ORDER: tuple[Risk, ...] = ("read", "write", "unknown", "network", "destroy", "send", "credential", "spend")
"""Risks from the least to the most serious."""
_HARMLESS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/tmp/")
_IMPORTING = frozenset({"__import__", "import_module", "importlib.import_module"})


@dataclass(frozen=True, slots=True)
class JudgedRisk:
    """A risk and its reason. ``outside``: something outside the workspace is written to."""

    risk: Risk
    why: str = ""
    outside: bool = False

    def worse(self, other: JudgedRisk) -> JudgedRisk:
        """The more serious of the two; ``outside`` if either is."""
        graver = other if ORDER.index(other.risk) > ORDER.index(self.risk) else self
        return JudgedRisk(graver.risk, graver.why or self.why or other.why, self.outside or other.outside)


def judge_command(command: str, words: Words) -> JudgedRisk:
    """The most serious thing that a shell command line does."""
    line = shell.read(command)
    judged = JudgedRisk("write") if line.understood else JudgedRisk("unknown", "it cannot be read as a command")
    for each in line.commands:
        for target in (gone.target for gone in each.redirections if gone.writes and _is_outside(gone.target)):
            judged = judged.worse(JudgedRisk("write", f"it writes to {target}", outside=True))
        judged = judged.worse(_judge_words(each.words, words))
    return judged


def programs(words: Sequence[str], commands: CommandWords) -> Iterator[list[str]]:
    """A command, and the commands that it runs, as sudo and env do, each with the words after it."""
    rest = list(words)
    while rest:
        word, *behind = rest
        if not (shell.is_assignment(word) or word.startswith("-") or word.rstrip("smhd").isdigit()):
            yield rest
            if shell.name_of(word) not in commands.prefixes:
                return
        rest = behind


def _judge_words(said: Sequence[str], words: Words) -> JudgedRisk:
    judged = JudgedRisk("write")
    rest: list[str] = []
    for name, *rest in programs(said, words.commands):
        judged = judged.worse(_judge_name(shell.name_of(name), rest, words))
    destroy = words.commands.destroy
    if destroy and ("-delete" in rest or ("-exec" in rest and not destroy.isdisjoint(rest))):
        judged = judged.worse(JudgedRisk("destroy", "find deletes what it finds"))
    return judged


def _judge_name(name: str, rest: list[str], words: Words) -> JudgedRisk:
    table = words.commands
    why = f"the command {name}"
    outside = name in {"cp", "mv", "tee", "install", "ln", "touch", "mkdir"} and any(map(_is_outside, rest[-1:]))
    if name == "git":
        return JudgedRisk("network" if set(rest) & table.git_network else "write", why)
    if name in table.destroy or (table.destroy and name.startswith("mkfs")):
        return JudgedRisk("destroy", why, outside=any(map(_is_outside, rest)))
    if name in table.credential:
        return JudgedRisk("credential", why)
    if name in table.send:
        return JudgedRisk("send", why)
    if name in table.network:
        return JudgedRisk("network", why)
    if name in table.unknown or not shell.EXPANDED.isdisjoint(name):
        return JudgedRisk("unknown", f"what {name} runs cannot be determined")
    return JudgedRisk("write", f"{why} writes outside the workspace" if outside else "", outside)


def _is_outside(path: str) -> bool:
    """Whether a path in a command certainly lies outside the workspace. Relative paths lie inside, except for '..'."""
    if path.startswith(_HARMLESS) or path == INSIDE or path.startswith(INSIDE + "/"):
        return False
    return path.startswith(("/", "~", "$HOME", "${HOME")) or ".." in path.split("/")


def judge_code(code: str, words: Words) -> JudgedRisk:
    """The most serious thing that a piece of Python visibly does. Code that does not parse does nothing."""
    try:
        return _judge_tree(ast.parse(code), words)
    except (SyntaxError, ValueError):
        return JudgedRisk("write")
    except (RecursionError, MemoryError):
        return JudgedRisk("unknown", "it is nested too deeply to be read")


def _judge_tree(tree: ast.AST, words: Words) -> JudgedRisk:
    judged = JudgedRisk("write")
    table = words.code
    names = _imported(tree)
    for node in ast.walk(tree):
        for module in _imports(node):
            if module in table.send:
                judged = judged.worse(JudgedRisk("send", f"it imports {module}"))
            elif module in table.network:
                judged = judged.worse(JudgedRisk("network", f"it imports {module}"))
        if isinstance(node, ast.Call):
            judged = judged.worse(_judge_call(node, _called(node, names), words))
    return judged


def shell_texts(tree: ast.AST, words: Words) -> list[str]:
    """The shell commands that a piece of Python visibly runs."""
    names = _imported(tree)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [_shell_text(call) for call in calls if _starts_shell(_called(call, names), words)]


def _imported(tree: ast.AST) -> dict[str, str]:
    """Aliases of imports: ``import os as o``, ``from shutil import rmtree as r``."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _called(call: ast.Call, names: dict[str, str]) -> str:
    """The original dotted name of the function that a call calls."""
    node, parts = call.func, list[str]()
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    first = ast.unparse(node)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in _IMPORTING:
        first = next((arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)), first)
    return ".".join((names.get(first, first), *reversed(parts)))


def _starts_shell(name: str, words: Words) -> bool:
    # ``from os import system`` leaves the short name only.
    return name in words.code.shell or ("." not in name and any(known.endswith(f".{name}") for known in words.code.shell))


def _shell_text(call: ast.Call) -> str:
    values = (*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "args"))
    leaves = (leaf for value in values for leaf in ast.walk(value))
    return " ".join(leaf.value for leaf in leaves if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str))


def _imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "").partition(".")[0]]
    return []


def _judge_call(call: ast.Call, name: str, words: Words) -> JudgedRisk:
    short = name.rpartition(".")[2]
    table = words.code
    # ``from shutil import rmtree`` leaves the short name only.
    if name in table.destroy or (isinstance(call.func, ast.Name) and any(d.endswith(f".{name}") for d in table.destroy)):
        return JudgedRisk("destroy", f"it calls {name}")
    if isinstance(call.func, ast.Attribute) and short in table.destroy_methods:
        return JudgedRisk("destroy", f"it calls {short}")
    if _starts_shell(name, words):
        return judge_command(_shell_text(call), words)
    return JudgedRisk("write")
