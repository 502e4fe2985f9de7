"""``deskcrew notes``: what a workspace tells agents, and whether these are the user's own instructions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, tell
from deskcrew.ways_in.cli.options import JsonOption, settings_with
from deskcrew.ways_in.report.text import clean, counted, one_line

if TYPE_CHECKING:
    from deskcrew.settings import Settings

EPILOG = """Examples: deskcrew notes ./papers | deskcrew notes ./papers --follow

With --follow, agents get them as your instructions, in their present wording; otherwise as data that orders nothing. Neither
permits anything: what needs approval still does. After --forget they count as foreign, and you are asked again."""
SHOWN = 60
"""The maximum lines of a file that are shown when asking about it."""

FolderArgument = Annotated[
    Path, typer.Argument(metavar="[DIR]", help="The workspace.", show_default="the folder you are in")
]
FollowOption = Annotated[
    bool | None,
    typer.Option("--follow/--foreign", help="Declare that these are your own instructions, or that they are not."),
]
ForgetOption = Annotated[bool, typer.Option("--forget", help="Forget whether you said that they are your instructions.")]


def notes(
    folder: FolderArgument = Path(), follow: FollowOption = None, forget: ForgetOption = False, json: JsonOption = False
) -> None:
    """Show what a workspace tells agents (AGENTS.md, skills), and say whether these are your instructions."""
    from deskcrew.engine.roles import notes as kept
    from deskcrew.ways_in.cli.values import existing_folder

    if forget and follow is not None:
        raise UsageError("These options exclude each other.", hint="Give one of --follow, --foreign and --forget.")
    settings, workspace = settings_with(None), existing_folder(folder) or folder
    if follow is not None:
        kept.decide(kept.notes_of(workspace, settings), workspace, settings, followed=follow)
    for file in kept.decided(settings) if forget else ():
        if kept.workspace_of(file) == workspace:
            kept.forget(file, settings)
    found = kept.notes_of(workspace, settings)
    said = [] if found else [f"There is no AGENTS.md and no skill in {workspace}."]
    for note in found:
        whose = "your instructions" if note.followed else "not confirmed as yours: untrusted data"
        said.append(clean(f"{note.path} ({whose}): {one_line(note.text, 200)}"))
    tell(said, {"notes": [note.model_dump(mode="json") for note in found]}, json=json)


def ask_about_notes(workspace: Path | None, settings: Settings, *, json: bool) -> None:
    """Ask the person at the terminal, once, whether what a workspace tells agents are their own instructions."""
    from deskcrew.engine.roles.notes import decide, notes_of, undecided

    if workspace is None or not sys.stdin.isatty() or not (new := undecided(notes_of(workspace, settings), settings)):
        return
    out = console(stderr=json)
    for note in new:
        lines = note.text.splitlines()
        out.print(clean(f"{note.path} in the workspace tells agents:"))
        out.print(clean("\n".join(lines[:SHOWN])), style="dim", soft_wrap=True)
        if len(lines) > SHOWN:
            out.print(f"... and {counted(len(lines) - SHOWN, 'line')} more")
    followed = typer.confirm(
        "Are these your instructions? If not, agents are shown them as untrusted data.", default=False, err=json
    )
    decide(new, workspace, settings, followed=followed)
