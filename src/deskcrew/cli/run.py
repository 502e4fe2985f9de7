"""``deskcrew run TASK``: one run, shown live."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deskcrew.cli.options import LARGEST_SEED, DataOption, folder, settings_with

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from deskcrew.cli.live import LiveView
    from deskcrew.cli.signals import Signals
    from deskcrew.cli.terminal import Terminal
    from deskcrew.human.questions import Mode
    from deskcrew.human.responder import Responder
    from deskcrew.journal.store import Journal
    from deskcrew.request import RunRequest
    from deskcrew.settings import Limits, Settings

EPILOG = """Examples:

deskcrew run "What is the total of the column amount in sales.csv?" --attach sales.csv

deskcrew run "Write the total into report.txt with the text editor" --workspace ./papers --approve

deskcrew run "Rename the photos by date" --workspace ./photos --desktop none --model openai:gpt-5-mini --json

deskcrew run "Save the newest release notes of the project as notes.txt" --allow-host docs.example.org

Exit codes: 0 done, 3 unverified, 4 failed, 5 denied, 6 stopped; 2 wrong usage, 1 a bug of ours."""

_WHAT, _MAY, _BOUNDS = "What works on it", "What it may do", "Bounds and output"

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="What is to be done, in plain words.", show_default=False)]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="local, local:NAME, openai:NAME, openai-responses:NAME, anthropic:NAME, google:NAME, ollama:NAME, "
        "http://HOST/v1#NAME, or scripted:FILE (docs/scripted.md).",
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
        parser=folder,
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
    int | None,
    typer.Option(
        "--seed",
        min=-LARGEST_SEED,
        max=LARGEST_SEED,
        metavar="N",
        help="Seed for models that take one.",
        rich_help_panel=_WHAT,
    ),
]
ApproveOption = Annotated[
    bool,
    typer.Option("--approve", help="Short for --mode passive.", rich_help_panel=_MAY),
]
ModeOption = Annotated[
    Literal["automatic", "passive", "active"] | None,
    typer.Option(
        "--mode",
        help="automatic: asks nothing, what needs asking is denied; passive: asks you then, and when a role needs help; "
        "active: after each reply and before each operation.",
        show_default="automatic",
        rich_help_panel=_MAY,
    ),
]
ModeOfOption = Annotated[
    list[str] | None,
    typer.Option(
        "--mode-of", metavar="ROLE=MODE", help="Another mode for one role of the crew; repeatable.", rich_help_panel=_MAY
    ),
]
NetworkOption = Annotated[
    bool, typer.Option("--network", help="Let the desktop and programs of the crew reach the network.", rich_help_panel=_MAY)
]
AllowHostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="HOST",
        help="A host that they may reach, and no other: example.org, *.example.org, example.org:8443; repeatable.",
        rich_help_panel=_MAY,
    ),
]
UnsafeOption = Annotated[
    bool,
    typer.Option("--unsafe-host", help="Run without a sandbox: programs may do all that you may.", rich_help_panel=_MAY),
]
PolicyOption = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        metavar="FILE",
        help="What is allowed, asked and denied: see `deskcrew policy`.",
        show_default="policy.toml of your settings folder, else built in",
        rich_help_panel=_MAY,
    ),
]
SecretOption = Annotated[
    list[str] | None,
    typer.Option(
        "--secret",
        metavar="NAME",
        help="A secret of `deskcrew secret list` that it may type, unseen; repeatable.",
        rich_help_panel=_MAY,
    ),
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
    mode: ModeOption = None,
    mode_of: ModeOfOption = None,
    approve: ApproveOption = False,
    network: NetworkOption = False,
    allow_host: AllowHostOption = None,
    unsafe_host: UnsafeOption = False,
    policy: PolicyOption = None,
    secret: SecretOption = None,
    limit: LimitOption = None,
    json: RunJsonOption = False,
    data: DataOption = None,
) -> None:
    """Let the crew do a task, and watch it."""
    from deskcrew.errors import UsageError

    if not task.strip():
        raise UsageError("The task is empty.", hint='Say what is to be done: deskcrew run "Count the lines of notes.txt"')
    from deskcrew.cli.secret import allowed
    from deskcrew.request import RunRequest

    settings = settings_with(data)
    request = RunRequest(
        task=task,
        model=model or settings.model,
        crew=crew or settings.crew,
        workspace=existing_folder(workspace),
        attachments=existing_files(attach or []),
        desktop=desktop,
        pool=not no_pool,
        mode=mode or ("passive" if approve else "automatic"),
        modes=modes_with(mode_of or []),
        seed=seed,
        limits=limits_with(settings.limits, limit or []),
        network=network,
        hosts=tuple(allow_host or ()),
        unsafe_host=unsafe_host,
        policy=policy.absolute() if policy is not None else None,
        secrets=allowed(settings, secret or []),
    )
    raise typer.Exit(perform(request, settings, json=json)[0])


def perform(request: RunRequest, settings: Settings, *, json: bool) -> tuple[int, Journal | None]:
    """Do a run with live display and closing panel. Returns the exit code, and the run; None where none was begun. Also what
    ``deskcrew demo`` calls.

    Raises what the session raises before a run has begun; with ``json`` the failure is printed first.
    """
    from deskcrew import session

    return watched_run(
        lambda view, human: session.run(request, settings, watch=view, human=human, notice=view.notice),
        asks=asks(request),
        json=json,
    )


def watched(
    start: Callable[[LiveView, Responder], Awaitable[Journal]],
    *,
    asks: bool,
    json: bool,
    more: Callable[[], dict[str, object]] = dict,
) -> int:
    """:func:`watched_run`, for who needs the exit code only."""
    return watched_run(start, asks=asks, json=json, more=more)[0]


def watched_run(
    start: Callable[[LiveView, Responder], Awaitable[Journal]],
    *,
    asks: bool,
    json: bool,
    more: Callable[[], dict[str, object]] = dict,
) -> tuple[int, Journal | None]:
    """Show live what ``start`` does, and how it ended. Returns the exit code, and the run. Raises what ``start`` raises.

    Where there is a terminal, the person at it may type a command at any time. ``asks``: there must be one. ``more``: what
    the JSON object holds besides, asked at the end.
    """
    import anyio

    from deskcrew.cli import ending
    from deskcrew.cli.app import print_error
    from deskcrew.cli.console import console, print_json
    from deskcrew.cli.live import LiveView
    from deskcrew.cli.signals import Signals
    from deskcrew.cli.terminal import Terminal
    from deskcrew.errors import EnvironmentFailure, ModelFailure, UsageError

    if asks and not sys.stdin.isatty():
        raise UsageError(
            "This mode asks questions, but standard input is not a terminal.",
            hint="In mode automatic, what needs asking is denied.",
        )
    out = console(stderr=json)
    out.quiet = json and not out.is_terminal
    view = LiveView(out, spinner=out.is_terminal)
    terminal = Terminal() if Terminal.there() and (asks or out.is_terminal) else None
    stopping = "Stopping... (Ctrl-C again to end at once)"
    try:
        with view, Signals(lambda: view.say(stopping), terminal.restore if terminal else None) as signals:
            returned = anyio.run(_stoppable, start, terminal, view, signals)
    except (EnvironmentFailure, ModelFailure) as error:
        if not json or view.journal is not None:
            raise
        outcome = ending.not_begun(error)
        print_json(ending.result(None, [], outcome) | {"error": str(error), "hint": error.hint})
        print_error(error)
        return ending.exit_code(outcome), None
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
        print_json(ending.result(journal.run if journal else None, events, outcome) | more())
    return ending.exit_code(outcome), journal


async def _stoppable(
    start: Callable[[LiveView, Responder], Awaitable[Journal]], terminal: Terminal | None, view: LiveView, signals: Signals
) -> Journal | None:
    import asyncio

    from deskcrew.cli.person import Person
    from deskcrew.human.responder import Nobody

    if terminal is None:
        return await signals.stoppable(lambda: start(view, Nobody()))
    person = Person(view.console, view.paused, terminal, lambda: view.journal)

    async def beside_the_person() -> Journal:
        # No task group: what `start` raises must come out as it is.
        listening = asyncio.create_task(person.listen())
        try:
            return await start(view, person)
        finally:
            listening.cancel()
            if listening.done() and not listening.cancelled():
                listening.result()  # a fault in it is ours, and is not hidden

    with terminal:
        return await signals.stoppable(beside_the_person)


def asks(request: RunRequest) -> bool:
    """Whether a run may ask the person something, so that one must be there."""
    return any(mode != "automatic" for mode in (request.mode, *(mode for _, mode in request.modes)))


def modes_with(given: list[str]) -> tuple[tuple[str, Mode], ...]:
    """The modes of single roles from ``ROLE=MODE`` pairs. Raises UsageError for what is none."""
    from deskcrew.errors import UsageError
    from deskcrew.human.questions import MODES

    known: dict[str, Mode] = {mode: mode for mode in MODES}
    found: dict[str, Mode] = {}
    for pair in given:
        role, _, name = pair.partition("=")
        if not role or name not in known:
            hint = f"For example --mode-of Operator=active. Modes: {', '.join(MODES)}."
            raise UsageError(f"--mode-of {pair!r} is not ROLE=MODE.", hint=hint)
        found[role] = known[name]
    return tuple(found.items())


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

    names = ", ".join(Limits.model_fields)
    hint = f"There are: {names}. For example --limit operations=60, or --limit seconds=none to lift one."
    values: dict[str, object] = limits.model_dump()
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or name not in Limits.model_fields:
            raise UsageError(f"--limit {pair!r} is not NAME=VALUE with a name that exists.", hint=hint)
        values[name] = None if value.lower() == "none" else value
    try:
        return Limits.model_validate(values)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        value = "none" if values[name] is None else str(values[name])
        raise UsageError(f"--limit {name}={value}: it takes {_taken(name)}.", hint=hint) from error


def _taken(name: str) -> str:
    """What a limit can be, in words."""
    from deskcrew.settings import LARGEST_INTEGER, Limits

    field = Limits.model_fields[name]
    if field.default is None and name != "tokens":
        return "a number above 0, or none"
    least = next((bound.ge for bound in field.metadata if hasattr(bound, "ge")), 0)
    return f"a whole number from {least} to {LARGEST_INTEGER}" + (", or none" if field.default is None else "")
