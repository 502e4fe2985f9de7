"""``deskcrew remove``: runs for good, and nothing of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Cli, write
from deskcrew import events as e
from deskcrew.environments.save_point import SavePoints
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
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
    assert [row["id"] for row in cli("runs", "--json", "--data", str(data)).json["runs"]] == ["one"]
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
