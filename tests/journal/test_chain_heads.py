"""What verifying reads, every blob, and what it goes by that is no part of the journal: the last events noted beside it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from deskcrew.environments.manifest import Manifest
from deskcrew.facts.canonical import canonical
from deskcrew.facts.events import HumanSaid, Saved
from deskcrew.journal.exporting import export
from deskcrew.journal.importing import read_export
from deskcrew.journal.journal import Journal
from deskcrew.journal.removing import remove
from deskcrew.journal.store import Store
from deskcrew_bench.cassettes import CASES, make
from support.bodies import ordinary_run, started

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def sql(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """As somebody with the file and no Deskcrew does it."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        rows = connection.execute(statement, values).fetchall()
    connection.close()
    return rows


def finished(path: Path, run: str = "run-1") -> Journal:
    """A run that has ended. Its role and crew files, and the blobs of its save point, are there."""
    first, *rest = ordinary_run()
    store = Store(path)
    journal = store.create(first.model_copy(update={"files": {}, "policy": ""}), run=run)
    blobs = {"observed": "observation", "role_replied": "raw", "saved": "manifest", "file_read": "text"}
    blobs |= {"picture_read": "picture", "point_found": "picture"}
    for body in rest:
        update = {blobs[body.type]: journal.blob("[]")} if body.type in blobs else {}
        journal.append(body.model_copy(update=update))
    journal.close()
    return journal


async def test_whichever_blob_of_a_recorded_run_is_changed_verifying_names_it(tmp_path: Path) -> None:
    journal = await make(next(case for case in CASES if case.name.startswith("rewound")), tmp_path)
    path, run = journal.path, journal.run
    assert Store(path).verified(run).problems == ()
    blobs = sql(path, "SELECT digest, data FROM blobs")
    assert len(blobs) > 20
    unseen: list[object] = []
    for digest, data in blobs:
        assert isinstance(data, bytes)
        changed = bytes([data[0] ^ 1]) + data[1:] if data else b"x"
        sql(path, "UPDATE blobs SET data = ? WHERE digest = ?", changed, digest)
        if not any(str(digest)[:12] in problem for problem in Store(path).verified(run).problems):
            unseen.append(digest)
        sql(path, "UPDATE blobs SET data = ? WHERE digest = ?", data, digest)
    assert unseen == []
    assert Store(path).verified(run).blobs == len(blobs)


async def test_a_file_of_a_save_point_that_is_gone_is_missing(tmp_path: Path) -> None:
    journal = await make(next(case for case in CASES if case.name.startswith("rewound")), tmp_path)
    manifests = [event.body.manifest for event in journal.all if isinstance(event.body, Saved)]
    contents = {
        entry.digest for each in manifests for entry in Manifest.from_bytes(journal.read_blob(each)).entries if entry.digest
    }
    assert contents
    for digest in contents:
        [(data,)] = sql(journal.path, "SELECT data FROM blobs WHERE digest = ?", digest)
        sql(journal.path, "DELETE FROM blobs WHERE digest = ?", digest)
        assert any(
            digest[:12] in problem and "missing" in problem for problem in Store(journal.path).verified(journal.run).problems
        )
        sql(journal.path, "INSERT INTO blobs VALUES (?, ?)", digest, data)


def test_an_end_that_was_cut_off_is_found_though_the_journal_agrees_with_itself(tmp_path: Path) -> None:
    journal = finished(tmp_path / "journal.db")
    last, before = journal.all[-1], journal.all[-2]
    sql(journal.path, "DELETE FROM events WHERE id = ?", last.id)
    sql(journal.path, "UPDATE runs SET head = ?", before.id)
    problems = Store(journal.path).verified("run-1").problems
    assert problems == (f"event {last.number} is missing: it was noted as the run's last one",)


@pytest.mark.parametrize("said", ["failed", "interrupted", None])
def test_another_outcome_in_the_list_of_runs_is_found(tmp_path: Path, said: str | None) -> None:
    journal = finished(tmp_path / "journal.db")
    ended = sql(journal.path, "SELECT outcome FROM runs")[0][0]
    assert ended == "done"
    sql(journal.path, "UPDATE runs SET outcome = ?", said)
    assert Store(journal.path).verified("run-1").problems == (
        f"the list of runs says {said or 'no outcome'}, its events done",
    )


@pytest.mark.parametrize("column", ["task", "crew", "model"])
def test_another_task_crew_or_model_in_the_list_of_runs_is_found(tmp_path: Path, column: str) -> None:
    journal = finished(tmp_path / "journal.db")
    sql(journal.path, f"UPDATE runs SET {column} = ?", "forged")
    [problem] = Store(journal.path).verified("run-1").problems
    assert problem.startswith(f"the list of runs says 'forged' for its {column}, its first event '")


