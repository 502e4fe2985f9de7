"""No test waits for the disk, except one of whether it is waited for otherwise: what a killed process wrote, the kernel has.
A run commits a dozen times, and each commit would wait for longer than it takes."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest

from deskcrew.journal.sqlite import File

waiting = File.__init__
"""How a journal's file is opened outside of tests."""


def wait_for_no_disk(patch: pytest.MonkeyPatch) -> None:
    """Until the patch is undone, nothing that this process writes is waited for until it is on the disk."""

    @functools.wraps(waiting)
    def opened(self: File, path: Path, *, durable: bool) -> None:
        waiting(self, path, durable=False)

    patch.setattr(File, "__init__", opened)
    patch.setattr(os, "fsync", lambda descriptor: None)
