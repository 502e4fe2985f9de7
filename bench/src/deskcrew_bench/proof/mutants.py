"""Perfect operations with one thing wrong in them, made by program from the syntax tree: nobody chooses them.

One statement left out, a number or a text that is another, a comparison, a sign or a condition turned round; all of it done
twice; and besides, another file damaged, lost or left behind. What comes of a mutant is run for real; where the chore's own
check finds nothing wrong with it, it was no mutant.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

_OTHER: dict[type[ast.AST], ast.AST] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.Mult: ast.Add(),
    ast.Div: ast.Mult(),
    ast.And: ast.Or(),
    ast.Or: ast.And(),
}

_BEFORE = """import pathlib as _p
_was = {path: path.read_bytes() for path in sorted(_p.Path().rglob("*")) if path.is_file()}
"""
_UNTOUCHED = "_same = [path for path, data in _was.items() if path.is_file() and path.read_bytes() == data]\n"
BESIDES = {
    "another file with a line more": (_BEFORE, _UNTOUCHED + "_same and _same[-1].write_bytes(_was[_same[-1]] + b'x\\n')\n"),
    "another file with an end cut off": (_BEFORE, _UNTOUCHED + "_same and _same[0].write_bytes(_was[_same[0]][:-2])\n"),
    "another file is gone": (_BEFORE, _UNTOUCHED + "_same and _same[len(_same) // 2].unlink()\n"),
    "a file is left behind": ("", "__import__('pathlib').Path('notes.tmp').write_text('draft')\n"),
}
"""What else may go wrong, as statements before and after the right ones."""


def whole(code: str) -> Iterator[tuple[str, str]]:
    """Right operations, and something that nobody asked for; each with what it is."""
    yield "done twice", f"{code}\n{code}"
    for what, (before, after) in BESIDES.items():
        yield what, f"{before}{code}\n{after}"


def mutants(code: str) -> Iterator[tuple[str, str]]:
    """All of them, each with what was done to it."""
    tree = ast.parse(code)
    seen = {ast.unparse(tree)}
    for number, node in enumerate(ast.walk(tree)):
        for what, change in _changes(node):
            other = copy.deepcopy(tree)
            target = next(each for at, each in enumerate(ast.walk(other)) if at == number)
            change(target)
            text = ast.unparse(ast.fix_missing_locations(other))
            if text not in seen:
                seen.add(text)
                yield f"line {getattr(node, 'lineno', 0)}: {what}", text


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    for field in ("body", "orelse"):
        for at, statement in enumerate(getattr(node, field, []) if not isinstance(node, ast.Lambda | ast.IfExp) else []):
            if isinstance(statement, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.Pass):
                continue
            yield f"without `{ast.unparse(statement)[:60]}`", _left_out(field, at)
    if isinstance(node, ast.Constant):
        yield from _constants(node)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OTHER:
        yield "another comparison", _operator("ops")
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _OTHER:
        yield "another operator", _operator("op")


def _constants(node: ast.Constant) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    value = node.value
    if isinstance(value, bool):
        yield f"{not value} for {value}", _constant(not value)
    elif isinstance(value, int | float):
        yield f"{value + 1} for {value}", _constant(value + 1)
    elif isinstance(value, str) and any(character.isalnum() for character in value):
        at = next(number for number, character in enumerate(value) if character.isalnum())
        other = f"{value[:at]}{'z' if value[at] != 'z' else 'q'}{value[at + 1 :]}"
        yield f"{other[:40]!r} for {value[:40]!r}", _constant(other)


def _constant(value: object) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.Constant)
        node.value = value  # type: ignore[assignment]

    return change


def _operator(field: str) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        now = getattr(node, field)
        if isinstance(now, list):
            now[0] = _OTHER[type(now[0])]  # pyright: ignore[reportUnknownArgumentType]
        else:
            setattr(node, field, _OTHER[type(now)])

    return change


def _left_out(field: str, at: int) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        getattr(node, field)[at] = ast.Pass()

    return change
