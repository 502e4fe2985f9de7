"""``deskcrew runs``: the newest runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.cli.options import DataOption, JsonOption, settings_with

if TYPE_CHECKING:
    from deskcrew.journal.store import RunRow

EPILOG = "Examples: deskcrew runs | deskcrew runs --limit 5 --json"


def runs(
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many, newest first.")] = 20,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """List your runs: when, how they ended, what was asked."""
    from rich.table import Table
    from rich.text import Text

    from deskcrew.cli.console import console, print_json
    from deskcrew.cli.text import moment, one_line

    rows = _rows(settings_with(data).journal, limit)
    if json:
        fields = ("id", "created", "task", "crew", "model", "outcome")
        print_json({"runs": [{name: getattr(row, name) for name in fields} for row in rows]})
        return
    out = console()
    if not rows:
        out.print(Text("No runs yet. Try: deskcrew run 'Count the lines of notes.txt' --attach notes.txt"))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("run", "started", "outcome", "crew", "model"):
        table.add_column(title, no_wrap=True)
    table.add_column("task")
    for row in rows:
        outcome = row.outcome or "unfinished"
        style = {"done": "green", "failed": "red", "denied": "red", "interrupted": "red"}.get(outcome, "yellow")
        cells = (
            row.id,
            moment(row.created),
            outcome,
            one_line(row.crew, 24),
            one_line(row.model, 32),
            one_line(row.task, 80),
        )
        texts = [Text(cell) for cell in cells]
        texts[2].stylize(style)
        table.add_row(*texts)
    out.print(table)


def _rows(path: Path, limit: int) -> list[RunRow]:
    if not path.exists():
        return []
    from deskcrew.journal.store import Store

    store = Store(path)
    try:
        return store.runs(limit=limit)
    finally:
        store.close()
