"""Taking save points: everything that is kept, everything that is not and is named, and what is read for it."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from deskcrew.environments.manifest import Manifest
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import EnvironmentFailure
from support.folders import Blobs


def points(root: Path, **options: int) -> tuple[SavePoints, Blobs]:
    blobs = Blobs()
    return SavePoints(root, blobs.put, blobs.__getitem__, **options), blobs


def settle() -> None:
    """Let files grow older than what is read anew to be sure."""
    time.sleep(0.06)


def test_every_kind_is_kept_exactly(tmp_path: Path) -> None:
    (tmp_path / "d" / "empty").mkdir(parents=True)
    (tmp_path / "d" / "f\n").write_bytes(b"\0\xff")
    os.chmod(tmp_path / "d" / "f\n", 0o4751)
    os.utime(tmp_path / "d" / "f\n", ns=(5, 1_000_000_001))
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / ".trash").mkdir()
    odd = os.fsdecode(b"\xff\xfe")
    (tmp_path / odd).write_bytes(b"x")
    keeper, blobs = points(tmp_path)
    taken = keeper.take()
    found = taken.manifest.by_path
    assert set(found) == {"", "d", "d/empty", "d/f\n", "out", "dangling", ".trash", odd}
    assert found["d/f\n"][1:5] == ("file", 0o751, 1_000_000_001, 2)
    assert blobs[found["d/f\n"].digest] == b"\0\xff"
    assert (found["out"].kind, found["out"].target) == ("link", "/etc")
    assert taken.unsaved == ()
    assert taken.read == 2
    assert keeper.armed == {"d/f\n"}
    assert Manifest.from_bytes(blobs[taken.digest]) == taken.manifest


def test_unchanged_files_are_not_read_again_and_the_same_state_is_one_blob(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / str(number)).write_text(str(number))
    settle()
    keeper, blobs = points(tmp_path)
    first = keeper.take()
    count = len(blobs.puts)
    second = keeper.take()
    assert (first.read, second.read) == (5, 0)
    assert second[:2] == first[:2]
    assert len(blobs.puts) == count


def test_a_change_that_hides_its_size_and_time_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    settle()
    keeper, blobs = points(tmp_path)
    keeper.take()
    status = path.stat()
    path.write_text("new")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert blobs[keeper.take().manifest.by_path["f"].digest] == b"new"


def test_folders_that_change_places_are_read(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(name)
        os.utime(tmp_path / name / "f", ns=(1, 1))
    settle()
    keeper, blobs = points(tmp_path)
    keeper.take()
    os.rename(tmp_path / "a", tmp_path / "c")
    os.rename(tmp_path / "b", tmp_path / "a")
    assert blobs[keeper.take().manifest.by_path["a/f"].digest] == b"b"


def test_a_file_read_right_after_it_was_written_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    keeper, _ = points(tmp_path)
    keeper.take()
    assert keeper.take().read == 1


def test_what_cannot_be_kept_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe\n")
    (tmp_path / "large").write_bytes(b"12345")
    (tmp_path / "fits").write_bytes(b"1234")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
    keeper, blobs = points(tmp_path, largest=4)
    taken = keeper.take()
    assert taken.unsaved == ("large", "pipe\\n", "s")
    assert b"12345" not in blobs.values()
    assert taken.manifest.by_path["large"].size == 5


def test_the_users_own_repository_is_not_looked_into(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nested"):
        (place / ".git").mkdir(parents=True)
        (place / ".git" / "HEAD").write_text("x")
    keeper, _ = points(tmp_path)
    assert [entry.path for entry in keeper.take().manifest.entries] == ["", "nested", "nested/.git", "nested/.git/HEAD"]


def test_a_folder_too_deep_is_named_not_entered(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(250):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    keeper, blobs = points(tmp_path)
    taken = keeper.take()
    assert len(taken.unsaved) == 1
    assert Manifest.from_bytes(blobs[taken.digest]) == taken.manifest


def test_hard_links_are_files_of_their_own_and_holes_are_zeros(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    os.link(tmp_path / "a", tmp_path / "b")
    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", 100_000)
    keeper, blobs = points(tmp_path)
    found = keeper.take().manifest.by_path
    assert found["a"].digest == found["b"].digest
    assert blobs[found["sparse"].digest] == bytes(100_000)


def test_no_workspace_is_an_error_for_a_person(tmp_path: Path) -> None:
    keeper, _ = points(tmp_path / "gone")
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        keeper.take()


def test_forgetting_reads_and_keeps_everything_again(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    settle()
    keeper, blobs = points(tmp_path)
    taken = keeper.take()
    blobs.clear()
    keeper.forget()
    assert keeper.take() == taken
    assert blobs[taken.digest] == taken.manifest.to_bytes()
