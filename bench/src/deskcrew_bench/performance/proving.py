"""How long it takes to see, without a model, whether work on files is right: states laid out, probes tried on them."""

from __future__ import annotations

import hashlib
import tempfile
import time
from pathlib import Path

from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.manifest import Entry, Manifest
from deskcrew.errors import EnvironmentFailure
from deskcrew.goals.probes import Case, tried
from deskcrew.goals.states import States
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


def proof(workspace: Path, *, samples: int = 9) -> Figure:
    """Milliseconds of one proof by two probes, over a table and two files that were made of it, in a run in which a program
    was started before; beside the same where it is found out anew how one is started here. The two take turns."""
    kept: dict[str, bytes] = {}

    def entry(path: str, text: str) -> Entry:
        data = text.encode()
        digest = hashlib.sha256(data).hexdigest()
        kept[digest] = data
        return Entry(path, "file", 0o644, 0, len(data), digest=digest)

    table = "item,amount\n" + "".join(f"thing {number},{number}.50\n" for number in range(ROWS))
    start = (Entry("", "folder", 0o755, 0), entry("costs.csv", table))
    last = "".join(f"thing {number}\n" for number in range(ROWS - 10, ROWS))
    total = f"{sum(number + 0.5 for number in range(ROWS)):.2f}\n"
    states = States(
        Manifest(start), Manifest((*start, entry("last.txt", last), entry("total.txt", total))), kept.__getitem__
    )

    def timed(sandbox: Sandbox | None) -> float:
        began = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="deskcrew-proof-") as folder:
            top = Path(folder)
            places = states.lay_out([*states.all()], top)
            cases = [Case(place, enough=number > 1) for number, place in enumerate(places)]
            with sandbox.over(top) if sandbox is not None else Sandbox(top) as inside:
                end, before, *_ = tried(inside, PROBES, ["1", "2"], places[1], cases).rows
        if not all(said.holds is True for said in end.values()) or any(said.holds is True for said in before.values()):
            raise EnvironmentFailure(f"The probes did not run: {end}")
        return (time.perf_counter() - began) * 1000

    with Sandbox(workspace) as sandbox:
        timed(sandbox)  # finds out what this machine can do
        pairs = [(timed(sandbox), timed(None)) for _ in range(samples)]
    known, anew = zip(*pairs, strict=True)
    return summarise(known, "ms", alternative="where it is found out anew how programs are started", against=anew)
