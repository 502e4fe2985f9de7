"""``deskcrew run TASK``: one run, shown live."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deskcrew.cli.options import DataOption, settings_with

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from deskcrew.cli.live import LiveView
    from deskcrew.cli.signals import Signals
    from deskcrew.human.human import Human
    from deskcrew.journal.store import Journal
    from deskcrew.session import RunRequest
    from deskcrew.settings import Limits, Settings

EPILOG = """Examples:

deskcrew run "What is the total of the column amount in sales.csv?" --attach sales.csv

deskcrew run "Write the total into report.txt with the text editor" --workspace ./papers --approve

deskcrew run "Rename the photos by date" --workspace ./photos --desktop none --model openai:gpt-5 --json

Exit codes: 0 done, 3 unverified, 4 failed, 5 denied, 6 stopped; 2 wrong usage, 1 a bug of ours."""

_WHAT, _MAY, _BOUNDS = "What works on it", "What it may do", "Bounds and output"

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="What is to be done, in plain words.", show_default=False)]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="local, openai:NAME, anthropic:NAME, google:NAME, ollama:NAME or http://HOST/v1#NAME.",
        show_default="your setting, else local",
        rich_help_panel=_WHAT,
    ),
]
CrewOption = Annotated[
    str | None,
    typer.Option(
        "--crew",
        metavar="CREW",
        help="default, cola, solo or one of your own.",
        show_default="your setting, else default",
        rich_help_panel=_WHAT,
    ),
]
NoPoolOption = Annotated[
    bool, typer.Option("--no-pool", help="One agent with every action instead of the pool.", rich_help_panel=_WHAT)
]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        metavar="DIR",
        help="Folder the crew may change.",
        show_default="a new, empty one",
        rich_help_panel=_WHAT,
    ),
]
AttachOption = Annotated[
    list[Path] | None,
    typer.Option("--attach", metavar="FILE", help="A file to copy into the workspace; repeatable.", rich_help_panel=_WHAT),
]
DesktopOption = Annotated[
    Literal["virtual", "real", "none"],
    typer.Option("--desktop", help="A desktop of its own, yours, or files and programs only.", rich_help_panel=_WHAT),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="Seed for models that take one.", rich_help_panel=_WHAT)
]
ApproveOption = Annotated[
    bool,
    typer.Option("--approve", help="Ask you here what is neither allowed nor forbidden; else denied.", rich_help_panel=_MAY),
]
NetworkOption = Annotated[
    bool, typer.Option("--network", help="Let the desktop and programs of the crew reach the network.", rich_help_panel=_MAY)
]
UnsafeOption = Annotated[
    bool,
    typer.Option("--unsafe-host", help="Run without a sandbox: programs may do all that you may.", rich_help_panel=_MAY),
]
LimitOption = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=VALUE",
        help="operations, replies, tokens, seconds, money, repairs, replans...; repeatable; VALUE none lifts it.",
        rich_help_panel=_BOUNDS,
    ),
]
RunJsonOption = Annotated[
    bool,
    typer.Option("--json", help="One JSON object on standard output at the end; live on stderr.", rich_help_panel=_BOUNDS),
]


def run(
    task: TaskArgument,
    model: ModelOption = None,
    crew: CrewOption = None,
    no_pool: NoPoolOption = False,
    workspace: WorkspaceOption = None,
    attach: AttachOption = None,
    desktop: DesktopOption = "virtual",
    seed: SeedOption = None,
    approve: ApproveOption = False,
    network: NetworkOption = False,
    unsafe_host: UnsafeOption = False,
    limit: LimitOption = None,
    json: RunJsonOption = False,
    data: DataOption = None,
) -> None:
    """Let the crew do a task, and watch it."""
    from deskcrew.errors import UsageError

    if not task.strip():
        raise UsageError("The task is empty.", hint='Say what is to be done: deskcrew run "Count the lines of notes.txt"')
    from deskcrew.session import RunRequest

    settings = settings_with(data)
    request = RunRequest(
        task=task,
        model=model or settings.model,
        crew=crew or settings.crew,
        workspace=existing_folder(workspace),
        attachments=existing_files(attach or []),
        desktop=desktop,
        pool=not no_pool,
        approve=approve,
        seed=seed,
        limits=limits_with(settings.limits, limit or []),
        network=network,
        unsafe_host=unsafe_host,
    )
    raise typer.Exit(perform(request, settings, json=json))


def perform(request: RunRequest, settings: Settings, *, json: bool) -> int:
    """Do a run with live display and closing panel. Returns the exit code. Also what ``deskcrew demo`` calls.

    Raises what the session raises before a run has begun; with ``json`` the failure is printed first.
    """
    from deskcrew import session

    return watched(
        lambda view, human: session.run(request, settings, watch=view, human=human, notice=view.notice),
        approve=request.approve,
        json=json,
    )


def watched(start: Callable[[LiveView, Human], Awaitable[Journal]], *, approve: bool, json: bool) -> int:
    """Show live what ``start`` does, and how it ended. Returns the exit code. Raises what ``start`` raises."""
    import anyio

    from deskcrew.cli import ending
    from deskcrew.cli.console import console, print_json
    from deskcrew.cli.live import LiveView
    from deskcrew.cli.signals import Signals
    from deskcrew.errors import EnvironmentFailure, ModelFailure, UsageError

    if approve and not sys.stdin.isatty():
        raise UsageError(
            "--approve asks questions, but standard input is not a terminal.",
            hint="Without --approve, what needs asking is denied.",
        )
    out = console(stderr=json)
    out.quiet = json and not out.is_terminal
    view = LiveView(out, spinner=out.is_terminal)
    try:
        with view, Signals(lambda: view.say("Stopping... (Ctrl-C again to end at once)")) as signals:
            returned = anyio.run(_stoppable, start, approve, view, signals)
    except (EnvironmentFailure, ModelFailure) as error:
        if json and view.journal is None:
            print_json(ending.result(None, [], ending.not_begun(error)))
        raise
    journal = returned or view.journal
    events = journal.events if journal else []
    outcome = ending.outcome_of(events)
    if outcome is None and signals.received:
        # The session had no run to end yet, or could not write its end any more.
        outcome = ending.STOPPED
    if journal is None:
        out.print("Stopped before the run began.")
    else:
        out.print(ending.panel(journal.run, events))
    if json:
        print_json(ending.result(journal.run if journal else None, events, outcome))
    return ending.exit_code(outcome)


async def _stoppable(
    start: Callable[[LiveView, Human], Awaitable[Journal]], approve: bool, view: LiveView, signals: Signals
) -> Journal | None:
    from deskcrew.cli.person import Person
    from deskcrew.human.human import Nobody

    human = Person(view.console, view.paused) if approve else Nobody()
    return await signals.stoppable(lambda: start(view, human))


def existing_folder(path: Path | None) -> Path | None:
    """``path``, absolute. Raises UsageError when it is no folder."""
    from deskcrew.errors import UsageError

    if path is None:
        return None
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "does not exist"
        raise UsageError(f"The workspace {str(path)!r} {what}.", hint="Make the folder first: mkdir -p DIR")
    return path.resolve()


def existing_files(paths: list[Path]) -> tuple[Path, ...]:
    """``paths``, absolute. Raises UsageError for one that is no file, or for two of one name."""
    from deskcrew.errors import UsageError

    names: dict[str, Path] = {}
    for path in paths:
        if not path.is_file():
            what = "is not a file" if path.exists() else "does not exist"
            raise UsageError(f"The attachment {str(path)!r} {what}.")
        if path.name in names:
            raise UsageError(f"Two attachments are called {path.name!r}.", hint="Rename one of them.")
        names[path.name] = path
    return tuple(path.resolve() for path in paths)


def limits_with(limits: Limits, given: list[str]) -> Limits:
    """``limits`` with ``NAME=VALUE`` pairs on top. Raises UsageError naming what is wrong and what there is."""
    from pydantic import ValidationError

    from deskcrew.errors import UsageError
    from deskcrew.settings import Limits

    fields = Limits.model_fields
    hint = "There are: " + "; ".join(f"{name} ({field.description})" for name, field in fields.items())
    values: dict[str, object] = limits.model_dump()
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or name not in fields:
            raise UsageError(f"--limit {pair!r} is not NAME=VALUE with a name that exists.", hint=hint)
        values[name] = None if value.lower() == "none" else value
    try:
        return Limits.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"--limit {first['loc'][0]}: {first['msg']}.", hint=hint) from error
