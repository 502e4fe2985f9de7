"""Killing real runs at hundreds of moments, going on with each, and counting what went wrong.

A run is first done whole, to learn the moments that it comes by (``fault_child.Moments``); then it is done once for every
moment that was chosen, killed there with SIGKILL, and gone on with in another process, which checks what must hold
(``check.py``).
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypedDict, TypeVar

from pydantic import TypeAdapter

from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.facts.observation import Frozen
from deskcrew_bench.faults.kind import Kind
from deskcrew_bench.faults.runs import KINDS
from deskcrew_bench.schemas import schema_of_its_own

PARALLEL = 2
DESKTOP_SHARE = 0.02
"""Part of the points that a kind of run with a desktop gets: each takes ten times as long."""
FIRST_DEATH = "action 3"
"""Where the run dies that a second process resumes and is killed in."""
PROBLEMS = ("lost", "doubled", "broken", "ended", "leftovers", "missed")


class Point(Frozen):
    """One kill: the kind of run, and the number of the moment."""

    kind: str
    at: int
    moment: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.at}"


class Failure(Frozen):
    """Something that went wrong at a point. ``problem``: one of :data:`PROBLEMS`."""

    point: Point
    problem: str
    told: str

    @property
    def line(self) -> str:
        again = f"deskcrew bench faults --only {self.point.name}"
        return f"{self.problem}: {self.point.name}, killed {self.point.moment}: {self.told}  [{again}]"


class Report(Frozen):
    """``points``: kills that were tried, ``kinds``: how many of each kind. ``lost``: something recorded is not there;
    ``doubled``: an action ran twice, or blindly; ``broken``: the chain, or the fold; ``ended``: not done, or not right;
    ``leftovers``: processes, locks, half-written files; ``missed``: the run did not come by, so nothing was tried."""

    points: int
    kinds: dict[str, int]
    lost: int = 0
    doubled: int = 0
    broken: int = 0
    ended: int = 0
    leftovers: int = 0
    missed: int = 0
    seconds: float
    failures: tuple[Failure, ...] = ()

    @property
    def good(self) -> bool:
        return not self.failures and self.points > 0

    @property
    def line(self) -> str:
        told = ", ".join(f"{name} {getattr(self, name)}" for name in PROBLEMS)
        return f"{self.points} points tried: {told}; {self.seconds:g} s"


class Zygote:
    """A process that forks a process for each job, one after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "deskcrew_bench.faults.child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def do(self, **job: object) -> dict[str, Any]:
        """What came of a job (``fault_child.Job``)."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(_JOB.dump_json(job) + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process that forks the runs has ended")
        return _RESULT.validate_json(line)

    def close(self) -> None:
        """End it; it finishes the job that it is at."""
        self._process.communicate()


class Place(TypedDict):
    """Where a run is done: its folder, and the address of the database of its own on a server, '' for a file."""

    folder: str
    database: str


T = TypeVar("T")
R = TypeVar("R")
_JOB: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])
_RESULT: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def kinds_of(names: Sequence[str], *, desktop: bool) -> list[Kind]:
    """The kinds of run of these names; all where none is named, those with a desktop only if ``desktop``."""
    if unknown := [name for name in names if name not in KINDS]:
        raise UsageError(f"There is no kind of run {unknown[0]!r}.", hint=f"There are: {', '.join(KINDS)}.")
    return [KINDS[name] for name in names] or [kind for kind in KINDS.values() if desktop or not kind.desktop]


def point_of(text: str) -> Point:
    """``KIND:POINT`` as a failure names it. Raises UsageError for anything else."""
    name, _, at = text.partition(":")
    if name not in KINDS or not at.isdecimal():
        raise UsageError(f"{text!r} is no kill point.", hint=f"For example {next(iter(KINDS))}:17.")
    return Point(kind=name, at=int(at))


def measure(
    folder: Path,
    *,
    points: int = 0,
    kinds: Sequence[Kind] = (),
    only: Sequence[Point] = (),
    seed: int = 1,
    parallel: int = PARALLEL,
    database: str = "",
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Report:
    """Kill and go on. ``points`` 0: at every moment of every kind. ``only``: at these and no others. ``database``: the
    address of a server on which journal and memory are, '' for files. ``progress`` is told how many of how many are done.
    Nothing of it is left there, nor in ``folder``."""
    began = time.monotonic()
    kinds = [KINDS[name] for name in dict.fromkeys(point.kind for point in only)] or list(kinds)
    with _zygotes(parallel) as zygotes:
        rehearsed = zygotes.map(lambda zygote, kind: _rehearse(zygote, kind, folder, database), kinds)
        moments = dict(zip((kind.name for kind in kinds), rehearsed, strict=True))
        wanted = [_named(point, moments) for point in only] or chosen(moments, points, seed)
        failures: list[Failure] = []
        for done, found in enumerate(zygotes.map(lambda z, p: _attempt(z, p, folder, database), wanted), 1):
            failures += found
            progress(done, len(wanted))
    counted = Counter(failure.problem for failure in failures)
    return Report(
        points=len(wanted),
        kinds=dict(Counter(point.kind for point in wanted)),
        seconds=round(time.monotonic() - began, 1),
        failures=tuple(failures),
        **{name: counted[name] for name in PROBLEMS},
    )


def _named(point: Point, moments: dict[str, list[str]]) -> Point:
    there = moments[point.kind]
    if point.at >= len(there):
        raise UsageError(f"{point.name} is no kill point: that run comes by {len(there)} of them.")
    return point.model_copy(update={"moment": there[point.at]})


def chosen(moments: dict[str, list[str]], points: int, seed: int) -> list[Point]:
    """``points`` of the moments, spread over kinds of run and kinds of moment; every one where ``points`` is 0."""
    every = {
        name: [Point(kind=name, at=at, moment=told) for at, told in enumerate(there)] for name, there in moments.items()
    }
    if not points:
        return [point for there in every.values() for point in there]
    chance = random.Random(seed)
    shares: list[tuple[float, Point]] = []
    for name, there in every.items():
        weight = DESKTOP_SHARE * len(every) if KINDS[name].desktop else 1.0
        shares += [((place + chance.random() / 2) / weight, point) for place, point in enumerate(_mixed(there, chance))]
    return [point for _, point in sorted(shares, key=lambda share: share[0])[:points]]


def _mixed(points: Iterable[Point], chance: random.Random) -> list[Point]:
    """By turns of every kind of moment, each kind in a random order."""
    kinds: defaultdict[str, list[Point]] = defaultdict(list)
    for point in points:
        # Without the event's type and number, the action's name, and the file's.
        kinds[re.sub(r"\(.*?\)|\bevent \d+|\baction \d+|(?<=before )(\S+) \S*[/.].*", r"\1", point.moment)].append(point)
    queues = [chance.sample(kind, len(kind)) for kind in chance.sample(list(kinds.values()), len(kinds))]
    mixed: list[Point] = []
    while any(queues):
        mixed += [queue.pop() for queue in queues if queue]
    return mixed


def _rehearse(zygote: Zygote, kind: Kind, folder: Path, database: str) -> list[str]:
    """The moments that a run of that kind comes by."""
    with _place(folder, database) as place:
        _first(zygote, kind, place)
        made = zygote.do(kind=kind.name, **place, do="run")
        checked = zygote.do(kind=kind.name, **place, do="resume") if not made["code"] else {}
        if made["code"] or any(checked.get(problem) for problem in ("code", *PROBLEMS)):
            told = "; ".join(checked.get("ended", ())) or _stderr(place)
            raise EnvironmentFailure(
                f"A run of the kind {kind.name} does not end right here even if nobody kills it: {told}",
                hint="`deskcrew doctor` says what is missing; --no-desktop leaves out runs with a desktop.",
            )
        moments: list[str] = made["moments"]
        return moments


def _first(zygote: Zygote, kind: Kind, place: Place) -> None:
    """What is done before the process that is to be killed."""
    if kind.before == "killed":
        zygote.do(kind=kind.name, **place, do="first", at=FIRST_DEATH)


def _attempt(zygote: Zygote, point: Point, folder: Path, database: str) -> list[Failure]:
    def failed(problem: str, told: str) -> Failure:
        return Failure(point=point, problem=problem, told=told)

    with _place(folder, database) as place:
        _first(zygote, KINDS[point.kind], place)
        killed = zygote.do(kind=point.kind, **place, do="run", at=point.at)
        if killed["hung"] or killed["signal"] != 9:
            return [failed("missed", "it hung" if killed["hung"] else f"it was not killed. {_stderr(place)}")]
        failures = [failed("leftovers", f"still running: {name}") for name in killed["left"]]
        resumed = zygote.do(kind=point.kind, **place, do="resume")
        if resumed["hung"] or resumed["code"]:
            told = "it hung when resumed" if resumed["hung"] else f"it cannot be resumed. {_stderr(place)}"
            return [*failures, failed("ended", told)]
        failures += [failed("leftovers", f"still running after resume: {name}") for name in resumed["left"]]
        return failures + [failed(problem, told) for problem in PROBLEMS for told in resumed.get(problem, ())]


def _stderr(place: Place) -> str:
    """The last thing that a process complained of."""
    path = Path(place["folder"]) / "stderr"
    lines = path.read_text(errors="replace").strip().splitlines() if path.exists() else []
    return lines[-1][:400] if lines else ""


@contextmanager
def _place(folder: Path, database: str) -> Generator[Place]:
    place = Path(tempfile.mkdtemp(prefix="run-", dir=folder))
    try:
        with schema_of_its_own(database) as address:
            yield Place(folder=str(place), database=address)
    finally:
        shutil.rmtree(place, ignore_errors=True)


class _Zygotes:
    def __init__(self, zygotes: Sequence[Zygote], threads: ThreadPoolExecutor) -> None:
        self._free: SimpleQueue[Zygote] = SimpleQueue()
        self._threads = threads
        for zygote in zygotes:
            self._free.put(zygote)

    def map(self, do: Callable[[Zygote, T], R], items: Iterable[T]) -> Iterator[R]:
        """``do`` with whichever is free, results in order."""

        def done(item: T) -> R:
            zygote = self._free.get()
            try:
                return do(zygote, item)
            finally:
                self._free.put(zygote)

        return self._threads.map(done, items)


@contextmanager
def _zygotes(count: int) -> Generator[_Zygotes]:
    started = [Zygote() for _ in range(count)]
    threads = ThreadPoolExecutor(count)
    try:
        yield _Zygotes(started, threads)
    finally:
        threads.shutdown(cancel_futures=True)
        for zygote in started:
            zygote.close()
