"""``deskcrew runs`` and ``deskcrew log``."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from cli.conftest import Cli, number_of, with_blobs, write
from deskcrew.facts import events as e
from deskcrew.facts.contract import Strength
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.ways_in.report.totals import totals
from support.at_once import reply, two_at_once
from support.bodies import ordinary_run, started

pytestmark = pytest.mark.usefixtures("run")


def indent(line: str) -> int:
    return len(line) - len(line.lstrip(" │├└─"))


def line_with(out: str, *words: str) -> str:
    found = [line for line in out.splitlines() if all(word in line for word in words)]
    assert found, f"no line with {words} in:\n{out}"
    return found[0]


def test_log_shows_everything_in_its_place(cli: Cli, data: Path, run: Journal) -> None:
    said = cli("log", "last", "--data", str(data))
    assert said.code == 0
    plan = line_with(said.out, "plan by Planner")
    assert indent(line_with(said.out, "1. Read the table", "[Programmer]")) > indent(plan)
    subtask = line_with(said.out, "subtask 1 ", "Read the table")
    reply = line_with(said.out, f"#{number_of(run, e.RoleReplied, nth=2)} ", "● Programmer", "100 in, 10 out")
    operation = line_with(said.out, "→ Run Python: ", "print(6 * 7)")
    denial = line_with(said.out, "✗ denied", "nobody is there to ask")
    verdict = line_with(said.out, "no fault in what it did (by rule)")
    assert indent(plan) == indent(subtask) < indent(reply) < indent(operation) < indent(denial) == indent(verdict)
    assert indent(line_with(said.out, "the subtask: to be repaired (by rule)", "nothing was printed")) == indent(reply)
    second = line_with(said.out, "subtask 2 ", "Write the sentence")
    lines = said.out.splitlines()
    assert lines.index(second) < lines.index(line_with(said.out, "● Operator"))
    assert line_with(said.out, "malformed reply: not JSON")
    assert line_with(said.out, "you, guide to Operator", "Use the editor")
    assert line_with(said.out, ": interrupted; no end was recorded")
    assert line_with(said.out, "allowed by you (risk: write)")
    assert indent(line_with(said.out, "the whole task: accepted (by rule)")) == indent(plan)
    assert line_with(said.out, "ended:", "done, verified by checks")
    assert line_with(said.out, "cost", "unknown")
    assert line_with(said.out, "answer", "42")


def test_log_numbers_are_those_that_show_takes(cli: Cli, data: Path, run: Journal) -> None:
    number = number_of(run, e.OperationDenied)
    assert f"#{number} ✗ denied" in cli("log", "last", "--data", str(data)).out
    assert "operation_denied" in cli("show", "last", str(number), "--data", str(data)).out


def test_log_json_holds_every_event(cli: Cli, data: Path, run: Journal) -> None:
    found = cli("log", run.run, "--json", "--data", str(data)).json
    assert [x["id"] for x in found["events"]] == [x.id for x in run.events]
    assert found["outcome"] == "done"
    assert found["task"] == "Say what 6 * 7 is"
    assert found["cost"] is None
    assert found["problems"] == []


@pytest.mark.parametrize("kind", [e.ActionStarted, e.RoleCalled])
def test_a_run_that_was_killed_says_what_had_no_end(cli: Cli, data: Path, store: Store, kind: type) -> None:
    bodies = ordinary_run()
    cut = next(n for n, body in enumerate(bodies) if isinstance(body, kind))
    journal = store.create(bodies[0], run="killed")
    for body in with_blobs(journal, bodies)[1 : cut + 1]:
        journal.append(body)
    journal.close()
    said = cli("log", "killed", "--data", str(data))
    assert said.code == 0
    assert "no end was recorded" in said.out or "no reply was recorded" in said.out
    assert "unfinished" in said.out
    assert "deskcrew resume killed" in said.out


def changed(data: Path, statement: str) -> None:
    connection = sqlite3.connect(data / "journal.db")
    connection.execute("PRAGMA foreign_keys=OFF")
    assert connection.execute(statement).rowcount > 0
    connection.commit()
    connection.close()


EDIT = "UPDATE events SET body = json_set(body, '$.task', 'Say what 6 * 8 is') WHERE number = 1"


def test_a_record_that_was_changed_is_told_before_anything_else(cli: Cli, data: Path) -> None:
    changed(data, EDIT)
    at = ("--data", str(data))
    said = cli("log", "last", *at)
    assert said.code == 4
    assert said.out.startswith("✗ The record is not what was written: event 1: its content")
    assert "deskcrew verify" in said.out.splitlines()[0]
    assert "not what was written" in line_with(said.out, "│ record ")
    as_data = cli("log", "last", "--json", *at)
    assert (as_data.code, as_data.json["problems"]) == (4, ["event 1: its content does not match its digest"])


UNVERIFIED = "UPDATE events SET body = json_set(body, '$.outcome.verified_by', null)"


def test_what_a_changed_record_says_of_its_proof_is_not_called_a_bug(cli: Cli, data: Path) -> None:
    assert "the record says" not in cli("log", "last", "--data", str(data)).out
    changed(data, f"{UNVERIFIED} WHERE number = (SELECT max(number) FROM events)")
    ended = line_with(cli("log", "last", "--data", str(data)).out, "│", "outcome")
    assert "the record says: done, " in ended
    assert ended.rstrip(" │").endswith(", its record does not say what verified it")


END = "UPDATE events SET body = replace(body, '42', '48') WHERE number = (SELECT max(number) FROM events)"


def test_whatever_shows_a_changed_record_says_so_first(cli: Cli, data: Path) -> None:
    at = ("--data", str(data))
    assert [cli(*command, *at).code for command in (("show", "last"), ("audit", "last"))] == [0, 0]
    assert cli("runs", "--json", *at).json["runs"][0]["altered"] is False
    changed(data, END)
    for command in ("show", "audit"):
        said = cli(command, "last", *at)
        assert said.code == 4
        assert said.out.startswith("✗ The record is not what was written: event ")
        assert cli(command, "last", "--json", *at).json["problems"]
    assert "record changed" in cli("runs", *at).out
    assert cli("runs", "--json", *at).json["runs"][0]["altered"] is True


@pytest.mark.parametrize("command", [("branch", "last"), ("branch", "last", "--json")])
def test_what_shows_a_part_of_a_changed_record_says_so_beside_it(cli: Cli, data: Path, command: tuple[str, ...]) -> None:
    assert "not what was written" not in cli(*command, "--data", str(data)).err
    changed(data, EDIT)
    said = cli(*command, "--data", str(data))
    assert (said.code, "is not what was written: event 1" in said.err) == (4, True), said.err


@pytest.mark.parametrize("command", [("confirm", "last", "--yes"), ("skill", "keep", "last"), ("undo", "0101", "--yes")])
def test_nothing_more_rests_on_a_changed_record(cli: Cli, data: Path, command: tuple[str, ...]) -> None:
    changed(data, EDIT)
    said = cli(*command, "--data", str(data))
    assert said.code == 4
    assert "is not what was written: event 1" in said.err
    assert "deskcrew verify" in said.err


@pytest.mark.parametrize(
    "forged",
    [EDIT, END, "UPDATE runs SET outcome = 'failed'", "DELETE FROM events WHERE number = 3"],
    ids=["an event", "the end", "the list of runs", "one less"],
)
def test_the_list_of_runs_claims_no_outcome_of_a_record_that_does_not_verify(cli: Cli, data: Path, forged: str) -> None:
    at = ("--data", str(data))
    whole = cli("runs", *at).out
    assert "record" not in whole
    changed(data, forged)
    listed = cli("runs", *at).out
    assert "record changed" in listed
    assert "is not what was written. See: deskcrew verify RUN" in listed
    assert cli("verify", "last", *at).code == 4


def test_what_the_list_of_runs_does_not_check_its_help_names_and_verify_checks(cli: Cli, data: Path) -> None:
    at = ("--data", str(data))
    changed(data, "UPDATE blobs SET data = CAST('other' AS BLOB)")
    assert "record changed" not in cli("runs", *at).out
    assert "`deskcrew verify RUN` does" in " ".join(cli("runs", "--help").out.split())
    said = cli("verify", "last", *at)
    assert (said.code, "is changed" in said.out) == (4, True)


def test_verify_says_nothing_of_proof_where_there_is_none(cli: Cli, data: Path) -> None:
    at = ("--data", str(data))
    whole = cli("verify", "last", *at)
    assert (whole.code, "nothing was changed" in whole.out) == (0, True)
    changed(data, EDIT)
    said = cli("verify", "last", *at)
    assert said.code == 4
    assert "nothing was changed" not in said.out
    assert "What this proves" not in said.out
    assert "is not what was written" in said.out
    value = cli("verify", "last", "--json", *at).json
    assert (value["holds"], value["proves"]) == (False, "")


def test_many_problems_are_counted(cli: Cli, data: Path, run: Journal) -> None:
    changed(data, "UPDATE events SET header = json_set(header, '$.time', 1.0)")
    said = cli("verify", "last", "--data", str(data))
    problems = cli("verify", "last", "--json", "--data", str(data)).json["problems"]
    assert len(problems) == len(run.all)
    assert said.out.count("its id does not match") == 5
    assert f"and {len(problems) - 5} more" in said.out


def test_an_event_that_is_missing_is_a_damaged_record(cli: Cli, data: Path) -> None:
    changed(data, "DELETE FROM events WHERE number = 12")
    at = ("--data", str(data))
    said = cli("log", "last", *at)
    assert said.code == 4
    assert "not what was written" in said.err
    assert "deskcrew verify 0101-000000-aaaa" in said.err
    assert cli("verify", "last", *at).out.count("✗") == 2


def test_log_by_prefix_and_what_it_says_otherwise(cli: Cli, data: Path, store: Store) -> None:
    write(store, "0101-000000-bbbb", [started("other")])
    at = ("--data", str(data))
    assert "task Say what" in cli("log", "0101-000000-a", *at).out
    for wrong, words in (("nope", "There is no run 'nope'"), ("0101", "More than one run starts with '0101'")):
        said = cli("log", wrong, *at)
        assert said.code == 2
        assert words in said.err
        assert said.out == ""


def test_hostile_text_stays_text(cli: Cli, data: Path, store: Store) -> None:
    bodies = [started("[red]x[/red] [/] \x1b]0;owned\x07"), e.HumanSaid(kind="guide", text="[link=x]\x1b[2J", role="[b]")]
    write(store, "hostile", bodies)
    for command in (("log", "hostile"), ("runs",), ("show", "hostile", "1"), ("show", "hostile", "2")):
        said = cli(*command, "--data", str(data))
        assert said.code == 0
        assert "\x1b" not in said.out
        assert "\x07" not in said.out
    assert "[red]x[/red] [/] ␛]0;owned␇" in cli("log", "hostile", "--data", str(data)).out
    assert "[red]x[/red]" in cli("runs", "--data", str(data)).out


def test_runs_newest_first_with_outcome(cli: Cli, data: Path, store: Store) -> None:
    write(store, "b-failed", [started("second"), e.RunFinished(outcome=Outcome(status="failed"))])
    write(store, "c-open", [started("third")])
    lines = cli("runs", "--data", str(data)).out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == ["c-open", "b-failed", "0101-000000-aaaa"]
    assert "interrupted" in lines[0]
    assert "failed" in lines[1]
    assert "Say what 6 * 7 is" in lines[2]
    found = cli("runs", "--json", "--limit", "2", "--data", str(data)).json["runs"]
    assert [(row["run"], row["outcome"]) for row in found] == [("c-open", None), ("b-failed", "failed")]


def test_done_by_a_weak_check_is_listed_as_such(cli: Cli, data: Path, store: Store) -> None:
    for name, strength in (("b-loose", Strength(loose=("a.txt, changed",))), ("c-unread", Strength(unread=("a.txt",)))):
        write(store, name, [started(name), e.RunFinished(outcome=Outcome(status="done", strength=strength))])
    lines = cli("runs", "--data", str(data)).out.splitlines()[1:]
    assert ["done (weak check)" in line for line in lines] == [True, True, False]
    rows = cli("runs", "--json", "--data", str(data)).json["runs"]
    assert [(row["status"], row["weak"]) for row in rows] == [("done", True), ("done", True), ("done", False)]


def test_a_run_that_is_at_work_is_not_said_to_be_killed_or_cut_off(cli: Cli, data: Path, store: Store) -> None:
    journal = store.create(started("x"), run="b-open")
    journal.append(e.HumanSaid(kind="guide", text="go on"))
    journal.commit()
    with store.journal("b-open").claimed():
        log = cli("log", "b-open", "--data", str(data)).out
        verified = cli("verify", "b-open", "--data", str(data)).out
    assert "none yet: it is still running" in line_with(log, "outcome")
    assert "killed" not in log
    assert "deskcrew resume" not in log
    assert "It is still running: " in verified
    assert "cut off" not in verified
    assert "its process was killed" in cli("log", "b-open", "--data", str(data)).out


def test_a_list_that_is_cut_off_says_so(cli: Cli, data: Path, store: Store) -> None:
    for name in ("b-second", "c-third"):
        write(store, name, [started(name)])
    assert "older" not in cli("runs", "--limit", "3", "--data", str(data)).out
    cut = cli("runs", "--limit", "2", "--data", str(data))
    assert "There are older runs: --limit 4 lists more." in cut.out
    assert "0101-000000-aaaa" not in cut.out
    assert len(cli("runs", "--limit", "2", "--json", "--data", str(data)).json["runs"]) == 2


def test_no_runs_at_all(cli: Cli, tmp_path: Path) -> None:
    empty = ("--data", str(tmp_path))
    assert "No runs yet" in cli("runs", *empty).out
    assert cli("runs", "--json", *empty).json == {"runs": []}
    nowhere = ("--data", str(tmp_path / "nowhere"))
    assert "the folder does not exist" in cli("runs", *nowhere).err
    (tmp_path / "file").touch()
    assert "not a folder" in cli("runs", "--data", str(tmp_path / "file")).err
    said = cli("log", "last", *nowhere)
    assert said.code == 2
    assert "There are no runs" in said.err
    assert not (tmp_path / "nowhere").exists()


def test_runs_fit_a_terminal_of_80_columns(cli: Cli, data: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, "0101-000000-long", [started("Count the lines of every table in the folder, " * 8)])
    monkeypatch.setenv("COLUMNS", "80")
    said = cli("runs", "--data", str(data)).out
    lines = said.splitlines()
    assert max(map(len, lines)) <= 80
    place = next(number for number, line in enumerate(lines) if "0101-000000-long" in line)
    assert "interrupted" in lines[place]
    assert "Count the lines of every" in lines[place]
    assert lines[place + 1].rstrip().endswith("…")
    assert sum("table" in line or "lines" in line for line in lines) <= 2
    assert "model" not in lines[0]


def test_a_run_that_was_gone_back_in_is_said_to_wait(cli: Cli, data: Path, store: Store) -> None:
    write(store, "0101-000000-back", [started("x"), e.Rewound()])
    assert "waiting" in line_with(cli("runs", "--data", str(data)).out, "0101-000000-back")
    assert "deskcrew resume 0101-000000-back" in cli("log", "0101-000000-back", "--data", str(data)).out


def test_an_empty_name_is_no_run(cli: Cli, data: Path) -> None:
    said = cli("log", "", "--data", str(data))
    assert (said.code, said.out) == (2, "")
    assert "name of the run is empty" in said.err


def test_an_error_is_an_object_where_objects_are_wanted(cli: Cli, data: Path) -> None:
    for arguments in (("log", "nosuch"), ("run", "")):
        said = cli(*arguments, "--json", "--data", str(data))
        assert said.code == 2
        assert said.json["error"] in said.err
        assert said.json["hint"] in said.err


@pytest.fixture
def at_once(store: Store) -> tuple[Journal, dict[str, int]]:
    journal = store.create(started("Write both files"), run="at-once")
    return journal, two_at_once(journal)


def test_log_has_each_lane_in_one_piece(cli: Cli, data: Path, at_once: tuple[Journal, dict[str, int]]) -> None:
    journal, numbers = at_once
    reply(journal, "1", journal.event(numbers["called 1"]), numbers)
    journal.commit()
    said = cli("log", "at-once", "--data", str(data))
    lines = said.out.splitlines()
    assert line_with(said.out, f"#{numbers['opened']} at once 1, 2 of the plan")
    for part in "12":
        head = line_with(said.out, f"subtask {part} ")
        replied = line_with(said.out, f"#{numbers[f'replied {part}']} ", "● FileManager")
        proposed = line_with(said.out, f"#{numbers[f'proposed {part}']} ")
        at = lines.index(head)
        assert lines[at : at + 3] == [head, replied, proposed]
        assert indent(head) < indent(replied) < indent(proposed)


def test_a_lane_that_waits_for_its_reply_was_not_left_without_one(
    cli: Cli, data: Path, at_once: tuple[Journal, dict[str, int]]
) -> None:
    journal, _ = at_once
    assert totals(journal.events).unanswered == 0
    journal.append(e.RunInterrupted(error="killed"))
    assert totals(journal.events).unanswered == 1


def test_a_run_that_is_not_there_is_answered_with_the_nearest_and_a_start_of_several_with_all(
    cli: Cli, data: Path, store: Store
) -> None:
    at = ("--data", str(data))
    write(store, "0101-000000-aaab", ordinary_run())
    assert "Did you mean 'last'?" in cli("log", "lst", *at).err
    assert "Did you mean '0101-000000-aaab'?" in cli("log", "0101-000000-aabb", *at).err
    assert "0101-000000-aaaa, 0101-000000-aaab" in cli("log", "0101", *at).err


def test_one_event_is_not_called_events(cli: Cli, store: Store, data: Path) -> None:
    write(store, "0102-000000-bbbb", [started()])
    assert "holds: 1 event, 0 blobs." in cli("verify", "0102-000000-bbbb", "--data", str(data)).out
