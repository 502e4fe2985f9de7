"""Probes: read-only functions written by a Verifier, one per requirement, which are tried on every state in one run of
the sandbox.

A probe is given two folders (the workspace at the start and in this state), or what the screen showed and pages sent at
the start and in this state, or all of these. It says whether its requirement holds and what it read, or that it cannot
see this. Its yes is evidence only if it also says no: at the start, and where the change that it checks was undone or
altered.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deskcrew.actions.sandbox import Limits, Sandbox
from deskcrew.errors import CrewMistake
from deskcrew.excerpts import shorten
from deskcrew.goals.shown import Thing

LIMITS = Limits(seconds=60, cpu=60)
MOMENTARY = "MOMENTARY"
"""The list in which a Verifier's code names requirements about nothing that must last."""
LONGEST = 300
"""Maximum length of what a probe says it read, in characters."""
FIRST, MOST_AT_ONCE, WORTH_IT = 2, 4, 0.03
"""The number of cases tried one after the other, including the time for imports; the maximum number of processes for
the others; and the seconds that the others must take in total for processes to be worthwhile."""
_HARNESS = (
    rf"FIRST, MOST_AT_ONCE, WORTH_IT = {FIRST}, {MOST_AT_ONCE}, {WORTH_IT}"
    + r"""
import json, os, sys, time
from pathlib import Path
request = json.loads(sys.stdin.read())
report = os.fdopen(int(sys.argv[-1]), "w")
sys.path += request["libraries"]
screens = [json.dumps(screen) for screen in request["screens"]]
compiled = None
class CannotSee(Exception):
    pass
def called(name, given, others={}):
    global compiled
    compiled = compiled or compile(request["code"], "<probes>", "exec")
    namespace = {"__name__": "probes", "CannotSee": CannotSee}
    exec(compiled, namespace)
    if name not in namespace:
        return None
    code = getattr(namespace[name], "__code__", None)
    asked = code.co_varnames[: code.co_argcount][len(given) :] if code else ()
    return namespace[name](*given, **{one: others[one]() for one in asked if one in others})
def entry(name, state, answer, before, screen):
    try:
        folders = {"start": lambda: Path(request["start"]), "end": lambda: Path(state)}
        shown = {"before": lambda: json.loads(screens[before]), "after": lambda: json.loads(screens[screen])}
        first, others = (shown, folders) if name in request["of_the_screen"] else (folders, shown if screens else {})
        given = [one() for one in first.values()] + ([] if answer is None else [answer])
        held, read = called(name, given, others)
        if held is not None:
            held = bool(held)
        return [held, str(read)[:600], False]
    except CannotSee as why:
        return [None, str(why)[:600], True]
    except AssertionError as why:
        return [False, str(why)[:600], False]
    except BaseException as error:
        return [None, f"{type(error).__name__}: {error}"[:600], False]
def besides(sent, field):
    try:
        return called("incidental", (sent, field)) is True
    except BaseException:
        return False
def passing(thing):
    try:
        return called("incidental_shown", (thing,)) is True
    except BaseException:
        return False
def aside(path, line):
    try:
        return called("incidental_line", (path, line)) is True
    except BaseException:
        return False
order, able = list(request["names"]), None
def tell(cases, to):
    global able
    for state, answer, before, screen, enough in cases:
        said = {}
        for name in order:
            said[name] = entry(name, state, answer, before, screen)
            if enough and name in able and said[name][0] is not True:
                order.remove(name)
                order.insert(0, name)
                break
        able = able or [name for name in order if said[name][0] is True]
        print(json.dumps(said), file=to, flush=True)
def side_by_side(cases, many):
    started, told = [], []
    for number in range(many):
        reading, writing = os.pipe()
        started.append(os.fork())
        if not started[-1]:
            try:
                with os.fdopen(writing, "w") as to:
                    tell(cases[number::many], to)
            finally:
                os._exit(0)
        os.close(writing)
        told.append(os.fdopen(reading))
    for number in range(len(cases)):
        line = told[number % many].readline()
        if not line:
            sys.exit("a function ended the process that it was called in")
        print(line, end="", file=report, flush=True)
    for process in started:
        os.waitpid(process, 0)
first, rest = request["cases"][:FIRST], request["cases"][FIRST:]
began = time.perf_counter()
tell(first[:1], report)
lasting = (time.perf_counter() - began) * len(rest)
tell(first[1:], report)
many = min(len(os.sched_getaffinity(0)), MOST_AT_ONCE, len(rest))
if many > 1 and lasting > WORTH_IT:
    side_by_side(rest, many)
else:
    tell(rest, report)
sent = json.loads(screens[1])["sent"] if len(screens) > 1 else []
named = [[name for name in each["fields"] or [""] if besides(each, name)] for each in sent]
print(json.dumps(named), file=report, flush=True)
print(json.dumps([passing(thing) for thing in request["things"]]), file=report, flush=True)
told = {path: [line for line in lines if aside(path, line)] for path, lines in request["lines"].items()}
print(json.dumps(told), file=report, flush=True)
"""
)


