"""``deskcrew replay RUN --live``: repeats a recorded run on a live desktop, without a model."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deskcrew.ways_in.cli.options import DataOption, DesktopKind, open_run, settings_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from deskcrew.engine.human.questions import Mode
    from deskcrew.engine.human.responder import Responder
    from deskcrew.engine.replay.live import Live
    from deskcrew.engine.request import RunRequest
    from deskcrew.facts.events import Event
    from deskcrew.journal.journal import Journal
    from deskcrew.settings import Settings
    from deskcrew.ways_in.cli.live import LiveView


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """What was typed."""

    run: str
    branch: str | None
    sets: tuple[str, ...]
    workspace: Path | None
    attach: tuple[Path, ...]
    desktop: DesktopKind | None
    hand_over: bool
    model: str | None
    picture: Path | None
    mode: Mode
    network: bool
    hosts: tuple[str, ...]
    policy: Path | None
    secrets: tuple[str, ...]
    limits: tuple[str, ...]
    yes: bool


def listed(run: str, branch: str | None, *, json: bool, data: DataOption) -> None:
    """Show the values that ``--set`` replaces."""
    from rich.table import Table
    from rich.text import Text

    from deskcrew.engine.replay.live import values_of
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.report.text import clean

    journal = open_run(data, run)
    values = values_of(journal, _head(journal, branch))
    if json:
        found = [{"name": v.name, "value": v.value, "kind": v.kind, "places": list(v.places)} for v in values]
        print_json({"run": journal.run, "values": found})
        return
    out = console()
    if not values:
        out.print("The task quotes no text and names no file: there is nothing to --set.")
        return
    table = Table.grid(padding=(0, 2))
    for value in values:
        shown = Text(f"{value.name}={clean(value.value)}", style="bold")
        table.add_row(shown, Text("; ".join(clean(place) for place in value.places)))
    out.print(table)


def do(options: LiveOptions, *, json: bool, data: DataOption) -> int:
    """Repeat it with live display, closing panel and, on a mismatch, a picture. Returns the exit code."""
    from deskcrew.engine.replay.live import Live, LiveRequest, replay_live
    from deskcrew.errors import UsageError
    from deskcrew.facts.events import YOURS
    from deskcrew.ways_in.cli.console import console
    from deskcrew.ways_in.cli.watched import asks, watched
    from deskcrew.ways_in.report.text import clean

    journal, settings = open_run(data, options.run), settings_with(data)
    request = _request(options, journal, settings)
    if options.model and not options.hand_over:
        raise UsageError("--model is used only with --hand-over.", hint="Leave one out, or give both.")
    if request.desktop in YOURS and not options.yes:
        _confirm(json=json)
    live = LiveRequest(request, options.sets, options.hand_over, options.picture and options.picture.absolute())
    head, ended = _head(journal, options.branch), list[Live]()

    async def start(view: LiveView, human: Responder) -> Journal:
        done = await replay_live(journal, head, live, settings, watch=view, human=human, notice=view.notice)
        ended.append(done)
        return done.journal

    code = watched(start, settings, asks=asks(request), json=json, more=_told(journal, ended))
    if ended and ended[0].picture is not None:
        console(stderr=json).print(f"Expected and found, side by side: {clean(str(ended[0].picture))}", soft_wrap=True)
    return code


def _request(options: LiveOptions, journal: Journal, settings: Settings) -> RunRequest:
    from deskcrew.engine.replay.live import request_again
    from deskcrew.ways_in.cli.secret import allowed
    from deskcrew.ways_in.cli.values import existing_files, existing_folder, limits_with

    request = request_again(journal, settings)
    return replace(
        request,
        model=options.model or request.model,
        workspace=existing_folder(options.workspace),
        attachments=existing_files(list(options.attach)),
        desktop=options.desktop or request.desktop,
        mode=options.mode,
        limits=limits_with(request.limits, list(options.limits)),
        network=options.network,
        hosts=options.hosts,
        policy=options.policy.absolute() if options.policy is not None else None,
        secrets=allowed(settings, options.secrets),
    )


def _head(journal: Journal, branch: str | None) -> Event | None:
    from deskcrew.journal.branches import branch_named

    return branch_named(journal, branch).head if branch is not None else None


def _told(source: Journal, ended: list[Live]) -> Callable[[], dict[str, object]]:
    """What the JSON object has besides that of a run."""

    def told() -> dict[str, object]:
        if not ended:
            return {"replay": {"of": source.run}}
        live = ended[0]
        found = live.mismatch
        mismatch = None
        if found is not None:
            event = found.step.number if found.step else None
            mismatch = {"event": event, "expected": found.expected, "found": found.found}
        picture = str(live.picture) if live.picture else None
        return {"replay": {"of": source.run, "set": live.set, "mismatch": mismatch, "picture": picture}}

    return told


def _confirm(*, json: bool) -> None:
    """Ask whether the person's own desktop may be operated. Raises Exit (6) on no, UsageError if nobody can be
    asked."""
    from deskcrew.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError(
            "Your own desktop would be operated, and there is nobody to ask.", hint="--yes, or --desktop virtual."
        )
    if not typer.confirm("Operate your own desktop?", default=False, err=json):
        raise typer.Exit(6)
