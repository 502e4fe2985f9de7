"""What a policy denies to read, no program of a virtual desktop and no page of a browser reads, however it goes about it."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from deskcrew.actions import builtin
from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.browser.launch import program
from deskcrew.environments.environment import Desktop
from deskcrew.environments.linux.paged import PagedDesktop
from deskcrew.facts.events import DesktopKind
from deskcrew.guard.policy import user_policy
from support.crew import settings_in
from support.waiting import LATEST

RULES = """
[[rules]]
name = "private"
effect = "deny"
path = ["private/**", "keys.txt"]
"""
READS = (
    "cat private/a.txt keys.txt > taken.txt; ls private >> taken.txt; mv private other; cat other/a.txt >> taken.txt;"
    "cp keys.txt copy.txt; cat copy.txt >> taken.txt; cat open.txt > read.txt; touch over"
)


FRAMES = (
    "<title>Frames</title><p>Here</p><iframe src=keys.txt></iframe><iframe src=open.txt></iframe><a href=private/a.txt>A</a>"
)


def started(folder: Path, work: Path, kind: DesktopKind) -> Desktop | None:
    settings = settings_in(folder)
    (folder / "policy.toml").write_text(RULES)
    policy = user_policy(settings.config, folder / "policy.toml", workspace=work, actions=builtin())
    request = RunRequest(task="x", model="scripted:x", workspace=work, desktop=kind, crew="planned")
    return session.start_desktop(request, settings, work, policy=policy)


@pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
def test_a_page_of_the_workspace_shows_nothing_that_is_denied(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "private").mkdir(parents=True)
    for name in ("private/a.txt", "keys.txt", "open.txt"):
        (work / name).write_text(f"content of {name}")
    (work / "page.html").write_text(FRAMES)
    desktop = started(tmp_path, work, "browser")
    assert isinstance(desktop, BrowserDesktop)
    with contextlib.closing(desktop):
        desktop.open_url("page.html")
        seen = desktop.observe()
        assert "content of open.txt" in seen.text
        assert "content of keys.txt" not in seen.text
        desktop.click(next(control for control in seen.controls if control.role == "link"))
        assert "content of" not in desktop.observe().text


@pytest.mark.desktop
def test_a_program_of_the_desktop_reads_nothing_that_is_denied(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "private").mkdir(parents=True)
    for name in ("private/a.txt", "keys.txt", "open.txt"):
        (work / name).write_text(f"content of {name}")
    desktop = started(tmp_path, work, "virtual")
    assert isinstance(desktop, PagedDesktop)
    with contextlib.closing(desktop):
        desktop.session.start(["/bin/sh", "-c", READS])
        deadline = time.monotonic() + LATEST
        while not (work / "over").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
    assert (work / "read.txt").read_text() == "content of open.txt"
    assert (work / "taken.txt").read_text() == ""
    assert [path.read_text() for path in work.rglob("a.txt")] == ["content of private/a.txt"]
    assert (work / "keys.txt").read_text() == "content of keys.txt"
