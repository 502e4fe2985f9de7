"""A run's files, from a store and into one: what is there, and nothing else of the machine."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

import pytest

from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.facts.events import Saved
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.places import fetch, put
from support.bodies import started

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", models=tmp_path / "models", config=tmp_path / "config")


@pytest.fixture
def memory() -> str:
    return f"memory://{uuid4().hex}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    return made


def kept(settings: Settings, work: Path) -> Journal:
    """A run that left what is in a folder."""
    settings.data.mkdir(parents=True, exist_ok=True)
    journal = Store.of(settings).create(started(), run="r")
    point = SavePoints(work, journal.blob, journal.read_blob).take()
    journal.append(Saved(manifest=point.digest, files=point.manifest.files))
    journal.commit()
    return journal


def test_a_workspace_comes_from_a_store_and_goes_back_to_one(settings: Settings, memory: str, folder: Path) -> None:
    files = fsspec.filesystem("memory")
    files.pipe({f"{memory}/in/a.txt": b"one", f"{memory}/in/sub/b.bin": b"\x00\xff"})
    fetch(f"{memory}/in", folder, settings)
    assert {path.name: path.read_bytes() for path in folder.rglob("*.*")} == {"a.txt": b"one", "b.bin": b"\x00\xff"}
    (folder / "a.txt").write_text("two")
    journal = kept(settings, folder)
    for _ in range(2):
        assert put(journal, f"{memory}/out/") == 0
    assert files.cat(f"{memory}/out/r/a.txt") == b"two"
    assert files.cat(f"{memory}/out/r/sub/b.bin") == b"\x00\xff"


def test_no_link_is_followed(settings: Settings, tmp_path: Path) -> None:
    work, secret, target = tmp_path / "work", tmp_path / "secret.txt", tmp_path / "out"
    work.mkdir()
    secret.write_text("the user's own")
    os.symlink(secret, work / "link.txt")
    (work / "a.txt").write_text("one")
    assert put(kept(settings, work), str(target)) == 1
    assert [path.name for path in (target / "r").iterdir()] == ["a.txt"]
    inside = tmp_path / "inside"
    inside.mkdir()
    fetch(str(work), inside, settings)
    assert (inside / "link.txt").is_symlink()


def test_what_is_not_there_or_too_much_is_refused(settings: Settings, memory: str, folder: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        fetch(f"{memory}/nowhere", folder, settings)
    with pytest.raises(UsageError, match="There is no folder"):
        fetch(str(folder / "nowhere"), folder, settings)
    with pytest.raises(EnvironmentFailure, match="carrier-pigeon://x/y cannot be used: Protocol not known"):
        fetch("carrier-pigeon://x/y", folder, settings)
    fsspec.filesystem("memory").pipe({f"{memory}/in/{name}": b"x" for name in "abc"})
    with pytest.raises(UsageError, match="more than a workspace may have"):
        fetch(f"{memory}/in", folder, settings.model_copy(update={"workspace_files": 2}))
    assert list(folder.iterdir()) == []


def test_a_place_that_cannot_be_written_to_is_told(settings: Settings, tmp_path: Path) -> None:
    work, target = tmp_path / "work", tmp_path / "out"
    work.mkdir()
    (work / "a.txt").write_text("one")
    target.write_text("a file")
    with pytest.raises(EnvironmentFailure, match="cannot be used"):
        put(kept(settings, work), str(target))
