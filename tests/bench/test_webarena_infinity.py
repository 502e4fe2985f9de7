"""Tasks in applications of others: served, done as written down, and verified; and mutants of what is written down."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from deskcrew.environments.browser.launch import program
from deskcrew.errors import ConfigError, UsageError
from deskcrew_bench.on_fleet import packed, unpacked
from deskcrew_bench.suites.others import table
from deskcrew_bench.suites.playing import keep_replies
from deskcrew_bench.webarena_infinity import suite
from deskcrew_bench.webarena_infinity.apps import Task, served, tasks_of, verified
from deskcrew_bench.webarena_infinity.mutants import mutants
from deskcrew_bench.webarena_infinity.oracles import NEXT, Solution, solutions_in
from support.crew import settings_in
from support.sampling import sampled

ORACLES = Path(__file__).parents[2] / "bench/webarena-infinity/oracles"
SERVER = """
import http.server, sys
state = [None]
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kept = state[0] or b"null"
        self.answer(kept if self.path == "/api/state" else open("index.html", "rb").read())
    def do_PUT(self):
        state[0] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(b"{}")
    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
"""
PAGE = """<!doctype html><title>Lamps</title>
<ul><li>Red lamp <button onclick="put('red')">Order</button><li>Blue lamp <button onclick="put('blue')">Order</button>
<li style="display: flex"><input type=checkbox onclick="put('green')"><span>Green</span><span>lamp</span></ul>
<script>const put = lamp => fetch('/api/state', {method: 'PUT', body: JSON.stringify({ordered: lamp})}); put('')</script>"""
VERIFIER = """
import requests

def verify(server_url):
    ordered = requests.get(f"{server_url}/api/state").json()["ordered"]
    return ordered == "blue", f"ordered: {ordered}"
"""
BLUE = Solution(steps=(("click", 'button "Order" in "Blue lamp'),))
browser = pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    folder = tmp_path / "clone/lamps"
    (folder / "real-tasks").mkdir(parents=True)
    (folder / "server.py").write_text(SERVER)
    (folder / "index.html").write_text(PAGE)
    (folder / "real-tasks/task_e1.py").write_text(VERIFIER)
    listed = {"id": "task_e1", "difficulty": "easy", "instruction": "Order a blue lamp.", "verify": "real-tasks/task_e1.py"}
    (folder / "real-tasks.json").write_text(json.dumps([listed]))
    (found,) = tasks_of(tmp_path / "clone")
    return found


def test_names_that_are_not_there_are_told(task: Task, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no applications"):
        tasks_of(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="no application 'sofas'"):
        tasks_of(tmp_path / "clone", ["sofas"])
    with pytest.raises(UsageError, match="no task 'task_h9'"):
        tasks_of(tmp_path / "clone", only=["task_h9"])
    assert tasks_of(tmp_path / "clone", difficulties=["hard"]) == ()


def test_a_verifier_that_breaks_down_is_not_satisfied(task: Task) -> None:
    with served(task.folder) as address:
        satisfied, said = verified(task, address)
    assert not satisfied
    assert said.startswith("the verifier broke down")


@browser
@pytest.mark.parametrize(
    ("steps", "satisfied"),
    sampled(
        [
            (BLUE.steps, True),
            ((("click", 'button "Sofa"'),), False),
            ((("click", 'check box "" in "Green lamp'),), False),
            (((f"click{NEXT}", 'button "Order" in "Blue lamp'),), False),
        ],
        1,
    ),
)
async def test_the_verifier_says_what_came_of_an_oracle(
    steps: tuple[tuple[str, ...], ...], satisfied: bool, task: Task, tmp_path: Path
) -> None:
    trial = await suite.attempt(
        task, settings_in(tmp_path), model=suite.ORACLE, crew="planned", solution=Solution(steps=steps)
    )
    assert trial.right is satisfied, trial
    assert trial.operations == (0 if "Sofa" in steps[0][1] else 1)
    assert bool(trial.missing) is ("Sofa" in steps[0][1])
    assert trial.kind == "lamps 1 easy"
    (row,) = table([trial])
    assert (row.tasks, row.right, row.right_done) == (1, int(satisfied), 0)


@browser
async def test_a_node_does_an_episode_with_what_it_is_sent(task: Task, tmp_path: Path) -> None:
    judging, settings, key = suite.Judging(folder=tmp_path / "replies"), settings_in(tmp_path), (f"{task.app}/{task.id}", "")
    keep_replies(judging.file(task), {})
    given = suite.Episodes(suite.ORACLE, "default", {key: BLUE})
    sent = pickle.dumps((given, packed(given.files([task], judging))))
    task.folder.parent.rename(tmp_path / "elsewhere")
    episodes, archive = pickle.loads(sent)
    files = unpacked(settings, archive)
    assert suite.Judging(folder=files / "replies").file(task).exists()
    trial: suite.Trial = await episodes.attempt(key, files, settings, None)
    assert trial.right, trial
    assert (trial.key, trial.operations) == (key, 1)


@browser
@pytest.mark.deep
async def test_who_does_nothing_satisfies_nobody(task: Task, tmp_path: Path) -> None:
    trial = await suite.attempt(task, settings_in(tmp_path), model="no-op", crew="planned")
    assert not trial.right
    assert trial.operations == 0


def test_mutants_are_made_by_program_and_no_two_are_alike() -> None:
    right = Solution(
        steps=(("type", 'text field "Name"', "Ana"), ("select", 'combo box "Town"', "Oslo"), ("click", "button"))
    )
    other = Solution(steps=(("click", 'button "Other"'),))
    made = mutants(right, [other])
    assert made == mutants(right, [other])
    assert made[0] == ("without step 3 (click button)", right.model_copy(update={"steps": right.steps[:2]}))
    steps = [each.steps for _, each in made]
    assert len(set(steps)) == len(steps)
    assert right.steps not in steps
    changed = {step for each in steps for step in each}
    assert {("type", 'text field "Name"', "zna"), (f"select{NEXT}", 'combo box "Town"', "Oslo")} <= changed
    assert (*right.steps, *other.steps) in steps
    assert len(mutants(right, [other], most=4)) == 4


def test_oracles_are_operations(tmp_path: Path) -> None:
    assert sum(len(solutions_in(ORACLES, path.stem)) for path in ORACLES.glob("*.toml")) >= 64
    (tmp_path / "lamps.toml").write_text('[task_e1]\nsteps = [["polish", "button"]]\n')
    with pytest.raises(ConfigError, match="no operation"):
        solutions_in(tmp_path, "lamps")
    assert solutions_in(tmp_path, "sofas") == {}
