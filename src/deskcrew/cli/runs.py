"""``deskcrew runs``: the newest runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.cli.options import DataOption, JsonOption, settings_with

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from deskcrew.journal.store import RunRow

EPILOG = "Examples: deskcrew runs | deskcrew runs --limit 5 --json"

ALWAYS = ("run", "outcome")
TASK = 30
"""Columns that the task needs; what else there is to show makes room for it."""


def runs(
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many, newest first.")] = 20,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """List your runs: when, how they ended, what was asked."""
    from rich.text import Text

    from deskcrew.cli.console import console, print_json
    from deskcrew.errors import UsageError

    path = settings_with(data).journal
    if data is not None and not path.parent.is_dir():
        why = "it is not a folder" if path.parent.exists() else "there is no such folder"
        raise UsageError(f"There are no runs in {path.parent}: {why}.", hint="--data names the folder of a journal.")
    rows = _rows(path, limit)
    if json:
        fields = ("id", "created", "task", "crew", "model", "outcome", "imported", "redacted")
        print_json({"runs": [{name: getattr(row, name) for name in fields} for row in rows]})
        return
    out = console()
    if not rows:
        out.print(Text("No runs yet. Try: deskcrew run 'Count the lines of notes.txt' --attach notes.txt"))
        return
    out.print(table(rows, out))


def table(rows: list[RunRow], out: Console) -> Table:
    """The runs, with as many columns as leave room for the task, of which two lines are shown."""
    from rich.table import Table
    from rich.text import Text

    from deskcrew.report.text import moment, one_line

    columns: dict[str, list[Text]] = {
        "run": [Text(row.id) for row in rows],
        "outcome": [_outcome(row) for row in rows],
        "started": [Text(moment(row.created)) for row in rows],
        "crew": [Text(one_line(row.crew, 24)) for row in rows],
        "model": [Text(one_line(row.model, 32)) for row in rows],
    }
    room = out.width
    shown = Table(box=None, pad_edge=False, header_style="bold")
    kept: list[list[Text]] = []
    for title, cells in columns.items():
        width = max(len(title), *(cell.cell_len for cell in cells)) + 2  # and the space between columns
        if title in ALWAYS or room - width >= TASK:
            shown.add_column(title, no_wrap=True)
            kept.append(cells)
            room -= width
        else:
            break
    shown.add_column("task", overflow="fold")
    for cells, row in zip(zip(*kept, strict=True), rows, strict=True):
        shown.add_row(*cells, _two_lines(row.task, max(min(room, 80), 10), out))
    return shown


def _outcome(row: RunRow) -> Text:
    from rich.text import Text

    from deskcrew.report.totals import without_outcome

    outcome = row.outcome or without_outcome(row.last)
    style = {"done": "green", "failed": "red", "denied": "red", "interrupted": "red"}.get(outcome, "yellow")
    return Text(f"{outcome} (redacted: not proven)", "yellow") if row.redacted else Text(outcome, style)


def _two_lines(task: str, width: int, out: Console) -> Text:
    from rich.text import Text

    from deskcrew.report.text import one_line

    lines = Text(one_line(task, 2 * width + 1)).wrap(out, width, overflow="fold")
    if len(lines) > 2:
        lines[1].truncate(width - 1)
        lines[1].rstrip()
        lines[1].append("…")
    return Text("\n").join(lines[:2])


def _rows(path: Path, limit: int) -> list[RunRow]:
    if not path.exists():
        return []
    from deskcrew.journal.store import Store

    store = Store(path)
    try:
        return store.runs(limit=limit)
    finally:
        store.close()
