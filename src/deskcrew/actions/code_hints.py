"""Hints added to the error of a model's code: what exists instead of what it looked for."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from deskcrew.actions import readers
from deskcrew.actions.action import Result
from deskcrew.actions.libraries import TOLD
from deskcrew.actions.outlines import outline
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError

LENGTH = 300
"""Maximum characters of a file's outline."""
_FILES = 3
"""Maximum number of files outlined."""
_LISTED = 15
_DATA = ("KeyError", "IndexError", "ValueError", "TypeError", "AttributeError", "StopIteration", "ZeroDivisionError")
"""Errors of code that expects different data."""


def hint(workspace: Workspace, failed: Result, code: str) -> str:
    """A sentence to append to the error of code that failed; '' if there is nothing to hint at."""
    error = failed.error
    if "ModuleNotFoundError" in error:
        return f" There are {TOLD}; use those."
    if "FileNotFoundError" in error:
        there = [entry.path for entry in workspace.observe().files if entry.kind == "file"]
        more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
        return f" The files are: {', '.join(there[:_LISTED]) or 'none'}{more}."
    kind = error.partition(":")[0].partition(" ")[0]
    if kind in _DATA or kind.endswith("DecodeError"):
        shown = [
            f" {path} is: {text}" for path in failed.reads[:_FILES] if (text := _outline(workspace, path, _texts(code)))
        ]
        return "".join(shown)
    return ""


def _outline(workspace: Workspace, path: str, names: Sequence[str]) -> str:
    try:
        with workspace.held(workspace.resolve(path, must_exist=True)) as place:
            return outline(path, readers.read(place), LENGTH, names)
    except (ActionError, OSError):
        return ""


def _texts(code: str) -> list[str]:
    """The strings in code, which it may look for."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return [value for value in constants if isinstance(value, str) and len(value) > 2]
