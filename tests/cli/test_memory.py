"""`deskcrew memory`, called as a user calls it, over what runs taught."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
import typer

from cli.conftest import Cli, write
from deskcrew.facts.events import RunStarted
from deskcrew.journal.store import Store
from deskcrew.learning.memory.entry import Entry, entry_id
from deskcrew.learning.memory.recollection import episode_text
from deskcrew.learning.memory.store import Memory
from deskcrew.settings import Settings
from memory.test_inferring import FACT, proposing
from support.crew import settings_in
from support.servers import PostgresServer


def kept(data: Path, *entries: Entry) -> None:
    memory = Memory(Settings(data=data).remembered)
    memory.settle("r1", entries, "")
    memory.close()


def episode(situation: str, **more: Any) -> Entry:
    given: dict[str, Any] = {
        "role": "Operator",
        "verdict": "proven",
        "verified_by": "rules",
        "decision": "click_input",
    } | more
    return Entry(id=entry_id(situation), situation=situation, run="r1", reply=7, created=1.0, **given)


def test_what_is_not_there_is_named(cli: Cli, data: Path) -> None:
    assert "Nope remembers nothing." in cli("memory", "list", "--role", "Nope", "--data", str(data)).out
    refused = cli("memory", "forget", "--run", "zzz", "--data", str(data))
    assert refused.code == 2
    assert "Nothing is remembered from a run 'zzz'." in refused.err


def test_facts_are_added_listed_changed_exported_and_forgotten(cli: Cli, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    assert "Nothing is remembered yet" in cli("memory", "list", *data).out
    assert not (tmp_path / "data").exists()
    said = cli("memory", "add", "Invoices are kept in  papers/invoices", *data)
    assert said.code == 0
    (fact,) = cli("memory", "list", "--json", *data).json["entries"]
    assert (fact["situation"], fact["kind"], fact["scope"], fact["verdict"]) == (
        "Invoices are kept in papers/invoices",
        "fact",
        "user",
        "declared",
    )
    assert fact["id"] in said.out
    assert "papers/invoices" in cli("memory", "list", "--facts", *data).out
    assert cli("memory", "edit", fact["id"][:5], "Invoices are kept in papers", "--scope", "shared", *data).code == 0
    cli("memory", "add", "Mine alone", *data)
    shared = [json.loads(line) for line in cli("memory", "export", "--shared", *data).out.splitlines()]
    assert [each["situation"] for each in shared] == ["Invoices are kept in papers"]
    assert len(cli("memory", "export", *data).out.splitlines()) == 2
    assert cli("memory", "forget", fact["id"], "--json", *data).json == {"forgotten": 1}
    assert "papers" not in cli("memory", "list", *data).out


@pytest.mark.parametrize(
    ("fact", "warned"),
    [
        ("My password for the library is hunter2-Xy7!kk", True),
        ("sk-proj-Ab3dEf9 is my key", True),
        ("Invoices are kept in papers/Invoices-2026 since 2026-11-27", False),
        ("The plan is Plan-B2.xlsx, and I am Ann.2@Example.org", False),
        ('Reports begin with "Q3-Results."', False),
    ],
)
def test_who_declares_what_looks_like_a_key_is_warned(cli: Cli, tmp_path: Path, fact: str, warned: bool) -> None:
    said = cli("memory", "add", fact, "--data", str(tmp_path / "data"))
    assert said.code == 0
    assert ("deskcrew secret set" in said.out) == warned
    assert "hunter2-Xy7!kk" not in said.out


def test_what_should_have_been_done_is_told_instead_of_what_was(cli: Cli, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    one = episode("Add up the hours", result="it held")
    kept(tmp_path / "data", one)
    assert cli("memory", "edit", one.id, "Use decimals for hours", *data).code == 0
    assert "Add up the hours: Use decimals for hours" in " ".join(cli("memory", "list", *data).out.split())
    shown = cli("memory", "show", one.id, *data).out
    assert "corrected by" not in shown, "nothing but the person has corrected it"
    assert "it held" not in shown
    (entry,) = cli("memory", "list", "--json", *data).json["entries"]
    entry.pop("digest")
    assert episode_text(Entry.model_validate(entry), 200).endswith("Result (corrected by the user)")


def test_a_fact_that_is_limited_to_a_folder_says_so(cli: Cli, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    cli("memory", "add", "We use CRLF", "--scope", "workspace", "--workspace", str(tmp_path), *data)
    cli("memory", "add", "I am Ann", *data)
    listed = "".join(cli("memory", "list", *data).out.split())
    assert f"WeuseCRLF(in{tmp_path})" in listed
    assert listed.endswith("IamAnn")


def test_what_is_exported_is_imported_elsewhere_also_on_a_server(
    cli: Cli, tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = ("--data", str(tmp_path / "here")), ("--data", str(tmp_path / "there"))
    kept(tmp_path / "here", episode("Save the letter"), episode("Print it"))
    file = tmp_path / "ours.jsonl"
    file.write_text(cli("memory", "export", *here).out)
    monkeypatch.setenv("DESKCREW_DATABASE", address := postgres.journal())
    assert "Imported 2 entries." in cli("memory", "import", str(file), *there).out
    assert cli("memory", "export", *there).out == file.read_text()
    listed = cli("memory", "list", "--json", *there).json
    assert listed["file"] == address.partition("?")[0]
    (first, _) = listed["entries"]
    assert cli("memory", "edit", first["id"], "Mine", *there).code == 0
    assert cli("memory", "forget", listed["entries"][1]["id"], *there).code == 0
    assert cli("memory", "import", str(file), "--json", *there).json == {"imported": 0, "known": 2}
    assert [each["decision"] for each in cli("memory", "list", "--json", *there).json["entries"]] == ["Mine"]


@pytest.mark.parametrize(
    "change", [lambda line: line.replace("letter", "contract"), lambda line: line[:-9], lambda line: f"[{line}]"]
)
def test_an_export_that_was_changed_is_not_imported(cli: Cli, tmp_path: Path, change: Callable[[str], str]) -> None:
    data, file = ("--data", str(tmp_path)), tmp_path / "ours.jsonl"
    kept(tmp_path / "here", episode("Print it"), episode("Save the letter"))
    one, other = cli("memory", "export", "--data", str(tmp_path / "here")).out.splitlines()
    file.write_text(f"{one}\n\n{change(other)}\n")
    said = cli("memory", "import", str(file), *data)
    assert said.code == 2
    assert "Line 3" in said.err
    assert not (tmp_path / "memory.db").exists()


def test_what_cannot_be_imported_is_named_once(cli: Cli, tmp_path: Path) -> None:
    said = cli("memory", "import", "none.jsonl", "--data", str(tmp_path))
    assert said.err.strip() == "Error: none.jsonl cannot be read: No such file or directory."
    (tmp_path / "odd").write_bytes(b"\xff\xfe")
    assert "not text in UTF-8" in cli("memory", "import", str(tmp_path / "odd"), "--data", str(tmp_path)).err


def test_a_fact_is_kept_once(cli: Cli, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    one = cli("memory", "add", "The figures are in francs", "--json", *data).json
    assert cli("memory", "add", "The  figures are in francs", "--json", *data).json == one
    assert f"Already known, as {one['id']}" in cli("memory", "add", "The figures are in francs", *data).out
    here = cli("memory", "add", one["situation"], "--scope", "workspace", "--workspace", str(tmp_path), "--json", *data).json
    assert here["id"] != one["id"]
    assert len(cli("memory", "list", "--json", *data).json["entries"]) == 2


def test_what_to_do_with_a_damaged_memory_is_said(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"this is no database" * 100)
    said = cli("memory", "list", "--data", str(tmp_path))
    assert said.code != 0
    assert "memory.db is damaged" in said.err
    assert "Move it away" in said.err


def test_a_fact_of_one_folder_says_so(cli: Cli, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    place = ("--scope", "workspace", "--workspace", str(tmp_path))
    added = cli("memory", "add", "The figures are in francs", *place, "--json", *data).json
    assert added["place"] == str(tmp_path.resolve())
    assert f"in runs on {tmp_path.resolve()}" in cli("memory", "show", added["id"], *data).out


def test_an_episode_is_shown_with_where_it_is_from_and_a_person_may_correct_it(cli: Cli, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path))
    one, other = episode("Save the letter", origins=("file letter.txt",)), episode("Print it", verdict="failed", decision="")
    kept(tmp_path, one, other)
    told = cli("memory", "show", one.id[:6], *data).out
    for part in ("run r1, event 7", "file letter.txt", "proven (by checks)", "click_input", "Operator"):
        assert part in told
    assert "Print it" not in cli("memory", "list", *data).out
    assert "Print it" in cli("memory", "list", "--all", *data).out
    assert cli("memory", "edit", one.id, 'hotkey keys=["ctrl","s"]', *data).code == 0
    kept(tmp_path, one, other)  # its run is settled once more
    again = cli("memory", "show", one.id, "--json", *data).json
    assert (again["verdict"], again["decision"], again["weight"]) == ("corrected", 'hotkey keys=["ctrl","s"]', 2.0)


def test_what_was_forgotten_is_not_taught_again(cli: Cli, tmp_path: Path) -> None:
    one, other = episode("Save the letter"), episode("Print it")
    kept(tmp_path, one, other)
    assert cli("memory", "forget", one.id, "--data", str(tmp_path)).code == 0
    kept(tmp_path, one, other)
    entries = cli("memory", "list", "--json", "--data", str(tmp_path)).json["entries"]
    assert [entry["situation"] for entry in entries] == ["Print it"]
    assert cli("memory", "forget", "--run", "r1", "--data", str(tmp_path)).out.strip() == "Forgot 1 entry."
    cli("memory", "add", "A fact", "--data", str(tmp_path))
    assert "Forgot 1 entry" in cli("memory", "forget", "--all", "--yes", "--data", str(tmp_path)).out


@pytest.mark.parametrize(("meant", "code"), [("last", 0), ("0317", 0), ("03", 2), ("0318", 2)])
def test_a_run_to_forget_is_named_as_elsewhere(cli: Cli, data: Path, store: Store, meant: str, code: int) -> None:
    body = RunStarted(task="x", crew="solo", model="m", mode="automatic", workspace=str(data), desktop="none")
    run = write(store, "0317-101500-abcd", [body]).run
    memory = Memory(Settings(data=data).remembered)
    memory.settle(run, [episode("Save the letter").model_copy(update={"run": run})], "")
    memory.close()
    assert cli("memory", "forget", "--run", meant, "--data", str(data)).code == code
    assert len(cli("memory", "list", "--json", "--data", str(data)).json["entries"]) == (1 if code else 0)


@pytest.mark.parametrize(("answer", "left"), [(None, 1), (False, 1), (True, 0)])
def test_all_is_forgotten_once_it_was_asked(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool | None, left: int
) -> None:
    data = ("--data", str(tmp_path))
    cli("memory", "add", "A fact", *data)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: answer is not None)

    def prompt(*_: Any, **__: Any) -> bool | None:
        return answer

    monkeypatch.setattr(typer, "prompt", prompt)
    done = cli("memory", "forget", "--all", *data)
    assert done.code == {None: 2, False: 6, True: 0}[answer]
    assert ("--yes" in done.err) == (answer is None)
    assert len(cli("memory", "list", "--json", *data).json["entries"]) == left


def test_a_short_start_of_an_id_deletes_nothing(cli: Cli, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path))
    one = cli("memory", "add", "A fact", "--json", *data).json
    refused = cli("memory", "forget", one["id"][:3], *data)
    assert (refused.code, "too short" in refused.err) == (2, True)
    assert cli("memory", "show", one["id"][:3], *data).code == 0
    assert cli("memory", "forget", one["id"][:4], *data).code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("show", "nothing"), "There is no entry"),
        (("add", " "), "1 to 600"),
        (("add", "x" * 601), "1 to 600"),
        (("add", "x", "--workspace", "."), "only with --scope workspace"),
        (("add", "x", "--scope", "workspace", "--workspace", "/nowhere/at/all"), "There is no folder"),
        (("edit", "abc"), "Say what to change"),
        (("forget",), "Say what to forget"),
        (("forget", "abc", "--all"), "Say what to forget"),
    ],
)
def test_what_is_wrong_is_told(cli: Cli, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    result = cli("memory", *words, "--data", str(tmp_path))
    assert (result.code, told in result.err) == (2, True), result.err


def test_a_hostile_text_is_shown_harmless(cli: Cli, tmp_path: Path) -> None:
    kept(tmp_path, episode("[red]Save\x1b[2J it[/red]"))
    told = cli("memory", "list", "--data", str(tmp_path)).out
    assert "\x1b[2J" not in told
    assert "[red]Save" in told


def test_a_run_teaches_and_an_undo_or_a_persons_no_takes_it_back(cli: Cli, tmp_path: Path) -> None:
    """From end to end: a run, what the next one is shown, an undo, and a person's word."""
    script = tmp_path / "script.json"
    write = {
        "operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}],
        "branch": "RoleTaskFinish",
    }
    script.write_text(json.dumps([write]))
    task = ("run", 'Write "hello" into hello.txt.', "--model", f"scripted:{script}", "--crew", "solo", "--desktop", "none")
    task += ("--require", "file_contains hello.txt hello")
    data = ("--data", str(tmp_path / "data"))

    def recalled(*flags: str) -> int:
        said = cli(*task, *flags, "--json", *data).json
        assert said["outcome"] == "done", said
        events = cli("log", said["run"], "--json", *data).json["events"]
        return sum(event["body"]["type"] == "recalled" for event in events)

    assert recalled("--no-memory-writes") == 0
    assert cli("memory", "list", "--json", *data).json["entries"] == []
    assert recalled() == 0
    (entry,) = cli("memory", "list", "--json", *data).json["entries"]
    assert entry["role"] == "Worker"
    assert recalled("--no-memory-writes") == 1
    assert recalled("--no-memory") == 0
    assert len(cli("memory", "list", "--json", *data).json["entries"]) == 1
    assert cli("undo", entry["run"], "--yes", *data).code == 0
    assert cli("memory", "list", "--json", *data).json["entries"] == []
    assert "withdrawn: the run was undone" in cli("memory", "list", "--all", *data).out
    assert cli("rewind", entry["run"], "--undo", "--yes", *data).code == 0
    assert [each["id"] for each in cli("memory", "list", "--json", *data).json["entries"]] == [entry["id"]]
    assert cli("confirm", entry["run"], "--no", *data).code == 4
    assert cli("memory", "list", "--json", *data).json["entries"] == []
    assert "withdrawn: the run turned out wrong" in cli("memory", "list", "--all", *data).out


def test_a_person_sees_accepts_and_declines_what_runs_propose(cli: Cli, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    anyio.run(proposing, settings, tmp_path / "work")
    anyio.run(proposing, settings, tmp_path / "other")
    given = ("--data", str(settings.data))
    assert "Facts proposed by runs: 2" in cli("memory", "list", *given).out
    assert FACT not in cli("memory", "list", *given).out
    assert FACT not in cli("memory", "export", *given).out
    one, two = cli("memory", "list", "--proposed", "--json", *given).json["entries"]
    assert FACT in cli("memory", "list", "--proposed", *given).out
    kept = cli("memory", "accept", one["id"], "--json", *given).json
    assert kept["situation"] == FACT
    assert cli("memory", "decline", two["id"], *given).code == 0
    assert "Nothing is proposed." in cli("memory", "list", "--proposed", *given).out
    assert FACT in cli("memory", "list", "--facts", *given).out
    refused = cli("memory", "decline", kept["id"], *given)
    assert refused.code == 2
    assert "is not proposed" in refused.err
