"""``deskcrew runs``: list the newest runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.journal.chain_heads import Heads
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew.ways_in.report.text import EXAMPLE, model_shown, moment, one_line, size, some

if TYPE_CHECKING:
    from deskcrew.journal.holding import Held
    from deskcrew.journal.store import RunRow, Store
    from deskcrew.settings import Settings

EPILOG = "Examples: deskcrew runs | deskcrew runs --limit 5 --json"

ALWAYS = ("run", "size", "outcome")
LARGE = 100_000_000
"""If the journal is larger than this, in bytes, its size is shown without ``--sizes``."""
TASK = 30
"""The width reserved for the task, in characters; other columns are dropped to make room for it."""


def runs(
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many to list, newest first.")] = 20,
    sizes: Annotated[bool, typer.Option("--sizes", help="Also show how much each takes on disk.")] = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """List your runs: when they began, their state or outcome, and their task.

    A run whose events or outcome were changed is marked. Contents of files and pictures take longer to check:
    `deskcrew verify RUN` does."""
    settings = settings_with(data)
    if data is not None and not settings.data.is_dir():
        why = f"There are no runs in {settings.data}: the folder does not exist."
        raise UsageError(why, hint="--data takes the folder of a journal.")
    rows, now, whole, each, altered = _rows(settings, limit + 1, sizes=sizes)
    older, rows = len(rows) > limit, rows[:limit]
    if json:
        fields = ("created", "task", "crew", "model", "outcome", "imported", "redacted", "weak")
        shown = [{"run": row.id} | {name: getattr(row, name) for name in fields} for row in rows]
        more = [{"follows": row.follows or None, "status": now[row.id], "altered": row.id in altered} for row in rows]
        taken = [each[row.id]._asdict() if row.id in each else {} for row in rows]
        print_json({"runs": [one | other | bytes_ for one, other, bytes_ in zip(shown, more, taken, strict=True)]})
        return
    out = console()
    if not rows:
        out.print(Text(f"No runs yet. Try: deskcrew run '{EXAMPLE}' --workspace ."), soft_wrap=True)
        return
    out.print(table(rows, now, out, each, altered))
    if changed := [row.id for row in rows if row.id in altered]:
        told = f"✗ The record of {some(changed)} is not what was written. See: deskcrew verify RUN"
        out.print(Text(told, style="bold red"), soft_wrap=True)
    if sizes or whole > LARGE:
        free = "`deskcrew remove RUN` frees what only that run needs" + ("." if sizes else "; --sizes shows how much.")
        out.print(Text(f"The journal takes {size(whole)} on disk: {free}", style="dim"))
    if older:
        out.print(Text(f"There are older runs: --limit {2 * limit} lists more.", style="dim"))


def standing(rows: list[RunRow], store: Store, settings: Settings) -> dict[str, str]:
    """The state of each run, by its id: its outcome, or ``asking`` and ``running`` while a process works on it,
    ``waiting`` after a rewind, ``undone`` after an undo, ``interrupted`` if its process ended in the middle."""
    from deskcrew.ways_in.report.totals import without_outcome

    at_work = [row.id for row in rows if not row.imported and store.busy(row.id)]
    asking = _asking(at_work, settings) if at_work else set[str]()

    def status(row: RunRow) -> str:
        if row.id in at_work:
            return "asking" if row.id in asking else "running"
        word = row.word or without_outcome(row.last)
        return "interrupted" if word == "unfinished" and not row.imported else word

    return {row.id: status(row) for row in rows}


def _asking(runs: list[str], settings: Settings) -> set[str]:
    """The runs, of these, that have an open question."""
    import anyio

    from deskcrew.ways_in.running import Runs

    async def ask() -> set[str]:
        reached, found = Runs(settings), set[str]()
        for run in runs:
            try:
                alive = await reached.alive(run)
            except EnvironmentFailure:
                continue  # it is there and does not answer just now
            if alive is not None and alive.question is not None:
                found.add(run)
        return found

    return anyio.run(ask)


def table(
    rows: list[RunRow], now: dict[str, str], out: Console, sizes: Mapping[str, Held], altered: Collection[str] = ()
) -> Table:
    """A table of the runs, with as many columns as leave room for two lines of the task. ``now``: the state of each;
    ``sizes``: the sizes to show, if any; ``altered``: the runs whose record was changed."""
    taken = {"size": [Text(size(sizes[row.id].bytes) if row.id in sizes else "") for row in rows]} if sizes else {}
    columns: dict[str, list[Text]] = {
        "run": [Text(row.id) for row in rows],
        **taken,
        "outcome": [_outcome(row, "record changed" if row.id in altered else now[row.id]) for row in rows],
        "started": [Text(moment(row.created)) for row in rows],
        "crew": [Text(one_line(row.crew, 24)) for row in rows],
        "model": [Text(one_line(model_shown(row.model), 32)) for row in rows],
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
        task = _two_lines(row.task, max(min(room, 80), 10), out)
        if row.follows:
            task.append(f"\nfollows {one_line(row.follows, 40)}", style="dim")
        shown.add_row(*cells, task)
    return shown


def _outcome(row: RunRow, outcome: str) -> Text:
    bad = dict.fromkeys(("failed", "denied", "objected", "interrupted", "record changed"), "red")
    styles = {"done": "green", "asking": "bold magenta"} | bad
    if row.weak and outcome == row.word:
        outcome = f"{outcome} (weak check)"
    style = styles.get(outcome, "yellow")
    return Text(f"{outcome} (redacted: not proven)", "yellow") if row.redacted else Text(outcome, style)


def _two_lines(task: str, width: int, out: Console) -> Text:
    lines = Text(one_line(task, 2 * width + 1)).wrap(out, width, overflow="fold")
    if len(lines) > 2:
        lines[1].truncate(width - 1)
        lines[1].rstrip()
        lines[1].append("…")
    return Text("\n").join(lines[:2])


def _rows(
    settings: Settings, limit: int, *, sizes: bool
) -> tuple[list[RunRow], dict[str, str], int, Mapping[str, Held], frozenset[str]]:
    """The newest runs, their states, the journal's size in bytes, each run's share of it if ``sizes``, and the runs whose
    record is not what was written."""
    from deskcrew.journal.holding import held
    from deskcrew.journal.store import Store, exists
    from deskcrew.journal.verify import altered

    if not exists(settings):
        return [], {}, 0, {}, frozenset()
    store = Store.of(settings)
    try:
        rows = store.runs(limit=limit)
        each = held(store.database) if sizes else {}
        return (
            rows,
            standing(rows, store, settings),
            store.database.size(),
            each,
            altered(store.database, [row.id for row in rows], Heads(store.path).of),
        )
    finally:
        store.close()
