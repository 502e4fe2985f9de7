"""``deskcrew audit RUN``: what was allowed or denied, by which rule or whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from deskcrew.cli.options import DataOption, JsonOption, RunArgument, open_run

if TYPE_CHECKING:
    from deskcrew import events as e
    from deskcrew.journal.store import Journal

EPILOG = "Examples: deskcrew audit last | deskcrew audit last --denied | deskcrew audit 0317 --json"


def audit(
    run: RunArgument,
    denied: Annotated[bool, typer.Option("--denied", help="Only what was not let through.")] = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """List every operation that the crew wanted, on all branches: what became of it, by which rule, and who decided.

    `deskcrew policy explain RUN EVENT` says why a rule decided so.
    """
    from rich.table import Table
    from rich.text import Text

    from deskcrew.cli import render
    from deskcrew.cli.console import console, print_json
    from deskcrew.cli.text import one_line

    journal = open_run(data, run)
    rows = [row for row in decisions(journal) if not denied or row["decision"] == "denied"]
    if json:
        print_json({"run": journal.run, "decisions": rows})
        return
    out = console()
    if not rows:
        out.print("Nothing was denied." if denied else "No operation was proposed.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("event", "role", "operation", "decision", "rule", "risk", "by", "why"):
        table.add_column(title)
    styles = {"allowed": "green", "denied": "bold red"}
    for row in rows:
        proposed = journal.event(row["event"]).body
        words = (row["decision"], row["rule"], row["risk"], row["by"], row["why"])
        cells = [Text(one_line(str(word), 160)) for word in words]
        cells[0].stylize(styles.get(row["decision"], "yellow"))
        table.add_row(f"#{row['event']}", one_line(row["role"], 24), render.operation(proposed.operation), *cells)  # type: ignore[union-attr]
    out.print(table)


def decisions(journal: Journal) -> list[dict[str, Any]]:
    """Each proposal with what became of it, in the order of their numbers. A proposal that nothing followed is ``open``."""
    from deskcrew.events import Judged, OperationApproved, OperationDenied, OperationProposed, OperationSkipped

    by_cause: dict[str, e.Event] = {}
    for event in journal.all:
        if isinstance(event.body, OperationApproved | OperationDenied | OperationSkipped | Judged) and event.header.cause:
            by_cause[event.header.cause] = event
    found: list[dict[str, Any]] = []
    for event in journal.all:
        if not isinstance(event.body, OperationProposed):
            continue
        what = event.body
        row: dict[str, Any] = {"event": event.number, "time": event.header.time, "role": what.role, "subtask": what.subtask}
        row |= {"operation": what.operation.model_dump(mode="json")} | _decision(by_cause.get(event.id))
        found.append(row)
    return found


def _decision(event: e.Event | None) -> dict[str, Any]:
    from deskcrew.events import Judged, OperationApproved, OperationDenied, OperationSkipped

    body = event.body if event is not None else None
    match body:
        case OperationApproved():
            scope = {"once": "", "run": "for the whole run", "app": f"for all that is done in {body.app}"}[body.scope]
            return {"decision": "allowed", "rule": body.rule, "risk": body.risk, "by": body.by, "why": scope}
        case OperationDenied():
            return {"decision": "denied", "rule": body.rule, "risk": body.risk, "by": body.by, "why": body.why}
        case OperationSkipped():
            return {"decision": "skipped", "rule": "", "risk": "", "by": "rules", "why": body.why}
        case Judged():
            return {"decision": "refused", "rule": "", "risk": "", "by": body.by, "why": body.verdict.why}
        case _:
            return {"decision": "open", "rule": "", "risk": "", "by": "", "why": "the run ended before it was decided"}
