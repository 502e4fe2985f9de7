"""Browsers that are killed in the middle of something, as the machine or a person may do it."""

from __future__ import annotations

import contextlib

import psutil


def kill_browsers(of: str = "") -> int:
    """Kill the browsers that this process has started and speaks with, or only those whose command line speaks ``of``
    something; how many processes that were."""
    killed = 0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            line = process.cmdline()
            if of in " ".join(line) if of else "--remote-debugging-pipe" in line:
                process.kill()
                killed += 1
    return killed
