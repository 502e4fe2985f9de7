"""``deskcrew demo``: a real chore on a desktop of its own, watched, and checked by a program the crew knows nothing of."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated

import typer

from deskcrew.cli.options import LARGEST_SEED, CrewOption, DataOption, ModelOption, settings_with

EPILOG = """Examples:

deskcrew demo

deskcrew demo --seed 7 --model openai:gpt-5-mini

The seed varies numbers, names and wording. Nothing in the crew knows the chore. Exit code 0: the crew finished, and a
program that it does not know finds the work right. With the local model the run itself ends "unverified": a model of this
size is no judge of its own answers."""

WRONG = 4
"""The exit code if the crew finished and the check disagrees."""
FINISHED = (0, 3)
"""Exit codes of runs in which the crew finished: done, unverified."""


def demo(
    seed: Annotated[int, typer.Option("--seed", min=0, max=LARGEST_SEED, metavar="N", help="Which chore to make up.")] = 1,
    model: ModelOption = None,
    crew: CrewOption = None,
    data: DataOption = None,
) -> None:
    """Watch the crew do a real chore: compute, open a program, write and save. Needs no API key."""
    import secrets

    from rich.panel import Panel

    from deskcrew.cli.console import console
    from deskcrew.cli.watched import perform
    from deskcrew.demo import chore
    from deskcrew.errors import UsageError
    from deskcrew.report.inspection import picture_at, write_picture
    from deskcrew.report.text import clean
    from deskcrew.request import RunRequest, make_data_folder

    settings = settings_with(data)
    make_data_folder(settings)
    folder = settings.data / "workspaces" / f"demo-{seed}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True, mode=0o700)
    made = chore.make(seed, folder)
    out = console()
    out.print(Panel(clean(made.task), title="The chore", title_align="left", padding=(0, 1)))
    request = RunRequest(
        task=made.task,
        model=model or settings.model,
        crew=crew or settings.crew,
        workspace=folder,
        seed=seed,
        limits=settings.limits,
    )
    code, journal = perform(request, settings, json=False)
    if journal is None:
        raise typer.Exit(code)
    right, said = chore.check(made, folder)
    out.print(f"{'✓' if right else '✗'} Checked by a program the crew knows nothing of: {clean(said)}")
    try:
        picture = folder / "screen-with-marks.png"
        write_picture(journal, picture_at(journal, journal.events[-1].number), picture, marks=True)
        out.print(f"The last look, with marks: {picture}")
    except UsageError:
        out.print("The run ended before there was a picture of the screen.")
    out.print(f"The folder it worked in: {folder}\nSee the whole run again: {called()} log {journal.run}")
    raise typer.Exit(code if code not in FINISHED else 0 if right else WRONG)


def called() -> str:
    """The command that runs this program: its folder need not be on the PATH."""
    return "deskcrew" if shutil.which("deskcrew") else sys.argv[0]
