"""How a run ended, at a terminal: the closing panel and the exit code. Pure functions of the events."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from deskcrew.facts import events as e
from deskcrew.facts.observation import moves
from deskcrew.facts.verdict import SKILLFUL, Outcome
from deskcrew.journal.journal import Journal
from deskcrew.journal.later import Later
from deskcrew.journal.records import repeating
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
BELOW = "\n  "
CONTENT = f"{BELOW}--require 'file_contains FILE TEXT'"
STOPPED = Outcome(status="stopped", why="Stopped before the run ended by itself.")


def exit_code(outcome: Outcome | None) -> int:
    """The exit code of ``deskcrew run``; 1 if the run ended without an outcome, which is a bug."""
    return 1 if outcome is None else outcome.exit_code


class LoggedRun(NamedTuple):
    """What is known of a run besides its events. ``doubt``: why the record is not proven; ``changeable``:
    whether the run is of this machine, so that it can be continued; ``since``: which files were changed since, and how;
    ``running``: whether a process works on it."""

    doubt: Text | None = None
    changeable: bool = True
    since: Mapping[str, Later] = MappingProxyType({})
    running: bool = False


ENDED = LoggedRun()
"""A run that has just ended here."""


def panel(
    run: str,
    events: list[e.Event],
    *,
    logged: LoggedRun = ENDED,
    look: Look = lambda _: None,
    everything: Sequence[e.Event] = (),
) -> RenderableType:
    """The panel at the end of a run's log. ``look``: returns the last observation before an event; ``everything``: the
    events of all branches."""
    outcome = outcome_of(events)
    rows = _rows(run, events, logged, look, everything, whole=True)
    style = logged.doubt.style if logged.doubt is not None else STYLES.get(outcome.status if outcome else "", "yellow")
    return Panel(rows, title=Text(f"run {run}"), expand=False, border_style=style)


def _rows(
    run: str, events: list[e.Event], logged: LoggedRun, look: Look, everything: Sequence[e.Event], *, whole: bool
) -> Table:
    """How the run ended. ``whole``: with all that was checked, and what it used."""
    doubt, changeable, since, running = logged
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
        if outcome.status == "done" and not whole and any(isinstance(each.body, e.Understood) for each in events):
            rows.add_row("proves", Text("the reading that was confirmed, not the words of the task"))
        _explain(rows, outcome, events, run, look, advised=doubt is None, whole=whole)
    if told := _attempt(run, events, everything):
        rows.add_row("attempt", Text(told))
    sums = summed(events, look)
    named = [f"{old} -> {new}" for old, new in sums.renamed]
    listed = ("renamed", named), ("created", sums.created), ("changed", sums.changed), ("deleted", sums.deleted)
    for label, paths in listed:
        if paths:
            rows.add_row(label, Text(some(paths, 8, LONGEST_PATH)))
    if since:
        rows.add_row("since", Text(render.changed_after(since), style="yellow"))
    begun = events[0].body if events else None
    if changeable and isinstance(begun, e.RunStarted) and any(paths for _, paths in listed):
        made = [f"{begun.workspace}/{path}" for path in (*sums.created, *sums.changed)]
        own = made and begun.folder(run) != begun.workspace
        if whole or not own:
            rows.add_row("folder", Text(clean(begun.workspace)))
        if own:
            # It worked in a folder of its own, where nobody looks for what they asked for.
            rows.add_row("copy here", Text(clean(shlex.join(("cp", "-n", *made, ".")))))
        if doubt is None and outcome is not None:
            rows.add_row("undo", Text(f"deskcrew undo {run}"))
    for row in figures(sums)[0 if whole else -2 :]:
        if whole or sums.calls or sums.unanswered:
            rows.add_row(*row)
    if changeable and not running and doubt is None and status_of(events) not in ("waiting", "undone"):
        repeated = repeating(events)
        if goes_on(outcome, events):
            rows.add_row("continue", Text(f"deskcrew resume {run}"))
        elif repeated is not None and isinstance(begun, e.RunStarted) and (outcome is None or outcome.status == "stopped"):
            rows.add_row("again", Text(clean(repeated.command(begun.folder(run)))))
    if changeable and doubt is None and (score := _scored(outcome, events)):
        rows.add_row("a skill", Text(f"deskcrew skill make --from {run} (its code was scored {score} of 10)"))
    if not whole:
        checks = [each.holds for each in outcome.checks] + [each.proven for each in outcome.proofs] if outcome else []
        held = checks.count(True)
        rows.add_row("checks" if held else "see again", Text(f"{f'{held} held; ' if held else ''}deskcrew log {run}"))
    return rows


def print_end(journal: Journal, out: Console) -> None:
    """Print how a run has just ended: what a person must read. The panel of ``deskcrew log`` has the rest."""
    look = operations.Looks(journal).before
    out.print(Text(), _rows(journal.run, journal.events, ENDED, look, journal.all, whole=False), sep="\n")


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


def _explain(
    rows: Table, outcome: Outcome, events: list[e.Event], run: str, look: Look, *, advised: bool, whole: bool
) -> None:
    told = advice(run, events) if advised else None
    barred = _barred(events, look) if outcome.status == "denied" else None
    if barred is not None:
        rows.add_row("denied", barred)
    if told is not None:
        rows.add_row("why", Text(told.tried))
    elif (whole or outcome.status != "done") and (why := render.reason_for(outcome)):
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
    if outcome.sources and whole:
        cited = [numbers.get(id, id[:12]) for id in outcome.sources]
        rows.add_row("sources", Text("events " + some(cited, 12)))
    checks = [render.check_result(check) for check in outcome.checks if whole or not check.holds]
    proofs = [render.proof(proof) for proof in outcome.proofs if whole or not proof.proven]
    if checks:
        rows.add_row("checks", Group(*checks))
    if proofs:
        rows.add_row("proof", Group(*proofs, *(_tried(outcome, events, run) if whole else ())))
    if outcome.incidental:
        rows.add_row("besides", render.incidental(outcome.incidental))
    if advised and outcome.status == "done" and outcome.strength.unread:
        rows.add_row("next", Text("To have what is in it proven, too, say so next time:").append(CONTENT, style="bold"))
    steps = [each for each in told.steps if whole or each.command != f"deskcrew log {run}"] if told is not None else []
    for place, step in enumerate(steps):
        command = f"{BELOW if whole else ' '}{step.command}" if step.command else ""
        rows.add_row("next" if not place else "", Text(step.words).append(command, style="bold"))


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
