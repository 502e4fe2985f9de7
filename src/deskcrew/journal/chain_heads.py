"""A record of runs' last events outside the journal's file. It reveals if the journal was truncated or replaced.

One line of JSON is added when a run ends, is interrupted, imported or verified. No line is ever taken out: a run that is
removed gets a line that says so. Only the file's owner can read it. Whoever can write both files can still make them agree;
only a line copied elsewhere reveals that (``deskcrew verify --head``).
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from deskcrew.errors import JournalError
from deskcrew.facts.liveness import sync_folder

Why = Literal["finished", "interrupted", "left", "imported", "verified", "removed"]


@dataclass(frozen=True, slots=True)
class Head:
    """A run's last event at some time. ``events``: its number; ``head``: its id; ``time``: Unix seconds."""

    run: str
    events: int
    head: str
    time: float
    why: Why


class Heads:
    """The file of heads beside a journal. A journal in memory has none."""

    def __init__(self, journal: Path) -> None:
        self.path = journal.parent / "heads" if str(journal) != ":memory:" else None

    def add(self, run: str, events: int, head: str, why: Why) -> None:
        """Add a line; it is on the disk when this returns. Raises JournalError if that fails."""
        if self.path is None:
            return
        line = json.dumps(asdict(Head(run, events, head, round(time.time(), 3), why)), separators=(",", ":"))
        import fcntl  # Windows has none, and reads runs all the same

        try:
            new = not self.path.exists()
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                os.fchmod(descriptor, 0o600)
                size = os.fstat(descriptor).st_size
                # After a crash the last line may be half there: it must not take this one with it.
                torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
                _write(descriptor, (b"\n" if torn else b"") + line.encode() + b"\n")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if new:
                sync_folder(self.path.parent)
        except OSError as error:
            raise JournalError(
                f"The last event of run {run} could not be noted in {self.path}: {error.strerror or error}.",
                hint="The run itself is kept. To record its last event later: deskcrew verify RUN",
            ) from error

    def of(self, run: str) -> list[Head]:
        """The heads recorded for a run since it was last removed, oldest first. Invalid lines are ignored. Raises
        JournalError if the file cannot be read."""
        found: list[Head] = []
        for line in self._lines():
            try:
                value: Any = json.loads(line)
                head = Head(**value)
            except (ValueError, TypeError):
                continue
            if head.run == run:
                found = [] if head.why == "removed" else [*found, head]
        return found

    def _lines(self) -> list[bytes]:
        try:
            return self.path.read_bytes().splitlines() if self.path is not None else []
        except FileNotFoundError:
            return []
        except OSError as error:
            raise JournalError(f"{self.path} cannot be read: {error.strerror or error}.") from error


def _write(descriptor: int, data: bytes) -> None:
    """Write all of the data, with several calls if need be: a disk that is nearly full accepts only a part at first."""
    while data:
        data = data[os.write(descriptor, data) :]
