"""Browsers that are killed in the middle of something, as the machine or a person may do it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import psutil


def kill_browsers(of: str = "") -> int:
    """Kill the browsers that this process has started and speaks with, or only those that have a folder mounted whose path
    holds ``of``; how many processes that were."""
    killed = 0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error, OSError):
            line = process.cmdline()
            if of in Path("/proc", str(process.pid), "mountinfo").read_text() if of else "--remote-debugging-pipe" in line:
                process.kill()
                killed += 1
    return killed