def test_a_journal_that_was_made_anew_with_another_end_is_found(tmp_path: Path) -> None:
    journal = finished(tmp_path / "journal.db")
    last = journal.all[-1]
    [(header, body)] = sql(journal.path, "SELECT header, body FROM events WHERE id = ?", last.id)
    forged = json.loads(str(body))
    forged["outcome"]["why"] = "All of it was done"
    digest = hashlib.sha256(canonical(forged)).hexdigest()
    parts = str(last.header.parent).encode(), canonical(json.loads(str(header))), digest.encode()
    id_ = hashlib.sha256(b"\x00".join(parts)).hexdigest()
    sql(
        journal.path, "UPDATE events SET id = ?, digest = ?, body = ? WHERE id = ?", id_, digest, json.dumps(forged), last.id
    )
    sql(journal.path, "UPDATE runs SET head = ?", id_)
    store = Store(journal.path)
    assert [problem for problem in store.verified("run-1").problems if "differs from the one noted" in problem]
    # Whoever makes the notes agree as well is found out by what was kept elsewhere.
    (tmp_path / "heads").unlink()
    assert [problem for problem in store.verified("run-1", head=last.id).problems if "kept as its last one" in problem]
    assert store.verified("run-1", head=id_).problems == ()


def test_the_last_event_is_noted_when_a_run_ends_or_is_left_and_for_its_owner_alone(tmp_path: Path) -> None:
    journal = finished(tmp_path / "journal.db")
    left = Store(tmp_path / "journal.db").create(started(), run="run-2")
    left.append(HumanSaid(kind="guide", text="x"))
    left.close()
    left.close()
    noted = [json.loads(line) for line in (tmp_path / "heads").read_text().splitlines()]
    assert [(line["run"], line["events"], line["head"], line["why"]) for line in noted] == [
        ("run-1", len(journal.all), journal.all[-1].id, "finished"),
        ("run-2", 2, left.all[-1].id, "left"),
    ]
    assert stat.S_IMODE((tmp_path / "heads").stat().st_mode) == 0o600


def test_a_run_that_goes_on_is_verified_by_what_was_noted_before(tmp_path: Path) -> None:
    store = Store(tmp_path / "journal.db")
    journal = store.create(started(), run="run-1")
    journal.close()
    again = store.journal("run-1")
    again.append(HumanSaid(kind="guide", text="x"))
    again.commit()
    assert store.verified("run-1").problems == ()
    assert store.verified("run-1").noted == 2


def test_removing_and_importing_keep_the_notes_right(tmp_path: Path) -> None:
    journal = finished(tmp_path / "journal.db")
    export(journal, tmp_path / "run.zip")
    store = Store(tmp_path / "journal.db")
    remove(store, ["run-1"])
    shorter = store.create(started(), run="run-1")
    shorter.close()
    assert store.verified("run-1").problems == ()

    there = Store(tmp_path / "there" / "journal.db")
    read_export(tmp_path / "run.zip", there)
    sql(there.path, "DELETE FROM events WHERE id = ?", journal.all[-1].id)
    sql(there.path, "UPDATE runs SET head = ?", journal.all[-2].id)
    assert there.verified("run-1").problems


def test_a_torn_line_takes_no_other_with_it(tmp_path: Path) -> None:
    (tmp_path / "heads").write_text('{"run":"run-1","even')
    journal = finished(tmp_path / "journal.db")
    sql(journal.path, "DELETE FROM events WHERE id = ?", journal.all[-1].id)
    sql(journal.path, "UPDATE runs SET head = ?", journal.all[-2].id)
    assert Store(journal.path).verified("run-1").problems


_NOTES = """
import sys
from pathlib import Path
from deskcrew.journal.chain_heads import Heads
for number in range(1, 61):
    Heads(Path(sys.argv[1])).add(sys.argv[2], number, f"{number:064x}", "left")
"""


def test_two_processes_that_note_at_once_lose_no_line(tmp_path: Path) -> None:
    runs = ("run-1", "run-2")
    both = [subprocess.Popen([sys.executable, "-c", _NOTES, str(tmp_path / "journal.db"), run]) for run in runs]
    assert [process.wait(120) for process in both] == [0, 0]
    lines = [json.loads(line) for line in (tmp_path / "heads").read_text().splitlines()]
    for run in runs:
        assert [line["events"] for line in lines if line["run"] == run] == list(range(1, 61))
