"""``deskcrew remove``: runs for good, and nothing of the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.conftest import Cli, write
from deskcrew.environments.save_point import SavePoints
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.learning.memory.entry import Entry, entry_id
from deskcrew.learning.memory.store import Memory
from deskcrew.learning.skills.trials import Trial, Trials
from deskcrew.settings import Settings
from deskcrew.ways_in.cli import runs
from support.bodies import started

BIG = bytes(range(256)) * 4096


def kept(store: Store, run: str, folder: Path) -> Journal:
    """A run with a save point of ``folder``."""
    journal = store.create(started("keep").model_copy(update={"workspace": str(folder)}), run=run)
    taken = SavePoints(folder, journal.blob, journal.read_blob).take()
    journal.append(e.Saved(manifest=taken.digest, files=taken.manifest.files))
    journal.close()
    return journal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    (place / "shared").write_text("both have this")
    return place


def test_a_run_goes_with_what_only_it_needs(cli: Cli, data: Path, store: Store, folder: Path) -> None:
    kept(store, "one", folder)
    (folder / "big").write_bytes(BIG)
    kept(store, "two", folder)
    said = cli("remove", "two", "--yes", "--json", "--data", str(data))
    assert said.code == 0
    assert (said.json["runs"], said.json["events"], said.json["blobs"]) == (["two"], 2, 2)  # a manifest and a file
    assert said.json["freed"] > len(BIG) // 2
    assert said.json["workspaces"] == [str(folder)]
    assert (folder / "big").exists()
    assert [row["run"] for row in cli("runs", "--json", "--data", str(data)).json["runs"]] == ["one"]
    left = store.journal("one")
    assert left.verify() == []
    points = SavePoints(folder, left.blob, left.read_blob)
    assert points.get(points.look()[0].by_path["shared"].digest) == b"both have this"


def test_runs_of_long_ago(cli: Cli, data: Path, store: Store) -> None:
    write(store, "new", [started("x")])
    assert cli("remove", "--older-than", "1", "--yes", "--json", "--data", str(data)).json["runs"] == []
    said = cli("remove", "--older-than", "0", "--yes", "--data", str(data))
    assert "Removed 1 run with 1 event" in said.out
    assert not cli("runs", "--json", "--data", str(data)).json["runs"]


def test_a_run_that_a_process_is_at_stays(cli: Cli, data: Path, store: Store) -> None:
    going = write(store, "going", [started("x")])
    write(store, "over", [started("x")])
    going.blob(b"kept before an event names it")
    going.commit()
    with going.alone():
        said = cli("remove", "over", "going", "--yes", "--data", str(data))
        assert (said.code, "running in another process" in said.err) == (2, True)
        assert len(store.runs()) == 2
        said = cli("remove", "--older-than", "0", "--yes", "--json", "--data", str(data))
        assert (said.json["runs"], said.json["blobs"], said.json["going"]) == (["over"], 0, "going")
    said = cli("remove", "going", "--yes", "--json", "--data", str(data))
    assert (said.json["runs"], said.json["blobs"], said.json["going"]) == (["going"], 1, "")


def test_nobody_is_there_to_ask(cli: Cli, data: Path, store: Store) -> None:
    write(store, "one", [started("x")])
    for arguments, words in (
        (("one",), "nobody to ask"),
        ((), "Say which runs"),
        (("",), "is empty"),
        (("b",), "no run"),
    ):
        said = cli("remove", *arguments, "--data", str(data))
        assert said.code == 2
        assert words in said.err
    assert len(store.runs()) == 1


def test_a_run_that_cannot_be_read_can_be_removed(cli: Cli, data: Path, store: Store) -> None:
    write(store, "broken", [started("x")])
    with store.database.writing() as connection:
        connection.exec_driver_sql("update events set body = 'nonsense'")
    assert cli("remove", "broken", "--yes", "--json", "--data", str(data)).json["runs"] == ["broken"]


def taught(data: Path, run: str) -> None:
    """What a run leaves behind: an episode, a failure that counts in a role's record, a fact that it proposes, a fact that
    the user has accepted, and a skill's result."""
    memory = Memory(Settings(data=data).remembered)
    entries = [
        Entry(id=entry_id(run, verdict), situation=f"{run} {verdict}", verdict=verdict, run=run, created=1.0, **more)
        for verdict, more in (
            ("proven", {"role": "Operator"}),
            ("failed", {"role": "Operator"}),
            ("proposed", {"kind": "fact", "withdrawn": "proposed"}),
            ("declared", {"kind": "fact"}),
        )
    ]
    memory.settle(run, entries, "")
    memory.begin(f"{run}-again", "")
    memory.close()
    Trials(settings_of(data).data).add("skill", Trial(run=run, input=run, done=True))


