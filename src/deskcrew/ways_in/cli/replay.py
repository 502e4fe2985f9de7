"""``deskcrew replay RUN``: repeats a run, from its record alone or on a live desktop."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.options import (
    AllowHostOption,
    ApproveOption,
    AttachOption,
    DataOption,
    DesktopKind,
    JsonOption,
    LimitOption,
    ModeOption,
    NetworkOption,
    PolicyOption,
    RunArgument,
    SecretOption,
    not_empty,
    open_run,
)

if TYPE_CHECKING:
    from rich.text import Text

    from deskcrew.engine.replay.compare import Difference
    from deskcrew.engine.replay.replay import Replayed

EPILOG = """Examples:

deskcrew replay last --cassette

deskcrew replay 0317 --list

deskcrew replay 0317 --live --attach june.csv --set may.csv=june.csv --set text1="Total in June:"

deskcrew replay 0317 --live --workspace ./papers --hand-over --json

Exit codes: 0 the same (--cassette) or done (--live), 4 it differs; else as of `run`."""

_how = partial(typer.Option, rich_help_panel="Which kind")
_live = partial(typer.Option, rich_help_panel="With --live")

CassetteOption = Annotated[
    bool,
    _how("--cassette", help="Run the engine on the record, with everything outside answering as recorded, and compare."),
]
LiveOption = Annotated[
    bool, _how("--live", help="Repeat its operations on a live desktop, in a run of its own, without a model.")
]
BranchOption = Annotated[
    str | None, typer.Option("--branch", metavar="BRANCH", help="Number or label.", show_default="the current branch")
]
ListOption = Annotated[bool, _live("--list", help="Only show the values that --set can replace, and where they occur.")]
SetOption = Annotated[
    list[str] | None,
    _live(
        "--set",
        metavar="NAME=VALUE",
        help="Replace a text or file name of the task, named as in --list or by its old value; repeatable.",
    ),
]
WorkspaceOption = Annotated[
    Path | None,
    _live(
        "--workspace",
        metavar="DIR",
        help="Folder that may be changed.",
        show_default="a new one with the files that the run began with",
    ),
]
DesktopOption = Annotated[
    DesktopKind | None,
    _live("--desktop", help="Which desktop.", show_default="the kind it was"),
]
HandOverOption = Annotated[
    bool, _live("--hand-over", help="Where the screen differs from the record, let the crew continue.")
]
ModelOption = Annotated[
    str | None,
    _live("--model", parser=not_empty, metavar="MODEL", help="The model for --hand-over.", show_default="the one it had"),
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


def replay(
    run: RunArgument,
    cassette: CassetteOption = False,
    live: LiveOption = False,
    branch: BranchOption = None,
    list_: ListOption = False,
    set_: SetOption = None,
    workspace: WorkspaceOption = None,
    attach: AttachOption = None,
    desktop: DesktopOption = None,
    hand_over: HandOverOption = False,
    model: ModelOption = None,
    picture: PictureOption = None,
    mode: ModeOption = None,
    approve: ApproveOption = False,
    network: NetworkOption = False,
    allow_host: AllowHostOption = None,
    policy: PolicyOption = None,
    secret: SecretOption = None,
    limit: LimitOption = None,
    yes: YesOption = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Do a run again: over its record alone, or on a live desktop with other values.

    --cassette runs the engine over what the run recorded, on any machine, and nothing is done: every prompt, decision,
    verdict and approval must come out as recorded.

    --live does the operations again, each on the control that it was aimed at, and runs programs again for new results.
    Nothing is allowed because it was allowed then. It stops where the screen is not as recorded, with a picture.
    """
    from deskcrew.errors import UsageError

    if list_ and not cassette:
        live = True
    if cassette == live:
        raise UsageError(
            "Give --cassette (check it against its record) or --live (do it again).",
            hint=f"deskcrew replay {run} --cassette",
        )
    if cassette:
        given = {"--list": list_, "--set": set_, "--workspace": workspace, "--attach": attach, "--desktop": desktop}
        given |= {"--hand-over": hand_over, "--model": model, "--picture": picture, "--mode": mode, "--approve": approve}
        given |= {"--network": network, "--allow-host": allow_host, "--policy": policy, "--secret": secret}
        given |= {"--limit": limit, "--yes": yes}
        if ignored := [name for name, value in given.items() if value]:
            raise UsageError(
                f"{', '.join(ignored)}: cannot be used with --cassette, which follows the record exactly.",
                hint=f"deskcrew replay {run} --live {ignored[0]} ...",
            )
        raise typer.Exit(from_record(run, branch, json=json, data=data))
    for text in set_ or []:
        if "=" not in text:
            raise UsageError(f"--set {text!r} is not NAME=VALUE.", hint=f"deskcrew replay {run} --list shows the names.")
    from deskcrew.ways_in.cli import replay_live
    from deskcrew.ways_in.cli.values import mode_with

    if list_:
        replay_live.listed(run, branch, json=json, data=data)
        return
    options = replay_live.LiveOptions(
        run=run,
        branch=branch,
        sets=tuple(set_ or ()),
        workspace=workspace,
        attach=tuple(attach or ()),
        desktop=desktop,
        hand_over=hand_over,
        model=model,
        picture=picture,
        mode=mode_with(mode, approve=approve),
        network=network,
        hosts=tuple(allow_host or ()),
        policy=policy,
        secrets=tuple(secret or ()),
        limits=tuple(limit or ()),
        yes=yes,
    )
    raise typer.Exit(replay_live.do(options, json=json, data=data))


