"""Starting a virtual desktop."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import tempfile
from pathlib import Path

import psutil
import pytest
from PIL import Image
from tests.environments.linux.conftest import desktop_in

from deskcrew.environments.environment import Desktop
from deskcrew.environments.linux.sandbox.sandbox import Confines
from deskcrew.environments.rundir import base_folder, create_run_dir, record_of, sweep
from deskcrew.facts.liveness import write_private
from deskcrew.models.local import runtime_folder
from support.waiting import until


@pytest.mark.desktop
def test_it_starts_empty(tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path)) as desktop:
        checked: Desktop = desktop
        observation = checked.observe(screenshot=True)
        assert observation.windows == ()
        assert observation.screen is not None
        assert observation.screenshot is not None
        with Image.open(io.BytesIO(observation.screenshot)) as picture:
            assert picture.size == (1280, 800) == (observation.screen.width, observation.screen.height)


@pytest.mark.desktop
def test_a_folder_of_the_home_that_lies_in_the_workspace_outlasts_it(tmp_path: Path) -> None:
    (tmp_path / ".config" / "it's a game").mkdir(parents=True)
    (tmp_path / ".config" / "it's a game" / "level").write_text("7")
    home = (".config/it's a game", ".scores")
    program = """cp "$HOME/.config/it's a game/level" "$HOME/.scores/best"; echo 8 >"$HOME/.other"; touch /workspace/over"""
    with contextlib.closing(desktop_in(tmp_path, confines=Confines(home=home))) as desktop:
        desktop.session.start(["/bin/sh", "-c", program])
        assert until(lambda: (tmp_path / "over").exists())
    assert (tmp_path / ".scores" / "best").read_text() == "7"
    assert {path.name for path in tmp_path.iterdir()} == {".config", ".scores", "over"}


@pytest.mark.desktop
def test_both_ways_to_take_a_picture_agree(tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path)) as desktop:
        desktop.open_application("Galculator")
        desktop.observe()
        quick = desktop.display.picture()
        buffer, desktop.display.frame_buffer = desktop.display.frame_buffer, None
        try:
            assert desktop.display.picture().tobytes() == quick.tobytes()
        finally:
            desktop.display.frame_buffer = buffer


def test_nothing_but_desktops_is_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model's server is found by its files in the runtime folder; they have no owner that holds a lock."""
    with tempfile.TemporaryDirectory(prefix="d-", dir="/tmp") as folder:  # their paths must be short
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        record = runtime_folder(None) / "0123.json"
        record.touch()
        create_run_dir().remove()
        assert record.exists()


def test_folders_of_dead_owners_are_swept_and_their_processes_ended() -> None:
    left = subprocess.Popen(["sleep", "60"])
    run = create_run_dir()
    try:
        dead = base_folder() / "0dead0"
        dead.mkdir(mode=0o700)
        (dead / "owner").touch()
        write_private(record_of(dead), json.dumps([[left.pid, psutil.Process(left.pid).create_time()], [os.getpid(), 1.0]]))
        assert sweep(base_folder()) == [dead]
        assert not psutil.pid_exists(left.pid)
        assert not record_of(dead).exists()
        assert run.path.is_dir()
    finally:
        left.kill()
        left.wait()
        run.remove()
    assert not run.path.exists()
    run.remove()
