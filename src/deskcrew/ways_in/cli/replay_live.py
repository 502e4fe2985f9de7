"""``deskcrew replay RUN --live``: repeat a recorded run on a live desktop, without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, must_agree, print_json
from deskcrew.ways_in.cli.options import (
    AllowedOptions,
    ApproveOption,
    AtOption,
    AttachOption,
    DataOption,
    DesktopKind,
    ModeOption,
    not_empty,
    open_run,
    settings_with,
)
from deskcrew.ways_in.cli.secret import allowed
from deskcrew.ways_in.report.text import clean

if TYPE_CHECKING:
    from deskcrew.engine.human.responder import Responder
    from deskcrew.engine.replay.live import Live
    from deskcrew.engine.request import RunRequest
    from deskcrew.facts.events import Event
    from deskcrew.journal.journal import Journal
    from deskcrew.settings import Settings
    from deskcrew.ways_in.cli.live import LiveView


_live = partial(typer.Option, rich_help_panel="With --live")

ListOption = Annotated[bool, _live("--list", help="Only show the values that --set can replace, and where they occur.")]
SetOption = Annotated[
    list[str] | None,
    _live(
        "--set",
        metavar="NAME=VALUE",
        help="Replace a text or file name in the task; NAME is from --list, or the old value; repeatable.",
    ),
]
WorkspaceOption = Annotated[
    Path | None,
    _live(
        "--workspace",
        metavar="DIR",
        help="Folder to work in, which is changed.",
        show_default="a new one, with the run's initial files",
    ),
]
DesktopOption = Annotated[
    DesktopKind | None,
    _live("--desktop", help="The kind of desktop.", show_default="as recorded"),
]
HandOverOption = Annotated[
    bool, _live("--hand-over", help="Where the screen differs from the record, let the crew continue.")
]
ModelOption = Annotated[
    str | None,
    _live("--model", parser=not_empty, metavar="MODEL", help="The model for --hand-over.", show_default="as recorded"),
]
PictureOption = Annotated[
    Path | None,
    _live(
        "--picture",
        metavar="FILE",
        help="Where to write the picture of a difference.",
        show_default="beside the journal",
    ),
]
YesOption = Annotated[bool, _live("--yes", "-y", help="Do not ask before operating your own desktop.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOptions:
    """The options of ``--live``, which become the request of the new run."""

    list_: ListOption = False
    set_: SetOption = None
    workspace: WorkspaceOption = None
    attach: AttachOption = None
    desktop: DesktopOption = None
    at: AtOption = None
    hand_over: HandOverOption = False
    model: ModelOption = None
    picture: PictureOption = None
    mode: ModeOption = None
    approve: ApproveOption = False
    allowed: AllowedOptions
    yes: YesOption = False

    def request(self, journal: Journal, settings: Settings) -> RunRequest:
        """The request that runs the task of ``journal`` again with these options. Raises UsageError if one is invalid."""
        from deskcrew.engine.replay.live import request_again
        from deskcrew.ways_in.cli.values import existing_files, existing_folder, mode_with

        request = request_again(journal, settings)
        return replace(
            self.allowed.of(request),
            model=self.model or request.model,
            workspace=existing_folder(self.workspace),
            attachments=existing_files(self.attach or []),
            desktop=(desktop := self.desktop or request.desktop),
            at=(self.at or request.at) if desktop == "windows" else "",
            mode=mode_with(self.mode, approve=self.approve),
            secrets=allowed(settings, self.allowed.secret or ()),
        )


def listed(run: str, branch: str | None, *, json: bool, data: DataOption) -> None:
    """Print the values that ``--set`` can replace."""
    from deskcrew.engine.replay.live import values_of

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


def do(run: str, branch: str | None, options: LiveOptions, *, json: bool, data: DataOption) -> int:
    """Repeat a run with live display, closing panel and, on a mismatch, a picture. Returns the exit code."""
    from deskcrew.engine.replay.live import Live, LiveRequest, replay_live
    from deskcrew.facts.events import YOURS
    from deskcrew.ways_in.cli.watched import asks, watched

    journal, settings = open_run(data, run), settings_with(data)
    request = options.request(journal, settings)
    if options.model and not options.hand_over:
        raise UsageError("--model is used only with --hand-over.", hint="Leave one out, or give both.")
    if request.desktop in YOURS and not options.yes:
        about, instead = "whether to operate your own desktop", "Give --yes, or --desktop virtual."
        must_agree("Operate your own desktop?", about=about, instead=instead, json=json)
    live = LiveRequest(request, tuple(options.set_ or ()), options.hand_over, options.picture and options.picture.absolute())
    head, ended = _head(journal, branch), list[Live]()

    async def start(view: LiveView, human: Responder) -> Journal:
        done = await replay_live(journal, head, live, settings, watch=view, human=human, notice=view.notice)
        ended.append(done)
        return done.journal

    code, _ = watched(start, settings, asks=asks(request), json=json, more=_told(journal, ended))
    if ended and ended[0].picture is not None:
        console(stderr=json).print(f"Expected and found, side by side: {clean(str(ended[0].picture))}", soft_wrap=True)
    return code


def _head(journal: Journal, branch: str | None) -> Event | None:
    from deskcrew.journal.branches import branch_named

    return branch_named(journal, branch).head if branch is not None else None


def _told(source: Journal, ended: list[Live]) -> Callable[[], dict[str, object]]:
    """A function that returns what the JSON object has besides the run's own fields."""

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
