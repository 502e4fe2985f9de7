"""Runs are listed, sought and counted alike on both kinds of database, whatever stands in their texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.facts import events as e
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.exporting import export
from deskcrew.journal.importing import read_export
from deskcrew.journal.store import Sought, Store
from support.bodies import started
from support.places import Place
from support.servers import PostgresServer


@pytest.fixture
def store(place: Place) -> Store:
    """Two runs that ended, one of them with the character 0 in its texts, one that follows, and one of another crew."""
    store = place.store()
    for run, task, answer in (("a1", "Count the lines", "42 lines"), ("b1", "Write\0 it", "There is no \\u0000 name\0")):
        journal = store.create(started(task), run=run)
        typed = e.Operation(function="keyboard_input", params={"text": f'He said "Sesame {run}"'})
        journal.append(e.RoleReplied(role="Operator", reply={"said": "\0"}, usage=e.Usage(input=7), model="m"))
        journal.append(e.OperationProposed(role="Operator", subtask="", operation=typed))
        journal.append(e.RunFinished(outcome=Outcome(status="done", answer=answer)))
        journal.commit()
    earlier = (e.Earlier(run="x", task="t"), e.Earlier(run="a1", task="t"))
    store.create(started("Count more").model_copy(update={"earlier": earlier}), run="c1")
    store.create(started("Count less").model_copy(update={"crew": "a crew of " + "long name " * 20}), run="d1")
    return store


@pytest.mark.parametrize(
    ("sought", "found"),
    [
        (Sought(), ["d1", "c1", "b1", "a1"]),
        (Sought("count"), ["d1", "c1", "a1"]),
        (Sought("LINES 42"), ["a1"]),
        (Sought("\\u0000 there"), ["b1"]),
        (Sought("c1"), ["c1"]),
        (Sought("%"), []),
        (Sought("sesame"), []),
        (Sought('"sesame', deeds=True), ["b1", "a1"]),
        (Sought(crew="planned", model="scripted"), ["c1", "b1", "a1"]),
    ],
    ids=str,
)
def test_runs_are_found_by_what_they_say(store: Store, sought: Sought, found: list[str]) -> None:
    assert [row.id for row in store.runs(sought=sought)] == found
    assert sum(store.count(sought).values()) == len(found)
    assert [row.id for row in store.runs(sought=sought, limit=-1, skip=1)] == found[1:]


def test_a_line_says_how_a_run_stands_and_what_it_follows(store: Store) -> None:
    assert store.count() == {"done": 2, None: 2}
    assert [row.id for row in store.runs(outcomes=[None])] == ["d1", "c1"]
    row = store.row("c1")
    assert (row.follows, row.last, row.task) == ("a1", "run_started", "Count more")
    assert store.followers(store.row("a1")) == ["c1"]
    crews, models = store.named()
    assert (len(crews), models) == (2, ["scripted"])
    assert max(len(crew) for crew in crews) == 64


def test_the_character_0_comes_back_as_it_was(store: Store) -> None:
    journal = store.journal("b1")
    assert journal.verify() == []
    assert journal.state.started is not None
    assert journal.state.started.task == "Write\0 it"
    assert store.row("b1").task in ("Write\ufffd it", "Write\0 it")
    reading = store.reading("b1")
    assert [spent.input for spent in reading.spending(reading.track()).values()] == [7]


def test_a_run_moves_from_a_file_to_a_server_and_back_and_is_the_same(tmp_path: Path, postgres: PostgresServer) -> None:
    file, back = Place(tmp_path / "file" / "j.db").store(), Place(tmp_path / "back" / "j.db").store()
    server = Place(tmp_path / "server" / "j.db", postgres.journal()).store()
    journal = file.create(started("Write\0 \\u0000 it"), run="r")
    journal.append(e.Observed(observation=journal.blob("what was seen\0")))
    journal.append(e.RunFinished(outcome=Outcome(status="done")))
    journal.close()
    steps = [tmp_path / f"{number}.zip" for number in range(3)]
    for source, target, archive in ((file, server, steps[0]), (server, back, steps[1])):
        export(source.journal("r"), archive)
        assert read_export(archive, target).new
        assert not read_export(archive, target).new
        assert target.row("r").imported
    export(back.journal("r"), steps[2])
    assert len({archive.read_bytes() for archive in steps}) == 1
