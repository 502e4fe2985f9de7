"""The whole: help, version, errors for people, bugs, pipes, and what is not imported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dulwich import porcelain
from dulwich.repo import Repo
from typer.main import get_command

from cli.conftest import Cli
from deskcrew import settings
from deskcrew.engine import request
from deskcrew.engine.roles import crew
from deskcrew.facts import events
from deskcrew.journal.journal import Journal
from deskcrew.ways_in.cli import completing, options
from deskcrew.ways_in.cli.app import build
from deskcrew.ways_in.cli.listed import COMMANDS
from deskcrew.ways_in.cli.version import commit
from support.sampling import sampled

START = "import sys; from deskcrew.ways_in.cli import main; main(sys.argv[1:])"
STARTED = ("run", "runs", "log", "show", "models", "doctor")


def process(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_help_names_every_command(cli: Cli) -> None:
    said = cli("--help")
    assert said.code == 0
    for command in STARTED:
        assert f" {command} " in said.out


@pytest.mark.parametrize(
    "command", [*((c,) for c in STARTED), *(("models", c) for c in ("list", "pull", "remove", "test"))], ids=" ".join
)
def test_help_of_each_command_explains_and_shows_examples(cli: Cli, command: tuple[str, ...]) -> None:
    for flag in ("--help", "-h"):
        said = cli(*command, flag)
        assert said.code == 0
        assert "Usage:" in said.out
        assert command == ("models",) or f"deskcrew {' '.join(command)}" in said.out.split("Usage:")[1].split("\n", 1)[1]


def every_command() -> list[tuple[str, ...]]:
    def below(command: Any, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        found = [path]
        for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
            found += below(command.get_command(None, name), (*path, name))
        return found

    return below(get_command(build()), ())


def source(command: tuple[str, ...]) -> str:
    """All that the help of a command is made of, as it is written."""
    found: Any = get_command(build())
    for name in command:
        found = found.get_command(None, name)
    texts = [found.help, found.epilog, *(getattr(parameter, "help", "") for parameter in found.params)]
    return "\n".join(text or "" for text in texts)


@pytest.mark.parametrize("command", every_command(), ids=" ".join)
def test_help_loses_no_bracket_and_gives_no_flag_a_value(cli: Cli, command: tuple[str, ...]) -> None:
    said = cli(*command, "--help").out
    assert "<bool>" not in said
    assert "[]" not in said
    assert "``" not in said
    # What stands in brackets is markup to the help's printer unless it is escaped; none of ours is meant as such.
    written = re.findall(r"(?<!\\)\[[a-z/#@][^\[\]]*\]", source(command).replace("\\\\", "\\"))
    assert written == []


def test_nothing_at_all_is_a_question_and_no_mistake(cli: Cli) -> None:
    said = cli()
    assert said.code == 0
    assert said.out == cli("--help").out


@pytest.mark.parametrize("task", ['Write "Hello" into hello.txt.', "写一个文件"])
def test_a_task_by_itself_is_run(cli: Cli, tmp_path: Path, data: Path, task: str) -> None:
    script = tmp_path / "script.json"
    script.write_text("[]")
    given = ("--model", f"scripted:{script}", "--desktop", "none", "--data", str(data))
    ended = cli(task, *given, "--json")
    assert ended.json["outcome"] == "failed", "its model has nothing to say"
    assert cli("runs", "--json", "--data", str(data)).json["runs"][0]["task"] == task


@pytest.mark.parametrize("task", ["", "  "])
def test_an_empty_task_is_no_unknown_command(cli: Cli, task: str) -> None:
    said = cli(task)
    assert said.code == 2
    assert "The task is empty." in said.err
    assert "Say what is to be done: deskcrew run" in said.err


def test_one_plain_word_is_a_command(cli: Cli) -> None:
    assert "No such command 'notes.txt'" in cli("notes.txt").err
    assert 'For a task: deskcrew "sort may.csv ..."' in cli("sort", "may.csv").err


def test_every_setting_is_shown_with_its_meaning(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_LIMITS__MONEY", "2.5")
    said = cli("settings")
    assert said.code == 0
    assert "limits.money = 2.5 *  " in said.out
    assert "notify.runs = False  Notify of every run: also of any other run" in said.out
    assert "  Steps without progress before it stops: " in said.out
    assert {line.partition(" ")[0] for line in cli("settings", "limits").out.splitlines()[1:]} == {
        f"limits.{name}" for name in settings.Limits.model_fields
    }
    told = cli("settings", "--json").json["settings"]
    assert (told["limits.money"], told["crew"]) == (2.5, "planned")


def test_a_setting_is_written_into_the_file_and_taken_out_again(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path))
    (file := tmp_path / "settings.toml").write_text("# mine\n[desks]\nbrowsers = 2\n")
    assert "limits.money = 0.5 *" in cli("settings", "limits.money", "0.5").out
    assert file.read_text() == "# mine\n[desks]\nbrowsers = 2\n\n[limits]\nmoney = 0.5\n"
    assert cli("settings", "limits.money", "", "--json").json["settings"] == {"limits.money": None}
    before = file.read_text()
    for name, value, told in (
        ("limit.money", "1", "Did you mean 'limits.money'?"),
        ("desks.browsers", "9", "is not at most 8"),
    ):
        refused = cli("settings", name, value)
        assert (refused.code, told in " ".join(refused.err.split())) == (2, True), refused.err
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--attempts", "two"), "'two' is not a whole number. Try up to"),
        (("--attempts", "0"), "'0' is not at least 1. Try up to"),
        (("--scale", "big"), "'big' is not a number. Scale of the virtual desktop"),
        (("--mode", "fast"), "'fast' is not one of 'automatic', 'passive', 'active'. automatic: never asks"),
    ],
)
def test_a_wrong_value_of_an_option_is_said_with_what_it_takes_and_is_for(
    cli: Cli, option: tuple[str, str], told: str
) -> None:
    said = cli("run", "Say hello.", *option)
    assert (said.code, told in " ".join(said.err.replace("│", " ").split())) == (2, True), said.err


def test_a_wrong_value_of_a_setting_is_said_with_what_it_means_unless_it_may_hold_a_password(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = cli("settings", "limits.stals")
    assert (nothing.code, "Did you mean 'limits.stalls'?" in nothing.err) == (2, True)
    wrong = cli("settings", "limits.stalls", "abc")
    assert "Setting 'limits.stalls': 'abc' is not a whole number." in wrong.err
    assert "decisions in a row" in wrong.err
    assert "DESKCREW_*" not in wrong.err, "it was just given"
    monkeypatch.setenv("DESKCREW_TRACING__HEADERS", '["Bearer hunter2"]')
    assert "hunter2" not in cli("settings").err


def test_version(cli: Cli) -> None:
    said = cli("--version")
    assert said.code == 0
    assert re.fullmatch(r"deskcrew 0\.\d+\.\d+( \([0-9a-f]{12}\))?\n", said.out)


def test_the_commit_is_that_of_the_repository_or_the_one_that_was_built(tmp_path: Path) -> None:
    (package := tmp_path / "src" / "deskcrew").mkdir(parents=True)
    assert commit(package) == ""
    Repo.init(str(tmp_path)).close()
    assert commit(package) == "", "there is none yet"
    made = porcelain.commit(str(tmp_path), message=b"one", author=b"A <a@example.org>", committer=b"A <a@example.org>")
    assert commit(package) == made.decode()
    (package / "commit.txt").write_text("0123456789abcdef\n")
    assert commit(package) == "0123456789abcdef"


def completed(line: str) -> list[str]:
    """What a shell offers at the end of a line, asked as bash asks."""
    words = line.split(" ")
    asked = {"_DESKCREW_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    said = subprocess.run(
        [sys.executable, "-c", START], capture_output=True, text=True, timeout=60, check=False, env=os.environ | asked
    )
    return said.stdout.split()


def test_a_shell_is_given_its_script() -> None:
    """The one that asks, so a real one does."""
    command = ["bash", "-c", '"$0" -c "$1" --show-completion; true', sys.executable, START]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "_DESKCREW_COMPLETE=complete_bash" in said.stdout, said.stderr
    assert "every" in completed("deskcrew ev")


def test_values_are_offered_as_they_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Journal) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DESKCREW_DATA", str(run.path.parent))
    (tmp_path / ".deskcrew" / "crews").mkdir(parents=True)
    (tmp_path / ".deskcrew" / "crews" / "sorting.toml").touch()
    assert {"sorting", "solo", "default"} <= set(completing.crews(""))
    assert completing.crews("so") == ["solo", "sorting"]
    assert {"local", "openai:"} <= set(completing.models(""))
    assert any(name.startswith("local:qwen") for name in completing.models("local:"))
    assert "file_contains" in completing.requirements("file_")
    (tmp_path / "report.txt").touch()
    assert completing.requirements("file_contains rep") == ["file_contains report.txt"]
    assert "Operator=passive" in completing.modes_of_roles("Oper")
    assert completing.runs("") == ["last", run.run]
    monkeypatch.setenv("DESKCREW_LIMITS__REPLIES", "many")
    assert completing.crews("") == completing.runs("") == [], "what is wrong is not said there"
    assert completed("deskcrew run --crew so") == [], "the same by way of the shell"


@pytest.mark.deep
def test_a_shell_offers_values(tmp_path: Path) -> None:
    assert completed("deskcrew run --crew so") == ["solo"]


@pytest.mark.parametrize("wrong", [("runn",), ("--frobnicate",), ("log",), ("show", "last"), ("runs", "--limit", "0")])
def test_wrong_usage(cli: Cli, wrong: tuple[str, ...]) -> None:
    said = cli(*wrong)
    assert said.code == 2
    assert said.out == ""
    assert said.err


def test_a_wrong_setting_is_the_users(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_LIMITS__REPLIES", "many")
    said = cli("runs")
    assert said.code == 2
    assert "limits.replies" in said.err


def test_a_journal_that_is_none(cli: Cli, data: Path) -> None:
    data.mkdir()
    (data / "journal.db").write_bytes(b"this is not a database, it is a poem" * 100)
    said = cli("runs", "--data", str(data))
    assert said.code == 4
    assert "journal.db" in said.err
    assert "Hint: " in said.err
    assert "Traceback" not in said.err


def test_a_bug_keeps_its_traceback_and_says_how_to_report_it() -> None:
    program = "from deskcrew.ways_in.cli import runs; runs.settings_with = lambda data: 1 / 0\n" + START
    said = process(program, "runs")
    assert said.returncode == 1
    assert "ZeroDivisionError" in said.stderr
    assert "bug in Deskcrew" in said.stderr.split("ZeroDivisionError")[1]


@pytest.mark.parametrize("command", sampled(["log 0101", "log 0101 --json", "runs"], 1))
def test_a_reader_that_went_away_is_no_error(data: Path, run: Journal, command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    said = subprocess.run(
        [sys.executable, "-c", START, *command.split(), "--data", str(data)],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert said.stderr == ""
    assert said.returncode == 0


@pytest.mark.parametrize("command", sampled(["log 0101", "verify 0101 --json", "runs", "--help"], 1))
def test_a_full_disk_behind_standard_output_is_told_and_no_bug(data: Path, run: Journal, command: str) -> None:
    at = () if command == "--help" else ("--data", str(data))
    with open("/dev/full", "w") as full:
        said = subprocess.run(
            [sys.executable, "-c", START, *command.split(), *at],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert said.stderr == "Error: The output cannot be written: No space left on device.\n"
    assert said.returncode == 1


def test_in_a_folder_that_was_removed_it_is_told_to_go_to_another(tmp_path: Path, data: Path, run: Journal) -> None:
    (gone := tmp_path / "gone").mkdir()
    program = f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); {START}"
    said = process(program, "log", "last", "--data", str(data))
    assert (said.returncode, "The folder that you are in no longer exists." in said.stderr) == (2, True), said.stderr
    assert "bug" not in said.stderr


def test_any_encoding_will_do(data: Path, run: Journal) -> None:
    said = subprocess.run(
        [sys.executable, "-c", START, "log", "last", "--data", str(data)],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin"},
        timeout=60,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    assert b"Programmer" in said.stdout


AS_ON_WINDOWS = f"""
import os, sys, anyio._backends._asyncio, alembic.config, filelock, platformdirs, psutil, rich.console, typer
import sqlalchemy.dialects.sqlite
for name in ("fcntl", "pwd", "resource", "termios", "xcffib"): sys.modules[name] = None
for name in ("O_DIRECTORY", "O_NOFOLLOW", "geteuid", "getuid"): delattr(os, name)
sys.platform = "win32"
{START}"""
"""What Windows lacks is hidden once the libraries are imported, which have their own ways there."""


@pytest.mark.parametrize("command", sampled(["log last", "runs", "show last 1"], 1))
def test_where_there_is_only_what_windows_has_runs_can_be_read(data: Path, run: Journal, command: str) -> None:
    said = process(AS_ON_WINDOWS, *command.split(), "--data", str(data))
    assert said.returncode == 0, said.stderr
    assert said.stdout


@pytest.mark.parametrize("command", sampled(["run it --desktop windows", "serve", "resume last"], 1))
def test_where_there_is_only_what_windows_has_nothing_else_is_begun(data: Path, command: str) -> None:
    refused = process(AS_ON_WINDOWS, *command.split(), "--data", str(data))
    assert refused.returncode == 4
    assert "WSL 2" in refused.stderr


def test_what_the_help_says_without_importing_it_is_what_holds() -> None:
    repeated = (options.LARGEST_SEED, options.MOST_ATTEMPTS, options.MOST_LANES, options.DesktopKind)
    assert repeated == (settings.LARGEST_INTEGER, request.MOST_ATTEMPTS, crew.MOST_LANES, events.DesktopKind)


HEAVY = (
    "alembic",
    "pydantic_ai",
    "httpx",
    "PIL",
    "jinja2",
    "deskcrew.models",
    "deskcrew.environments",
    "deskcrew.engine.session",
)


OF_ACTIONS = ("PIL", "deskcrew.environments")
"""What actions need, which say how they are worded."""


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (("--help",), (*HEAVY, "sqlalchemy", "deskcrew.facts.events", "deskcrew.settings")),
        (("--version",), (*HEAVY, "sqlalchemy", "deskcrew.facts.events", "deskcrew.settings")),
        (("runs", "--data"), (*HEAVY, "anyio")),
        (("log", "last", "--data"), (*(each for each in HEAVY if each not in OF_ACTIONS), "anyio")),
        (("show", "last", "2", "--observation", "--data"), HEAVY),
    ],
    ids=lambda value: value[0] if value[0] != "alembic" else "",
)
def test_reading_imports_nothing_heavy(
    arguments: tuple[str, ...], unwanted: tuple[str, ...], data: Path, run: Journal
) -> None:
    """What makes the difference between a command that answers at once and one that does not."""
    program = (
        "import atexit, sys\n"
        f"atexit.register(lambda: print('LOADED', [m for m in {unwanted!r} if m in sys.modules], file=sys.stderr))\n" + START
    )
    if arguments[-1] == "--data":
        arguments = (*arguments, str(data))
    if "--observation" in arguments:
        arguments = tuple("3" if word == "2" else word for word in arguments)
    said = process(program, *arguments)
    assert said.returncode == 0, said.stderr
    assert "LOADED []" in said.stderr


def test_the_help_lists_what_each_command_says_of_itself() -> None:
    whole = get_command(build())
    for each in COMMANDS:
        command = whole.commands[each.name]  # type: ignore[attr-defined]
        said = " ".join((command.help or "").split("\n\n")[0].split())
        assert (said, command.rich_help_panel) == (each.does, each.panel), each.name
    mentioned = get_command(build("")).commands  # type: ignore[attr-defined]
    for panel in {each.panel for each in COMMANDS}:
        orders = [
            [name for name, command in there.items() if command.rich_help_panel == panel]
            for there in (mentioned, whole.commands)  # type: ignore[attr-defined]
        ]
        assert orders[0] == orders[1], "in the same order"


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["runs", "--help"]], ids=" ".join)
def test_only_the_command_that_is_called_is_loaded(words: list[str]) -> None:
    code = f"""
