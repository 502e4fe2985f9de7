"""Probes: read-only functions written by a Verifier, one per requirement. Each is tried on every state in a sandbox, in a
process of its own (``caller.py``).

A probe is given two folders (the workspace at the start and in this state), or the screen and what pages sent, at the start
and in this state, or all of these. It returns whether its requirement holds and what it read, or raises that it cannot see
this. Its yes is evidence only if it also says no: at the start, and where the change that it checks was undone or altered.
"""

from __future__ import annotations

import ast
import json
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import JsonValue

from deskcrew.actions.sandbox import Completed, Sandbox, SandboxLimits
from deskcrew.environments.workspace import INSIDE
from deskcrew.errors import CrewMistake
from deskcrew.evidence import caller, ready_made
from deskcrew.evidence.caller import CallRequest, Case
from deskcrew.evidence.shown import Thing
from deskcrew.facts.contract import name_of
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import JsonObject, list_in, object_in

LIMITS = SandboxLimits(seconds=60, cpu=60)
MOMENTARY = "MOMENTARY"
"""The name of the list in a Verifier's code of requirements about nothing that must last."""
NO_INPUT = "NO_INPUT"
"""The name of its list of requirements whose results rest on no file that was there before."""
UNORDERED = "UNORDERED"
"""The name of its list of deeds that no part of the task wants."""
LONGEST = 900
"""Maximum length of the text that a probe returns, in characters."""
MOST_AT_ONCE = 4
"""The maximum number of sandboxes for the cases that follow the first ones."""
_NOTHING = "it ended its process, and said nothing"


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """A probe's result for one state. ``holds``: False also for a failed assertion; None if its code failed or, with
    ``unseen``, if it says that it is not shown what it would need. ``read``: what it read, or why ``holds`` is None.
    ``lost``: its process ended without a result, which says nothing about the state."""

    holds: bool | None
    read: str
    unseen: bool = False
    lost: bool = False

    @property
    def notices(self) -> bool:
        """Whether the probe tells this state from the end. Code that fails here counts as noticing, too."""
        return self.holds is not True and not self.lost


def checked(code: str, requirements: Sequence[str]) -> None:
    """Raises CrewMistake, worded for the Verifier, unless ``code`` is Python that defines a function for each requirement. A
    function that is given the answer must use something else, too, or say that it cannot see."""
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
    """Whether a probe that is given the answer uses something else, too. True for others: they must reject the start."""
    given = {arg.arg for arg in function.args.args}
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return "answer" not in given or bool(used & (given - {"answer"} | {"CannotSee"}))


def looking(code: str, requirements: Sequence[str]) -> tuple[str, ...]:
    """The requirements whose functions in ``code`` take what the screen showed; none if ``code`` is ''."""
    functions = {node.name: node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
    taken = {name: {arg.arg for arg in function.args.args} for name, function in functions.items()}
    return tuple(one for one in requirements if taken.get(name_of(one), set[str]()) & {"before", "after"})


def listed(code: str, name: str) -> tuple[str, ...]:
    """The constants in a list that ``code`` assigns to ``name``, as texts."""
    lists = (
        node.value.elts
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.List)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    )
    return tuple(str(each.value) for values in lists for each in values if isinstance(each, ast.Constant))


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """What probes returned. ``rows``: one per case, by requirement, without skipped probes; ``incidental``: for each request
    that a page sent, the names of its incidental fields; ``passing``: incidental changes of the screen; ``aside``: by
    changed file, its incidental lines, '' for the file as a whole."""

    rows: list[dict[str, ProbeResult]]
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
) -> ProbeReport:
    """Each probe's result for each case, in the order of the cases. Blocking.

    ``start`` and the states are folders below the sandbox's workspace. A probe's first two arguments are the start and the
    state or, for requirements in ``of_the_screen``, the case's two ``screens``. It also gets the other two if it names them
    as parameters (start, end; before, after). The code may declare as incidental some of ``lines`` (the new lines of changed
    files) and of ``things`` (what is new, changed or gone on the screen); a claim about all lines of a file, or about all
    things, is ignored. The folders are read-only, and what the code prints is ignored. What the crew wrote can settle the
    value of the function that starts it, and no other.
    """
    names = [name_of(one) for one in requirements]
    request = CallRequest(
        ready_made=_text_of(ready_made.__file__),
        code=code,
        names=names,
        of_the_screen=[name_of(one) for one in of_the_screen],
        screens=list(screens),
        cases=(),
        lines={path: ["", *new] for path, new in lines.items()},
        things=[asdict(thing) for thing in things],
        libraries=sandbox.libraries,
        able=None,
        pausing=True,
        beside=True,
    )
    asked = [
        each._replace(
            start=_inside(sandbox, each.start or start), state=_inside(sandbox, each.state), of=[*map(name_of, each.of)]
        )
        for each in cases
    ]
    trial = _Trial(sandbox, request, asked, time.monotonic() + LIMITS.seconds)
    rest = trial.some(range(len(cases)), request)
    if many := min(len(os.sched_getaffinity(0)), MOST_AT_ONCE, len(rest)):
        alone = request._replace(able=trial.able, pausing=False, beside=False)
        with ThreadPoolExecutor(many) as threads:
            list(threads.map(trial.some, [rest[number::many] for number in range(many)], [alone] * many))
    by_requirement = {name_of(one): one for one in requirements}
    rows = [{by_requirement[name]: told for name, told in trial.rows[n].items()} for n in range(len(cases))]
    return ProbeReport(
        rows,
        _named(trial.beside.get("named")),
        _passing(trial.beside.get("passing"), things),
        _aside(trial.beside.get("aside"), lines),
    )