@dataclass(frozen=True, slots=True)
class Tried:
    """What a probe said about one state. ``holds``: an assertion in it that fails means False; None if its code failed
    or, with ``unseen``, if it says that it is not shown what it would need; ``read`` then says why."""

    holds: bool | None
    read: str
    unseen: bool = False


def name_of(requirement: str) -> str:
    """The name of the function that checks a requirement."""
    return f"requirement_{requirement}"


def checked(code: str, requirements: Sequence[str]) -> None:
    """Raises CrewMistake, worded for the Verifier, unless ``code`` is Python that defines one function for each
    requirement, and one that is given the answer uses something else, too, or says that it cannot see."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CrewMistake(f"The code is not Python: {error}.") from error
    there = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if missing := [name_of(one) for one in requirements if name_of(one) not in there]:
        raise CrewMistake(f"The code defines no function {', '.join(missing)}.")
    if blind := [name_of(one) for one in requirements if not _looks(there[name_of(one)])]:
        raise CrewMistake(f"{', '.join(blind)} reads nothing that it is given: work the answer out from that.")


def _looks(function: ast.FunctionDef) -> bool:
    """Whether a probe of the answer uses what else it is given. Others must say no of the start."""
    given = {arg.arg for arg in function.args.args}
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return "answer" not in given or bool(used & (given - {"answer"} | {"CannotSee"}))


def looking(code: str, requirements: Sequence[str]) -> tuple[str, ...]:
    """The requirements whose functions in ``code`` take what the screen showed; none if ``code`` is ''."""
    functions = {node.name: node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
    taken = {name: {arg.arg for arg in function.args.args} for name, function in functions.items()}
    return tuple(one for one in requirements if taken.get(name_of(one), set[str]()) & {"before", "after"})


def momentary(code: str) -> frozenset[str]:
    """The requirements of which ``code`` says, in a list of numbers, that they are about nothing that must last."""
    lists = (
        node.value.elts
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.List)
        and any(isinstance(target, ast.Name) and target.id == MOMENTARY for target in node.targets)
    )
    return frozenset(str(each.value) for listed in lists for each in listed if isinstance(each, ast.Constant))


@dataclass(frozen=True, slots=True)
class Case:
    """A state that probes are tried on: the folder of its workspace, the answer that was given (None: none), and the
    numbers of its screens before and after the work. ``enough``: it suffices that one probe says no that said yes about
    the first case; the others need not be asked then."""

    state: Path
    answer: str | None = None
    before: int = 0
    screen: int = 1
    enough: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What probes said. ``rows``: one per case, by requirement, without those that were not asked; ``incidental``: for
    each request that a page sent, the names of its incidental fields; ``passing``: what is incidental of what was shown;
    ``aside``: by changed file, its incidental lines, '' for the file as a whole."""

    rows: list[dict[str, Tried]]
    incidental: tuple[frozenset[str], ...] = ()
    passing: frozenset[Thing] = frozenset()
    aside: Mapping[str, frozenset[str]] = field(default_factory=lambda: dict[str, frozenset[str]]())


