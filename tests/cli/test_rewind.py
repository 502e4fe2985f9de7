"""`rewind`, `resume`, `branch`, `diff`, `verify` and `audit`, called as a user calls them."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest

from cli.conftest import Cli
from deskcrew.engine import session
from deskcrew.engine.limits import Limits
from deskcrew.engine.request import RunRequest
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.cli import main
from support.settings import settle_in

PLAN = {"subtasks": [{"goal": "Write the greeting", "role": "FileManager"}], "question": ""}
TASK = 'Write "Hello" into hello.txt.'
NEEDED = ("--require", "file_contains hello.txt Hello")


def writing(text: str) -> dict[str, Any]:
    operation = {"function": "write_file", "file_path": "hello.txt", "text": text}
    return {"operations": [operation], "branch": "RoleTaskFinish"}


def script(folder: Path, *replies: dict[str, Any]) -> str:
    """A model string for these replies."""
    path = folder / f"script-{len(list(folder.glob('script-*')))}.json"
    path.write_text(json.dumps(list(replies)))
    return f"scripted:{path}"


def greeted_wrongly(folder: Path, data: Path) -> Path:
    """A run that wrote the wrong greeting; its workspace."""
    work = folder / "work"
    work.mkdir()
    model = script(folder, PLAN, writing("Good-bye"))
    limits = ("--limit", "repairs=0", "--limit", "replans=0")
    with pytest.raises(SystemExit) as ended:
        main(
            (
                "run",
                TASK,
                "--model",
                model,
                "--desktop",
                "none",
                "--workspace",
                str(work),
                "--data",
                str(data),
                *limits,
                *NEEDED,
            )
        )
    assert ended.value.code == 4
    assert (work / "hello.txt").read_text() == "Good-bye"
    return work


@pytest.fixture
def ran(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return greeted_wrongly(tmp_path, data)


class Kept(NamedTuple):
    data: Path
    work: Path

    def is_as_it_was(self) -> bool:
        return (self.work / "hello.txt").read_text() == "Good-bye" and not numbers(self.data, e.Rewound)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """The same run, once for all tests that leave it as it is."""
    folder = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        settle_in(folder, patch)
        return Kept(folder / "runs", greeted_wrongly(folder, folder / "runs"))


def numbers(data: Path, kind: type[Any]) -> list[int]:
    journal = Store(data / "journal.db").journal("last")
    return [event.number for event in journal.all if isinstance(event.body, kind)]


def repaired(cli: Cli, tmp_path: Path, data: Path, *more: str) -> Any:
    reply = numbers(data, e.RoleReplied)[1]
    model = script(tmp_path, writing("Hello"))
    return cli("rewind", "last", str(reply), "--say", "It is Hello.", "--yes", "--model", model, "--data", str(data), *more)


def test_rewind_with_a_sentence_repairs_the_run(cli: Cli, tmp_path: Path, data: Path, ran: Path) -> None:
    done = repaired(cli, tmp_path, data)
    assert done.code == 0, done.out + done.err
    assert (ran / "hello.txt").read_text() == "Hello"
    assert "Rejected:" in done.out
    assert "removes 1 path (hello.txt)" in done.out
    log = cli("log", "last", "--data", str(data)).out
    assert "branch 1" in log
    assert "branch 2" in log
    assert "It is Hello." in log
    assert "(current)" in log
    assert cli("verify", "last", "--data", str(data)).code == 0


@pytest.mark.deep
def test_diff_shows_what_each_branch_did(cli: Cli, tmp_path: Path, data: Path, ran: Path) -> None:
    repaired(cli, tmp_path, data)
    shown = cli("diff", "last", "1", "2", "--data", str(data)).out
    assert "Good-bye" in shown
    assert "hello.txt: other content" in shown
    back = script(tmp_path, PLAN, {"operations": [], "branch": "Interrupt"})
    cli("rewind", "last", str(numbers(data, e.RoleReplied)[0]), "--yes", "--model", back, "--data", str(data))
    assert "hello.txt: only in the first" in cli("diff", "last", "1", "3", "--data", str(data)).out
    assert cli("diff", "last", "3", "1", "--json", "--data", str(data)).json["files"] == ["hello.txt: only in the second"]
    found = cli("diff", "last", "1", "2", "--json", "--data", str(data)).json
    assert [branch["number"] for branch in found["branches"]] == [1, 2]
    assert found["files"] == ["hello.txt: other content"]
    assert not set(found["events"][0]) & set(found["events"][1])


def test_stay_goes_back_only_and_undo_takes_it_back(cli: Cli, tmp_path: Path, data: Path, ran: Path) -> None:
    reply = numbers(data, e.RoleReplied)[0]
    stayed = cli("rewind", "last", f"#{reply}", "--stay", "--yes", "--json", "--data", str(data))
    assert stayed.code == 0
    assert stayed.json["event"] == numbers(data, e.Rewound)[0]
    assert not (ran / "hello.txt").exists()
    undone = cli("rewind", "last", "--undo", "--yes", "--data", str(data))
    assert undone.code == 0, undone.err
    assert (ran / "hello.txt").read_text() == "Good-bye"
    resumed = cli("resume", "last", "--data", str(data))
    assert resumed.code == 2
    assert "has ended" in resumed.err


def test_each_command_names_only_options_of_its_own(cli: Cli, data: Path, ran: Path) -> None:
    undo = cli("undo", "last", "--data", str(data))
    assert "without being asked: --yes." in undo.err
    assert "--keep-files" not in undo.err


def test_undo_puts_the_folder_back_and_names_what_goes_with_it(cli: Cli, tmp_path: Path, data: Path, ran: Path) -> None:
    (ran / "mine.txt").write_text("written after the run")
    asked = cli("undo", "last", "--data", str(data))
    assert asked.code == 2
    assert (ran / "hello.txt").exists()
    undone = cli("undo", "last", "--yes", "--data", str(data))
    assert undone.code == 0, undone.err
    assert not (ran / "hello.txt").exists()
    assert "mine.txt" not in undone.out, "no result of this run"
    assert (ran / "mine.txt").exists(), "somebody else wrote it"
    (row,) = cli("runs", "--json", "--data", str(data)).json["runs"]
    assert row["status"] == "undone"
    log = cli("log", "last", "--data", str(data)).out
    assert "undone: what the run changed was put back" in log
    assert "deskcrew resume" not in log
    twice = " ".join(cli("undo", "last", "--yes", "--data", str(data)).err.split())
    assert re.search(r"was undone already.* --all` also restores the files that the undo left alone", twice)
    back = cli("rewind", "last", "--undo", "--yes", "--data", str(data))
    assert back.code == 0, back.err
    assert {path.name for path in ran.iterdir()} == {"hello.txt", "mine.txt"}
    assert cli("undo", "last", "--yes", "--data", str(data)).code == 0
    rest = cli("undo", "last", "--yes", "--all", "--data", str(data))
    assert (rest.code, "Already restored: all but mine.txt" in rest.out) == (0, True), rest
    assert list(ran.iterdir()) == []


def test_the_last_run_to_undo_is_the_last_one_in_this_folder(
    cli: Cli, tmp_path: Path, data: Path, ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    other = greeted_wrongly(tmp_path / "elsewhere", data)
    monkeypatch.chdir(ran)
    assert "No run worked in this folder" not in (logged := cli("log", "last", "--data", str(data))).err
    undone = cli("undo", "last", "--yes", "--data", str(data))
    assert undone.code == 0, undone.err
    assert logged.out.split()[1] == undone.out.split()[1].strip(":"), "one meaning for every command"
    assert not (ran / "hello.txt").exists()
    assert (other / "hello.txt").exists()
    assert "was undone already" in cli("undo", "last", "--yes", "--data", str(data)).err
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert cli("undo", "last", "--yes", "--data", str(data)).code == 0
    assert not (other / "hello.txt").exists(), "a folder inside this one counts"


def test_where_all_was_changed_since_it_is_said_that_nothing_was_put_back(cli: Cli, data: Path, ran: Path) -> None:
    (ran / "hello.txt").write_text("mine now")
    (ran / "never-touched-by-the-run.txt").write_text("mine, too")
    undone = cli("undo", "last", "--yes", "--data", str(data))
    assert undone.code == 4
    assert "Files: nothing to put back" in undone.out
    assert "left as it is: hello.txt. --all restores" in undone.out, "the same path as in the refusal"
    assert "Nothing was put back: you, another program or another run changed hello.txt." in undone.err
    assert "--all` restores" in undone.err
    (row,) = cli("runs", "--json", "--data", str(data)).json["runs"]
    assert row["status"] == "failed", "what put nothing back is no undo"


def test_undone_one_by_one_runs_of_a_folder_are_undone_from_the_last_to_the_first(
    cli: Cli, tmp_path: Path, data: Path, ran: Path
) -> None:
    model, place = script(tmp_path, PLAN, writing("Hello")), ("--workspace", str(ran), "--data", str(data))
    assert cli("run", TASK, "--model", model, "--desktop", "none", *place, *NEEDED).code == 0
    rows = cli("runs", "--json", "--data", str(data)).json["runs"]
    for row, left in zip(rows, ("Good-bye", None), strict=True):
        assert cli("undo", row["run"], "--yes", "--data", str(data)).code == 0
        assert left == ((ran / "hello.txt").read_text() if (ran / "hello.txt").exists() else None)


def test_in_a_folder_without_runs_the_last_of_all_is_meant_and_named(
    cli: Cli, tmp_path: Path, data: Path, ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wor").mkdir()
    monkeypatch.chdir(tmp_path / "wor")  # the start of the name of a folder with a run
    last = Store(data / "journal.db").journal("last").run
    for command in ("log", "show", "verify"):
        meant = cli(command, "last", "--data", str(data))
        assert meant.code == 0, meant.err
        assert f"No run worked in this folder; the last of all is {last}: " in meant.err
    for command in ("undo", "remove"):
        refused = cli(command, "last", "--yes", "--data", str(data))
        assert (refused.code, f"the last of all is {last}: " in refused.err) == (2, True), "nobody was asked"
    assert (ran / "hello.txt").exists()


def test_a_run_in_a_folder_of_its_own_is_the_last_only_where_it_was_started(
    cli: Cli, tmp_path: Path, data: Path, ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Store(data / "journal.db").journal("last").run
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    model = script(tmp_path, PLAN, writing("Hello"))
    made = cli("run", TASK, "--model", model, "--desktop", "none", "--json", "--data", str(data), *NEEDED).json["run"]
    assert made != here
    for folder, last in ((elsewhere, made), (ran, here)):
        monkeypatch.chdir(folder)
        meant = cli("verify", "last", "--json", "--data", str(data))
        assert (meant.json["run"], "No run worked in this folder" in meant.err) == (last, False)
        assert f"Run {last} has ended" in cli("resume", "last", "--data", str(data)).err


@pytest.mark.parametrize("everything", [(), ("--all",)])
def test_a_folder_that_is_not_there_is_not_undone(
    cli: Cli, tmp_path: Path, data: Path, ran: Path, everything: tuple[str, ...]
) -> None:
    ran.rename(tmp_path / "elsewhere")
    undone = cli("undo", "last", "--yes", *everything, "--data", str(data))
    assert undone.code == 2
    assert f"is not there: {ran}." in " ".join(undone.err.split())
    assert "put it back there first" in undone.err
    gone = cli("rewind", "last", "--undo", "--yes", "--data", str(data))
    assert (gone.code, gone.err) == (2, undone.err), "nor rewound, into an empty one"
    assert not ran.exists()
    assert numbers(data, e.Rewound) == []
    (tmp_path / "elsewhere").rename(ran)
    assert cli("undo", "last", "--yes", "--data", str(data)).code == 0
    assert list(ran.iterdir()) == []


def test_a_record_that_is_not_what_was_written_undoes_nothing(cli: Cli, data: Path, ran: Path) -> None:
    with sqlite3.connect(data / "journal.db") as connection:
        connection.execute("UPDATE events SET body = replace(body, 'Good-bye', 'Good day')")
    undone = cli("undo", "last", "--yes", "--data", str(data))
    assert undone.code == 4
    assert "is not what was written: event" in " ".join(undone.err.split())
    assert "deskcrew verify" in undone.err
    assert (ran / "hello.txt").exists()
    assert numbers(data, e.Rewound) == []


def test_what_a_run_used_and_somebody_changed_since_is_said(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, data = tmp_path / "work", ("--data", str(tmp_path / "data"))
    work.mkdir()
    for name in ("b.txt", "a.csv", "other.txt", "c1.log"):
        (work / name).write_text(name)
    looks = [{"function": "find_files", "pattern": "c*.log"}, {"function": "read_file", "file_path": "b.txt"}]
    adds = {"operations": looks, "branch": "RoleTaskFinish"}
    where = ("--crew", "planned", "--desktop", "none", "--json", *data)

    cli(
        "run",
        "Write what a.csv says into sum.txt",
        "--workspace",
        str(work),
        "--model",
        script(tmp_path, PLAN, adds),
        *where,
    )
    for name in ("b.txt", "other.txt", "c1.log"):
        (work / name).write_text("another")
    (work / "a.csv").unlink()
    found = cli("verify", "last", "--json", *data)
    assert (found.code, found.json["changed_after"], found.json["removed_after"]) == (3, ["b.txt", "c1.log"], ["a.csv"])
    told = cli("verify", "last", *data).out
    assert "a.csv was removed after this run ended. The run's proof is about its files as they were" in told
    assert "copies" not in told

    monkeypatch.chdir(work)
    cli("run", "Write what b.txt says", "--attach", "b.txt", "--model", script(tmp_path, PLAN, adds), *where)
    assert "It worked on copies of b.txt: whether the originals were changed" in cli("verify", "last", *data).out


def test_a_result_that_somebody_edited_is_said_and_kept(cli: Cli, data: Path, ran: Path) -> None:
    told = "hello.txt was changed after this run ended"
    for shows in ("log", "show", "verify"):
        assert told not in cli(shows, "last", "--data", str(data)).out
    (ran / "hello.txt").write_text("by hand")
    for shows in ("log", "show", "verify"):
        assert told in cli(shows, "last", "--data", str(data)).out
    altered = cli("verify", "last", "--json", "--data", str(data))
    assert (altered.code, altered.json["holds"], altered.json["changed_after"]) == (3, True, ["hello.txt"])
    (ran / "hello.txt").unlink()
    for shows in ("log", "show", "verify"):
        shown = cli(shows, "last", "--data", str(data)).out
        assert "hello.txt was removed after this run ended" in shown
        assert told not in shown
        found = cli(shows, "last", "--json", "--data", str(data)).json
        assert shows == "log" or (found["changed_after"], found["removed_after"]) == ([], ["hello.txt"])
    (ran / "hello.txt").write_text("by hand")
    undone = cli("undo", "last", "--yes", "--json", "--data", str(data))
    assert (undone.code, undone.json["reason"]) == (4, "changed")
    assert "left as it is: hello.txt. --all restores them, too." in undone.err
    assert (ran / "hello.txt").read_text() == "by hand"
    whole = cli("undo", "last", "--yes", "--all", "--data", str(data))
    assert whole.code == 0, whole.err
    assert not (ran / "hello.txt").exists()
    assert "was undone already" in cli("undo", "last", "--yes", "--all", "--data", str(data)).err
    assert cli("rewind", "last", "--branch", "1", "--yes", "--data", str(data)).code == 0
    assert (ran / "hello.txt").read_text() == "by hand"
    again = cli("undo", "last", "--yes", "--data", str(data))
    assert "left as it is: hello.txt" in again.out, "going back and forth makes it nobody else's"
    assert (ran / "hello.txt").read_text() == "by hand"
    cli("rewind", "last", "--undo", "--yes", "--data", str(data))
    assert cli("undo", "last", "--yes", "--all", "--data", str(data)).code == 0
    assert not (ran / "hello.txt").exists()


@pytest.mark.parametrize("way", ["undo", "event"])
def test_a_rewind_leaves_what_somebody_changed_meanwhile_as_undo_does(cli: Cli, data: Path, ran: Path, way: str) -> None:
    (ran / "mine.txt").write_text("before")
    if way == "undo":
        assert cli("undo", "last", "--yes", "--data", str(data)).code == 0
        place = ("--undo",)
    else:
        place = (f"#{numbers(data, e.RoleReplied)[0]}",)
    (ran / "hello.txt").write_text("by hand")
    (ran / "mine.txt").write_text("after")
    back = cli("rewind", "last", *place, "--stay", "--yes", "--json", "--data", str(data))
    assert back.code == 0, back.err
    assert back.json["kept"] == ["hello.txt", "mine.txt"]
    assert "Changed since then, but not by this run, and left as it is: hello.txt." in back.err
    assert {path.name: path.read_text() for path in ran.iterdir()} == {"hello.txt": "by hand", "mine.txt": "after"}


def test_undo_tells_a_renamed_file_as_one(cli: Cli, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    (work / "old.txt").write_text("kept")
    moves = {"function": "move_file", "source": "old.txt", "destination": "new.txt"}
    model = script(tmp_path, {"operations": [moves], "branch": "RoleTaskFinish"})
    given = ("--model", model, "--crew", "solo", "--desktop", "none", "--workspace", str(work), "--data", str(data))
    moved = ("--require", "same_as new.txt old.txt", "--require", "file_absent old.txt")
    assert cli("run", "Rename old.txt to new.txt.", *given, *moved).code == 0
    undone = cli("undo", "last", "--yes", "--data", str(data))
    assert "Files: renames 1 file (new.txt to old.txt)\n" in undone.out
    assert [path.name for path in work.iterdir()] == ["old.txt"]


def test_undo_names_the_runs_that_followed(cli: Cli, tmp_path: Path, data: Path, ran: Path) -> None:
    first = Store(data / "journal.db").runs()[0].id
    model = script(tmp_path, PLAN, writing("Hello"))
    cli("run", "--follow-up", "last", "Now say hello.", "--model", model, "--data", str(data), *NEEDED)
    back = cli("rewind", first, str(numbers(data, e.RoleReplied)[0]), "--stay", "--yes", "--data", str(data))
    assert "Also undone: what run" in back.out
    assert cli("rewind", first, "--undo", "--yes", "--data", str(data)).code == 0
    undone = cli("undo", first, "--yes", "--data", str(data))
    assert "Also undone: what run" in undone.out
    assert "(Now say hello.)" in undone.out
    assert not (ran / "hello.txt").exists()


def test_resume_goes_on_after_stay(cli: Cli, tmp_path: Path, data: Path, ran: Path) -> None:
    reply = numbers(data, e.RoleReplied)[1]
    cli("rewind", "last", str(reply), "--say", "It is Hello.", "--stay", "--yes", "--data", str(data))
    (row,) = cli("runs", "--json", "--data", str(data)).json["runs"]
    assert row["status"] == "waiting"
    assert "where you went back to" in cli("log", "last", "--data", str(data)).out
    resumed = cli("resume", "last", "--model", script(tmp_path, writing("Hello")), "--json", "--data", str(data))
    assert resumed.code == 0, resumed.err
    assert resumed.json["outcome"] == "done"
    assert (ran / "hello.txt").read_text() == "Hello"


@pytest.mark.first_case
@pytest.mark.parametrize("stay", [False, True])
def test_a_run_that_asks_before_each_operation_still_does_when_it_goes_on(
    cli: Cli, tmp_path: Path, data: Path, stay: bool
) -> None:
    """Without a terminal nobody can be asked, so that nothing is done until another mode is given."""
    (tmp_path / "work").mkdir()
    model = script(tmp_path, PLAN, writing("Good-bye"))
    limits = Limits(operations=7)
    request = RunRequest(
        task=TASK, model=model, workspace=tmp_path / "work", desktop="none", mode="passive", limits=limits, crew="planned"
    )
    anyio.run(session.run, request, Settings(data=data))
    place = "last", str(numbers(data, e.RoleReplied)[1])
    goes_on = ("rewind", *place, "--say", "It is Hello.", "--yes")
    if stay:
        assert cli(*goes_on, "--stay", "--data", str(data)).code == 0
        goes_on = "resume", "last"
    model = script(tmp_path, writing("Hello"))
    refused = cli(*goes_on, "--model", model, "--data", str(data))
    assert (refused.code, "not a terminal" in refused.err) == (2, True), refused
    if not stay:
        assert (tmp_path / "work/hello.txt").read_text() == "Good-bye"
    cli(*goes_on, "--mode", "automatic", "--model", model, "--data", str(data))
    assert (tmp_path / "work/hello.txt").read_text() == "Hello"
    journal = Store(data / "journal.db").journal("last")
    resumed = [event.body for event in journal.all if isinstance(event.body, e.RunResumed)]
    assert resumed[-1].settings.limits["operations"] == 7


def test_nothing_moves_when_nobody_can_be_asked(cli: Cli, kept: Kept) -> None:
    before = numbers(kept.data, e.RunStarted | e.RoleReplied)  # type: ignore[arg-type]
    refused = cli("rewind", "last", str(before[1]), "--data", str(kept.data))
    assert refused.code == 2
    assert "--yes" in refused.err
    assert kept.is_as_it_was()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--mode-of", "FileManager=never"), "FileManager=never"),
        (("--mode-of", "Nobody=automatic"), "no role 'Nobody'"),
        (("--mode", "active"), "not a terminal"),
        (("--mode", "automatic", "--approve"), "short for --mode passive"),
        (("--limit", "patience=3"), "patience=3"),
        (("--limit", "money=1", "--model", "ollama:unheard-of"), "price of"),
        (("--model", "bogus:x"), "is not a model"),
        (("--model", "scripted:nofile.json"), "nofile.json"),
    ],
)
def test_nothing_moves_when_an_option_is_wrong(cli: Cli, kept: Kept, wrong: tuple[str, ...], said: str) -> None:
    reply = numbers(kept.data, e.RoleReplied)[1]
    refused = cli("rewind", "last", str(reply), "--yes", *wrong, "--data", str(kept.data))
    assert refused.code == 2
    assert said in refused.err
    assert kept.is_as_it_was()


@pytest.mark.deep
def test_a_role_goes_on_in_a_mode_of_its_own(cli: Cli, tmp_path: Path, data: Path, ran: Path) -> None:
    refused = repaired(cli, tmp_path, data, "--mode-of", "FileManager=active")
    assert refused.code == 2
    assert "This asks a person" in refused.err  # nobody is at this terminal
    assert repaired(cli, tmp_path, data, "--mode-of", "FileManager=automatic").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "where to go back to"),
        (("3", "--undo"), "EVENT and --undo: give only one of them"),
        (("3", "--branch", "1"), "EVENT and --branch: give only one of them"),
        (("--undo",), "never rewound"),
        (("--undo", "--say", "x"), "need an EVENT"),
        (("1",), "No role had replied"),
        (("400",), "no event 400"),
        (("soon",), "not the number"),
        (("--branch", "9"), "no branch '9'"),
        (("--branch", "1"), "already on branch 1"),
    ],
)
def test_a_wrong_place_is_said_to_be(cli: Cli, kept: Kept, arguments: tuple[str, ...], said: str) -> None:
    refused = cli("rewind", "last", *arguments, "--data", str(kept.data))
    assert refused.code == 2
    assert said in refused.err
    assert kept.is_as_it_was()


def test_a_role_that_cannot_be_switched_to_is_refused_with_those_that_can(cli: Cli, kept: Kept) -> None:
    reply = str(numbers(kept.data, e.RoleReplied)[1])
    refused = cli("rewind", "last", reply, "--role", "Nobody", "--yes", "--data", str(kept.data))
    assert refused.code != 0
    assert "FileManager" in refused.err
    assert kept.is_as_it_was()


@pytest.mark.deep
def test_branches_are_listed_named_and_hidden(cli: Cli, tmp_path: Path, data: Path, ran: Path) -> None:
    repaired(cli, tmp_path, data)
    assert cli("branch", "last", "2", "--label", "the right word", "--data", str(data)).code == 0
    assert cli("branch", "last", "1", "--hide", "--data", str(data)).code == 0
    found = cli("branch", "last", "--json", "--data", str(data)).json["branches"]
    assert [(b["label"], b["hidden"], b["current"]) for b in found] == [("", True, False), ("the right word", False, True)]
    log = cli("log", "last", "--data", str(data)).out
    assert "Good-bye" not in log
    assert "no reply was recorded" not in log
    for shared in ("task ", "plan by Planner", "subtask 1 Write the greeting"):
        assert shared in log, "the beginning belongs to the branch that is shown as well"
    assert "branch 2  'the right word'  after #" in cli("branch", "last", "--data", str(data)).out
    assert "Good-bye" in cli("log", "last", "--all", "--data", str(data)).out


def test_a_branch_is_the_same_as_itself(cli: Cli, data: Path, ran: Path) -> None:
    assert cli("diff", "last", "1", "1", "--data", str(data)).out.strip() == "1 and 1 are the same branch."
    cli("branch", "last", "1", "--label", "wrong word", "--data", str(data))
    assert "are the same branch" in cli("diff", "last", "1", "wrong word", "--data", str(data)).out


@pytest.mark.parametrize("width", [80, 160])
def test_audit_is_whole_at_any_width(
    cli: Cli, data: Path, store: Store, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """Nothing is cut: neither the rule, nor what was wanted, nor why."""
    operation = e.Operation(function="run_shell", params={"command": "rm -r a-folder/with-a-long-name/and-another"})
    wanted = e.OperationProposed(role="ApplicationManager", subtask="1", operation=operation)
    begun = e.RunStarted(task="t", crew="solo", model="m", mode="automatic", workspace="w", desktop="none")
    why = "it removes files for good, as far as its text can tell"
    journal = store.create(begun, run="0101-000000-aaab")
    proposed = journal.append(wanted)
    journal.append(e.OperationApproved(rule="writing-inside", risk="destroy"), cause=proposed)
    monkeypatch.setenv("COLUMNS", str(width))
    said = " ".join(cli("audit", journal.run, "--data", str(data)).out.split())
    assert "why" not in said, "nothing was said of why"
    proposed = journal.append(wanted)
    journal.append(e.OperationDenied(rule="destroying", risk="destroy", by="human", why=why), cause=proposed)
    journal.close()
    monkeypatch.setenv("COLUMNS", str(width))
    out = cli("audit", journal.run, "--data", str(data)).out
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out
    for word in ("writing-inside", "destroying", "ApplicationManager", "denied", "allowed"):
        assert word in out
    if width == 80:
        assert why in " ".join(out.split())


def test_verify_tells_what_was_changed(cli: Cli, data: Path, ran: Path) -> None:
    sound = cli("verify", "last", "--json", "--data", str(data))
    assert (sound.code, sound.json["holds"]) == (0, True)
    connection = sqlite3.connect(data / "journal.db")
    connection.execute("UPDATE events SET body = replace(body, 'Good-bye', 'Hello') WHERE number = 8")
    connection.execute("UPDATE events SET body = '{' WHERE number = 3")
    connection.commit()
    connection.close()
    broken = cli("verify", "last", "--data", str(data))
    assert broken.code == 4
    assert "event 3" in broken.out


def test_verify_tells_of_damaged_blobs(cli: Cli, data: Path, ran: Path) -> None:
    connection = sqlite3.connect(data / "journal.db")
    damages = ("'text'", "5", "x''", "substr(data, 2)", "cast(x'ff80' AS text)")
    # One that is empty would not be changed by being emptied.
    blobs = connection.execute("SELECT digest FROM blobs WHERE length(data) > 1 LIMIT ?", (len(damages),)).fetchall()
    for damage, one in zip(damages, blobs, strict=True):
        connection.execute(f"UPDATE blobs SET data = {damage} WHERE digest = ?", one)
    connection.commit()
    connection.close()
    broken = cli("verify", "last", "--data", str(data))
    assert broken.code == 4
    assert broken.out.count("is changed") >= 5, broken.out + broken.err


def test_audit_says_who_allowed_what(cli: Cli, data: Path, run: Journal) -> None:
    rows = cli("audit", run.run, "--json", "--data", str(data)).json["decisions"]
    assert [row["decision"] for row in rows] == ["open", "open", "open", "open"]
    shown = cli("audit", run.run, "--data", str(data)).out
    assert "Run Python: " in shown


def test_audit_of_a_real_run(cli: Cli, data: Path, ran: Path) -> None:
    rows = cli("audit", "last", "--json", "--data", str(data)).json["decisions"]
    assert [(row["decision"], row["rule"], row["by"]) for row in rows] == [("allowed", "writing-inside", "policy")]
    assert cli("audit", "last", "--denied", "--data", str(data)).out.strip() == "Nothing was denied."


def test_a_persons_word_settles_a_run_that_has_ended(cli: Cli, ran: Path, data: Path) -> None:
    without = cli("confirm", "last", "--data", str(data))
    assert without.code == 2
    assert "--yes or --no" in without.err
    whole = cli("confirm", "last", "good-bye is what I meant", "--yes", "--data", str(data))
    assert (whole.code, "Some of it was seen not to hold" in whole.err) == (2, True), "that is not overruled unseen"
    yes = cli("confirm", "last", "1", "good-bye is what I meant", "--yes", "--data", str(data))
    assert yes.code == 0, yes.err
    assert "confirmed by you" in yes.out
    assert "a person says yes: good-bye is what I meant" in cli("log", "last", "--data", str(data)).out
    assert json.loads(cli("runs", "--json", "--data", str(data)).out)["runs"][0]["status"] == "done"
    assert "you, confirm: requirement 1 holds" in cli("log", "last", "--data", str(data)).out
    no = cli("confirm", "last", "--no", "--json", "--data", str(data))
    assert (no.code, json.loads(no.out)["outcome"]["status"]) == (4, "failed")
    listed = json.loads(cli("runs", "--json", "--data", str(data)).out)["runs"][0]
    assert (listed["outcome"], listed["status"]) == ("failed", "objected"), "it did not fail by itself"
    assert "objected: you said that it is not right" in cli("log", "last", "--data", str(data)).out
    assert cli("verify", "last", "--data", str(data)).code == 0
    assert cli("confirm", "last", "7", "--yes", "--data", str(data)).code == 2


def test_a_limit_of_none_at_all_is_answered_with_one_that_is_higher(cli: Cli, data: Path, ran: Path) -> None:
    said = " ".join(cli("log", "last", "--data", str(data)).out.split())
    assert "Continue with a higher limit:" in said
    assert "--limit replans=1" in said
