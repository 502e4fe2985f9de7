"""``deskcrew resume RUN``: continue a run that ended before it was finished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from deskcrew.ways_in.cli.console import console
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import FurtherOptions, RawOption, RunArgument, RunOutputOptions, open_run, settings_with
from deskcrew.ways_in.cli.secret import passphrase
from deskcrew.ways_in.report.text import clean

if TYPE_CHECKING:
    from deskcrew.engine.request import RunRequest
    from deskcrew.journal.journal import Journal
    from deskcrew.settings import Settings

EPILOG = """Examples: deskcrew resume last | deskcrew resume 0317 --model openai:gpt-5-mini --limit operations=60

Ctrl-C stops a run gracefully; this continues it, as often as you like.

What was done stays done: an interrupted action is checked, never repeated blindly. Exit codes: see `run`."""


@grouped
def resume(*, run: RunArgument, options: FurtherOptions, raw: RawOption = False, output: RunOutputOptions) -> None:
    """Continue a run whose process, model or desktop died, that was stopped or used up a limit, or that is waiting."""
    raise typer.Exit(go_on(run, options, output, raw=raw))


def go_on(run: str, options: FurtherOptions, output: RunOutputOptions, *, raw: bool = False) -> int:
    """Resume a run with live display and closing panel. Returns the exit code."""
    from deskcrew.engine import attempts
    from deskcrew.engine.request import request_of
    from deskcrew.models.reference import FILES
    from deskcrew.ways_in.cli.values import asking_what_is_meant
    from deskcrew.ways_in.cli.watched import asks, watched

    settings, json, person = settings_with(output.data), output.json, options.person
    told = changes(options, journal := open_run(output.data, run), settings)
    run = journal.run  # "last" is that of this folder

    def change(request: RunRequest) -> RunRequest:
        return told(request) if json or person.given or person.mode_of else asking_what_is_meant(told(request), settings)

    wanted = change(request_of(journal))
    if wanted.model.partition(":")[0] in FILES:
        again = f"The replies start again with the first in the file, whatever was replied before: {clean(wanted.model)}"
        console(stderr=json).print(again, style="yellow", soft_wrap=True)
    code, _ = watched(
        lambda view, human: attempts.resume(run, settings, change=change, watch=view, human=human, notice=view.notice),
        settings,
        asks=asks(wanted),
        json=json,
        raw=raw,
    )
    return code


def changes(options: FurtherOptions, journal: Journal, settings: Settings) -> Callable[[RunRequest], RunRequest]:
    """A function that applies the options to a run's request; the rest stays. Raises UsageError for an invalid one."""
    from deskcrew.engine.request import role_modes
    from deskcrew.ways_in.cli.values import limits_with
    from deskcrew.ways_in.running.messages import RunChanges
    from deskcrew.ways_in.running.rewinding import changing

    given = RunChanges(model=options.model, mode=options.person.given, modes=role_modes(options.person.mode_of or []))
    changed = changing(given, journal, settings, passphrase)
    return lambda request: replace(changed(request), limits=limits_with(request.limits, options.limit or []))


def check(journal: Journal, request: RunRequest, settings: Settings) -> None:
    """Raise UsageError if a run cannot continue with this request, or ModelFailure if its model is unavailable."""
    import anyio

    from deskcrew.engine import session
    from deskcrew.ways_in.cli.watched import asks, check_terminal

    check_terminal(asks=asks(request))
    anyio.run(session.check, journal, request, settings)
