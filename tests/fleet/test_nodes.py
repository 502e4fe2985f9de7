"""A real fleet on this machine: Ray's processes, a journal on a server, runs in sandboxes; parts of it are killed."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.ways_in.fleet import nodes as nodes_module
from deskcrew.ways_in.fleet.encryption import AUTHORITY
from deskcrew.ways_in.fleet.nodes import FleetNode, nodes, start, stop
from deskcrew.ways_in.fleet.submissions import GOING_ON
from deskcrew_bench.fleet import load, measure
from fleet.conftest import Fleet
from fleet.test_encryption import greeted
from support.servers import PostgresServer
from support.waiting import all_end, until

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
TOKEN = "0123456789abcdef" * 4


def test_a_node_needs_the_version_of_its_head(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes_module, "find_spec", lambda name: name)
    monkeypatch.setattr("deskcrew.ways_in.fleet.submissions.version", lambda: "0.0.9")
    fleet.submissions.heard("127.0.0.1:1", {})
    with pytest.raises(UsageError, match=r"The head at 127\.0\.0\.1:1 is Deskcrew 0\.0\.9, and this is "):
        start(fleet.settings, fleet.submissions, join="127.0.0.1:1", slots={})
    with pytest.raises(UsageError, match="already has a head"):
        start(fleet.settings, fleet.submissions, port=2, slots={})


def test_without_ray_it_is_said_how_to_install_it(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes_module, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="needs Ray"):
        start(fleet.settings, fleet.submissions, slots={})


@pytest.fixture
def ray_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Ray's own files, in a place with a short path, as its sockets need one, and the fleet's token and certificates."""
    folder = Path(tempfile.mkdtemp(prefix="r-", dir="/tmp"))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("RAY_TMPDIR", str(folder))
    monkeypatch.setenv("RAY_AUTH_TOKEN", TOKEN)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def head(fleet: Fleet, ray_folder: Path) -> Iterator[FleetNode]:
    made = start(fleet.settings, fleet.submissions, port=measure.free_port(), cpus=1, slots={"desktop": 0})
    yield made
    for node in nodes(fleet.settings):
        stop(fleet.settings, node)


@needs_ray
@pytest.mark.deep
def test_what_is_submitted_is_done_and_a_stranger_is_refused(
    fleet: Fleet, head: FleetNode, ray_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = {"operations": [{"function": "run_shell", "command": "echo one > a.txt"}], "branch": "RoleTaskFinish"}
    runs = fleet.submit(model=fleet.script(reply), results=str(fleet.folder / "results"))
    assert until(lambda: fleet.row(runs[0]).state not in GOING_ON)
    assert fleet.row(runs[0]).state == "unverified", fleet.row(runs[0])
    assert (fleet.folder / "results" / runs[0] / "a.txt").read_text() == "one\n"
    (seen,) = fleet.submissions.heads()
    assert seen.address == head.address
    assert [has["CPU"] for has in seen.nodes.values()] == [1.0]
    host, _, port = head.address.partition(":")
    assert greeted((host, int(port)), ray_folder / ".ray" / AUTHORITY, ray_folder / ".ray" / f"{socket.gethostname()}.pem")
    assert not greeted((host, int(port)), ray_folder / ".ray" / AUTHORITY)
    monkeypatch.setenv("RAY_AUTH_TOKEN", TOKEN[::-1])
    monkeypatch.setattr(nodes_module, "PATIENCE", 40.0)
    with pytest.raises(EnvironmentFailure, match="Ray did not start"):
        start(fleet.settings, fleet.submissions, join=head.address, slots={})
    assert TOKEN not in (fleet.settings.data / "fleet" / "ray.log").read_text()
    family = psutil.Process(head.pid).children(recursive=True)
    stop(fleet.settings, head)
    assert all_end(family)
    assert nodes(fleet.settings) == []


@needs_ray
@pytest.mark.deep
@pytest.mark.fault
def test_nothing_is_lost_or_done_twice_while_parts_are_killed(postgres: PostgresServer, tmp_path: Path) -> None:
    found = measure.killing(
        tmp_path,
        postgres.journal(),
        episodes=8,
        seconds=0.5,
        kinds=["worker", "worker", "node", "head"],
        every=2,
        restart="",
    )
    assert (found.lost, found.doubled, found.wrong, found.broken) == (0, 0, 0, 0), found
    assert sum(found.kills.values()) >= 2


def test_a_queue_is_measured(postgres: PostgresServer, tmp_path: Path) -> None:
    address = postgres.journal()
    figures = dict(measure.queue(tmp_path, address, tasks=20, rows=40))
    assert [figure.unit for figure in figures.values()] == ["s", "ms"]
    assert not (tmp_path / "data" / "journal.db").exists()


@pytest.mark.deep
def test_the_load_of_runs_on_a_database_is_simulated(postgres: PostgresServer, tmp_path: Path) -> None:
    address = postgres.journal()
    (few, some) = load.simulated(tmp_path, address, runs=[2, 4], seconds=5)
    # In five seconds each of them commits twice and is checked twice; its lease is due after ten.
    assert few[0].startswith("2 runs, 2 statements a second, ")
    assert (few[1].n, some[1].n) == (8, 16)
    assert few[1].alternative.figure == some[1].alternative.figure == few[1].figure
