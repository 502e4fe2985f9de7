"""How a run ended, at a terminal: the closing panel and the exit code. Pure functions of the events."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from deskcrew.facts import events as e
from deskcrew.facts.observation import moves
from deskcrew.facts.verdict import SKILLFUL, Outcome
from deskcrew.journal.later import Later
from deskcrew.ways_in.cli.tree import Look
from deskcrew.ways_in.report import operations, render
from deskcrew.ways_in.report.advice import advice, goes_on
from deskcrew.ways_in.report.result import attempt_of, rejected_of
from deskcrew.ways_in.report.text import clean, counted, money, number, one_line, some
from deskcrew.ways_in.report.totals import (
    STYLES,
    Totals,
    figures,
    gone_back,
    outcome_of,
    skill_worked,
    status_of,
    style_of,
    tell_moves,
    totals,
)

LONGEST_PATH = 4096
CONTENT = "\n  --require 'file_contains FILE TEXT'"
STOPPED = Outcome(status="stopped", why="Stopped before the run ended by itself.")


def exit_code(outcome: Outcome | None) -> int:
    """The exit code of ``deskcrew run``; 1 if the run ended without an outcome, which is a bug."""
    return 1 if outcome is None else outcome.exit_code


class LoggedRun(NamedTuple):
    """What ``deskcrew log`` knows of a run besides its events. ``doubt``: why the record is not proven; ``changeable``:
    whether the run is of this machine, so that it can be continued; ``since``: which files were changed since, and how;
    ``running``: whether a process works on it."""

    doubt: Text | None
    changeable: bool
    since: Mapping[str, Later]
    running: bool


def panel(
    run: str,
    events: list[e.Event],
    *,
    logged: LoggedRun | None = None,
    look: Look = lambda _: None,
    everything: Sequence[e.Event] = (),
    starting: float = 0.0,
) -> RenderableType:
    """The closing panel. ``logged``: for `deskcrew log`, None for a run that has just ended; ``look``: returns the last
    observation before an event; ``everything``: the events of all branches; ``starting``: the seconds before the first."""
    doubt, changeable = (logged.doubt, logged.changeable) if logged is not None else (None, True)
    running = logged is not None and logged.running
    outcome = outcome_of(events)
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    if doubt is not None:
        rows.add_row("record", doubt)
    if outcome is None:
        rows.add_row("outcome", Text("none yet: it is still running" if running else _unended(run, events)))
    else:
        told, style = render.outcome_words(outcome, operations.not_done(events)), style_of(outcome)
        rows.add_row("outcome", Text(f"the record says: {told}", doubt.style) if doubt is not None else Text(told, style))
        _explain(rows, outcome, events, run, look, advised=doubt is None)
    if told := _attempt(run, events, everything):
        rows.add_row("attempt", Text(told))
    sums = summed(events, look)
    sums.starting = starting
    named = [f"{old} -> {new}" for old, new in sums.renamed]
    listed = ("renamed", named), ("created", sums.created), ("changed", sums.changed), ("deleted", sums.deleted)
    for label, paths in listed:
        if paths:
            rows.add_row(label, Text(some(paths, 8, LONGEST_PATH)))
    if logged is not None and logged.since:
        rows.add_row("since", Text(render.changed_after(logged.since), style="yellow"))
    begun = events[0].body if events else None
    if changeable and isinstance(begun, e.RunStarted) and any(paths for _, paths in listed):
        rows.add_row("folder", Text(clean(begun.workspace)))
        made = [f"{begun.workspace}/{path}" for path in (*sums.created, *sums.changed)]
        if made and Path(begun.workspace).name == run:
            # It worked in a folder of its own, where nobody looks for what they asked for.
            rows.add_row("copy here", Text(clean(shlex.join(("cp", "-n", *made, ".")))))
        if doubt is None and outcome is not None:
            rows.add_row("undo", Text(f"deskcrew undo {run}"))
    for row in figures(sums):
        rows.add_row(*row)
    if (
        changeable
        and not running
        and doubt is None
        and goes_on(outcome, events)
        and status_of(events) not in ("waiting", "undone")
    ):
        rows.add_row("continue", Text(f"deskcrew resume {run}"))
    if changeable and doubt is None and (score := _scored(outcome, events)):
        rows.add_row("a skill", Text(f"deskcrew skill make --from {run} (its code was scored {score} of 10)"))
    if logged is None:
        rows.add_row("see again", Text(f"deskcrew log {run}"))
    status = outcome.status if outcome else "unfinished"
    style = doubt.style if doubt is not None else STYLES.get(status, "yellow")
    return Panel(rows, title=Text(f"run {run}"), expand=False, border_style=style)


def summed(events: list[e.Event], look: Look) -> Totals:
    """What the run used and changed. A file that was moved counts as renamed, even if no operation of the run says so."""
    sums = totals(events)
    if sums.created and sums.deleted:
        tell_moves(sums, _moves(events, look))
    return sums


def _moves(events: list[e.Event], look: Look) -> dict[str, str]:
    """The files that were moved between the first observation and the last: old paths, by the new."""
    looks = [event for event in events if isinstance(event.body, e.Observed)]
    first, last = (look(looks[0]), look(looks[-1])) if looks else (None, None)
    return moves(first.files, last.files) if first is not None and last is not None else {}


def _attempt(run: str, events: list[e.Event], everything: Sequence[e.Event]) -> str:
    """Which attempt at the task this is, what all attempts used, and why it was chosen; '' if only one was allowed."""
    attempt = attempt_of(events, everything)
    if attempt is None:
        return ""
    told = f"{attempt.number} of at most {attempt.most}; `deskcrew branch {run}` lists them"
    if len(everything) > len(events):
        tokens = f"{number(attempt.tokens.input)} in, {number(attempt.tokens.output)} out"
        told += f"\nall of them: {counted(attempt.calls, 'model call')}, tokens {tokens}, cost {money(attempt.cost)}"
    return f"{told}\n{render.chosen(attempt.compared).plain}" if attempt.compared is not None else told


def _scored(outcome: Outcome | None, events: list[e.Event]) -> int:
    """The best score of a proven run's code, if high enough for a skill; else 0."""
    if outcome is None or outcome.status != "done":
        return 0
    judged = (event.body.verdict.score or 0 for event in events if isinstance(event.body, e.Judged))
    return best if (best := max(judged, default=0)) >= SKILLFUL else 0