def from_record(run: str, branch: str | None, *, json: bool, data: DataOption) -> int:
    """``--cassette``. Returns the exit code."""
    import anyio

    from deskcrew.engine.replay.replay import replay as again
    from deskcrew.journal.branches import branch_named
    from deskcrew.ways_in.cli.console import console, print_json

    journal = open_run(data, run)
    head = branch_named(journal, branch).head if branch is not None else None
    found = anyio.run(again, journal, head)
    if json:
        print_json(as_data(found))
    else:
        out = console()
        for line in lines(found):
            out.print(line, soft_wrap=True)
    return 0 if found.equal else 4


def as_data(found: Replayed) -> dict[str, object]:
    """What ``--json`` prints."""
    different = found.difference
    told = None
    if different is not None:
        told = {"event": different.event, "what": different.what, "recorded": different.recorded}
        told |= {"instead": different.instead, "lines": list(different.lines)}
    counts = {"run": found.run, "equal": found.equal, "events": found.events, "prompts": found.prompts}
    return {**counts, "seconds": found.seconds, "difference": told}


def lines(found: Replayed) -> list[Text]:
    """The result in words."""
    from rich.text import Text

    from deskcrew.ways_in.report.text import counted

    counts = f"{counted(found.events, 'event')}, {counted(found.prompts, 'prompt')}"
    if found.difference is None:
        return [Text(f"✓ Run {found.run} is the same again: {counts} equal, in {found.seconds:g} s.", style="green")]
    head = f"✗ Run {found.run} differs at event #{found.difference.event}; {counts} before it are equal."
    return [Text(head, style="red"), *_difference(found.difference)]


def _difference(different: Difference) -> list[Text]:
    from rich.text import Text

    from deskcrew.ways_in.report.text import clean

    told = [Text.assemble(("What: ", "bold"), clean(different.what))]
    if not different.lines:
        told += [Text.assemble(("Recorded: ", "bold"), clean(different.recorded))]
        told += [Text.assemble(("Instead: ", "bold"), clean(different.instead))]
    styles = {"+": "green", "-": "red", "@": "cyan"}
    return told + [Text(clean(line), style=styles.get(line[:1], "")) for line in different.lines]
