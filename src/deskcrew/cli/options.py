"""Options that several commands share, and the settings made from them. Imports nothing heavy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from deskcrew.journal.store import Journal
    from deskcrew.settings import Settings


def folder(text: str) -> Path:
    """The value of an option that names a folder. An empty one, as an unset variable gives it, would be the current one."""
    from deskcrew.errors import UsageError

    if not text.strip():
        raise UsageError("The name of a folder is empty.", hint="Leave the option out, or name a folder; `.` is this one.")
    return Path(text)


DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        parser=folder,
        metavar="DIR",
        help="Folder of the journal and the runs.",
        show_default="DESKCREW_DATA, else your user data folder",
        rich_help_panel="Where things are",
    ),
]
LARGEST_SEED = 2**53 - 1
"""As ``LARGEST_INTEGER`` of the settings, which are not read for the help."""
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="Id of the run, the start of it, or 'last'.", show_default=False)
]


def settings_with(data: Path | None) -> Settings:
    """The settings in force, with ``--data`` on top."""
    from deskcrew.settings import Settings

    settings = Settings.load()
    return settings if data is None else settings.model_copy(update={"data": data.expanduser().absolute()})


def open_run(data: Path | None, run: str) -> Journal:
    """An existing run. Raises UsageError when there is none of that name."""
    from deskcrew.journal.store import Store

    return Store(existing_journal(data)).journal(run)


def existing_journal(data: Path | None) -> Path:
    """The journal's file, for commands that only read. Raises UsageError when nothing was ever run."""
    from deskcrew.errors import UsageError

    path = settings_with(data).journal
    if not path.exists():
        hint = "`deskcrew run TASK` makes one; --data names another folder."
        raise UsageError(f"There are no runs in {path.parent}.", hint=hint)
    return path
