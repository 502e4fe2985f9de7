"""The program in the sandbox that calls a Verifier's functions on states and reports what they return.

Judged files may contain code that forges that report. So this process loads nothing but libraries, and calls each function
in a process of its own. Such a process reaches the report only through what it returns: it can settle its own value and no
other. Programs that a function starts cannot look into either process; they end with the function, and what they wrote is
removed. In a function's process, code comes from the standard library and the offered libraries only. The folders are
read-only.
"""

from __future__ import annotations

import ast
import ctypes
import gc
import importlib
import json
import os
import select
import shutil
import signal
import sys
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, cast

FIRST = 2
"""How many cases, the end and the start, are tried before deciding whether to share the rest among more sandboxes."""
WORTH_IT = 0.4
"""The seconds that the rest must take for more sandboxes to be worthwhile."""
_PROBES, _READY_MADE = "<probes>", "<ready made>"
_NOT_DUMPABLE = 4
"""PR_SET_DUMPABLE: with 0, no process of the same user can read or write this one's memory and descriptors."""
_REMOVE = 0
"""IPC_RMID."""
_GONE = 1000
"""How often killing is repeated, until all processes have ended."""
_MOST = 1 << 20
_READ, _READ_ELSEWHERE = 600, 80
_PLAIN = {
    "builtins": ("bytearray", "complex", "frozenset", "set", "slice", "range", "object"),
    "copyreg": ("_reconstructor",),
    **dict.fromkeys(("collections", "datetime", "decimal", "fractions", "pathlib", "uuid"), ()),
}
"""What may be unpickled: names by module. An empty tuple allows the whole module."""
_INSTEAD = "start it as a process of its own, in a copy if it writes: subprocess.run([sys.executable, ...])"


class Case(NamedTuple):
    """A state on which probes are tried: the folder of its workspace, the answer that was given (None: none), and the
    indices of its screens before and after the work. ``enough``: stop after the first probe that says no here and said yes
    for the first case; ``start``: a start of its own, if not that of the other cases; ``of``: the requirements whose probes
    are tried, empty for all. What is sent to the sandbox has both folders' places there, and functions' names in ``of``."""

    state: Path
    answer: str | None = None
    before: int = 0
    screen: int = 1
    enough: bool = False
    start: Path | None = None
    of: Sequence[str] = ()


class CallRequest(NamedTuple):
    """What to call. ``ready_made``: code with functions that ``code`` may call; ``able``: the functions that returned true
    for the end, None if the end is the first of the ``cases``; ``pausing``: stop after :data:`FIRST` cases if more sandboxes
    would help; ``beside``: also report what is incidental."""

    ready_made: str
    code: str
    names: Sequence[str]
    of_the_screen: Sequence[str]
    screens: Sequence[Mapping[str, Any]]
    cases: Sequence[Case]
    lines: Mapping[str, Sequence[str]]
    things: Sequence[Mapping[str, Any]]
    libraries: Sequence[str]
    able: Sequence[str] | None
    pausing: bool
    beside: bool


class CannotSee(Exception):
    """Raised by a function that would need something it is not shown."""


class ForeignCode(Exception):
    """Raised for code that must not be loaded into a process that judges."""


