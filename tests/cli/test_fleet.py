"""``deskcrew fleet``: what is submitted, shown, cancelled and answered from any machine, without Ray."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.engine.human.questions import HelpQuestion
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.remote_person import QUESTION
from deskcrew.ways_in.fleet.submissions import Submissions
from support.bodies import started
from support.servers import PostgresServer

SOLO = ("--crew", "solo", "--desktop", "none")


@pytest.fixture
def shared(postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Submissions:
    monkeypatch.setenv("DESKCREW_DATABASE", postgres.journal())
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    return Submissions(Settings.load())


def test_a_file_of_tasks_is_submitted_and_a_broken_line_named(cli: Cli, shared: Submissions, tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"task": "one"}\n{"task": \n{"task": "two", "model": "scripted:x"}\n')
    said = cli(
        "fleet",
        "submit",
        str(file),
        "--many",
        "2",
        "--policy",
        str(policy(tmp_path)),
        *SOLO,
        "--require",
        "file_exists a.txt",
    )
    assert said.code == 0
    assert "Line 2 is left out" in said.out
    assert "Submitted 4 runs" in said.out
    told = cli("fleet", "status", "--json").json
    (one,) = told["submissions"]
    assert (one["states"], told["heads"]) == ({"waiting": 4}, [])
    asked = list(shared.asked(shared.open(10)).values())
    assert sorted(each.request.task for each in asked) == ["one", "one", "two", "two"]
    assert asked[0].submission.policy == policy(tmp_path).read_text()
    assert [each.request.required.permits for each in asked if each.request.required] == [
        "Of the files only a.txt may change."
    ] * 4
    shown = cli("fleet", "status", one["id"]).out
    assert f"{one['id']}-00004" in shown
    assert "No head is running" in shown
    assert cli("fleet", "cancel", one["id"], "--json").json["cancelled"] == 4
    assert cli("fleet", "status", "--json").json["submissions"][0]["states"] == {"cancelled": 4}


def policy(folder: Path) -> Path:
    file = folder / "strict.toml"
    file.write_text("include_default = true\n")
    return file


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("submit", "x.jsonl"), "cannot be read"),
        (("submit", "  "), "task"),
        (("submit", "Do it.", "--budget", "money=none"), "is not a limit"),
        (("submit", "Do it.", "--budget", "money=5", "--model", "http://127.0.0.1:1/v1#x"), "is not known"),
        (("submit", "Do it.", "--workspace", "s3://me:secret@bucket/x"), "must not contain a password"),
        (("submit", "Do it.", "--crew", "nobody"), "nobody"),
        (("status", "nothing"), "Nothing named"),
        (("up",), "head or joins"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_kept(
    cli: Cli, shared: Submissions, arguments: tuple[str, ...], told: str
) -> None:
    said = cli("fleet", *arguments)
    assert said.code == 2
    assert told in said.err
    assert shared.status() == []


def test_without_a_server_it_is_said_what_is_needed(cli: Cli) -> None:
    said = cli("fleet", "submit", "Do it.", *SOLO)
    assert said.code == 2
    assert "DESKCREW_DATABASE" in said.err


def test_a_server_that_does_not_answer_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DESKCREW_DATABASE", f"postgresql://nobody@/nothing?host={tmp_path}")
    said = cli("fleet", "status")
    assert said.code != 0
    assert "cannot be reached" in said.err


def test_what_is_logged_is_shown_for_a_submission_and_for_a_run(cli: Cli, shared: Submissions) -> None:
    name = cli("fleet", "submit", "Do it.", "--many", "2", "--json", *SOLO).json["submission"]
    for number in (1, 2):
        shared.tell(f"{name}-0000{number}", "node/1", f"line {number}")
    assert "line 1" in cli("fleet", "logs", name).out
    assert cli("fleet", "logs", f"{name}-00002", "--json").json["text"] == "line 2"


def test_a_question_is_answered_where_the_run_is_not(cli: Cli, shared: Submissions) -> None:
    name = cli("fleet", "submit", "Do it.", "--json", *SOLO).json["submission"]
    run = f"{name}-00001"
    shared.store.create(started(), run=run)
    assert "has no open question" in cli("answer", run, "the one of March").err
    shared.begin(run, "node/1")
    asked = QUESTION.dump_json(HelpQuestion(role="Worker", question="Which file?")).decode()
    assert shared.ask(run, asked) is None
    assert f"deskcrew answer {run}" in cli("fleet", "status", name).out
    said = cli("answer", run, "the one of March")
    assert (said.code, said.err) == (0, "")
    assert "Which file?" in said.out
    assert json.loads(shared.ask(run, asked) or "")["text"] == "the one of March"
    assert cli("answer", run, "another").code == 2


def test_no_node_is_ended_where_there_is_none(cli: Cli, shared: Submissions) -> None:
    assert cli("fleet", "down", "--json").json == {"ended": []}
