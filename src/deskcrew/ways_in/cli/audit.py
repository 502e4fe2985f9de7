"""``deskcrew audit RUN``: what was allowed or denied, and by which rule or person."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.log import doubt_of
from deskcrew.ways_in.cli.options import DataOption, JsonOption, RawOption, RunArgument, open_run
from deskcrew.ways_in.report.text import one_line

if TYPE_CHECKING:
    from deskcrew.facts import events as e
    from deskcrew.facts.json_values import JsonObject
    from deskcrew.journal.journal import Journal

WIDE = 120
"""The minimum width of a terminal, in columns, for an operation and its result on one line."""
STYLES = {"allowed": "green", "denied": "bold red"}
EPILOG = "Examples: deskcrew audit last | deskcrew audit last --denied | deskcrew audit 0317 --json"


@dataclass(frozen=True, slots=True)
class Ruled:
    """The decision on a proposal. ``decision``: ``allowed``, ``denied``, ``skipped``, ``refused``, or ``open`` if none was
    made; ``by``: who decided."""

    decision: str
    rule: str = ""
    risk: str = ""
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An operation that was proposed. ``event``: the number of its event."""

    event: int
    time: float
    role: str
    subtask: str | None
    operation: e.Operation
    ruled: Ruled

    def as_json(self) -> JsonObject:
        """The proposal and the decision as one JSON object."""
        told = {"event": self.event, "time": self.time, "role": self.role, "subtask": self.subtask}
        return {**told, "operation": self.operation.model_dump(mode="json"), **asdict(self.ruled)}


def audit(
    run: RunArgument,
    denied: Annotated[bool, typer.Option("--denied", help="Only what was denied.")] = False,
    raw: RawOption = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> NoReturn:
    """List every operation that the crew proposed, on all branches: what was decided, by which rule, and by whom.

    `deskcrew policy explain RUN EVENT` says why.
    """
    journal = open_run(data, run)
    problems = journal.verify()
    code = 4 if problems else 0
    rows = [row for row in decisions(journal) if not denied or row.ruled.decision == "denied"]
    if json:
        told = [row.as_json() for row in rows]
        print_json({"run": journal.run, "redacted": len(journal.redacted), "decisions": told, "problems": problems})
        raise typer.Exit(code)
    out = console()
    if (doubt := doubt_of(journal, problems)) is not None:
        out.print(doubt, soft_wrap=True)
    words = _words(journal, rows, raw=raw)
    if not rows:
        out.print("Nothing was denied." if denied else "No operation was proposed.")
    elif out.width >= WIDE:
        out.print(_table(rows, words))
    else:
        for line in (line for row in rows for line in _lines(row, words[row.event])):
            out.print(line)
    if rows:
        out.print(f"Why: deskcrew policy explain {journal.run} {rows[-1].event}", style="dim", soft_wrap=True)
    raise typer.Exit(code)


def _words(journal: Journal, rows: list[Proposal], *, raw: bool) -> dict[int, Text]:
    """Each row's operation in words, by the number of its event."""
    from deskcrew.ways_in.report import render
    from deskcrew.ways_in.report.operations import Looks

    looks = Looks(journal)
    found: dict[int, Text] = {}
    for row in rows:
        look = looks.before(journal.event(row.event))
        found[row.event] = render.operation(row.operation) if raw else render.in_words(row.operation, look)
    return found


def _table(rows: list[Proposal], wanted: dict[int, Text]) -> Table:
    """A table with one row per operation; empty columns are left out."""
    ruled = [asdict(row.ruled) for row in rows]
    titles = [title for title in ("decision", "rule", "risk", "by", "why") if any(each[title] for each in ruled)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("event", "role"):
        table.add_column(title, no_wrap=True)
    for title in ("operation", *titles):
        table.add_column(title, overflow="fold", min_width=min(12, len(title)))
    for row, each in zip(rows, ruled, strict=True):
        words = [Text(one_line(str(each[title]), 160)) for title in titles]
        words[0].stylize(STYLES.get(row.ruled.decision, "yellow"))
        table.add_row(f"#{row.event}", one_line(row.role, 24), wanted[row.event], *words)
    return table


def _lines(row: Proposal, operation: Text) -> list[RenderableType]:
    """Two lines per operation: the operation, and below it its result."""
    ruled = row.ruled
    wanted = Text.assemble((f"#{row.event} ", "dim"), (f"{one_line(row.role, 24)}  ", "bold"))
    became = Text(ruled.decision, style=STYLES.get(ruled.decision, "yellow"))
    told = [f"by {ruled.by}" if ruled.by else "", f"rule {ruled.rule}" if ruled.rule else ""]
    told += [f"risk {ruled.risk}" if ruled.risk else "", ruled.why]
    rest = ", ".join(one_line(word, 160) for word in told if word)
    became.append(f"  {rest}" if rest else "", style="default")
    return [wanted.append_text(operation), Padding(became, (0, 0, 0, 4), expand=False)]


def decisions(journal: Journal) -> list[Proposal]:
    """Each proposal with its decision, in the order of the events. If a program was allowed to run, and its changes to files
    then needed another decision, that decision counts."""
    from deskcrew.facts.events import (
        ActionStarted,
        ChangesFound,
        Judged,
        OperationApproved,
        OperationDenied,
        OperationProposed,
        OperationSkipped,
        SendsFound,
    )

    by_cause: dict[str, e.Event] = {}
    proposals: dict[str, str] = {}
    """The ids of proposals' events, by the ids of events that start them or tell their changes or sends."""
    for event in journal.all:
        cause = proposals.get(event.header.cause or "", event.header.cause or "")
        if isinstance(event.body, ActionStarted | ChangesFound | SendsFound):
            proposals[event.id] = cause
        elif isinstance(event.body, OperationApproved | OperationDenied | OperationSkipped | Judged) and cause:
            by_cause[cause] = event
    return [
        Proposal(event.number, event.header.time, what.role, what.subtask, what.operation, _ruling(by_cause.get(event.id)))
        for event in journal.all
        if isinstance(what := event.body, OperationProposed)
    ]


def _ruling(event: e.Event | None) -> Ruled:
    from deskcrew.facts.events import Judged, OperationApproved, OperationDenied, OperationSkipped

    body = event.body if event is not None else None
    match body:
        case OperationApproved():
            scope = {"once": "", "run": "for the whole run", "app": f"for everything done in {body.app}"}[body.scope]
            return Ruled("allowed", body.rule, body.risk, body.by, scope)
        case OperationDenied():
            return Ruled("denied", body.rule, body.risk, body.by, body.why)
        case OperationSkipped():
            return Ruled("skipped", by="rules", why=body.why)
        case Judged():
            return Ruled("refused", by=body.by, why=body.verdict.why)
        case _:
            return Ruled("open", why="the run ended before it was decided")