def raw_parts(file: Any) -> dict[str, str]:
    """The parts of a document by name: the members of a zip archive as text (if binary, their length), or the objects of a
    PDF, one entry a line, with the text of their streams. ``file``: a path, or an open file."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as opened:
            return {each.filename: _as_text(opened.read(each)) for each in opened.infolist() if not each.is_dir()}
    import pypdf

    read = pypdf.PdfReader(file)
    parts = {"trailer": "\n".join(f"{name}: {_entry(value)}" for name, value in read.trailer.items())}
    for number in sorted({number for table in read.xref.values() for number in table} | {*read.xref_objStm}):
        found: Any = read.get_object(number)
        lines = [f"{key}: {_entry(found.raw_get(key))}" for key in found] if hasattr(found, "raw_get") else [_entry(found)]
        if hasattr(found, "get_data") and found.get("/Subtype") != "/Image":
            lines.append(_as_text(found.get_data()))
        parts[f"object {number}"] = "\n".join(lines)
    return parts


def _entry(value: Any) -> str:
    """A value in a PDF, with the numbers of the objects that it refers to."""
    if hasattr(value, "idnum"):
        return f"object {value.idnum}"
    if hasattr(value, "raw_get"):
        return f"<<{', '.join(f'{key}: {_entry(value.raw_get(key))}' for key in value)}>>"
    if isinstance(value, list):
        return f"[{', '.join(_entry(each) for each in cast('list[Any]', value))}]"
    return repr(value)


def _as_text(content: bytes) -> str:
    return f"{len(content)} bytes" if b"\0" in content else content.decode("utf-8", "replace")


class Caller:
    """Calls the functions of one program. ``report``: the file descriptor to which it writes what they return."""

    def __init__(self, request: CallRequest, report: int) -> None:
        self.request = request
        self.report = report
        self.ready_made: dict[str, Any] = {"__name__": "ready_made"}
        exec(compile(request.ready_made, _READY_MADE, "exec", dont_inherit=True), self.ready_made)
        self.compiled = compile(request.code, _PROBES, "exec", dont_inherit=True)
        self.screens = [json.dumps(screen) for screen in request.screens]
        self.order = list(request.names)
        self.able = list(request.able) if request.able is not None else None
        self.trusted = tuple(f"{os.path.realpath(folder)}/" for folder in (os.path.dirname(os.__file__), *request.libraries))

    def all(self) -> None:
        """Try all cases in order. Each adds one line to the report: a kind, and its data."""
        began, cases = time.perf_counter(), self.request.cases
        for number, case in enumerate(cases):
            if number == FIRST:
                if self.request.beside:
                    self._beside()
                if self.request.pausing and (time.perf_counter() - began) / FIRST * len(cases[FIRST:]) > WORTH_IT:
                    return
            self._tell("case", self._tried(case, _READ if number < FIRST else _READ_ELSEWHERE))
        if self.request.beside and len(cases) <= FIRST:
            self._beside()

    def _tried(self, case: Case, length: int) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for name in tuple(case.of or self.order):
            said[name] = self._apart(lambda name=name: self._entry(name, case, length))
            if case.enough and name in (self.able or ()) and said[name] is not None and said[name][0] is not True:
                self.order.remove(name)
                self.order.insert(0, name)
                break
        if self.able is None:
            self.able = [name for name, entry in said.items() if entry is not None and entry[0] is True]
        return said

    def _beside(self) -> None:
        sent: list[dict[str, Any]] = self.request.screens[1]["sent"] if len(self.request.screens) > 1 else []

        def named() -> list[list[str]]:
            return [[name for name in each["fields"] or [""] if self._says("incidental", each, name)] for each in sent]

        def passing() -> list[bool]:
            return [self._says("incidental_shown", thing) for thing in self.request.things]

        def aside() -> dict[str, list[str]]:
            lines = self.request.lines.items()
            return {path: [each for each in some if self._says("incidental_line", path, each)] for path, some in lines}

        self._tell("named", self._apart(named) if sent else None)
        self._tell("passing", self._apart(passing) if self.request.things else None)
        self._tell("aside", self._apart(aside) if self.request.lines else None)

    def _says(self, function: str, *given: object) -> bool:
        said, error = self._called(function, given, {})
        return said is True and error is None

    def _entry(self, name: str, case: Case, length: int) -> list[Any]:
        """A function's result for a case: whether it holds (None: unknown), what it read, and whether it cannot see."""
        folders = {"start": lambda: case.start, "end": lambda: case.state}
        shown = {
            "before": lambda: json.loads(self.screens[case.before]),
            "after": lambda: json.loads(self.screens[case.screen]),
        }
        of_the_screen = name in self.request.of_the_screen
        first, others = (shown, folders) if of_the_screen else (folders, shown if self.screens else {})
        given = [one() for one in first.values()] + ([] if case.answer is None else [case.answer])
        said, error = self._called(name, given, others)
        match said, error:
            case _, CannotSee():
                return [None, str(error)[:length], True]
            case _, AssertionError():
                return [False, str(error)[:length], False]
            case (held, read), None:
                return [None if held is None else bool(held), str(read)[:length], False]
            case _, None:
                return [None, "it returned no pair of a yes or no and a text", False]
            case _:
                return [None, f"{type(error).__name__}: {error}"[:length], False]

    def _called(
        self, name: str, given: Sequence[object], others: Mapping[str, Callable[[], object]]
    ) -> tuple[Any, BaseException | None]:
        """What a function returns, and the exception that it raises; one of them is None."""
        try:
            namespace = self.ready_made.copy()
            namespace.update(__name__="probes", CannotSee=CannotSee, raw_parts=raw_parts)
            exec(self.compiled, namespace)
            if name not in namespace:
                return None, None
            code = getattr(namespace[name], "__code__", None)
            asked = code.co_varnames[: code.co_argcount][len(given) :] if code else ()
            return namespace[name](*given, **{one: others[one]() for one in asked if one in others}), None
        except BaseException as error:  # noqa: BLE001  # a model's code
            return None, error

    def _apart(self, call: Callable[[], object]) -> Any:
        """What ``call`` returns in a process of its own, None if nothing readable. All that it started is killed."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(self.report)
                os.close(reading)
                nothing = os.open(os.devnull, os.O_RDWR)
                for number in (0, 1, 2):
                    os.dup2(nothing, number)
                sys.addaudithook(self._allowed)
                with os.fdopen(writing, "wb") as to:
                    to.write(json.dumps(call()).encode())
            finally:
                os._exit(0)
        os.close(writing)
        said = _until_end(reading, child)
        _clear()
        try:
            return json.loads(said)
        except ValueError:
            return None

    def _allowed(self, event: str, args: tuple[Any, ...]) -> None:
        """Audit hook: raises ForeignCode for code that comes neither from the program nor from the libraries."""
        if event == "exec":
            code: CodeType = args[0]
            known = code is self.compiled or code.co_filename.startswith("<frozen ")
            by = sys._getframe(1).f_code.co_filename  # pyright: ignore[reportPrivateUsage]
            generated = code.co_filename.startswith("<") and by != _PROBES
            if not (known or generated or self._trusted(code.co_filename)):
                raise ForeignCode(f"{code.co_filename} is not executed in this process: {_INSTEAD}")
        elif event == "import":
            for path in (args[1], *(args[2] or ())):
                if path is not None and not self._trusted(path):
                    raise ForeignCode(f"{args[0]} is not imported from {path} into this process: {_INSTEAD}")
        elif event == "ctypes.dlopen":
            if args[0] is not None and "/" in str(args[0]) and not self._trusted(args[0]):
                raise ForeignCode(f"{args[0]} is not loaded into this process: {_INSTEAD}")
        elif event == "pickle.find_class":
            names = _PLAIN.get(args[0])
            if names is None or (names and args[1] not in names):
                raise ForeignCode(f"{args[0]}.{args[1]} is not unpickled in this process: {_INSTEAD}")

    def _trusted(self, path: Any) -> bool:
        return f"{os.path.realpath(os.fsdecode(path))}/".startswith(self.trusted)

    def _tell(self, kind: str, what: object) -> None:
        line = json.dumps([kind, what], ensure_ascii=False).encode(errors="replace")
        os.write(self.report, line + b"\n")


def _until_end(reading: int, child: int) -> bytes:
    """What a process writes until it ends. Everything it started is killed with it."""
    ended = os.pidfd_open(child)
    said = b""
    while len(said) < _MOST and ended not in select.select([reading, ended], [], [])[0]:
        said += (piece := os.read(reading, _MOST))
        if not piece:
            select.select([ended], [], [])
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)  # everybody but the sandbox's first process and this one
    os.waitpid(child, 0)
    with suppress(ProcessLookupError):  # whoever was killed is there until it has ended
        for _ in range(_GONE):
            os.kill(-1, signal.SIGKILL)
            time.sleep(0.005)
    while len(said) < _MOST and (piece := os.read(reading, _MOST)):
        said += piece
    os.close(ended)
    os.close(reading)
    return said


def _clear() -> None:
    """Remove the files and the shared memory that a function left. Raises SystemExit if something stays, because it could
    reach the next function."""
    for folder in ("/tmp", "/dev/shm", os.environ["HOME"]):
        for name in os.listdir(folder):
            place = f"{folder}/{name}"
            if os.path.isdir(place) and not os.path.islink(place):
                _open(place)
                shutil.rmtree(place, ignore_errors=True)
            else:
                os.unlink(place)
        if os.listdir(folder):
            sys.exit(f"what a function left in {folder} cannot be removed")
    libc = ctypes.CDLL(None)
    for kind, arguments in {"shm": (_REMOVE, None), "msg": (_REMOVE, None), "sem": (0, _REMOVE)}.items():
        for id in _shared(kind):
            libc[f"{kind}ctl"](id, *arguments)
        if _shared(kind):
            sys.exit("memory that a function shared cannot be removed")


def _open(top: str) -> None:
    """Make all folders below ``top`` writable, so that their contents can be removed."""
    os.chmod(top, 0o700)
    for folder, names, _ in os.walk(top):
        for place in (f"{folder}/{name}" for name in names):
            if not os.path.islink(place):
                os.chmod(place, 0o700)


def _shared(kind: str) -> list[int]:
    """The ids of System V objects of a kind, which outlive the process that made them."""
    listed = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
    return [int(line.split()[1]) for line in listed]


def _load_libraries(code: str) -> None:
    """Import what a program imports, so that each forked process has it already."""
    for node in ast.walk(ast.parse(code)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            with suppress(Exception):
                importlib.import_module(name)


def main() -> None:
    """Read the request from stdin, and write the report to the descriptor given as the last argument."""
    if Path("/proc/1/comm").read_text().strip() != "bwrap" or ctypes.CDLL(None).prctl(_NOT_DUMPABLE, 0, 0, 0, 0):
        sys.exit("this is no sandbox of its own")  # here, everything else is killed and removed
    request = CallRequest(**json.loads(sys.stdin.read()))
    cases = (Case(*each) for each in request.cases)
    cases = [each._replace(state=Path(each.state), start=Path(each.start or "")) for each in cases]
    request = request._replace(cases=cases)
    report = int(sys.argv[-1])
    os.set_inheritable(report, False)
    sys.path[:] = [*filter(os.path.isdir, sys.path), *request.libraries]
    _load_libraries(request.code)
    caller = Caller(request, report)
    gc.freeze()
    caller.all()


if __name__ == "__main__":
    main()
