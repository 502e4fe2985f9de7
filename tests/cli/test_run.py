"""``deskcrew run``: what it asks of the session, what it shows, and its exit codes. The session itself is faked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from cli.conftest import Cli, Result
from deskcrew.engine import attempts
from deskcrew.engine.human.questions import HelpQuestion
from deskcrew.engine.request import Opened, RunRequest
from deskcrew.errors import ConfigError, EnvironmentFailure, JournalError, ModelFailure
from deskcrew.facts import events as e
from deskcrew.facts.verdict import EXIT_CODES, Outcome
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from support.bodies import ordinary_run


class Session:
    """Stands for ``attempts.run``: records what it was asked and plays the bodies it was given."""

    def __init__(self) -> None:
        self.bodies: list[Any] = ordinary_run()
        self.error: Exception | None = None
        self.request: RunRequest | None = None
        self.settings: Settings | None = None
        self.human: Any = None

    async def __call__(
        self,
        request: RunRequest,
        settings: Settings,
        *,
        watch: Callable[..., None],
        human: Any,
        notice: Callable[[str], None],
        lend: Callable[..., None],
    ) -> Journal:
        self.request, self.settings, self.human = request, settings, human
        notice("starting")
        if self.error is not None:
            raise self.error
        journal = Store(settings.journal).create(self.bodies[0], run="0202-000000-cccc")
        journal.watchers.append(lambda event: watch(event, journal))
        watch(journal.events[0], journal)
        for body in self.bodies[1:]:
            journal.append(body)
        journal.close()
        return journal


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Session:
    found = Session()
    monkeypatch.setattr(attempts, "run", found)
    return found


@pytest.fixture
def start(cli: Cli, data: Path) -> Callable[..., Result]:
    return lambda *arguments: cli("run", *arguments, "--data", str(data))


def test_defaults(start: Callable[..., Result], fake: Session, data: Path) -> None:
    assert start("do it").code == 0
    assert fake.request == RunRequest(task="do it", memory="on", crew="planned")
    assert anyio.run(fake.human.ask, HelpQuestion(question="Which?")) is None, "nobody is waited for"
    assert fake.settings is not None
    assert fake.settings.data == data


def test_every_option_reaches_the_session(start: Callable[..., Result], fake: Session, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1")
    (tmp_path / "b.csv").write_text("2")
    arguments = ["--model", "openai:x", "--crew", "cola", "--no-pool", "--workspace", str(tmp_path), "--desktop", "none"]
    arguments += [
        "--attach",
        str(tmp_path / "a.csv"),
        "--attach",
        str(tmp_path / "b.csv"),
        "--seed",
        "7",
        "--network",
        "--attempts",
        "3",
    ]
    arguments += ["--unsafe-host", "--limit", "operations=5", "--limit", "money=0.5", "--limit", "tokens=none"]
    assert start("do it", *arguments).code == 0
    got = fake.request
    assert got is not None
    assert (got.model, got.crew, got.pool, got.desktop, got.seed, got.attempts) == ("openai:x", "cola", False, "none", 7, 3)
    assert got.workspace == tmp_path
    assert got.attachments == (tmp_path / "a.csv", tmp_path / "b.csv")
    assert got.network
    assert got.unsafe_host
    assert (got.limits.operations, got.limits.money, got.limits.tokens, got.limits.replies) == (5, 0.5, None, 200)


def test_settings_are_the_defaults(start: Callable[..., Result], fake: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_MODEL", "ollama:q")
    monkeypatch.setenv("DESKCREW_CREW", "solo")
    monkeypatch.setenv("DESKCREW_LIMITS__REPLANS", "1")
    start("do it", "--limit", "repairs=0")
    assert fake.request is not None
    assert (fake.request.model, fake.request.crew) == ("ollama:q", "solo")
    assert (fake.request.limits.replans, fake.request.limits.repairs) == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("",), "The task is empty"),
        (("  \n",), "The task is empty"),
        ((), "TASK"),
        (("x", "--workspace", "/no/such"), "There is no folder"),
        (("x", "--workspace", "/no/such one"), "mkdir -p '/no/such one'"),
        (("x", "--workspace", __file__), "is not a folder"),
        (("x", "--attach", "/no/such"), "There is no file named such in /no."),
        (("x", "--attach", "/"), "is not a file"),
        (("x", "--limit", "operations"), "NAME=VALUE"),
        (("x", "--limit", "bananas=3"), "replans"),
        (("x", "--limit", "operations=0"), "operations"),
        (("x", "--limit", "seconds=soon"), "a number above 0, or none"),
        (("x", "--limit", "seconds=inf"), "a number above 0, or none"),
        (("x", "--limit", "operations=99999999999999999999999"), "a whole number from 1 to 9007199254740991"),
        (("x", "--seed", "999999999999999999999"), "--seed"),
        (("x", "--workspace", ""), "folder is empty"),
        (("x", "--desktop", "cardboard"), "virtual"),
        (("x", "--seed", "y"), "--seed"),
        (("x", "--frobnicate"), "--frobnicate"),
        (("x", "--approve"), "not a terminal"),
        (("x", "--mode", "automatic", "--approve"), "--approve is short for --mode passive"),
        (("x", "--mode", "active"), "not a terminal"),
        (("x", "--mode-of", "Operator=passive"), "not a terminal"),
        (("x", "--mode", "sleepy"), "active"),
        (("x", "--mode-of", "Operator"), "ROLE=MODE"),
        (("x", "--mode-of", "Nobody=active"), "There is no role 'Nobody'"),
        (("x", "--crew", "nope", "--mode", "active"), "There is no crew 'nope'"),
        (("x", "--mode-of", "Operator=sleepy"), "automatic, passive, active"),
    ],
)
def test_wrong_usage_is_said_and_ends_with_2(
    start: Callable[..., Result], fake: Session, arguments: tuple[str, ...], words: str
) -> None:
    said = start(*arguments)
    assert said.code == 2
    assert words in said.err
    assert said.out == ""
    assert fake.request is None


def test_a_folder_is_no_attachment_and_a_file_no_workspace(start: Callable[..., Result], tmp_path: Path) -> None:
    (file := tmp_path / "a").write_text("")
    assert "--workspace DIR" in start("x", "--attach", str(tmp_path)).err
    said = start("x", "--workspace", str(file)).err
    assert "is not a folder" in said
    assert "mkdir" not in said


def test_a_file_that_is_named_and_lies_where_one_is_is_attached(
    start: Callable[..., Result], fake: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("a\n")
    monkeypatch.chdir(tmp_path)
    assert "It gets copies of a.csv." in start("Sort a.csv").out
    assert fake.request is not None
    assert fake.request.attachments == (tmp_path / "a.csv",)
    start("Put a.csv and other.pdf together")
    assert fake.request.absent == {"other.pdf": f"There is no file named other.pdf in {tmp_path}. Files there: a.csv."}
    wrong = start("Sort a.csv", "--limit", "money=abc")
    assert (wrong.code, wrong.out) == (2, ""), "what is wrong is said before what would be done"
    (tmp_path / "w").mkdir()
    start("Sort a.csv", "--workspace", "w")
    assert fake.request.attachments == ()


def test_who_says_yes_beforehand_to_a_small_model_is_told_what_that_proves(start: Callable[..., Result]) -> None:
    told = "the run ends unverified (exit code 3)"
    assert told in " ".join(start("Sort a.csv", "--yes", "--model", "local").out.split())
    assert told not in " ".join(start("Sort a.csv", "--model", "local").out.split())
    assert told not in " ".join(start("Sort a.csv", "--yes", "--model", "openai:gpt-5-mini").out.split())


def test_two_attachments_of_one_name(start: Callable[..., Result], fake: Session, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for path in (tmp_path / "a", tmp_path / "d" / "a"):
        path.write_text("")
    said = start("x", "--attach", str(tmp_path / "a"), "--attach", str(tmp_path / "d" / "a"))
    assert said.code == 2
    assert "Two attachments are called 'a'" in said.err


def test_what_is_shown(start: Callable[..., Result], fake: Session) -> None:
    said = start("do it").out
    order = [
        "task Say what",
        "plan by Planner",
        "● Programmer",
        "→ Run Python: ",
        "✗ denied",
    ]
    order += [
        "you, guide to Operator",
        "you, confirm: the task holds",
        "outcome",
        "done, but 1 operation was denied",
        "confirmed by you",
        "1 held; deskcrew log 0202-000000-cccc",
    ]
    assert [part for part in order if part not in said] == [], said
    places = [said.index(part) for part in order]
    assert places == sorted(places)
    assert "cost unknown" in " ".join(said.split())
    assert "allowed by the policy" not in said
    assert "✓ 42" not in said, "what went as it should is in the log"


@pytest.mark.parametrize("status", list(EXIT_CODES))
def test_the_outcome_decides_the_exit_code(start: Callable[..., Result], fake: Session, status: Any) -> None:
    fake.bodies = [ordinary_run()[0], e.RunFinished(outcome=Outcome(status=status, verified_by=None))]
    assert start("do it", "--json").json["exit_code"] == EXIT_CODES[status]
    assert fake.request is not None


def test_a_plan_that_was_all_that_was_wanted_is_a_success(start: Callable[..., Result], fake: Session) -> None:
    fake.bodies[-1] = e.RunFinished(outcome=Outcome(status="stopped"))
    planned = start("do it", "--plan-only", "--json")
    assert (planned.code, planned.json["outcome"], planned.json["exit_code"]) == (0, "stopped", 0)


def test_json_is_one_object_and_nothing_else(start: Callable[..., Result], fake: Session) -> None:
    said = start("do it", "--json")
    assert said.out.count("\n") == 1
    assert said.err == ""
    found = said.json
    wanted = {"run", "outcome", "answer", "sources", "verified_by", "reason", "why", "checks", "calls", "tokens", "cost"}
    assert wanted | {"seconds", "exit_code"} <= set(found)
    assert (found["run"], found["outcome"], found["answer"]) == ("0202-000000-cccc", "done", "42")
    assert found["verified_by"] == "person"
    assert found["checks"][0]["holds"] is True
    assert found["cost"] is None


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [(EnvironmentFailure("no display", hint="apt"), 4, "environment"), (ModelFailure("no key", hint="set it"), 4, "model")],
)
def test_a_run_that_cannot_begin(
    start: Callable[..., Result], fake: Session, error: Exception, code: int, reason: str
) -> None:
    fake.error = error
    said = start("do it")
    assert said.code == code
    assert str(error) in said.err
    assert getattr(error, "hint", "?") in said.err
    said = start("do it", "--json")
    assert said.code == code
    assert (said.json["outcome"], said.json["reason"], said.json["why"]) == ("failed", reason, str(error))
    assert said.json["run"] is None


@pytest.mark.parametrize(("error", "code"), [(ConfigError("crew.toml, line 3"), 2), (JournalError("The disk is full"), 4)])
def test_other_errors_for_people(start: Callable[..., Result], fake: Session, error: Exception, code: int) -> None:
    fake.error = error
    said = start("do it")
    assert said.code == code
    assert str(error) in said.err
    assert "Traceback" not in said.err


def test_our_bug_is_not_swallowed(data: Path, fake: Session) -> None:
    from deskcrew.ways_in.cli import main

    fake.error = KeyError("oops")
    with pytest.raises(KeyError):
        main(["run", "x", "--data", str(data)])


@pytest.mark.parametrize(
    "command",
    [["run", "x", "--crew", ""], ["run", "x", "--model", ""], ["resume", "last", "--model", " "], ["models", "show", ""]],
    ids=" ".join,
)
def test_an_empty_name_is_not_the_name_of_the_settings(cli: Cli, data: Path, command: list[str]) -> None:
    ended = cli(*command, *(["--data", str(data)] if command[0] != "models" else []))
    assert ended.code == 2
    assert "is empty" in ended.err
    assert "Leave it out" in ended.err


@pytest.mark.parametrize("text", ["Total: 5", "Total: 6"])
def test_a_program_of_the_users_decides(cli: Cli, data: Path, tmp_path: Path, text: str) -> None:
    script, check = tmp_path / "script.json", tmp_path / "check.sh"
    operation = {"function": "write_file", "file_path": "report.txt", "text": text}
    script.write_text(json.dumps([{"operations": [operation], "branch": "RoleTaskFinish"}] * 9))
    check.write_text("#!/bin/sh\ngrep -q 'Total: 5' report.txt\n")
    arguments = ("--model", f"scripted:{script}", "--crew", "solo", "--desktop", "none", "--json", "--data", str(data))
    done = cli("run", "Add it up.", *arguments, "--check", str(check))
    assert done.code == (0 if text == "Total: 5" else 4), done.out
    assert cli("run", "Add it up.", *arguments, "--check", str(tmp_path / "gone.sh")).code == 2
    wrong = cli("run", "Add it up.", *arguments, "--require", "file_contain report.txt 5")
    assert wrong.code == 2
    assert "Did you mean 'file_contains'?" in wrong.err
    assert "names_are" in wrong.err


def test_a_scripted_run_from_end_to_end(cli: Cli, data: Path, tmp_path: Path) -> None:
    """With the real session: a claim without evidence ends unverified or failed, never done, and can be read again."""
    script = tmp_path / "script.json"
    finish = {"branch": "RoleTaskFinish", "operations": [], "message": "all is done"}
    script.write_text(json.dumps([finish] * 12))
    said = cli(
        "run", "x", "--model", f"scripted:{script}", "--crew", "solo", "--desktop", "none", "--json", "--data", str(data)
    )
    assert said.code == said.json["exit_code"]
    assert said.json["outcome"] in ("unverified", "failed")
    log = cli("log", "last", "--json", "--data", str(data)).json
    assert log["run"] == said.json["run"]
    assert log["outcome"] == said.json["outcome"]


def test_a_server_that_nobody_has_allowed_is_named(
    cli: Cli, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a line that stays: what a run lacks is of use only while it can be read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"clock": {"command": "/bin/clock"}}}))
    (tmp_path / "script.json").write_text(json.dumps([{"branch": "Interrupt", "operations": []}]))
    said = cli("run", "x", "--model", "scripted:script.json", "--crew", "solo", "--desktop", "none", "--data", str(data))
    assert "The MCP server clock is not used, as nobody has allowed it: `deskcrew actions connect clock`." in said.out


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_script_that_is_too_short_fails_the_run(cli: Cli, data: Path, tmp_path: Path, more: tuple[str, ...]) -> None:
    script = tmp_path / "script.json"
    script.write_text("[]")
    arguments = ("--model", f"scripted:{script}", "--crew", "solo", "--desktop", "none", *more, "--data", str(data))
    said = cli("run", "x", *arguments)
    assert said.code == 4
    assert "has no more replies for Worker" in said.out
    assert "Add replies" in said.out
    tried = cli("models", "test", f"scripted:{script}", *more)
    assert tried.code == 4
    assert "has no more replies" in tried.out


def test_a_run_says_its_name_first(start: Callable[..., Result], fake: Session) -> None:
    assert start("do it").out.startswith("run 0202-000000-cccc  crew ")


def test_a_data_folder_that_cannot_be(cli: Cli) -> None:
    for command in (("run", "x", "--desktop", "none"), ("demo",)):
        said = cli(*command, "--data", "/proc/deskcrew")
        assert said.code == 2
        assert "The data folder /proc/deskcrew cannot be used" in said.err


def test_a_workspace_too_large_or_not_ones_own_is_refused(
    cli: Cli, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for name in "abc":
        (work / name).write_text("x")
    script = tmp_path / "script.json"
    script.write_text("[]")
    monkeypatch.setenv("DESKCREW_WORKSPACE_FILES", "2")
    arguments = ("--model", f"scripted:{script}", "--desktop", "none", "--data", str(data))
    said = cli("run", "x", "--workspace", str(work), *arguments)
    assert (said.code, "more than 2 files" in said.err) == (2, True)
    said = cli("run", "x", "--workspace", "/", *arguments)
    assert (said.code, "root of the file system" in said.err) == (2, True)
    assert not (data / "journal.db").exists()


def test_programs_and_the_size_of_the_screen_are_handed_on(start: Callable[..., Result], fake: Session) -> None:
    start("look", "--open", "mousepad=notes/a=b.txt", "--open", "Calculator", "--screen", "1920X1080")
    assert fake.request is not None
    assert fake.request.opened == (Opened(name="mousepad", file="notes/a=b.txt"), Opened(name="Calculator"))
    assert fake.request.screen == (1920, 1080)
    start("look", "--scale", "1.5", "--monitors", "2")
    assert (fake.request.scale, fake.request.monitors) == (1.5, 2)
    start("look")
    assert (fake.request.opened, fake.request.screen) == ((), (1280, 800))
    assert (fake.request.scale, fake.request.monitors) == (1.0, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--open", "=notes.txt"], "names no program"),
        (["--screen", "big"], "'big' is not WIDTHxHEIGHT"),
        (["--screen", "12x12"], "is not WIDTHxHEIGHT"),
        (["--screen", "1280"], "is not WIDTHxHEIGHT"),
    ],
)
def test_a_wrong_program_or_size_is_told_with_an_example(
    start: Callable[..., Result], fake: Session, arguments: list[str], said: str
) -> None:
    told = start("look", *arguments)
    assert (told.code, fake.request) == (2, None)
    assert said in told.err
    assert "For example" in told.err
