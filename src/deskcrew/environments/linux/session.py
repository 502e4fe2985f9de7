"""Starts and ends the programs of a desktop: the interface that the desktop uses."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class ProgramSession(Protocol):
    """Starts and ends programs: a sandbox, or the user's own session."""

    @property
    def alive(self) -> bool: ...

    def start(self, command: list[str], *, stdin: Path | None = None) -> None: ...

    def hit(self) -> str: ...

    def close(self) -> None: ...
