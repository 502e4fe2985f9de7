"""The workspace: what a look shows, what it costs, and that no path leads out."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.environments import workspace as module
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError
from deskcrew.facts.observation import FileEntry

PARTS = st.sampled_from(
    ["..", ".", "a", "b", "in", "out", "loop", "deep", "", "~", "/", "workspace", "etc", "ü", "a b", "\\"]
)
PATHS = st.lists(PARTS, max_size=6).map("/".join) | st.text(max_size=40)


def found(workspace: Workspace) -> dict[str, FileEntry]:
    return {entry.path: entry for entry in workspace.observe().files}


def test_root_is_made_and_every_kind_is_shown(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "new" / "place")
    root = workspace.root
    (root / "d").mkdir()
    (root / "d" / "ü.txt").write_text("x")
    (root / "link").symlink_to("/etc")
    os.mkfifo(root / "pipe")
    entries = found(workspace)
    assert {path: entry.kind for path, entry in entries.items()} == {
        "d": "folder", "d/ü.txt": "file", "link": "link", "pipe": "other",
    }  # fmt: skip
    assert entries["d/ü.txt"].digest == hashlib.sha256(b"x").hexdigest()
    assert entries["d/ü.txt"].size == 1
    assert entries["link"].digest is None


def test_unchanged_files_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, ns=(10**18, 10**18))
    read: list[str] = []
    original = module._read  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(module, "_read", lambda path: (read.append(path.name), original(path))[1])
    first = found(workspace)
    (tmp_path / "b").write_text("B")
    os.utime(tmp_path / "b", ns=(10**18, 10**18))  # same size and time, but written in place: not seen, as said
    (tmp_path / "c").write_text("c")
    os.replace(tmp_path / "c", tmp_path / "b")
    second = found(workspace)
    assert read == ["a", "b", "b"]
    assert first["a"] == second["a"]
    assert first["b"].digest != second["b"].digest


def test_quick_rewrite_of_the_same_size_is_seen(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    digests: set[str | None] = set()
    for text in "abcdefgh":  # faster than the clock of the file system ticks
        (tmp_path / "f").write_text(text)
        digests.add(found(workspace)["f"].digest)
    assert len(digests) == 8


def test_large_files_and_many_entries_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(module.MAX_DIGEST + 1)
    workspace = Workspace(tmp_path)
    assert found(workspace)["huge"].digest is None
    monkeypatch.setattr(module, "MAX_ENTRIES", 5)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for number in range(8):
        (tmp_path / "deep" / "er" / f"{number}").touch()
    assert len(found(workspace)) == 5


def test_reading_much_is_spread_over_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_READ", 15)
    for name in "abc":
        (tmp_path / name).write_text("0123456789")
        os.utime(tmp_path / name, ns=(10**18, 10**18))
    workspace = Workspace(tmp_path)
    known = [sum(entry.digest is not None for entry in found(workspace).values()) for _ in range(4)]
    assert known == [1, 2, 3, 3]


def test_paths_that_mean_the_same(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    (tmp_path / "d").mkdir()
    for path in ("d/a.txt", "./d/a.txt", "/workspace/d/a.txt", " d//a.txt ", f"{workspace.root}/d/a.txt"):
        assert workspace.resolve(path) == workspace.root / "d" / "a.txt"
    assert workspace.resolve("/workspace") == workspace.root
    assert workspace.relative(workspace.resolve("d/a.txt")) == "d/a.txt"


@pytest.mark.parametrize(
    "path",
    ["", " ", "..", "../x", "a/../../x", "a/../b", "/etc/passwd", "~", "~/x", "/workspace/../x", "/workspacex/a", "x\0",
     "http://example.org/a", "file:///etc/passwd",
     "a\\..\\b", "n" * 300, "a/" * 3000, "loop", "out", "out/x", "dangling", "device", "pipe"],
)  # fmt: skip
def test_paths_that_are_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "w"
    workspace = Workspace(root)
    (root / "loop").symlink_to("loop")
    (root / "out").symlink_to(tmp_path)
    (root / "dangling").symlink_to(tmp_path / "not-yet")
    (root / "device").symlink_to("/dev/null")
    os.mkfifo(root / "pipe")
    with pytest.raises(ActionError) as refused:
        workspace.resolve(path)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_missing_file_names_close_ones(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    (tmp_path / "report.txt").touch()
    with pytest.raises(ActionError, match=r"report\.txt"):
        workspace.resolve("reprot.txt", must_exist=True)


@given(PATHS)
def test_no_path_ever_resolves_outside(path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "w")
        root = workspace.root
        (root / "deep" / "a").mkdir(parents=True)
        (root / "in").symlink_to("deep")
        (root / "deep" / "out").symlink_to("../..")
        (root / "out").symlink_to("/")
        (root / "loop").symlink_to("loop")
        try:
            real = workspace.resolve(path)
        except ActionError:
            return
        assert real == Path(os.path.realpath(real))
        assert real.is_relative_to(root)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's files make root of whoever runs them")
def test_set_id_bits_go_from_what_the_run_made_and_from_nothing_else(tmp_path: Path) -> None:
    for name in ("theirs", "rewritten"):
        (tmp_path / name).write_text("x")
        (tmp_path / name).chmod(0o4755)
    time.sleep(0.02)  # the clock of the file system is coarse
    workspace = Workspace(tmp_path)
    begun = time.time()
    time.sleep(0.02)
    (tmp_path / "made").write_text("x")
    (tmp_path / "made").chmod(0o6755)
    (tmp_path / "rewritten").write_text("y")
    (tmp_path / "rewritten").chmod(0o4755)

    def armed() -> set[str]:
        return {path.name for path in tmp_path.iterdir() if path.stat().st_mode & 0o6000}

    assert armed() == {"theirs", "rewritten", "made"}
    again = Workspace(tmp_path, began=begun)  # another process goes on with the run
    workspace.observe()
    assert armed() == {"theirs"}
    (tmp_path / "made").chmod(0o4755)
    again.observe()
    assert armed() == {"theirs"}
    killed = Workspace(tmp_path, began=begun - 3600)
    killed.observe()
    assert armed() == set()


def test_locks_of_programs_are_not_observed_and_do_not_outlast_the_run(tmp_path: Path) -> None:
    old, new = tmp_path / ".~lock.mine.xlsx#", tmp_path / "sub/.~lock.a.xlsx#"
    old.write_text("somebody")
    time.sleep(0.05)
    workspace = Workspace(tmp_path)
    time.sleep(0.05)
    new.parent.mkdir()
    new.write_text("the crew")
    (tmp_path / ".goutputstream-AB12").write_text("half")
    (tmp_path / "a.xlsx").write_text("x")
    assert [entry.path for entry in workspace.observe().files] == ["a.xlsx", "sub"]
    workspace.close()
    assert old.exists(), "that program is still at it"
    assert not new.exists()
    assert not (tmp_path / ".goutputstream-AB12").exists()
