"""``deskcrew run TASK --estimate``: what similar earlier runs took."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from deskcrew.engine.request import RunRequest, prepare, profile_of, with_desktop_if_needed
from deskcrew.journal.store import Store, exists
from deskcrew.settings import Settings
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.report.estimate import Estimate, estimate
from deskcrew.ways_in.report.text import clean, counted, one_line

LISTED = 5


def show_estimate(request: RunRequest, settings: Settings, *, json: bool) -> None:
    """Print what similar runs took. Raises UsageError or ConfigError for a request that could not be carried out."""
    request = with_desktop_if_needed(request, prepare(request, settings), profile_of(request.model, settings))
    found = estimate(request, settings, Store.of(settings)) if exists(settings) else Estimate(similar=(), among=0)
    if json:
        print_json(found.model_dump(mode="json"))
        return
    out = console()
    by = f"the crew {clean(request.crew)} and the model {clean(request.model)}"
    if not found.similar:
        compared = counted(found.among, "earlier run") + (" was" if found.among == 1 else " were")
        out.print(Text(f"No similar task was done with {by} ({compared} compared), so there is no estimate."))
        out.print(Text("To limit what it takes: --limit money=0.50 or --limit tokens=200000"))
        return
    out.print(Text(f"{counted(len(found.similar), 'similar run')} with {by} took:", style="bold"))
    rows = Table.grid(padding=(0, 2))
    for row in found.rows:
        rows.add_row(*row)
    out.print(rows)
    for each in found.similar[:LISTED]:
        out.print(Text(f"  {each.run}  {each.outcome}: {one_line(each.task, 100)}", style="dim"), soft_wrap=True)
    out.print(Text("This task may take more; --limit money=... limits it. Nothing was started."))
