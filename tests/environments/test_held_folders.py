"""What programs beside us may do while files are worked on: links in the way, folders of the user's own, sockets."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.held_folders import copy, held
from deskcrew.environments.workspace import CREW, PUT_AWAY, TRASH, Workspace
from deskcrew.errors import ActionError


def test_a_folder_that_is_held_stays_where_it_was(tmp_path: Path) -> None:
    root, outside = tmp_path / "work", tmp_path / "outside"
    for folder in (root / "a", outside):
        folder.mkdir(parents=True)
    with held(root, root / "a" / "x.txt") as place:
        (root / "a").rename(root / "b")
        (root / "a").symlink_to(outside)
        place.write_text("kept")
    assert (root / "b" / "x.txt").read_text() == "kept"
    assert list(outside.iterdir()) == []
    with pytest.raises(NotADirectoryError), held(root, root / "a" / "x.txt"):
        pass


def test_missing_folders_are_made_and_no_descriptor_is_left(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with held(tmp_path, tmp_path / "a" / "b" / "c.txt", make=True) as place:
        place.write_text("x")
    with pytest.raises(FileNotFoundError), held(tmp_path, tmp_path / "no" / "c.txt"):
        pass
    assert (tmp_path / "a" / "b" / "c.txt").read_text() == "x"
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_copy_follows_no_link_and_takes_no_pipe(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "inner").mkdir(parents=True)
    (source / "inner" / "run.sh").write_text("x")
    (source / "inner" / "run.sh").chmod(0o750)
    (source / "link").symlink_to("/etc/hostname")
    copy(source, tmp_path / "goal")
    assert os.readlink(tmp_path / "goal" / "link") == "/etc/hostname"
    assert (tmp_path / "goal" / "inner" / "run.sh").stat().st_mode & 0o700 == 0o700
    os.mkfifo(source / "pipe")
    with pytest.raises(ActionError, match="not a file or folder"):
        copy(source / "pipe", tmp_path / "pipe")
    with pytest.raises(FileExistsError):
        copy(source / "inner" / "run.sh", tmp_path / "goal" / "link")


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_copy_keeps_the_time_of_a_file_small_or_large(tmp_path: Path, size: int) -> None:
    source = tmp_path / "a"
    source.write_bytes(bytes(size))
    os.utime(source, ns=(10**18, 10**18 + 123_456_789))
    copy(source, tmp_path / "b")
    assert (tmp_path / "b").stat().st_mtime_ns == 10**18 + 123_456_789
    assert (tmp_path / "b").stat().st_size == size


def with_a_role(root: Path) -> Workspace:
    """A workspace into which a program, as those of a virtual desktop can, has written a role of its own."""
    workspace = Workspace(root, direct=True)
    time.sleep(0.02)  # what was made before the run is the user's, and a file system's clock is coarse
    (root / CREW / "roles").mkdir(parents=True)
    (root / CREW / "roles" / "mine.md").write_text("a role")
    return workspace


def test_a_role_that_a_program_made_goes_into_the_trash(tmp_path: Path) -> None:
    workspace = with_a_role(tmp_path)
    assert not [entry for entry in workspace.observe().files if entry.kind == "file" and TRASH not in entry.path]
    assert (tmp_path / TRASH / PUT_AWAY / "1-mine.md").read_text() == "a role"
    with pytest.raises(ActionError, match="user's own"):
        workspace.changeable(tmp_path / CREW / "roles")


def test_where_the_trash_leads_out_it_is_put_aside(tmp_path: Path) -> None:
    root, outside = tmp_path / "work", tmp_path / "outside"
    outside.mkdir()
    workspace = with_a_role(root)
    (root / TRASH).symlink_to(outside)
    workspace.observe()
    assert list(outside.iterdir()) == []
    assert list((root / CREW / "roles").iterdir()) == []
    assert (root / PUT_AWAY / "1-mine.md").read_text() == "a role"


def test_a_folder_with_roles_of_the_users_stays(tmp_path: Path) -> None:
    with_a_role(tmp_path)
    time.sleep(0.02)
    workspace = Workspace(tmp_path, direct=True)
    workspace.observe()
    workspace.close()
    assert (tmp_path / CREW / "roles" / "mine.md").is_file()


def test_programs_can_read_the_users_repository_and_not_change_or_move_it(tmp_path: Path) -> None:
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref\n")
    with Sandbox(tmp_path) as sandbox:
        done = sandbox.run(["/bin/sh", "-c", "cat .git/HEAD; echo x > .git/hooks/x; mv .git g; rm -rf .git; ls -A"])
    assert done.stdout.split() == ["ref", ".git"]
    assert (tmp_path / ".git" / "HEAD").read_text() == "ref\n"
    assert list((tmp_path / ".git" / "hooks").iterdir()) == []


def test_a_repository_that_a_program_makes_is_its_own(tmp_path: Path) -> None:
    with Sandbox(tmp_path) as sandbox:
        sandbox.run(["/bin/mkdir", ".git"])
        assert sandbox.run(["/bin/sh", "-c", "echo x > .git/HEAD"]).exit_code == 0


def test_sockets_of_the_workspace_cannot_be_reached(tmp_path: Path) -> None:
    code = "import socket; socket.socket(socket.AF_UNIX).connect('server.sock')"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "server.sock"))
        server.listen()
        server.settimeout(0.01)
        with Sandbox(tmp_path) as sandbox:
            assert sandbox.run([str(sandbox.python), "-I", "-S", "-c", code]).exit_code == 1
        with pytest.raises(TimeoutError):
            server.accept()
