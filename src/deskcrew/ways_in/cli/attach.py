"""``deskcrew attach|stop|answer RUN``: talk to a run in another process, no matter who started it."""

from __future__ import annotations

from contextlib import aclosing, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.options import DataOption, JsonOption, RawOption, RunArgument, open_run, settings_with

if TYPE_CHECKING:
    from deskcrew.engine.human.questions import Question
    from deskcrew.journal.journal import Journal
    from deskcrew.ways_in.cli.live import LiveView
    from deskcrew.ways_in.cli.terminal import Terminal
    from deskcrew.ways_in.running import Runs

EPILOG = """Examples: deskcrew attach last | deskcrew attach 0317 --raw

Works for every run of yours in progress, in another terminal or in the web app. Ctrl-C only detaches.

Exit codes: those of `run` when the run ends, 0 when you detach."""
STOP_EPILOG = "Examples: deskcrew stop last | deskcrew stop 0317. Then `deskcrew resume RUN` continues it."
ANSWER_EPILOG = """Examples: deskcrew answer last yes | deskcrew answer last no | deskcrew answer 0317 "the one of March"

When an operation waits for permission, anything but yes or no tells the crew what to do instead."""
EVERY = 0.3
"""Seconds between two reads of the journal, since a run's process does not announce its events."""


def attach(run: RunArgument, raw: RawOption = False, data: DataOption = None) -> None:
    """Watch a running run, and answer its questions."""
    import anyio

    from deskcrew.ways_in.cli import ending
    from deskcrew.ways_in.cli.live import LiveView
    from deskcrew.ways_in.cli.signals import Signals
    from deskcrew.ways_in.cli.terminal import Terminal
    from deskcrew.ways_in.report.totals import outcome_of
    from deskcrew.ways_in.running import Runs

    journal = open_run(data, run)
    runs = Runs(settings_with(data))
    out = console()
    view = LiveView(out, spinner=out.is_terminal, raw=raw, stop="(Ctrl-C detaches)")
    terminal = Terminal() if Terminal.there() else None
    with view, Signals(lambda: None, terminal.restore if terminal else None) as signals:
        anyio.run(signals.stoppable, lambda: _attached(runs, journal, view, terminal))
    outcome = outcome_of(journal.events)
    if signals.received and outcome is None:
        out.print(f"Detached; the run continues. To attach again: deskcrew attach {journal.run}", soft_wrap=True)
        return
    ending.print_end(journal, out)
    raise typer.Exit(ending.exit_code(outcome))


async def _attached(runs: Runs, journal: Journal, view: LiveView, terminal: Terminal | None) -> None:
    """Show events and ask the run's questions, until its process has ended. Raises UsageError if the run has no process."""
    import anyio

    from deskcrew.ways_in.cli.person import Person, shown
    from deskcrew.ways_in.report.operations import Looks

    if await runs.alive(journal.run) is None:
        raise _unreachable(runs, journal.run)
    for event in journal.events:
        view(event, journal)
    person = Person(view.console, view.paused, terminal, lambda: journal) if terminal is not None else None

    async def catch_up() -> None:
        while True:
            for event in journal.catch_up():
                view(event, journal)
            while person is not None and (said := person.said()) is not None:
                if text := (await runs.say(journal.run, said)).text:
                    person.tell(text)
            await anyio.sleep(EVERY)

    async def ask(until: anyio.CancelScope, id: str, question: Question) -> None:
        for event in journal.catch_up():
            view(event, journal)
        with until:
            if person is None:
                view.console.print(shown(question, Looks(journal).before(journal.events[-1])))
                view.say(f"Answer with: deskcrew answer {journal.run} ...")
            elif (given := await person.ask(question)) is not None:
                told = await runs.answer(journal.run, id, given)
                if not told.ok:
                    person.tell(told.text)

    with terminal or nullcontext():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(catch_up)
            if person is not None:
                tasks.start_soon(person.listen)
            asked, asking = "", anyio.CancelScope()
            async with aclosing(runs.follow(journal.run)) as states:
                async for alive in states:
                    now = alive.question.id if alive.question is not None else ""
                    if now != asked:
                        asking.cancel()
                        asked, asking = now, anyio.CancelScope()
                        if alive.question is not None:
                            tasks.start_soon(ask, asking, now, alive.question.question)
            tasks.cancel_scope.cancel()
    for event in journal.catch_up():
        view(event, journal)


def stop(run: RunArgument, data: DataOption = None) -> None:
    """Stop a run cleanly: what it did is kept, and `deskcrew resume` continues it."""
    import anyio

    from deskcrew.ways_in.fleet.remote_runs import runs_of

    journal = open_run(data, run)
    runs = runs_of(settings_with(data))
    if anyio.run(runs.alive, journal.run) is None:
        raise _unreachable(runs, journal.run)
    told = anyio.run(runs.stop, journal.run)
    if not told.ok:
        raise EnvironmentFailure(
            f"Run {journal.run}: {told.text}", hint="Wait a moment; `deskcrew runs` says when it ended."
        )
    console().print(f"Run {journal.run} was stopped. Continue it: deskcrew resume {journal.run}", soft_wrap=True)


AnswerArgument = Annotated[
    str, typer.Argument(metavar="ANSWER", help="yes, no, or what to tell the crew.", show_default=False)
]


def answer(run: RunArgument, answer: AnswerArgument, json: JsonOption = False, data: DataOption = None) -> None:
    """Answer the open question of a run without attaching to it."""
    import anyio

    from deskcrew.engine.human.responder import meant
    from deskcrew.ways_in.cli.person import shown
    from deskcrew.ways_in.fleet.remote_runs import runs_of
    from deskcrew.ways_in.report.operations import Looks

    journal = open_run(data, run)
    runs = runs_of(settings_with(data))
    alive = anyio.run(runs.alive, journal.run)
    if alive is None:
        raise _unreachable(runs, journal.run)
    if alive.question is None:
        raise UsageError(f"Run {journal.run} has no open question.", hint=f"Watch it: deskcrew attach {journal.run}")
    question, given = alive.question.question, meant(alive.question.question, answer)
    told = anyio.run(runs.answer, journal.run, alive.question.id, given)
    if not told.ok:
        raise UsageError(told.text, hint=f"See what it asks now: deskcrew attach {journal.run}")
    if json:
        print_json({"run": journal.run, "question": question.model_dump(mode="json"), "answer": given.model_dump()})
        return
    out = console()
    out.print(shown(question, Looks(journal).before(journal.events[-1])))
    out.print(f"Answered: {answer}", style="bold", soft_wrap=True)


def _unreachable(runs: Runs, run: str) -> UsageError:
    if runs.busy(run):
        return UsageError(f"The process of run {run} cannot be reached.", hint="Stop it where it was started.")
    return UsageError(f"Run {run} is not running.", hint=f"See how it ended: deskcrew log {run}")