def tried(
    sandbox: Sandbox,
    code: str,
    requirements: Sequence[str],
    start: Path,
    cases: Sequence[Case],
    *,
    of_the_screen: Sequence[str] = (),
    screens: Sequence[Mapping[str, Any]] = (),
    lines: Mapping[str, Sequence[str]] = MappingProxyType({}),
    things: Sequence[Thing] = (),
) -> Report:
    """What each probe says about each case, in the order of the cases. Blocking.

    ``start`` and the states are folders below the sandbox's workspace. They are a probe's first two arguments or, for
    requirements in ``of_the_screen``, the case's two ``screens`` are. A probe is also given the other two if it names
    them as parameters (start, end; before, after). ``lines``: the new lines of changed files, of which the code may say
    that they are incidental, and ``things``: what is new, other or gone on the screen, of which it may say the same; it is
    not believed where it says so of all lines of a file, or of all things. Side effects of the code stay in the sandbox,
    and what it prints is ignored; a case that it reports nothing about counts as not checked.
    """
    names = [name_of(one) for one in requirements]
    top = sandbox.workspace
    request = {
        "code": code,
        "names": names,
        "of_the_screen": [name_of(one) for one in of_the_screen],
        "screens": list(screens),
        "start": str(start.relative_to(top)),
        "cases": [(str(case.state.relative_to(top)), case.answer, case.before, case.screen, case.enough) for case in cases],
        "lines": {path: ["", *new] for path, new in lines.items()},
        "things": [asdict(thing) for thing in things],
        "libraries": sandbox.libraries,
    }
    argv = [str(sandbox.python), "-I", "-S", "-B", "-X", "utf8", "-c", _HARNESS]
    with sandbox.layer() as layer:
        done = sandbox.run(argv, stdin=json.dumps(request), report=True, layer=layer, limits=LIMITS, network=False)
    reported = done.report.decode("utf-8", "replace").splitlines()
    told = [_said(line, names, case.enough) for line, case in zip(reported, cases, strict=False)]
    why = shorten(done.stderr.strip() or f"it was stopped ({done.killed_by or done.exit_code})", LONGEST)
    silent = {name: Tried(None, why) for name in names}
    rows = [*told, *[silent] * len(cases)][: len(cases)]
    rows = [{one: row[name] for one in requirements if (name := name_of(one)) in row} for row in rows]
    if len(reported) != len(cases) + 3:
        return Report(rows)
    return Report(rows, _named(reported[-3]), _passing(reported[-2], things), _aside(reported[-1], lines))


def _named(line: str) -> tuple[frozenset[str], ...]:
    try:
        return tuple(frozenset(str(name) for name in names) for names in json.loads(line))
    except (ValueError, TypeError):
        return ()


def _passing(line: str, things: Sequence[Thing]) -> frozenset[Thing]:
    try:
        found = frozenset(thing for thing, told in zip(things, json.loads(line), strict=True) if told is True)
    except (ValueError, TypeError):
        return frozenset()
    return found if found != frozenset(things) else frozenset()


def _aside(line: str, lines: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    try:
        told = {path: frozenset(json.loads(line)[path]) for path in lines}
    except (ValueError, TypeError, KeyError):
        return {}
    return {path: found for path, found in told.items() if "" in found or not found >= {*lines[path]}}


def _said(line: str, names: Sequence[str], enough: bool) -> dict[str, Tried]:
    """Parses one line of the report. The code could write there itself, so that a malformed line counts as no
    answer."""
    try:
        given = json.loads(line)
        asked = [name for name in names if name in given] if enough else names
        return {name: _of(*given[name]) for name in asked}
    except (ValueError, TypeError, KeyError, IndexError):
        return {name: Tried(None, "its report cannot be read") for name in names}


def _of(holds: object, read: object, unseen: object) -> Tried:
    return Tried(holds if isinstance(holds, bool) else None, shorten(str(read), LONGEST), unseen is True and holds is None)
