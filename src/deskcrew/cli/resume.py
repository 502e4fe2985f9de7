"""``deskcrew resume RUN``: go on with a run that ended in the middle."""

from __future__ import annotations

from typing import Annotated

import typer

from deskcrew.cli.options import DataOption, RunArgument, settings_with
from deskcrew.cli.run import ApproveOption, LimitOption, RunJsonOption

EPILOG = """Examples: deskcrew resume last | deskcrew resume 0317 --model openai:gpt-5 --limit operations=60

What was done stays done: an action whose end nobody saw is looked at, never repeated blindly. Exit codes as of `run`."""

ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="MODEL", help="Another model from here on.", show_default="the one it began with"),
]


def resume(
    run: RunArgument,
    model: ModelOption = None,
    approve: ApproveOption = False,
    limit: LimitOption = None,
    json: RunJsonOption = False,
    data: DataOption = None,
) -> None:
    """Go on with a run after its process, its model or its desktop died, or after `deskcrew rewind --stay`."""
    raise typer.Exit(go_on(run, model=model, approve=approve, limit=limit or [], json=json, data=data))


def go_on(run: str, *, model: str | None, approve: bool, limit: list[str], json: bool, data: DataOption = None) -> int:
    """Resume with live display and closing panel. Returns the exit code."""
    from dataclasses import replace

    from deskcrew import session
    from deskcrew.cli.options import existing_journal
    from deskcrew.cli.run import limits_with, watched
    from deskcrew.session import RunRequest

    existing_journal(data)
    settings = settings_with(data)

    def change(request: RunRequest) -> RunRequest:
        limits = limits_with(request.limits, limit)
        return replace(request, model=model or request.model, approve=approve, limits=limits)

    return watched(
        lambda view, human: session.resume(run, settings, change=change, watch=view, human=human, notice=view.notice),
        approve=approve,
        json=json,
    )
