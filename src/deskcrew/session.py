"""One run, put together: the composition root (DESIGN 9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from deskcrew.settings import Limits

DesktopKind = Literal["virtual", "real", "none"]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a user asked for. ``workspace`` None: a new folder under the data folder; ``start``: programs to open first."""

    task: str
    model: str = "local"
    crew: str = "default"
    workspace: Path | None = None
    attachments: tuple[Path, ...] = ()
    desktop: DesktopKind = "virtual"
    pool: bool = True
    approve: bool = False
    """Ask on the console where the guard says ask. Without it, nobody is there: denied."""
    seed: int | None = None
    limits: Limits = field(default_factory=lambda: Limits.model_validate({}))
    network: bool = False
    unsafe_host: bool = False