def settings_of(data: Path) -> Settings:
    return Settings(data=data)


def remembered(data: Path) -> list[str]:
    memory = Memory(Settings(data=data).remembered)
    try:
        return sorted(entry.situation for entry in memory.all(withdrawn=True))
    finally:
        memory.close()


def test_what_a_run_taught_goes_with_it_and_what_others_taught_stays(cli: Cli, data: Path, store: Store) -> None:
    for run in ("one", "two"):
        write(store, run, [started("x")])
        taught(data, run)
    trials = Trials(settings_of(data).data)
    assert trials.score("skill") == 8
    said = cli("remove", "one", "--yes", "--data", str(data))
    assert "Also removed what they taught: 3 lessons of memory, 1 result of skills." in said.out
    assert remembered(data) == ["one declared", "two declared", "two failed", "two proposed", "two proven"]
    assert [trial.run for trial in trials.of("skill")] == ["two"]
    assert trials.score("skill") == 5
    said = cli("remove", "two", "--yes", "--keep-learned", "--json", "--data", str(data))
    assert (said.json["memories"], said.json["trials"]) == (0, 0)
    assert "two proven" in remembered(data)
    assert trials.score("skill") == 5


def test_what_the_journal_takes_is_shown_and_what_a_removal_would_free(
    cli: Cli, data: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run, extra in (("large", BIG), ("small", b"x")):
        journal = store.create(started("x"), run=run)
        journal.append(e.Observed(observation=journal.blob("{}"), screenshot=journal.blob(extra)))
        journal.close()
    store.close()
    said = cli("runs", "--sizes", "--data", str(data))
    assert re.search(r"^large +1\.0 MB ", said.out, flags=re.MULTILINE)
    assert re.search(r"The journal takes [1-9]\.\d MB on disk: `deskcrew remove RUN` frees", said.out)
    assert "takes" not in cli("runs", "--data", str(data)).out
    assert "This run takes 1.0 MB in the journal." in cli("show", "large", "1", "--data", str(data)).out
    assert cli("show", "large", "1", "--json", "--data", str(data)).json["size"]["alone"] > len(BIG)

    def doctor() -> str:
        checks = cli("doctor", "--json", "--data", str(data)).json["checks"]
        return next(each["text"] for each in checks if each["name"] == "journal")

    assert doctor().endswith("for 2 runs"), "nobody need free so little"
    monkeypatch.setattr(runs, "LARGE", len(BIG) - 1)
    assert "for 2 runs; large alone takes 1.0 MB (free it: deskcrew remove large)" in doctor()


def test_a_picture_of_two_runs_is_kept_once_and_stays_with_the_other(cli: Cli, data: Path, store: Store) -> None:
    picture = BIG
    for run in ("one", "two"):
        journal = store.create(started("x"), run=run)
        for _ in range(3):
            journal.append(e.Observed(observation=journal.blob("{}"), screenshot=journal.blob(picture)))
        journal.close()
    store.close()
    assert sum(path.stat().st_size for path in data.rglob("*") if path.is_file()) < 2 * len(picture)
    listed = cli("runs", "--sizes", "--json", "--data", str(data)).json["runs"]
    assert all(row["bytes"] > len(picture) for row in listed)
    assert all(row["alone"] < 10_000 for row in listed), "removing one frees nothing that the other needs"
    cli("remove", "one", "--yes", "--data", str(data))
    left = Store(data / "journal.db").journal("two")
    assert left.read_blob(left.events[1].body.screenshot) == picture  # type: ignore[union-attr]
    assert left.verify() == []
