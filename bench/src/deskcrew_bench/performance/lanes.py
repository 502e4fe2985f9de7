"""How much time lanes save: four independent subtasks, done concurrently and one after the other, with a model that is
as slow as a provider's.

Two sites are read in browsers, a sheet is filled and a table converted, each in three replies; either with a browser
for each site, or with one browser in which both subtasks take turns. Browsers, workspace, sandbox and sites are real;
only the model's replies and their duration are simulated.
"""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import anyio

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.facts.events import ActionFinished
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import Reply, ScriptedModel
from deskcrew.settings import DeskCounts, Settings
from deskcrew_bench.figure import Figure, summarise
from deskcrew_bench.loopback import Loopback

LANES = 4
WAYS = {"a browser each": (LANES, 2), "turns in one browser": (LANES, 1), "one after the other": (1, 1)}
"""The numbers of lanes and browsers in each configuration."""
PRICES = {"/apples": "12.50", "/pears": "9.80"}
"""The content of the sites, by path."""


class _Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        said = PRICES.get(self.path, "nothing").encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


@dataclass(frozen=True, slots=True)
class Part:
    """A subtask and its agent. ``look``: the first operation, ``act``: the one that does the work; ``made``: the file
    that results; ``says``: the text that is returned."""

    goal: str
    role: str
    look: dict[str, Any]
    act: dict[str, Any]
    made: str = ""
    says: str = ""


def parts_with(pears: str) -> tuple[Part, ...]:
    """The four subtasks. ``pears``: host of the second site; the first one is open when the run begins."""
    fill = "import openpyxl; b = openpyxl.Workbook(); b.active['A1'] = 42; b.save('sheet.xlsx'); print('saved')"
    convert = "import csv, json; json.dump(list(csv.DictReader(open('table.csv'))), open('table.json', 'w')); print('done')"
    waits, goes = {"function": "wait_for_loading", "seconds": 0.1}, {"function": "open_url", "url": f"http://{pears}/pears"}
    return (
        Part("Read the price of apples on the page", "Searcher", waits, {"function": "read_page"}, says=PRICES["/apples"]),
        Part(
            "Read the price of pears on the other page", "Searcher", goes, {"function": "read_page"}, says=PRICES["/pears"]
        ),
        Part("Fill sheet.xlsx", "Programmer", LOOK, _python(fill), made="sheet.xlsx"),
        Part("Make table.json of the rows of table.csv", "Programmer", LOOK, _python(convert), made="table.json"),
    )


def _python(code: str) -> dict[str, Any]:
    return {"function": "run_python_code", "code": code}


LOOK = _python("import pathlib; print(sorted(path.name for path in pathlib.Path('.').iterdir()))")


@dataclass(frozen=True, slots=True)
class Spared:
    """The measured savings. ``times``: seconds with lanes, compared with one subtask after the other, by configuration;
    ``runs``: the number of runs with lanes; ``equal``: how many of these were identical when replayed from their
    records."""

    times: dict[str, Figure]
    runs: int
    equal: int


def measure(*, samples: int = 5, wait: float = 2.0) -> Spared:
    """Measures runs with and without lanes alternately. ``wait``: seconds that each reply takes. Blocking."""
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    equal = 0
    with Loopback(_Shop) as apples, Loopback(_Shop) as pears:
        for _, (way, (lanes, browsers)) in itertools.product(range(samples), WAYS.items()):
            with tempfile.TemporaryDirectory(prefix="bench-") as folder:
                journal = anyio.run(run, Path(folder), apples.host, pears.host, lanes, browsers, wait)
                seconds[way].append(journal.events[-1].header.time - journal.events[0].header.time)
                if lanes > 1:
                    equal += anyio.run(replay, journal).equal
    *several, alone = WAYS
    times = {way: summarise(seconds[way], "s", alternative=alone, against=seconds[alone]) for way in several}
    return Spared(times, samples * len(several), equal)


async def run(folder: Path, apples: str, pears: str, lanes: int, browsers: int, wait: float) -> Journal:
    """One run of all subtasks. Raises AssertionError if one of them was not done."""
    workspace, parts = folder / "work", parts_with(pears)
    workspace.mkdir()
    (workspace / "table.csv").write_text("item,amount\napple,20\npear,22\n")
    request = RunRequest(
        task="; ".join(part.goal for part in parts) + ".",
        model="scripted:none",
        crew="planned",
        workspace=workspace,
        desktop="browser",
        url=f"http://{apples}/apples",
        hosts=(pears,),
        lanes=lanes,
    )
    desks = DeskCounts(browsers=browsers)
    settings = Settings(data=folder / "data", models=folder / "models", config=folder / "config", desks=desks)
    profile = Profile(name="scripted", schema_mode="grammar", free_text="short")
    model = ScriptedModel(itertools.repeat(_Script(parts, graph=lanes > 1)), profile=profile, seconds=wait)
    journal = await session.run(request, settings, model=model)
    said = "\n".join(event.body.text for event in journal.events if isinstance(event.body, ActionFinished))
    undone = [part.goal for part in parts if part.made and not (workspace / part.made).is_file()]
    undone += [part.goal for part in parts if part.says not in said]
    if undone or not journal.state.plan.finished:
        outcome = journal.state.outcome
        raise AssertionError(f"the measured run ended {outcome and outcome.why}; not done: {undone}")
    return journal


class _Script:
    """The roles' replies: for each subtask first the look, then the act, then that it is done. ``graph``: the planner
    says what each subtask needs; otherwise it gives a list."""

    def __init__(self, parts: Sequence[Part], *, graph: bool) -> None:
        self._parts = parts
        self._needs: dict[str, list[str]] = {"needs": []} if graph else {}
        self._asked = Counter[str]()

    def __call__(self, call: Call) -> Reply:
        if call.role == "Planner":
            subtasks = [{"goal": part.goal, "role": part.role, **self._needs} for part in self._parts]
            return {"subtasks": subtasks, "question": ""}
        part = next(each for each in self._parts if f"Your part: {each.goal}" in call.text())
        self._asked[part.goal] += 1
        operation = {1: part.look, 2: part.act}.get(self._asked[part.goal])
        if operation is None:
            return {"operations": list[Any](), "branch": "RoleTaskFinish"}
        return {"operations": [operation], "branch": "Continue"}
