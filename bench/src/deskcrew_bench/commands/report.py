"""``deskcrew bench report``: series of any benchmark as a page whose figures others can check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, settings_with


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where index.html and the journals of the runs go.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of --jsonl, of whichever benchmark.")],
    data: DataOption = None,
) -> None:
    """A static page of series: model, crew, version, machine, and for each task the journal of its run, to be checked by
    replaying it. --data: the folder in which the runs were done."""
    from deskcrew.ways_in.cli.console import console
    from deskcrew.ways_in.report.text import counted
    from deskcrew_bench.suites.board import write_board

    page, missing = write_board(folder, files, settings_with(data))
    out = console()
    out.print(f"The page is {page}", soft_wrap=True, markup=False)
    if missing:
        out.print(f"{counted(missing, 'run')} of it are in another journal: name theirs with --data.", soft_wrap=True)
