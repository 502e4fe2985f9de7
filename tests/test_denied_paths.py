"""What a policy denies to read, no program of a virtual desktop reads, however it goes about it."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from deskcrew import session
from deskcrew.actions import builtin
from deskcrew.environments.linux.paged import PagedDesktop
from deskcrew.guard.policy import user_policy
from deskcrew.request import RunRequest
from support.crew import settings_in
from support.waiting import LATEST

pytestmark = pytest.mark.desktop
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


def test_a_program_of_the_desktop_reads_nothing_that_is_denied(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "private").mkdir(parents=True)
    for name in ("private/a.txt", "keys.txt", "open.txt"):
        (work / name).write_text(f"content of {name}")
    (tmp_path / "policy.toml").write_text(RULES)
    settings = settings_in(tmp_path)
    policy = user_policy(settings.config, tmp_path / "policy.toml", workspace=work, actions=builtin())
    request = RunRequest(task="x", model="scripted:x", workspace=work, desktop="virtual")
    desktop = session.start_desktop(request, settings, work, policy=policy)
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
