"""How long tests wait for what must happen, so that none of them depends on how busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import psutil

LATEST = 150.0
"""Seconds after which something that must happen counts as not happening."""


def until(wanted: Callable[[], object], seconds: float = LATEST) -> bool:
    """Wait until ``wanted`` holds. Returns whether it did within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not wanted():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def all_end(processes: Iterable[psutil.Process]) -> bool:
    """Wait until every process has ended; whether anybody has collected its exit status does not matter."""
    return until(lambda: not any(map(_alive, processes)))


def _alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