import sys
from deskcrew.ways_in.cli import main
try:
    main({words!r})
finally:
    there = {{each.partition("deskcrew.ways_in.cli.")[2] for each in sys.modules}}
    print("LOADED", *sorted(there & {{"run", "runs", "skill", "policy", "serve", "fleet"}}))
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1].split() == ["LOADED", *[word for word in words if word == "runs"]]


@pytest.mark.parametrize(
    ("words", "told", "helps"),
    [
        (("undo",), "Missing argument 'RUN'.", "For example: deskcrew undo last"),
        (("policy", "explain"), "Missing argument 'RUN'.", "For example: deskcrew policy explain last 42"),
        (("runs", "zz"), "extra argument", "For example: deskcrew runs"),
        (("export", "last", "--to", "x"), "deskcrew export has no option '--to'.", "deskcrew export [OPTIONS] {RUN} [FILE]"),
        (
            ("run", "Add it up.", "--modle", "x"),
            "deskcrew run has no option '--modle'. Did you mean '--mode' or '--model'?",
            "`deskcrew run --help`",
        ),
        (
            ("--foo",),
            "deskcrew has no option '--foo'.\n",
            "`deskcrew --help` says more. Options follow their command or task.",
        ),
        (("--verison",), "deskcrew has no option '--verison'. Did you mean '--version'?", "`deskcrew --help`"),
        (("skill", "--shiped"), "deskcrew skill has no option '--shiped'.", "`deskcrew skill --help`"),
        (("run", "Add it up.", "--desktop", "x"), "'x' is not one of", "`deskcrew run --help`"),
        (("secret", "set", "pw", "--app"), "requires an argument", "`deskcrew secret --help`"),
        (("memory", "recall"), "No such command 'recall'.", "There are: list, show, add"),
        (("settings", "set", "model"), "There is no setting 'set'.", "deskcrew settings model VALUE"),
        (("settings", "set", "model=local"), "There is no setting 'set'.", "deskcrew settings model local"),
        (("confirm", "last", "--yes", "--no"), "--yes and --no contradict each other.", "Leave out one"),
        (("branch", "last", "1", "--unhide", "--hide"), "--hide and --unhide contradict each other.", "Leave out one"),
        (
            ("run", "x y", "--desktop", "none", "--network", "--allow-host", "example.org"),
            "With the whole network programs reach every host, so hosts cannot be restricted.",
            "Leave out one of --allow-host and --network.",
        ),
        (("notes", "--follow", "--foreign"), "--follow and --foreign contradict each other.", "Leave out one"),
        (("settings", "crew", "defalt"), "There is no crew 'defalt'. Did you mean 'default'?", "There are: coact, cola,"),
        (("settings", "notify.secret", "mail"), "There is no secret 'mail'.", "There are: none."),
        (("settings", "grounding.model", "local"), "The grounding model 'local' names no endpoint.", "Write the address"),
        (("settings", "search.provider", "brav"), "'brav' is not 'none', 'searxng', 'brave' or 'tavily'.", "It is: "),
        (("settings", "prices", "x"), "'prices': it must be a table of names and values.", "It is: "),
        (("settings", "set"), "No setting has 'set' in its name.", "deskcrew settings limits.money 0.5"),
    ],
)
def test_whatever_is_wrong_in_the_words_of_a_command_is_said_with_what_would_be_right(
    cli: Cli, words: tuple[str, ...], told: str, helps: str
) -> None:
    said = cli(*words)
    assert said.code == 2
    assert said.err.startswith("Error: ")
    assert told in said.err
    assert helps in said.err.partition("\nHint: ")[2]


def test_a_program_is_told_the_same_of_a_wrong_command(cli: Cli) -> None:
    told = cli("undo", "--json").json
    assert (told["exit_code"], told["error"]) == (2, "Missing argument 'RUN'.")
    assert "deskcrew undo last" in told["hint"]


def test_a_group_without_a_command_shows_its_help_alone(cli: Cli) -> None:
    said = cli("memory")
    assert "Commands" in said.out
    assert "Error" not in said.err
