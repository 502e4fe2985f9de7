"""What a model is told besides the error of its code: what there is instead of what it looked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from deskcrew.actions import readers
from deskcrew.actions.action import Result
from deskcrew.actions.libraries import OFFERED
from deskcrew.actions.outlines import outline
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError

LENGTH = 300
"""Characters that show how a file is built."""
_FILES = 3
"""Files of which that is shown."""
_LISTED = 15
_MOST = 1_000_000
"""Characters of a tree that are looked through."""
_DATA = re.compile(
    r"(?:KeyError|IndexError|ValueError|TypeError|AttributeError|StopIteration|ZeroDivisionError|\w*DecodeError)\b"
)
"""What code raises that expects other data than there is."""


_PATHS = (
    " A path cannot compare: take all elements, and compare with if, as in:"
    " if x.findtext('a') == 'b' and float(x.findtext('c')) > 1."
)
_MISSED = re.compile(
    r"([\w.-]+\.\w{1,5})['\"]?\s+"
    r"(?:(?:does|do|did)(?:\s+not|n't)\s+exist|(?:(?:was|is)\s+)?not\s+found|is\s+missing)"
)
"""What code prints that caught the error itself."""


def hint(workspace: Workspace, failed: Result, code: str) -> str:
    """A sentence to put after the error of code that failed, '' where nothing helps."""
    error = failed.error
    if "ModuleNotFoundError" in error:
        return f" There are the standard library and {', '.join(OFFERED)}; use those."
    if "FileNotFoundError" in error and "there is no folder" not in error:
        there = [entry.path for entry in workspace.observe().files if entry.kind == "file"]
        more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
        return f" The files are: {', '.join(there[:_LISTED]) or 'none'}{more}.{_pattern(there, error)}"
    if "invalid predicate" in error:
        return "".join((_PATHS, *_places(workspace, failed.reads, code)))
    if "unterminated" in error:
        return " Put texts in the code between ' and ', never between double quotes."
    if "not bytes" in error:
        return " Read it as text: archive.read(name).decode().splitlines()."
    if _DATA.match(error):
        shown = [
            f" {path} is: {text}" for path in failed.reads[:_FILES] if (text := _outline(workspace, path, _texts(code)))
        ]
        return "".join((_no_key(error, code), *_places(workspace, failed.reads, code), *shown))
    return ""


def _no_key(error: str, code: str) -> str:
    key = re.match(r"KeyError: ('[^'\n]{1,60}')", error)
    if key and (added := re.search(r"\b(\w+)\[([^\[\]\n]+)\]\s*\+=", code)):
        of, at = added.groups()
        return f" If {key[1]} is none of the data, it has no value yet: {of}[{at}] = {of}.get({at}, 0) + ..."
    return f" There is no {key[1]}; use the names that are there." if key else ""


def amiss(workspace: Workspace, done: Result, code: str) -> str:
    """What code that ran to its end got wrong beyond doubt, as its error; '' where nothing is.

    It looked for attributes in a tree that has none of the name, or says itself that a file is missing which is there."""
    if "[@" in code and (places := "".join(_places(workspace, done.reads, code))):
        return f"What it looks for is in another place.{places}"
    if not (missed := dict.fromkeys(_MISSED.findall(done.text))):
        return ""
    there = [entry.path for entry in workspace.observe().files if entry.kind == "file"]
    for name in missed:
        if name not in there and (same := [path for path in there if path.endswith(f"/{name}")]):
            return f"It found no {name}. The file is there: {', '.join(same[:_LISTED])}."
    return ""


def _places(workspace: Workspace, reads: Sequence[str], code: str) -> Iterator[str]:
    """Where a tree has what the code looks for elsewhere: models take attributes for elements, and the other way."""
    for path in reads[:_FILES]:
        text = _raw(workspace, path) if path.lower().endswith(".xml") else ""
        attributes, elements = set(re.findall(r"[\s]([\w.-]+)=[\"']", text)), set(re.findall(r"<([\w.-]+)", text))
        for name in dict.fromkeys(re.findall(r"\b(?:find|findtext|findall)\(\s*['\"]([\w.-]+)['\"]", code)):
            if name in attributes - elements:
                yield f" {name} is an attribute in {path}: take it with .get({name!r})."
        for name in dict.fromkeys(re.findall(r"(?:\.get\(\s*['\"]|\.attrib\[\s*['\"]|\[@)([\w.-]+)", code)):
            if name in elements - attributes:
                yield f" {name} is an element in {path}: take it with .findtext({name!r})."


def _raw(workspace: Workspace, path: str) -> str:
    try:
        with (
            workspace.held(workspace.resolve(path, must_exist=True)) as place,
            place.open(encoding="utf-8", errors="replace") as file,
        ):
            return file.read(_MOST)
    except (ActionError, OSError):
        return ""


def _pattern(there: Sequence[str], error: str) -> str:
    """How to take all files of the folder in which the one was looked for that is not there; '' where it is none."""
    asked = re.search(r"'((?:[^'/]+/)+)[^'/]*(\.\w+)'", error)
    if asked is None:
        return ""
    folder, suffix = asked.groups()
    alike = [path for path in there if path.startswith(folder) and path.endswith(suffix)]
    return f" Take all of them: glob.glob('{folder}*{suffix}')." if len(alike) > 1 else ""


def _outline(workspace: Workspace, path: str, names: Sequence[str]) -> str:
    try:
        with workspace.held(workspace.resolve(path, must_exist=True)) as place:
            return outline(path, readers.read(place), LENGTH, names)
    except (ActionError, OSError):
        return ""


def _texts(code: str) -> list[str]:
    """The texts that code looks for."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return [value for value in constants if isinstance(value, str) and len(value) > 2]
