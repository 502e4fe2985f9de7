"""Repairs code written by a small model, if the intended Python is certain and, mostly, if it does not parse as it
stands."""

from __future__ import annotations

import ast
import re

_TAIL = re.compile(r"[\"'`;,\s]*[}\]]|`|[\"';,]+\s*$")
_IMPORTS = (ast.Import, ast.ImportFrom)
FORGOTTEN = frozenset({
    "collections", "csv", "datetime", "glob", "io", "itertools", "json", "math", "os", "pathlib", "random", "re",
    "shutil", "statistics", "string", "sys", "time", "zipfile",
})  # fmt: skip
"""Modules that models use without importing them."""
_TEXT_OF_TEXT = re.compile(r"(\.findtext\([^()\n]{1,200}\))\.text\b")
BREAKS = 20
"""Maximum number of line breaks in strings that are repaired in one piece of code."""


def unbroken(code: str) -> str:
    """``code`` with line breaks inside quoted strings written as ``\\n``, if that makes it valid Python."""
    mended = code
    for _ in range(BREAKS):
        try:
            ast.parse(mended)
        except SyntaxError as error:
            lines = mended.split("\n")
            if "unterminated string literal" not in str(error.msg) or not 0 < (error.lineno or 0) < len(lines):
                return code
            at = error.lineno or 0
            mended = "\n".join((*lines[: at - 1], f"{lines[at - 1]}\\n{lines[at]}", *lines[at + 1 :]))
        except (ValueError, RecursionError):
            return code
        else:
            return mended
    return code


def untailed(code: str) -> str:
    """``code`` without the end of a JSON reply that was written into it, and what follows, if that makes it valid
    Python."""
    if _parses(code):
        return code
    for tail in _TAIL.finditer(code):
        # Nothing before one of Python's own closing brackets parses. A model that miscounted brackets may need up to
        # two more.
        shorter = code[: tail.start()].rstrip()
        for closed in (shorter, f"{shorter})", f"{shorter}))"):
            if shorter and _parses(closed):
                return closed
    return code


def plain_texts(code: str) -> str:
    """``code`` without ``.text`` after ``findtext(...)``, which returns the text already: models ask for it again."""
    return _TEXT_OF_TEXT.sub(r"\1", code)


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def imported(code: str) -> str:
    """``code`` with an import of the standard library's modules that it uses without importing or assigning them."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError):
        return code
    used = {node.value.id for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
    made = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    made |= {(name.asname or name.name).split(".")[0] for node in nodes if isinstance(node, _IMPORTS) for name in node.names}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    missing = sorted(used & FORGOTTEN - made)
    # On the first line, so that line numbers in errors are those that the model wrote.
    return f"import {', '.join(missing)}; {code}" if missing and _simple(code) else code


def _simple(code: str) -> bool:
    """Whether another statement may precede the first one on its line."""
    return re.match(r"\s*(?:from __future__|[\"'@]|(?:if|for|while|with|def|class|try|async)\b)", code) is None
