"""``deskcrew resume RUN``: continue a run that ended in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from deskcrew.ways_in.cli.options import (
    ApproveOption,
    DataOption,
    LimitOption,
    ModeOfOption,
    ModeOption,
    OtherModelOption,
    RawOption,
    RunArgument,
    RunJsonOption,
    settings_with,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from deskcrew.engine.human.questions import Mode
    from deskcrew.engine.request import RunRequest
    from deskcrew.journal.journal import Journal

EPILOG = """Examples: deskcrew resume last | deskcrew resume 0317 --model openai:gpt-5-mini --limit operations=60

Ctrl-C stops a run gracefully; this continues it, as often as you like.

What was done stays done: an action that was interrupted is looked at, never repeated blindly. Exit codes: see `run`."""


def resume(
    run: RunArgument,
    model: OtherModelOption = None,
    mode: ModeOption = None,
    mode_of: ModeOfOption = None,
    approve: ApproveOption = False,
    limit: LimitOption = None,
    raw: RawOption = False,
    json: RunJsonOption = False,
    data: DataOption = None,
) -> None:
    """Continue a run whose process, model or desktop died, or that was stopped, used up a limit, or waits to go on."""
    from deskcrew.ways_in.cli.values import mode_given

    asked = mode_given(mode, approve=approve)
    roles, limits = mode_of or [], limit or []
    raise typer.Exit(go_on(run, model=model, mode=asked, mode_of=roles, limit=limits, json=json, raw=raw, data=data))


def go_on(
    run: str,
    *,
    model: str | None,
    mode: Mode | None,
    mode_of: list[str],
    limit: list[str],
    json: bool,
    raw: bool = False,
    data: DataOption = None,
) -> int:
    """Resume with live display and closing panel. Returns the exit code."""
    from deskcrew.engine import attempts
    from deskcrew.engine.request import request_of
    from deskcrew.models.reference import FILES
    from deskcrew.ways_in.cli.console import console
    from deskcrew.ways_in.cli.options import open_run
    from deskcrew.ways_in.cli.values import asking_what_is_meant
    from deskcrew.ways_in.cli.watched import asks, watched
    from deskcrew.ways_in.report.text import clean

    settings, journal = settings_with(data), open_run(data, run)
    told = changes(journal, model=model, mode=mode, mode_of=mode_of, limit=limit, data=data)

    def change(request: RunRequest) -> RunRequest:
        return told(request) if json or mode or mode_of else asking_what_is_meant(told(request), settings)

    wanted = change(request_of(journal))
    if wanted.model.partition(":")[0] in FILES:
        again = f"The file begins again with its first reply, whatever was replied before: {clean(wanted.model)}"
        console(stderr=json).print(again, style="yellow", soft_wrap=True)
    return watched(
        lambda view, human: attempts.resume(run, settings, change=change, watch=view, human=human, notice=view.notice),
        settings,
        asks=asks(wanted),
        json=json,
        raw=raw,
    )


def changes(
    journal: Journal, *, model: str | None, mode: Mode | None, mode_of: list[str], limit: list[str], data: DataOption = None
) -> Callable[[RunRequest], RunRequest]:
    """The request of a run with the options applied; what is not given stays. Raises UsageError if they are invalid."""
    from dataclasses import replace

    from deskcrew.engine.request import role_modes, secrets_of
    from deskcrew.ways_in.cli.secret import allowed
    from deskcrew.ways_in.cli.values import limits_with
    from deskcrew.ways_in.running.messages import RunChanges

    given = RunChanges(model=model, mode=mode, modes=role_modes(mode_of))
    # A run goes on with the secrets it began with; those it may not see any more are still on its screen and in its files.
    secrets = allowed(settings_with(data), sorted(secrets_of(journal)))

    def change(request: RunRequest) -> RunRequest:
        return replace(given.of(request), limits=limits_with(request.limits, limit), secrets=secrets)

    return change


def check(journal: Journal, request: RunRequest, *, data: DataOption = None) -> None:
    """Check that a run can continue with these options. Raises UsageError if not, ModelFailure if the model is
    unavailable."""
    import anyio

    from deskcrew.engine import session
    from deskcrew.ways_in.cli.watched import asks, check_terminal

    check_terminal(asks=asks(request))
    anyio.run(session.check, journal, request, settings_with(data))
