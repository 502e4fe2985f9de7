"""Episodes of a series on the nodes of a fleet: all done once, also those whose process was killed; then nothing is left."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import pytest

from cli.conftest import Cli
from deskcrew.environments.browser.launch import program
from deskcrew.errors import UsageError
from deskcrew.ways_in.fleet.nodes import SILENT, FleetNode, nodes, start, stop
from deskcrew_bench.fleet.measure import free_port
from deskcrew_bench.miniwob.pages import folder_of_pages, parts_of
from deskcrew_bench.on_fleet import RETRIES, packed, place_of, unpacked
from fleet.conftest import Fleet, fleet
from fleet.test_nodes import ray_folder
from support.crew import settings_in
from support.waiting import until

__all__ = ["fleet", "ray_folder"]

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
NAMES = ("four", "one", "three", "two")
TASK = 'instruction = "Write {{ seed }} into a.txt."\n'
CHECK = """
import os, pathlib, sys
sys.exit(pathlib.Path("a.txt").read_text().split() != [os.environ["DESKCREW_SEED"]])
"""
DIES = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"
"""A check that ends the process that has it checked."""
PATIENCE = 600.0
SLOTS = {"desktop": 1, "browser": 1}


def test_an_address_is_of_a_head() -> None:
    assert place_of("ray://10.0.0.5:6379") == place_of("10.0.0.5:6379") == ("10.0.0.5", 6379)
    for wrong in ("ray://", "ray://host", "host:0", "http://host:80/x", ":6379"):
        with pytest.raises(UsageError, match="is not the address of a fleet"):
            place_of(wrong)


def test_files_get_to_a_node_as_they_are(tmp_path: Path) -> None:
    task = tmp_path / "tasks/one"
    (task / "__pycache__").mkdir(parents=True)
    (task / "make.py").write_text("print(1)")
    (task / "make.py").chmod(0o755)
    (task / "__pycache__/left").write_text("")
    (task / "linked").symlink_to(task / "make.py")
    settings = settings_in(tmp_path)
    sent = packed({"below/one": task})
    place = unpacked(settings, sent)
    assert sorted(path.name for path in (place / "below/one").iterdir()) == ["linked", "make.py"]
    assert (place / "below/one/linked").read_text() == "print(1)"
    assert not (place / "below/one/linked").is_symlink()
    assert os.access(place / "below/one/make.py", os.X_OK)
    os.utime(task / "make.py", (1, 1))
    assert packed({"below/one": task}) == sent
    assert unpacked(settings, sent) == place
    with pytest.raises(UsageError, match="cannot be sent to the nodes: No such file"):
        packed({"one": tmp_path / "missing"})


def test_of_pages_only_those_that_are_tried_are_sent() -> None:
    folder = folder_of_pages()
    sent = parts_of(folder, ["click-dialog"])
    assert set(sent) == {"core", "common", "miniwob/click-dialog.html"}
    assert all(path.exists() for path in sent.values())


def test_where_nobody_answers_it_is_said(cli: Cli, tmp_path: Path) -> None:
    written(tmp_path / "tasks")
    wrong = cli("bench", "desk", "--tasks", f"{tmp_path / 'tasks'}", "--on", f"127.0.0.1:{free_port()}")
    assert wrong.code == 4
    assert "Nobody answers at 127.0.0.1:" in wrong.err
    wrong = cli("bench", "desk", "--tasks", f"{tmp_path / 'tasks'}", "--on", "ray://head")
    assert wrong.code == 2
    assert "is not the address of a fleet" in wrong.err


def written(suite: Path) -> None:
    """A suite of chores that take two seconds each, and of one whose process ends each time."""
    for name in (*NAMES, "dies"):
        folder = suite / name
        folder.mkdir(parents=True)
        (folder / "task.toml").write_text(TASK)
        (folder / "check.py").write_text(DIES if name == "dies" else CHECK)
        step = {"function": "run_shell", "command": "sleep 2; echo {{ seed }} > a.txt"}
        (folder / "oracle.json").write_text(json.dumps({"steps": [[step]]}))


def bench(fleet: Fleet, *arguments: str, before: str = "") -> subprocess.Popen[str]:
    """The command, in a process of its own: Ray is one a process. ``before``: what it does first."""
    code = f"import sys\n{before}\nfrom deskcrew.ways_in.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "bench", *arguments, "--json", "--data", f"{fleet.settings.data}"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)


def told(process: subprocess.Popen[str], code: int = 0) -> Any:
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == code, err
    return json.loads(out)


@pytest.fixture
def head(fleet: Fleet, ray_folder: Path) -> Iterator[FleetNode]:
    """A fleet of two nodes."""
    made = start(fleet.settings, fleet.submissions, port=free_port(), cpus=1, slots=SLOTS)
    try:
        start(fleet.settings, fleet.submissions, join=made.address, cpus=1, slots=SLOTS)
        yield made
    finally:
        for node in reversed(nodes(fleet.settings)):
            stop(fleet.settings, node)


def at_it(there: list[FleetNode], names: tuple[str, ...]) -> list[psutil.Process]:
    """The processes of nodes that are in the middle of an episode of these tasks: what it started is asleep."""
    found: list[psutil.Process] = []
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in (each for node in there for each in psutil.Process(node.pid).children(recursive=True)):
            title = "".join(process.cmdline()[:1])
            if title.startswith(tuple(f"ray::{name} " for name in names)) and any(
                "sleep" in child.cmdline()[:1] for child in process.children(recursive=True)
            ):
                found.append(process)
    return found


def kill(node: FleetNode) -> None:
    """End all its processes, as a power cut would."""
    keeper = psutil.Process(node.pid)
    for process in (keeper, *keeper.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


@needs_ray
@pytest.mark.deep
@pytest.mark.fault
@pytest.mark.timeout(3 * PATIENCE)
def test_whatever_is_killed_each_episode_is_in_the_report_once(fleet: Fleet, head: FleetNode, tmp_path: Path) -> None:
    suite, kept, on = tmp_path / "tasks", tmp_path / "kept.jsonl", ("--on", f"ray://{head.address}")
    written(suite)
    given = ("desk", "--tasks", f"{suite}", *on, "--model", "oracle", "--jsonl", f"{kept}")
    going = bench(fleet, *given)
    victims: list[psutil.Process] = []
    while not victims and going.poll() is None:
        victims = at_it(nodes(fleet.settings), NAMES)
    assert victims, going.communicate()
    victims[0].kill()
    found = told(going, 1)
    assert [trial["task"] for trial in found["trials"]] == list(NAMES)
    assert all(trial["right"] for trial in found["trials"]), found
    (lost,) = found["lost"]
    assert (lost["task"], lost["seed"]) == ("dies", 1)
    assert lost["why"].startswith(f"it was begun up to {RETRIES + 1} times")
    runs = [entry.id for entry in fleet.submissions.store.runs()]
    assert len(runs) == len(NAMES) + 1 + RETRIES + 1, "one was begun again, and the one that dies each time"
    assert {trial["run"] for trial in found["trials"]} < set(runs)

    # Without a result there is an error that says what to do.
    unable = told(bench(fleet, *given[:5], "--model", "local"), 2)
    assert "has room for a desktop and a model" in unable["error"]
    other = "from deskcrew.ways_in.fleet import submissions; submissions.version = lambda: '0.0.9'"
    assert "and this is 0.0.9" in told(bench(fleet, *given[:5], "--model", "oracle", before=other), 2)["error"]

    if program() is not None:
        pages = ("miniwob", *on, "--model", "random", "--only", "click-dialog", "--seeds", "1")
        (trial,) = told(bench(fleet, *pages))["trials"]
        assert (trial["suite"], trial["task"], trial["seed"]) == ("miniwob", "click-dialog", 1)
        assert trial["operations"] > 0

    # Nothing is left to do: no fleet is needed.
    for node in reversed(nodes(fleet.settings)):
        stop(fleet.settings, node)
    before = kept.read_bytes()
    assert len(before.splitlines()) == len(NAMES)
    only = [word for name in NAMES for word in ("--only", name)]
    again = told(bench(fleet, *given, *only))
    assert again["trials"] == found["trials"]
    assert kept.read_bytes() == before


@needs_ray
@pytest.mark.deep
@pytest.mark.fault
@pytest.mark.timeout(3 * PATIENCE)
def test_a_node_that_dies_costs_its_episodes_time_only(fleet: Fleet, head: FleetNode, tmp_path: Path) -> None:
    suite = tmp_path / "tasks"
    written(suite)
    only = [word for name in NAMES for word in ("--only", name)]
    going = bench(fleet, "desk", "--tasks", f"{suite}", "--on", f"ray://{head.address}", "--model", "oracle", *only)
    (joined,) = [node for node in nodes(fleet.settings) if not node.head]
    while not at_it([joined], NAMES) and going.poll() is None:
        pass
    assert going.poll() is None, going.communicate()
    kill(joined)
    found = told(going)
    assert sorted(trial["task"] for trial in found["trials"]) == sorted(NAMES)
    assert all(trial["right"] for trial in found["trials"]), found
    assert not found["lost"]
    assert [node.pid for node in nodes(fleet.settings)] == [head.pid]


@needs_ray
@pytest.mark.deep
@pytest.mark.fault
@pytest.mark.timeout(3 * PATIENCE)
def test_a_series_goes_on_with_the_head_that_takes_the_place_of_one_that_died(
    fleet: Fleet, head: FleetNode, tmp_path: Path
) -> None:
    suite, kept = tmp_path / "tasks", tmp_path / "kept.jsonl"
    written(suite)
    only = [word for name in NAMES for word in ("--only", name)]
    on = ("--on", f"ray://{head.address}", "--jsonl", f"{kept}")
    given = ("desk", "--tasks", f"{suite}", *on, "--model", "oracle", "--seeds", "1,2", *only)
    going = bench(fleet, *given)
    while not (kept.exists() and at_it([head], NAMES)) and going.poll() is None:
        pass
    assert going.poll() is None, going.communicate()
    kill(head)
    failed = told(going, 4)
    before = [json.loads(line) for line in kept.read_text().splitlines()]
    assert f"The head at ray://{head.address} has gone, with {2 * len(NAMES) - len(before)} of 8 episodes" in failed["error"]
    assert "Start it again: deskcrew fleet up --head. Then the same command goes on." in failed["hint"]

    assert until(lambda: all(each.silent >= SILENT for each in fleet.submissions.heads()))
    start(fleet.settings, fleet.submissions, port=int(head.address.rpartition(":")[2]), cpus=1, slots=SLOTS)
    found = told(bench(fleet, *given))
    assert not found["lost"]
    wanted = [(name, seed) for name in NAMES for seed in (1, 2)]
    assert sorted((trial["task"], trial["seed"]) for trial in found["trials"]) == wanted
    assert all(trial["right"] for trial in found["trials"]), found
    after = [json.loads(line) for line in kept.read_text().splitlines()]
    assert after[: len(before)] == before
    assert sorted((trial["task"], trial["seed"]) for trial in after) == wanted
    assert {trial["run"] for trial in after} == {trial["run"] for trial in found["trials"]}
