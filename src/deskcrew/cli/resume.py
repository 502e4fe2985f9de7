"""``deskcrew resume RUN``: go on with a run that ended in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from deskcrew.cli.options import (
    ApproveOption,
    DataOption,
    LimitOption,
    ModeOfOption,
    ModeOption,
    OtherModelOption,
    RunArgument,
    RunJsonOption,
    settings_with,
)

if TYPE_CHECKING:
    from deskcrew.human.questions import Mode

EPILOG = """Examples: deskcrew resume last | deskcrew resume 0317 --model openai:gpt-5-mini --limit operations=60

Ctrl-C ends a run in order; this goes on with it, as often as you like.

What was done stays done: an action whose end nobody saw is looked at, never repeated blindly. Exit codes as of `run`."""


def resume(
    run: RunArgument,
    model: OtherModelOption = None,
    mode: ModeOption = None,
    mode_of: ModeOfOption = None,
    approve: ApproveOption = False,
    limit: LimitOption = None,
    json: RunJsonOption = False,
    data: DataOption = None,
) -> None:
    """Go on with a run after its process, its model or its desktop died, after Ctrl-C, or after `deskcrew rewind --stay`."""
    from deskcrew.cli.values import mode_with

    asked = mode_with(mode, approve=approve)
    raise typer.Exit(go_on(run, model=model, mode=asked, mode_of=mode_of or [], limit=limit or [], json=json, data=data))


def go_on(
    run: str, *, model: str | None, mode: Mode, mode_of: list[str], limit: list[str], json: bool, data: DataOption = None
) -> int:
    """Resume with live display and closing panel. Returns the exit code."""
    from dataclasses import replace

    from deskcrew import session
    from deskcrew.cli.options import existing_journal, open_run
    from deskcrew.cli.secret import allowed
    from deskcrew.cli.values import limits_with, modes_with
    from deskcrew.cli.watched import watched
    from deskcrew.request import RunRequest, secrets_of

    modes = modes_with(mode_of)
    existing_journal(data)
    settings = settings_with(data)
    # A run goes on with the secrets it began with; those it may not see any more are still on its screen and in its files.
    secrets = allowed(settings, sorted(secrets_of(open_run(data, run))))

    def change(request: RunRequest) -> RunRequest:
        limits = limits_with(request.limits, limit)
        changes = {"mode": mode, "modes": modes, "limits": limits, "secrets": secrets}
        return replace(request, model=model or request.model, **changes)  # type: ignore[arg-type]

    return watched(
        lambda view, human: session.resume(run, settings, change=change, watch=view, human=human, notice=view.notice),
        asks=any(each != "automatic" for each in (mode, *(each for _, each in modes))),
        json=json,
    )