def _unended(run: str, events: list[e.Event]) -> str:
    match status_of(events):
        case "interrupted":
            return "interrupted by an error or the end of its process"
        case "waiting":
            back = gone_back(events)
            to = next((before.number for before, event in pairwise(events) if event.body is back), 1)
            return f"waiting at #{to}, where you went back to; `deskcrew resume {run}` continues"
        case "undone":
            back = gone_back(events)
            told = render.undone(back) if back is not None else "undone"
            return f"{told}; `deskcrew rewind {run} --undo` reverses that"
        case _:
            return "unfinished: its process was killed"


def _explain(rows: Table, outcome: Outcome, events: list[e.Event], run: str, look: Look, *, advised: bool) -> None:
    told = advice(run, events) if advised else None
    barred = _barred(events, look) if outcome.status == "denied" else None
    if barred is not None:
        rows.add_row("denied", barred)
    if told is not None:
        rows.add_row("why", Text(told.tried))
    elif why := render.reason_for(outcome):
        rows.add_row("why", Text(one_line(why, 600)))
    if outcome.answer and outcome.supported:
        rows.add_row("answer", Text(clean(outcome.answer), style="bold"))
    elif outcome.answer:
        rows.add_row(
            "answer", Text.assemble(clean(outcome.answer), ("  (nothing that was read or computed supports it)", "dim"))
        )
    if outcome.said and skill_worked(events):
        rows.add_row("remark", Text(clean(outcome.said)))
    elif outcome.said:
        rows.add_row(
            "report", Text.assemble(clean(outcome.said), ("  (the crew's own account, which proves nothing)", "dim"))
        )
    numbers = {event.id: f"#{event.number}" for event in events}
    if outcome.sources:
        cited = [numbers.get(id, id[:12]) for id in outcome.sources]
        rows.add_row("sources", Text("events " + some(cited, 12)))
    if outcome.checks:
        rows.add_row("checks", Group(*(render.check_result(check) for check in outcome.checks)))
    if outcome.proofs:
        rows.add_row("proof", Group(*(render.proof(proof) for proof in outcome.proofs), *_tried(outcome, events, run)))
    if outcome.incidental:
        rows.add_row("besides", render.incidental(outcome.incidental))
    if advised and outcome.status == "done" and outcome.strength.unread:
        rows.add_row("next", Text("To have what is in it proven, too, say so next time:").append(CONTENT, style="bold"))
    for place, step in enumerate(told.steps if told is not None else ()):
        text = Text(step.words)
        rows.add_row("next" if not place else "", text.append(f"\n  {step.command}", style="bold") if step.command else text)


def _tried(outcome: Outcome, events: list[e.Event], run: str) -> list[Text]:
    """On how many spoiled copies the check was also run, and the command that lists them; empty if on none."""
    listed = (each.number for each in reversed(events) if isinstance(each.body, e.Proved) and each.body.rejected)
    where = next((f"; which ones: deskcrew show {run} {number}" for number in listed), "")
    tried = render.tried_on(outcome.strength, rejected_of(events))
    return [Text(f"{tried}{where}", style="dim")] if tried else []


def _barred(events: list[e.Event], look: Look) -> Text | None:
    """The operation that was denied last, with the reason; None if there is none."""
    last, operation = next(reversed(operations.denials(events)), (None, None))
    if last is None or not isinstance(last.body, e.OperationDenied):
        return None
    told = Text(f"#{last.number} ", style="dim")
    if operation is not None:
        told = told.append_text(render.in_words(operation, look(last)))
    return told.append_text(render.because(last.body.why))
