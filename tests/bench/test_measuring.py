"""The measuring commands measure; their targets are for a quiet machine and stand in bench/README.md."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.errors import EnvironmentFailure
from deskcrew.models.scripted import ScriptedModel
from deskcrew_bench.commands import figures
from deskcrew_bench.performance import overhead, perception, prefix
from support.needed import skip_without

FIELDS = ["figure", "unit", "alternative", "ratio", "n", "p95"]


@pytest.mark.deep
def test_overhead(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "IN_MEMORY", frozenset())
    said = cli("bench", "overhead", "--json", "--turns", "50", "--data", str(tmp_path))
    assert said.code == 0
    assert list(said.json) == FIELDS
    assert said.json["n"] >= 50
    assert said.json["alternative"]["name"] == overhead.ALTERNATIVE
    assert said.json["figure"] > 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_memory_is_refused(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "filesystem", lambda path: "tmpfs")
    said = cli("bench", "overhead", "--data", str(tmp_path))
    assert said.code == 2
    assert "in memory" in said.err


def test_the_filesystem_of_a_folder(tmp_path: Path) -> None:
    assert figures.filesystem(tmp_path) != ""
    assert figures.filesystem(Path("/proc")) == "proc"


@pytest.mark.anyio
async def test_prefix_asks_four_roles_in_turn() -> None:
    model = ScriptedModel([{"branch": "Continue"}] * 12)
    found = await prefix.measure(model, rounds=2)
    assert [call.role for call in model.calls] == list(prefix.ALTERNATION) * 3
    assert found.time.n == 8
    assert found.share is None  # a script says nothing of a cache
    first, later = model.calls[2], model.calls[6]
    assert first.text("stable") == later.text("stable")
    assert first.text("volatile") != later.text("volatile")


def test_perception_says_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perception, "SYSTEM_PYTHON", "/nowhere/python3")
    said = cli("bench", "perception")
    assert said.code == 4
    assert "apt install python3-gi" in said.err


@pytest.mark.deep
@pytest.mark.desktop
def test_perception() -> None:
    try:
        found = perception.measure(samples=3)
    except EnvironmentFailure as failure:
        skip_without(failure)
    assert found.first.n == found.next.n == 3
    assert found.first.ratio > 1
    assert found.next.ratio > 1


@pytest.mark.desktop
@pytest.mark.deep
def test_starting(cli: Cli) -> None:
    said = cli("bench", "starting")
    assert said.code == 0, said.err
    for what in ("sandboxed python, warm: ", "virtual desktop: "):
        assert 1 < float(said.out.partition(what)[2].split()[0]) < 30_000


@pytest.mark.deep
def test_a_proof_is_measured_where_it_is_known_how_programs_are_started_and_where_not(cli: Cli) -> None:
    said = cli("bench", "starting", "--what", "proof", "--json")
    assert said.code == 0, said.out + said.err
    table, *books = (json.loads(line) for line in said.out.splitlines())
    assert table["n"] == 9
    assert table["figure"] > 0 < table["alternative"]["figure"]
    assert len(books) == 2


@pytest.mark.deep
def test_parts_at_once_are_measured_beside_one_after_the_other(cli: Cli) -> None:
    """Browsers, programs and sites that are real; replies that take a second."""
    said = cli("bench", "lanes", "--samples", "1", "--wait", "1", "--json")
    assert said.code == 0, said.out + said.err
    each, turns = (json.loads(line) for line in said.out.splitlines())
    assert list(each) == list(turns) == FIELDS


def test_sigterm_ends_a_benchmark_as_ctrl_c_does() -> None:
    code = """
import time
from deskcrew_bench.commands import build
app = build()
@app.command()
def waits():
    try:
        print("begun", flush=True)
        time.sleep(60)
    finally:
        print("closed", flush=True)
app(["waits"])
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.terminate()
        assert "closed" in process.stdout.read()
    assert process.returncode != 0
