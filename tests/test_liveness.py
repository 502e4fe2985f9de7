"""Processes and locks for real: who lives, who is gone, and who only looks alike."""

from __future__ import annotations

import secrets
import stat
import subprocess
from pathlib import Path

import psutil
import pytest

from deskcrew.facts.liveness import held, living, write_private
from support.waiting import until


def test_a_process_is_known_by_pid_and_start_time() -> None:
    process = subprocess.Popen(["sleep", "60"])
    started = psutil.Process(process.pid).create_time()
    found = living(process.pid, started)
    assert found is not None
    assert found.pid == process.pid
    assert living(process.pid, started - 3600) is None
    process.kill()
    assert until(lambda: living(process.pid, started) is None), "it has died, though nobody has waited for it"
    process.wait()
    assert living(process.pid, started) is None


def test_a_lock_is_held_until_its_process_ends(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert not held(lock)
    lock.touch()
    assert not held(lock)
    command = ["flock", "--shared", str(lock), "-c", "echo locked; read wait"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        assert held(lock)
        holder.communicate("\n", timeout=10)
    assert not held(lock)


def test_a_private_file_is_whole_and_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text("old and longer")
    path.chmod(0o644)
    write_private(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_laid_in_the_way_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda _: "guessed")
    target = tmp_path / "target"
    target.write_text("kept")
    (tmp_path / ".record.json.guessed").symlink_to(target)
    with pytest.raises(FileExistsError):
        write_private(tmp_path / "record.json", "new")
    assert target.read_text() == "kept"
