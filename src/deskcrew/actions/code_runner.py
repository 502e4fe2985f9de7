"""Runs a model's code inside the sandbox (C24, F12), where none of our modules can be imported.

Reads ``{"code", "main_function", "libraries"}`` as JSON from standard input; ``libraries`` are folders of libraries that can
be imported besides the standard one. Prints what the code prints; then the return value of ``main_function`` if the code
defines it and does not call it itself; and if nothing at all was printed, the value of the last expression, as a notebook
does, because small models forget to print.

Writes the workspace files that the code opened for reading, one per line, to the descriptor given as last argument. That is
evidence about honest code: an audit hook sees every ``open`` of this interpreter, but not what a child process reads, and
code that sets out to lie can write to the descriptor itself.
"""

from __future__ import annotations

import ast
import errno
import io
import json
import linecache
import os
import sys
import types

TYPE_CHECKING = False  # importing typing alone takes as long as the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Place = str | bytes | os.PathLike[str]

NAME = "<code>"


class Spy(io.TextIOWrapper):
    """Standard output that remembers whether anything was printed."""

    used = False

    def write(self, s: str, /) -> int:
        self.used = self.used or bool(s)
        return super().write(s)


def watch(descriptor: int, folder: str) -> None:
    """Report every file below ``folder`` that is opened for reading and that this code did not write before."""
    seen: set[str] = set()
    prefix = folder.rstrip("/") + "/"

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event not in {"open", "sqlite3.connect"} or isinstance(arguments[0], int):
            return
        name = os.fsdecode(arguments[0]) if isinstance(arguments[0], bytes) else str(arguments[0])
        path = os.path.abspath(name)
        flags = arguments[2] if len(arguments) > 2 and isinstance(arguments[2], int) else 0
        if not path.startswith(prefix) or path in seen:
            return
        seen.add(path)  # also what is written: reading it back is no evidence of anything
        if flags & (os.O_WRONLY | os.O_TRUNC) == 0 and os.path.isfile(path):
            os.write(descriptor, (path[len(prefix) :] + "\n").encode("utf-8", "surrogateescape"))

    sys.addaudithook(hook)


def rename_folders() -> None:
    """Make renaming a folder work: in an overlay the kernel refuses it and expects a copy instead."""

    def copying(rename: Callable[..., None]) -> Callable[..., None]:
        def wrapper(source: Place, goal: Place, **options: Any) -> None:
            src, dst = os.fsdecode(source), os.fsdecode(goal)
            try:
                rename(source, goal, **options)
            except OSError as error:
                if error.errno != errno.EXDEV or options or not os.path.isdir(src) or os.path.islink(src):
                    raise
                import shutil  # here: most code renames no folder

                if os.path.isdir(dst):
                    os.rmdir(dst)
                shutil.copytree(src, dst, symlinks=True)
                shutil.rmtree(src)

        return wrapper

    os.rename, os.replace = copying(os.rename), copying(os.replace)


def calls_itself(tree: ast.Module, name: str) -> bool:
    """Whether the code calls the function ``name`` at top level."""
    top = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    calls = (node for part in top for node in ast.walk(part) if isinstance(node, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id == name for call in calls)


def show(value: object) -> None:
    print(value if isinstance(value, str) else repr(value))


def run(code: str, main_function: str, out: Spy) -> None:
    tree = ast.parse(code, NAME)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    value = None
    exec(compile(tree, NAME, "exec"), module.__dict__)
    if isinstance(last, ast.Expr):
        tree.body.append(last)
        value = eval(compile(ast.Expression(last.value), NAME, "eval"), module.__dict__)
    name = main_function.strip().removesuffix("()")
    wanted = [name] if name else ["main_function", "main"]
    for candidate in wanted:
        function = module.__dict__.get(candidate)
        if callable(function) and not calls_itself(tree, candidate):
            value = function()
            if value is not None:
                show(value)
            return
    if name and name not in module.__dict__:
        raise NameError(f"the code defines no function {name!r}, which was given as main_function")
    if value is not None and not out.used:
        show(value)


def main() -> int:
    request = json.load(sys.stdin)
    sys.stdin = io.StringIO()
    code = request["code"]
    out = Spy(sys.stdout.buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.stdout = out
    sys.dont_write_bytecode = True
    sys.path += [*request["libraries"], os.getcwd()]
    linecache.cache[NAME] = (len(code), None, code.splitlines(keepends=True), NAME)
    descriptor = int(sys.argv[-1])
    os.set_inheritable(descriptor, False)
    sys.argv = [NAME]
    watch(descriptor, os.getcwd())
    rename_folders()
    try:
        run(code, request["main_function"], out)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the code raised is its result
        import traceback  # here: most code ends well

        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename != NAME:
            frames = frames.tb_next
        traceback.print_exception(type(error), error, frames)
        return 1
    finally:
        out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
