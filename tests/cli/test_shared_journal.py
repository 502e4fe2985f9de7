"""A run from end to end whose journal is on a server and whose blobs are in a folder: every command works as with a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.facts.events import RoleReplied
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from support.servers import PostgresServer

TASK = 'Write "Hello" into hello.txt.'


def writing(text: str) -> dict[str, object]:
    operation = {"function": "write_file", "file_path": "hello.txt", "text": text}
    return {"operations": [operation], "branch": "RoleTaskFinish"}


def test_every_command_works_on_a_server(
    cli: Cli, postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKCREW_DATABASE", postgres.journal())
    monkeypatch.setenv("DESKCREW_BLOBS", str(tmp_path / "blobs"))
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    work, script = tmp_path / "work", tmp_path / "script.json"
    work.mkdir()
    script.write_text(json.dumps([writing("Good-bye")]))
    model = f"scripted:{script}"
    how = (
        "--model",
        model,
        "--limit",
        "repairs=0",
        "--crew",
        "solo",
        "--desktop",
        "none",
        "--workspace",
        str(work),
        "--require",
        "file_contains hello.txt Hello",
        "--json",
    )
    assert cli("runs", "--json").json == {"runs": []}
    run = cli("run", TASK, *how).json["run"]
    assert (work / "hello.txt").read_text() == "Good-bye"
    script.write_text(json.dumps([writing("Hello")]))
    journal = Store.of(Settings.load()).journal(run)
    reply = next(event.number for event in journal.all if isinstance(event.body, RoleReplied))
    assert "Good-bye" in cli("log", run).out
    back = cli("rewind", run, str(reply), "--say", "Write Hello.", "--yes", "--model", model, "--json")
    assert back.json["outcome"] == "done", (back.json, back.err)
    assert (work / "hello.txt").read_text() == "Hello"
    assert cli("verify", run, "--json").json["holds"]
    assert cli("replay", run, "--cassette").code == 0
    assert cli("resume", run).code == 2, "it has ended"
    (row,) = cli("runs", "--json").json["runs"]
    assert (row["run"], row["status"]) == (run, "done")
    archive = tmp_path / "run.zip"
    assert cli("export", run, str(archive)).code == 0
    assert not (tmp_path / "data" / "journal.db").exists()
    assert list((tmp_path / "blobs").glob("??/*"))
    assert cli("remove", run, "--yes", "--json").json["runs"] == [run]
    assert not list((tmp_path / "blobs").glob("??/*"))
    assert cli("import", str(archive), "--json").json["run"] == run
    assert cli("verify", run, "--json").json["holds"]
    store = Store.of(Settings.load())
    assert store.reading(run).count == len(store.journal(run).all)
    checked = {check["name"]: check for check in cli("doctor", "--json").json["checks"]}
    assert checked["journal"]["state"] == "ok"
