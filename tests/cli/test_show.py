"""``deskcrew show``: what is exactly behind an event."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import PICTURE, Cli, number_of, write
from deskcrew.facts import events as e
from deskcrew.facts.contract import Proof, Strength
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from support.at_once import reply, two_at_once
from support.bodies import started


@pytest.mark.deep
def test_every_event_can_be_shown(cli: Cli, data: Path, run: Journal) -> None:
    for event in run.events:
        said = cli("show", "last", str(event.number), "--data", str(data))
        assert said.code == 0
        assert event.header.type in said.out
        assert event.id in said.out
        found = cli("show", "last", f"#{event.number}", "--json", "--data", str(data)).json
        assert found["event"] == json.loads(event.model_dump_json())


def test_the_prompt_part_by_part(cli: Cli, data: Path, run: Journal) -> None:
    number = number_of(run, e.RoleCalled, role="Programmer")
    said = cli("show", "last", str(number), "--prompt", "--data", str(data)).out
    order = [said.index(part) for part in ("── stable ──", "You are the Programmer.", "── volatile ──", "── task ──")]
    assert order == sorted(order)
    assert f"[picture, {len(PICTURE)} bytes" in said
    assert "Say what [red]6 * 7[/red] is␛]0;owned␇" in said
    assert '{"type": "object"}' in said
    assert "up to 400 tokens" in said


def test_the_prompt_as_json_is_exact(cli: Cli, data: Path, run: Journal) -> None:
    number = number_of(run, e.RoleCalled, role="Programmer")
    found = cli("show", "last", str(number), "--prompt", "--json", "--data", str(data)).json["prompt"]
    assert found["parts"][2]["text"] == "Say what [red]6 * 7[/red] is\x1b]0;owned\x07"
    assert found["parts"][1] == {
        "zone": "volatile",
        "kind": "image",
        "blob": found["parts"][1]["blob"],
        "bytes": len(PICTURE),
    }
    assert found["role"] == "Programmer"


def test_a_replys_prompt_is_its_own_call(cli: Cli, data: Path, run: Journal) -> None:
    reply = number_of(run, e.RoleReplied, role="Planner")
    call = number_of(run, e.RoleCalled, role="Planner")
    assert cli("show", "last", str(reply), "--prompt", "--json", "--data", str(data)).json["prompt"]["number"] == call


def test_a_calls_reply_comes_after_it(cli: Cli, data: Path, run: Journal) -> None:
    call, reply = number_of(run, e.RoleCalled, nth=1), number_of(run, e.RoleReplied, nth=1)
    found = cli("show", "last", str(call), "--reply", "--json", "--data", str(data)).json["reply"]
    assert found["number"] == reply
    assert found["raw"] == '{"message": "raw text"}'
    said = cli("show", "last", str(call), "--reply", "--data", str(data)).out
    assert "malformed: not JSON" in said
    assert '{"message": "raw text"}' in said


def test_the_observation_in_words(cli: Cli, data: Path, run: Journal) -> None:
    number = number_of(run, e.Observed) + 2
    said = cli("show", "last", str(number), "--observation", "--data", str(data)).out
    for part in ("1280 x 800", "notes.txt - Mousepad", "(active)", "e1", "'6 * 7'", "button 'Save'", "may be: click"):
        assert part in said
    assert "notes.txt  1.2 kB" in said
    assert "old/" in said
    found = cli("show", "last", str(number), "--observation", "--json", "--data", str(data)).json["observation"]
    assert found["number"] == number_of(run, e.Observed)
    assert found["controls"][0]["label"] == "e1"


def test_the_screenshot_is_written_to_a_file(cli: Cli, data: Path, run: Journal, tmp_path: Path) -> None:
    target = tmp_path / "look.png"
    said = cli("show", "last", str(number_of(run, e.Observed)), "--screenshot", str(target), "--data", str(data))
    assert said.code == 0
    assert target.read_bytes() == PICTURE
    assert str(target) in said.out
    said = cli("show", "last", "5", "--screenshot", str(tmp_path / "no" / "x.png"), "--data", str(data))
    assert said.code == 2
    assert "cannot be written" in said.err


def test_marks_need_a_screenshot(cli: Cli, data: Path, run: Journal) -> None:
    said = cli("show", "last", "5", "--marks", "--data", str(data))
    assert said.code == 2
    assert "--screenshot" in said.err


@pytest.mark.parametrize("wrong", ["0", "99", "-1", "x", "#", "²", "1.5"])
def test_an_event_that_is_not_there(cli: Cli, data: Path, run: Journal, wrong: str) -> None:
    said = cli("show", "--data", str(data), "--", "last", wrong)
    assert said.code == 2
    assert f"1 to {len(run.events)}" in said.err


@pytest.mark.parametrize(
    ("option", "what"), [(("--prompt",), "prompt"), (("--reply",), "reply"), (("--observation",), "observation")]
)
def test_what_was_not_yet_there(cli: Cli, data: Path, store: Store, option: tuple[str], what: str) -> None:
    write(store, "short", [started()])
    said = cli("show", "short", "1", *option, "--data", str(data))
    assert said.code == 2
    assert f"There is no {what} at or before event 1" in said.err
    assert cli("show", "short", "1", "--screenshot", "x.png", "--data", str(data)).code == 2


def test_the_events_that_have_a_prompt_are_named_where_there_is_none_yet(cli: Cli, data: Path, store: Store) -> None:
    write(store, "two", [started(), e.RoleCalled(role="Planner"), started(), e.RoleCalled(role="Worker")])
    said = cli("show", "two", "1", "--prompt", "--data", str(data))
    assert said.code == 2
    assert "These events have one: 2, 4." in said.err


def test_a_call_without_a_reply(cli: Cli, data: Path, store: Store) -> None:
    write(store, "cut", [started(), e.RoleCalled(role="Planner")])
    said = cli("show", "cut", "2", "--reply", "--data", str(data))
    assert said.code == 2
    assert "No reply" in said.err


def test_a_lost_blob_is_said(cli: Cli, data: Path, store: Store) -> None:
    write(store, "lost", [started(), e.Observed(observation="0" * 64)])
    said = cli("show", "lost", "2", "--observation", "--data", str(data))
    assert said.code == 4
    assert "lost a blob" in said.err
    assert "Traceback" not in said.err


def test_calls_and_replies_of_lanes_are_told_apart(cli: Cli, data: Path, store: Store) -> None:
    journal = store.create(started(), run="at-once")
    numbers = two_at_once(journal)
    reply(journal, "1", journal.event(numbers["called 1"]), numbers)
    journal.commit()
    for part in "12":
        shown = cli("show", "at-once", str(numbers[f"replied {part}"]), "--prompt", "--data", str(data))
        assert f"prompt of part {part}" in shown.out
        shown = cli("show", "at-once", str(numbers[f"called {part}"]), "--reply", "--data", str(data))
        assert f"reply of part {part}" in shown.out


def test_a_proof_is_shown_in_the_words_of_the_log(cli: Cli, data: Path, store: Store) -> None:
    proof = Proof(requirement="R1", says="a.txt says hello", holds=True, by="rules")
    strength = Strength(tried={"damaged": 2}, loose=("a.txt empty",))
    proved = e.Proved(proofs=(proof,), states=3, strength=strength, rejected=("a.txt without its last line",))
    write(store, "0101-aaaa", [started(), proved])
    said = cli("show", "last", "2", "--data", str(data)).out
    assert "✓ R1 a.txt says hello" in said
    assert "rejected: a.txt without its last line\naccepted: a.txt empty" in said
    assert not any(word in said for word in ("strength", "null", "{"))
