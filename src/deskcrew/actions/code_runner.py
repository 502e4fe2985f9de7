"""Runs a model's code inside the sandbox (C24, F12). Nothing of ours can be imported there.

Reads ``{"code", "main_function", "libraries"}`` as JSON from standard input; the last are folders of what can be imported
besides the standard library. Prints what the code prints; then the return value of
``main_function`` where the code defines it and does not call it itself; and where nothing at all was printed, the value of
the last expression, as a notebook does, because small models forget to print.

Writes the workspace files that the code opened for reading, one per line, to the descriptor given as last argument. That
is evidence about honest code: an audit hook sees every ``open`` of this interpreter, but not what a child process reads, and
code that sets out to lie can write to the descriptor itself.
"""

from __future__ import annotations

import ast
import builtins
import csv
import errno
import io
import itertools
import json
import linecache
import os
import shutil
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

NAME = "<code>"
MOST_FOLDERS = 2000
"""Folders that are looked into for a file."""
Place = str | bytes | os.PathLike[str]


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
    """Have folders renamed as everywhere: in a layer over the workspace the kernel does not, and expects a copy."""

    def copying(rename: Callable[..., None]) -> Callable[..., None]:
        def wrapper(source: Place, goal: Place, **options: Any) -> None:
            src, dst = os.fsdecode(source), os.fsdecode(goal)
            try:
                rename(source, goal, **options)
            except OSError as error:
                if error.errno != errno.EXDEV or options or not os.path.isdir(src) or os.path.islink(src):
                    raise
                if os.path.isdir(dst):
                    os.rmdir(dst)
                shutil.copytree(src, dst, symlinks=True)
                shutil.rmtree(src)

        return wrapper

    os.rename, os.replace = copying(os.rename), copying(os.replace)


def guard_transfers() -> None:
    """Have nothing lost by moving: neither one file onto another, nor several into a folder that nobody made."""

    def guarded(transfer: Callable[..., object], *, moves: bool, into: bool) -> Callable[..., object]:
        def wrapper(src: Place, dst: Place, *args: object, **options: object) -> object:
            source, goal = os.fsdecode(src), os.fsdecode(dst)
            if os.path.isfile(source) and not os.path.isdir(goal):
                new = not os.path.lexists(goal)
                if into and new and os.path.splitext(source)[1] and not os.path.splitext(goal)[1]:
                    raise FileNotFoundError(f"there is no folder {goal!r}; first: os.makedirs({goal!r}, exist_ok=True)")
                if moves and not new and not os.path.samefile(source, goal):
                    raise FileExistsError(f"{goal!r} is there already and would be lost")
            return transfer(src, dst, *args, **options)

        return wrapper

    for name, moves in (("move", True), ("copy", False), ("copy2", False)):
        setattr(shutil, name, guarded(getattr(shutil, name), moves=moves, into=True))
    os.rename = guarded(os.rename, moves=True, into=False)


def find_files(folder: str) -> None:
    """Have a file that is named without its folder, and is not there, found where it lies: in the one folder that has such a
    file. Small models take names from a listing and leave out where it was made. Written is where the code says."""
    plain, there, is_file = builtins.open, os.path.exists, os.path.isfile

    def found(path: Any) -> str:
        name = str(path)
        return lying(folder, name) if name == os.path.basename(name) else ""

    def opening(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        try:
            return plain(file, mode, *args, **options)
        except FileNotFoundError:
            place = found(file) if set(mode) <= set("rbt") else ""
            if not place:
                raise
            return plain(place, mode, *args, **options)

    builtins.open = io.open = opening

    def exists(path: Any) -> bool:
        return there(path) or bool(found(path))

    def isfile(path: Any) -> bool:
        return is_file(path) or bool(found(path))

    os.path.exists, os.path.isfile = exists, isfile


def lying(folder: str, name: str) -> str:
    """The only file below ``folder`` of that name; '' where there is none, or more than one."""
    walked = itertools.islice(os.walk(folder), MOST_FOLDERS)
    places = [os.path.join(at, name) for at, _, files in walked if name and name in files]
    return places[0] if len(places) == 1 else ""


def read_tables_of_bytes() -> None:
    """Have ``csv`` take lines of bytes for the text that they are: models forget that members of archives are opened so."""
    reader = csv.reader

    def texts(lines: Iterable[str | bytes]) -> Iterator[str]:
        for line in lines:
            yield line.decode("utf-8-sig", "replace") if isinstance(line, bytes) else line

    def reading(lines: Iterable[str | bytes], *args: Any, **options: Any) -> object:
        return reader(texts(lines), *args, **options)

    csv.__dict__["reader"] = reading


def write_records() -> None:
    """Have a writer of rows take a dictionary for the row of its values, and its keys for the header of a table in which
    nothing stands yet. It would write the keys in place of every row."""
    plain = csv.writer

    class Writer:
        def __init__(self, file: Any, *args: Any, **options: Any) -> None:
            self._writer = plain(file, *args, **options)
            self._begun = bool(getattr(file, "tell", int)())

        def __getattr__(self, name: str) -> Any:
            return getattr(self._writer, name)

        def writerow(self, row: Any) -> Any:
            if isinstance(row, dict):
                record = cast("dict[Any, Any]", row)
                if not self._begun:
                    self._writer.writerow(record.keys())
                row = record.values()
            self._begun = True
            return self._writer.writerow(row)

        def writerows(self, rows: Iterable[Any]) -> None:
            for row in rows:
                self.writerow(row)

    csv.__dict__["writer"] = Writer


def calls_itself(tree: ast.Module, name: str) -> bool:
    """Whether the code calls a function of that name outside of any function."""
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
    guard_transfers()
    read_tables_of_bytes()
    write_records()
    find_files(os.getcwd())
    try:
        run(code, request["main_function"], out)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the code raised is its result
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