def _inside(sandbox: Sandbox, folder: Path) -> Path:
    return Path(INSIDE) / folder.relative_to(sandbox.workspace)


@dataclass(slots=True)
class _Trial:
    """Results by case number, gathered until a time of the monotonic clock."""

    sandbox: Sandbox
    request: CallRequest
    cases: Sequence[Case]
    until: float
    rows: dict[int, dict[str, ProbeResult]] = field(default_factory=dict[int, dict[str, ProbeResult]])
    beside: JsonObject = field(default_factory=JsonObject)

    def some(self, numbers: Sequence[int], request: CallRequest) -> Sequence[int]:
        """Try these cases, in a new sandbox when one ends too early. Return the numbers of cases left for others."""
        while numbers:
            done = self._run(request._replace(cases=[self.cases[number] for number in numbers]))
            told = [_line(line) for line in done.report.splitlines()]
            self.beside |= {kind: what for kind, what in told if kind != "case"}
            said = [what for kind, what in told if kind == "case"]
            self.rows |= {n: self._row(n, row) for n, row in zip(numbers, said, strict=False)}
            numbers = numbers[len(said) :]
            if done.exit_code == 0 and request.pausing:
                return numbers
            over = time.monotonic() >= self.until
            why = shorten(done.stderr.strip() or f"it was stopped ({done.killed_by or done.exit_code})", LONGEST)
            lost = ProbeResult(None, why, lost=True)
            left = numbers if over else numbers[:1]
            self.rows |= {n: dict.fromkeys(self.cases[n].of or request.names, lost) for n in left}
            numbers = () if over else numbers[1:]
            request = request._replace(able=self.able if 0 in self.rows else None, beside=request.beside and not self.beside)
        return ()

    @property
    def able(self) -> list[str]:
        """The functions that returned true for the end."""
        return [name for name, tried in self.rows[0].items() if tried.holds is True]

    def _run(self, request: CallRequest) -> Completed:
        argv = [str(self.sandbox.python), "-I", "-S", "-B", "-X", "utf8", "-c", _text_of(caller.__file__)]
        limits = replace(LIMITS, seconds=max(1.0, self.until - time.monotonic()))
        wanted = json.dumps(request._asdict(), default=str)
        return self.sandbox.run(argv, stdin=wanted, report=True, read_only=True, limits=limits, network=False)

    def _row(self, number: int, said: object) -> dict[str, ProbeResult]:
        given, case = object_in(said), self.cases[number]
        names = [n for n in self.request.names if n in given] if case.enough else case.of or self.request.names
        return {name: _said(given.get(name)) for name in names}


@cache
def _text_of(file: str) -> str:
    return Path(file).read_text(encoding="utf-8")


def _line(line: bytes) -> tuple[str, JsonValue]:
    try:
        kind, what = json.loads(line)
    except (ValueError, TypeError):
        return "", None
    return str(kind), what


def _named(said: object) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(str, list_in(names))) for names in list_in(said))


def _passing(said: object, things: Sequence[Thing]) -> frozenset[Thing]:
    found = frozenset(thing for thing, each in zip(things, list_in(said), strict=False) if each is True)
    return found if found != frozenset(things) else frozenset()


def _aside(said: object, lines: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    told = {path: frozenset(map(str, list_in(found))) for path, found in object_in(said).items()}
    return {path: found for path, found in told.items() if "" in found or not found >= {*lines[path]}}


def _said(entry: object) -> ProbeResult:
    """The result in one function's report, which comes from a process that ran a model's code."""
    match entry:
        case [bool() | None as holds, str() as read, bool() as unseen]:
            return ProbeResult(holds, shorten(read, LONGEST), unseen and holds is None)
        case None:
            return ProbeResult(None, _NOTHING, lost=True)
        case _:
            return ProbeResult(None, "its report cannot be read", lost=True)
