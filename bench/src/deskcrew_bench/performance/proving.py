"""How long it takes to see, without a model, whether work on files is right: states laid out, checks and probes tried."""

from __future__ import annotations

import ctypes
import hashlib
import io
import multiprocessing
import os
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.manifest import Manifest, ManifestEntry
from deskcrew.errors import EnvironmentFailure
from deskcrew.evidence.probes import Case, tried
from deskcrew.evidence.proof import by_checks
from deskcrew.evidence.states import States
from deskcrew.evidence.typed import Side
from deskcrew.facts.contract import Requirement, TypedCheck
from deskcrew.facts.observation import Observation
from deskcrew_bench.figure import Figure, summarise

PROBES = """
import csv
from decimal import Decimal

def rows(folder):
    return list(csv.DictReader((folder / "costs.csv").open()))

def requirement_1(start, end):
    said = (end / "total.txt").read_text()
    return Decimal(said) == sum(Decimal(row["amount"]) for row in rows(start)), said

def requirement_2(start, end):
    said = (end / "last.txt").read_text()
    return said == "".join(row["item"] + "\\n" for row in rows(start)[-10:]), said
"""
ROWS = 300
OF_A_BOOK = """
import openpyxl

def page(folder):
    return openpyxl.load_workbook(folder / "costs.xlsx").worksheets[0]

def requirement_1(start, end):
    total = page(end)["B202"].value
    return total == sum(row[1] for row in page(start).iter_rows(min_row=2, values_only=True)), total

def requirement_2(start, end):
    return page(end)["A202"].value == "total" and page(end)["A202"].font.b, page(end)["A202"].value
"""
BOOK_ROWS = 200
TOTAL = sum(number + 0.5 for number in range(BOOK_ROWS))
CHECKS = {"A202": "total", "B202": str(TOTAL), "A202.bold": "true", "rows": "202"}
"""What stands where, at the end."""
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER: programs in the sandbox, which nobody waits for, become children of this process, and count."""
SETTLING = 0.5
"""Seconds until what was started has ended for certain."""


@dataclass(frozen=True, slots=True)
class _Saved:
    """A workspace at the start and at the end, and the contents that both have."""

    kept: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def entry(self, path: str, data: bytes) -> ManifestEntry:
        digest = hashlib.sha256(data).hexdigest()
        self.kept[digest] = data
        return ManifestEntry(path, "file", 0o644, 0, len(data), digest=digest)

    def states(self, start: tuple[ManifestEntry, ...], end: tuple[ManifestEntry, ...]) -> States:
        top = ManifestEntry("", "folder", 0o755, 0)
        return States(Manifest((top, *start)), Manifest((top, *end)), self.kept.__getitem__)


def proof(workspace: Path, *, samples: int = 9) -> Figure:
    """Milliseconds of one proof by two probes, over a table and two files that were made of it, in a run in which a program
    was started before; beside the same where it is found out anew how one is started here. The two take turns."""
    saved = _Saved()
    table = "item,amount\n" + "".join(f"thing {number},{number}.50\n" for number in range(ROWS))
    costs = saved.entry("costs.csv", table.encode())
    last = saved.entry("last.txt", "".join(f"thing {number}\n" for number in range(ROWS - 10, ROWS)).encode())
    total = saved.entry("total.txt", f"{sum(number + 0.5 for number in range(ROWS)):.2f}\n".encode())
    states = saved.states((costs,), (costs, last, total))

    def timed(sandbox: Sandbox | None) -> float:
        began = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="deskcrew-proof-") as folder:
            places = states.lay_out([*states.all()], Path(folder))
            _probed(sandbox, Path(folder), places, PROBES)
        return (time.perf_counter() - began) * 1000

    with Sandbox(workspace) as sandbox:
        timed(sandbox)  # finds out what this machine can do
        pairs = [(timed(sandbox), timed(None)) for _ in range(samples)]
    known, anew = zip(*pairs, strict=True)
    return summarise(known, "ms", alternative="where it is found out anew how programs are started", against=anew)


def _probed(sandbox: Sandbox | None, top: Path, places: tuple[Path, ...], code: str) -> None:
    cases = [Case(place, enough=number > 1) for number, place in enumerate(places)]
    with sandbox.over(top) if sandbox is not None else Sandbox(top) as inside:
        end, before, *_ = tried(inside, code, ["1", "2"], places[1], cases).rows
    _must_tell([said.holds for said in end.values()], [said.holds for said in before.values()])


def _must_tell(end: list[bool | None], other: list[bool | None]) -> None:
    if not all(end) or all(other):
        raise EnvironmentFailure(f"What looks at the states does not tell them apart: {end}")


def of_a_book(*, probes: bool, samples: int = 3) -> Figure:
    """Milliseconds of processor time, of all processes, of one proof over a workbook in which a row was added: by four typed
    checks, or by two ``probes``. Each is the first in a process of its own, where nothing has read a workbook yet; beside it
    the next one there."""
    pairs: list[tuple[float, float]] = []
    for _ in range(samples):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as fresh:
            pairs.append(fresh.submit(_first_and_next, probes).result())
    first, following = zip(*pairs, strict=True)
    return summarise(first, "ms", alternative="the next one in the same process", against=following)


def _first_and_next(probes: bool) -> tuple[float, float]:
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other:
        before, after = other.submit(_books).result()
    saved = _Saved()
    states = saved.states((saved.entry("costs.xlsx", before),), (saved.entry("costs.xlsx", after),))
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, Sandbox(Path(folder)) as sandbox:
        with sandbox.over(Path(folder)) as inside:  # finds out what this machine can do
            tried(inside, "", [], Path(folder), [Case(Path(folder))])
        return _of_a_book(states, sandbox if probes else None), _of_a_book(states, sandbox if probes else None)


def _of_a_book(states: States, sandbox: Sandbox | None) -> float:
    began = _processor_time()
    with tempfile.TemporaryDirectory(prefix="deskcrew-proof-") as folder:
        places = states.lay_out([*states.all()], Path(folder))
        if sandbox is not None:
            _probed(sandbox, Path(folder), places, OF_A_BOOK)
        else:
            _checked(places)
    return (_processor_time() - began) * 1000


def _checked(places: tuple[Path, ...]) -> None:
    checks = [TypedCheck(kind="value_is", target=f"costs.xlsx#{at}", text=text) for at, text in CHECKS.items()]
    requirements = [Requirement(id=str(n), says=each.words, checks=(each,)) for n, each in enumerate(checks, 1)]
    one = Side(places[0], places[1], Observation())
    sides = [replace(one, folder=place) for place in places]  # they share the values
    end, *others = [[by_checks(each, side).holds for each in requirements] for side in sides]
    for other in others:
        _must_tell(end, other)


def _processor_time() -> float:
    """Seconds that this process has taken, and all that it started and that has ended."""
    time.sleep(SETTLING)
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _books() -> tuple[bytes, bytes]:
    """The workbook at the start and at the end."""
    import openpyxl
    from openpyxl.styles import Font

    book = openpyxl.Workbook()
    page: Any = book.worksheets[0]
    page.append(("item", "amount"))
    for number in range(BOOK_ROWS):
        page.append((f"thing {number}", number + 0.5))
    start, end = io.BytesIO(), io.BytesIO()
    book.save(start)
    page.append(("total", TOTAL))
    page["A202"].font = Font(bold=True)
    book.save(end)
    return start.getvalue(), end.getvalue()
