"""Shows a run live to the person at the terminal, who can take part, and how it ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from json import dumps
from types import TracebackType

import anyio

from deskcrew.engine import attempts
from deskcrew.engine.human.responder import Nobody, Responder
from deskcrew.engine.request import RunRequest, prepare
from deskcrew.errors import UsageError
from deskcrew.facts.verdict import EXIT_CODES, OutcomeStatus
from deskcrew.journal.journal import Journal
from deskcrew.models.store import WeightStore
from deskcrew.settings import Settings
from deskcrew.ways_in.cli import ending
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.failing import Failure
from deskcrew.ways_in.cli.fetching import wait_for
from deskcrew.ways_in.cli.live import LiveView, Told
from deskcrew.ways_in.cli.person import Person
from deskcrew.ways_in.cli.signals import Signals
from deskcrew.ways_in.cli.terminal import Terminal
from deskcrew.ways_in.report.result import result_of
from deskcrew.ways_in.report.text import clean
from deskcrew.ways_in.report.totals import outcome_of
from deskcrew.ways_in.running.reachable import meanwhile, reached

NOBODY = "`run --mode automatic` asks nobody, and denies what would need approval."


def perform(
    request: RunRequest,
    settings: Settings,
    *,
    json: bool,
    raw: bool = False,
    told: Told | None = None,
) -> tuple[int, Journal | None]:
    """Do a run with live display and closing lines. Returns the exit code, and the run, None if none was begun. ``told``:
    returns what to print for an event instead, as for ``deskcrew demo``.

    Raises what the session raises before a run has begun.
    """
    if asks(request) and not sys.stdin.isatty():
        prepare(request, settings)  # what is wrong in the request itself is said first
    if request.model.partition(":")[0] == "local":
        wait_for(request.model, WeightStore(settings.models), console(stderr=True))
    return watched(
        lambda view, human: attempts.run(request, settings, watch=view, human=human, notice=view.notice, lend=view.lend),
        settings,
        asks=asks(request),
        json=json,
        raw=raw,
        wanted="stopped" if request.plan_only else "done",
        told=told,
    )


def watched(
    start: Callable[[LiveView, Responder], Awaitable[Journal]],
    settings: Settings,
    *,
    asks: bool,
    json: bool,
    raw: bool = False,
    more: Callable[[], dict[str, object]] = dict,
    wanted: OutcomeStatus = "done",
    told: Told | None = None,
) -> tuple[int, Journal | None]:
    """Show live what ``start`` does, and how it ended. Returns the exit code, and the run. Raises what ``start`` raises.

    If there is a terminal, the person may type a command at any time. ``asks``: whether there must be a terminal; ``more``:
    returns further fields of the JSON object, called at the end; ``wanted``: the outcome that has exit code 0.
    """
    check_terminal(asks=asks)
    out = console(stderr=json)
    out.quiet = json and not out.is_terminal
    view = LiveView(out, spinner=out.is_terminal, raw=raw, told=told)
    terminal = Terminal() if Terminal.there() and (asks or out.is_terminal) else None
    stopping = "Stopping... (Ctrl-C again to end at once)"
    promised = _Promised(view, terminal, json=json)
    with promised:
        with view, Signals(lambda: view.say(stopping), promised.at_once) as signals:
            returned = anyio.run(_stoppable, start, settings, terminal, view, signals)
        journal = returned or view.journal
        events = journal.events if journal else []
        outcome = outcome_of(events)
        if outcome is None and signals.received:
            # The session had no run to end yet, or could not write its end any more.
            outcome = ending.STOPPED
        if journal is None:
            out.print("Stopped before the run began.")
        elif told is None:
            ending.print_end(journal, out)
        code = 0 if outcome is not None and outcome.status == wanted else ending.exit_code(outcome)
        if json:
            result = result_of(journal.run if journal else None, events, outcome, everything=journal.all if journal else ())
            print_json(result.model_dump(mode="json") | {"exit_code": code} | more())
    return code, journal


class _Promised:
    """Prints the JSON object of a run that began and ended in an error, which is still raised; others print their own."""

    def __init__(self, view: LiveView, terminal: Terminal | None, *, json: bool) -> None:
        self._view, self._terminal, self._json = view, terminal, json

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        journal = self._view.journal
        if not self._json or error is None or journal is None or (failure := Failure.of(error)) is None:
            return
        result = result_of(journal.run, journal.events, everything=journal.all)
        print_json(result.model_dump(mode="json") | failure.told())

    def at_once(self) -> None:
        """Print the end of the run from the handler of a second signal, which ends the program. Must not rely on anything
        that it may have interrupted."""
        if self._terminal is not None:
            self._terminal.restore()
        if self._json:
            run = self._view.journal.run if self._view.journal else None
            told = {
                "run": run,
                "outcome": "stopped",
                "reason": "",
                "why": "Ended at once.",
                "exit_code": EXIT_CODES["stopped"],
            }
            os.write(1, dumps(told).encode() + b"\n")


def check_terminal(*, asks: bool, otherwise: str = NOBODY) -> None:
    """Raise UsageError if a person must be there, but standard input is not a terminal. ``otherwise``: what can be done
    without a person, for the hint."""
    if asks and not sys.stdin.isatty():
        hint = f"Start it at a terminal. {otherwise}".rstrip()
        raise UsageError("This asks a person, but standard input is not a terminal.", hint=hint)


async def _stoppable(
    start: Callable[[LiveView, Responder], Awaitable[Journal]],
    settings: Settings,
    terminal: Terminal | None,
    view: LiveView,
    signals: Signals,
) -> Journal | None:
    """Do what ``start`` does, while the person at the terminal and others who attach can take part."""
    person = (
        Person(view.console, view.paused, terminal, lambda: view.journal, enter=view.told is None)
        if terminal is not None
        else None
    )
    here = person or Nobody(view.say)

    async def beside() -> Journal:
        listening = (person.listen(),) if person is not None else ()
        async with reached(settings, here, signals.stop) as hooks, meanwhile(*listening):
            view.watchers.append(hooks["watch"])
            view.lend = hooks["lend"]
            return await start(view, hooks["human"])

    try:
        with terminal or nullcontext():
            return await signals.stoppable(beside)
    finally:
        for text in person.unheard() if person is not None else ():
            view.say(f"The run ended before it heard this: {clean(text)}")


def asks(request: RunRequest) -> bool:
    """Whether a run may ask something, so that a person must be there."""
    return any(mode != "automatic" for mode in (request.mode, *(mode for _, mode in request.modes)))
