"""What lanes spare: four parts that do not need each other, at once and one after the other, with a model that takes as long
as a provider's.

Two sites are read, a sheet is filled and a table converted, each in three replies. Workspace, sandbox and sites are real; of
the model only its replies are made up, and how long it takes.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import anyio

from deskcrew import session
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import Reply, ScriptedModel
from deskcrew.replay.replay import replay
from deskcrew.request import RunRequest
from deskcrew.settings import Settings
from deskcrew_bench.figure import Figure, summarise
from deskcrew_bench.loopback import Loopback

LANES = 4
PRICES = {"/apples": "12.50", "/pears": "9.80"}
"""What the sites say, by path."""
LOOK = "import pathlib; print(sorted(path.name for path in pathlib.Path('.').iterdir()))"
_READ = "import urllib.request; print(urllib.request.urlopen('http://{host}{path}').read().decode())"
_SHEET = "import openpyxl; b = openpyxl.Workbook(); b.active['A1'] = 42; b.save('sheet.xlsx'); print('saved')"
_CONVERT = (
    "import csv, json; json.dump(list(csv.DictReader(open('table.csv'))), open('table.json', 'w')); print('converted')"
)


class _Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        said = PRICES.get(self.path, "nothing").encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@dataclass(frozen=True, slots=True)
class Part:
    """``code`` does it; ``made``: the file that is there then, '' where what it prints is all."""

    goal: str
    code: str
    made: str = ""


@dataclass(frozen=True, slots=True)
class Spared:
    """``time``: seconds with lanes, beside one part after the other; ``equal``: of the runs with lanes, how many were the
    same when replayed from their records."""

    time: Figure
    equal: int


def measure(*, samples: int = 5, wait: float = 2.0) -> Spared:
    """Runs with lanes and without take turns. ``wait``: seconds that each reply takes. Blocking."""
    seconds: dict[int, list[float]] = {LANES: [], 1: []}
    equal = 0
    with Loopback(_Shop) as apples, Loopback(_Shop) as pears:
        parts = (
            Part("Read the price of apples", _READ.format(host=apples.host, path="/apples")),
            Part("Read the price of pears", _READ.format(host=pears.host, path="/pears")),
            Part("Fill sheet.xlsx", _SHEET, "sheet.xlsx"),
            Part("Convert table.csv", _CONVERT, "table.json"),
        )
        for _, lanes in itertools.product(range(samples), seconds):
            with tempfile.TemporaryDirectory(prefix="bench-") as folder:
                began = time.perf_counter()
                journal = anyio.run(run, Path(folder), parts, (apples.host, pears.host), lanes, wait)
                seconds[lanes].append(time.perf_counter() - began)
                if lanes == LANES:
                    equal += anyio.run(replay, journal).equal
    figure = summarise(seconds[LANES], "s", alternative="one part after the other", against=seconds[1])
    return Spared(figure, equal)


async def run(folder: Path, parts: Sequence[Part], hosts: Sequence[str], lanes: int, wait: float) -> Journal:
    """One run of all parts. Raises AssertionError where one of them was not done."""
    workspace = folder / "work"
    workspace.mkdir()
    (workspace / "table.csv").write_text("item,amount\napple,20\npear,22\n")
    request = RunRequest(
        task="; ".join(part.goal for part in parts) + ".",
        model="scripted:none",
        workspace=workspace,
        desktop="none",
        hosts=tuple(hosts),
        lanes=lanes,
    )
    settings = Settings(data=folder / "data", models=folder / "models", config=folder / "config")
    profile = Profile(name="scripted", schema_mode="grammar", free_text="short")
    model = ScriptedModel(itertools.repeat(_Script(parts)), profile=profile, seconds=wait)
    journal = await session.run(request, settings, model=model)
    outcome = journal.state.outcome
    undone = [part.goal for part in parts if part.made and not (workspace / part.made).is_file()]
    read = [found.text.strip() for found in journal.state.collected if found.kind == "output"]
    if undone or not set(PRICES.values()) <= set(read) or not journal.state.plan.finished:
        raise AssertionError(f"the measured run ended {outcome and outcome.why}; not done: {undone}; read: {read}")
    return journal


class _Script:
    """What the roles say: of each part first to look at what there is, then to do it, then that it is done."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._asked = Counter[str]()

    def __call__(self, call: Call) -> Reply:
        if call.role == "Planner":
            subtasks = [{"goal": part.goal, "role": "Programmer", "needs": list[str]()} for part in self._parts]
            return {"subtasks": subtasks, "question": "", "files": []}
        part = next(each for each in self._parts if f"Your part: {each.goal}" in call.text())
        self._asked[part.goal] += 1
        code = {1: LOOK, 2: part.code}.get(self._asked[part.goal])
        if code is None:
            return {"operations": list[Any](), "branch": "RoleTaskFinish"}
        return {"operations": [{"function": "run_python_code", "code": code}], "branch": "Continue"}
