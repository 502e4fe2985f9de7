"""Browsers that are killed in the middle of something, as the machine or a person may do it."""

from __future__ import annotations

import contextlib

import psutil


def kill_browsers() -> int:
    """Kill all browsers that this process has started and speaks with; how many processes that were."""
    killed = 0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "--remote-debugging-pipe" in process.cmdline():
                process.kill()
                killed += 1
    return killed
