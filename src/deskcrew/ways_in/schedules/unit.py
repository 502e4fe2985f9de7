"""A systemd user unit that starts the scheduler when the user signs in, or the machine starts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import platformdirs

from deskcrew.errors import UsageError

NAME = "deskcrew-every.service"
BOOTED = Path("/run/systemd/system")
"""Exists if systemd runs the machine."""


def unit(command: Iterable[str]) -> str:
    """The unit's text. ``command``: the scheduler's command. Stopping the unit stops no run, as each has its own process."""
    return f"""\
[Unit]
Description=Deskcrew: tasks at times and for files

[Service]
ExecStart={" ".join(map(_quoted, command))}
Restart=on-failure
KillMode=process

[Install]
WantedBy=default.target
"""


def install(command: Iterable[str], folder: Path | None = None, *, booted: Path = BOOTED) -> Path:
    """Write the unit, and return its path. ``folder`` None: the user's unit folder. Raises UsageError without systemd, or if
    nothing can be written."""
    if not booted.is_dir():
        hint = "Have `deskcrew every` started at login in this machine's own way."
        raise UsageError("This machine is not run by systemd.", hint=hint)
    path = (folder or platformdirs.user_config_path("systemd") / "user") / NAME
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(unit(command), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    return path


def _quoted(word: str) -> str:
    """Quote a word for a unit file, so that systemd takes nothing in it for a specifier, a variable or an escape."""
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{word}"'
