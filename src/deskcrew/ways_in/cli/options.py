"""Options that several commands share, and the settings made from them. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli import completing
from deskcrew.ways_in.cli.console import console
from deskcrew.ways_in.report.text import one_line

if TYPE_CHECKING:
    from deskcrew.engine.human.questions import Mode
    from deskcrew.engine.request import RunRequest
    from deskcrew.facts.contract import Contract
    from deskcrew.journal.journal import Journal
    from deskcrew.journal.store import Store
    from deskcrew.settings import Settings


def folder(text: str) -> Path:
    """Parse the value of an option that names a folder, which need not exist. Raises UsageError if it is a file, or empty:
    an unset variable must not mean the current folder."""
    if not text.strip():
        raise UsageError("The name of a folder is empty.", hint="Leave the option out, or name a folder; `.` is this one.")
    if Path(text).expanduser().is_file():
        raise UsageError(f"{text} is not a folder.", hint="Name a folder, which need not exist yet.")
    return Path(text)


def not_empty(text: str) -> str:
    """Parse the value of an option that names a model or crew. Raises UsageError if empty, as from an unset variable."""
    if not text.strip():
        raise UsageError("The name of a model or crew is empty.", hint="Leave it out for the default, or name one.")
    return text


what = partial(typer.Option, rich_help_panel="What works on it")
"""An option in this panel of the help; likewise the next two."""
may = partial(typer.Option, rich_help_panel="What it may do")
bounds = partial(typer.Option, rich_help_panel="Bounds and output")

LARGEST_SEED = 2**53 - 1
"""Same as ``LARGEST_INTEGER`` of the settings, which are not imported for the help."""
MOST_ATTEMPTS = 10
MOST_LANES = 8
"""Same as in ``request``, which is not imported for the help either."""
DesktopKind = Literal["virtual", "real", "windows", "browser", "none"]
"""Same as in ``events``."""

RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Id of the run, the start of it, or 'last': this folder's last, else the last of all.",
        show_default=False,
        autocompletion=completing.runs,
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        parser=folder,
        metavar="DIR",
        help="Folder of the journal and the runs.",
        show_default="DESKCREW_DATA, else your user data folder",
        rich_help_panel="Where things are",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
RawOption = Annotated[bool, typer.Option("--raw", help="Show every event, and operations by function and parameters.")]
RunJsonOption = Annotated[
    bool, bounds("--json", help="Print one JSON object at the end; progress goes to standard error, if that is a terminal.")
]

ModelOption = Annotated[
    str | None,
    what(
        "--model",
        parser=not_empty,
        metavar="MODEL",
        help="local, local:NAME, openai:NAME, openai-responses:NAME, anthropic:NAME, google:NAME, ollama:NAME, "
        "http://HOST/v1#NAME, scripted:FILE or recorded:FILE (`deskcrew docs scripted-models`).",
        show_default="your setting, else local",
        autocompletion=completing.models,
    ),
]
OtherModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        parser=not_empty,
        metavar="MODEL",
        help="Use another model from here on.",
        show_default="the one it began with",
        autocompletion=completing.models,
    ),
]
CrewOption = Annotated[
    str | None,
    what(
        "--crew",
        parser=not_empty,
        metavar="CREW",
        help="default, planned, solo, cola, coact, friday, mmac or one of your own.",
        show_default="your setting, else default",
        autocompletion=completing.crews,
    ),
]
WorkspaceOption = Annotated[
    Path | None,
    what(
        "--workspace",
        parser=folder,
        metavar="DIR",
        help="Folder in which the crew works, and which it may change.",
        show_default="a new, empty one",
    ),
]
CopyOption = Annotated[
    bool, what("--copy", help="Work in a copy of --workspace, which is only read; several runs may do so at once.")
]
AtOption = Annotated[
    str | None,
    what(
        "--at",
        metavar="AGENT",
        help="The agent of the Windows desktop: stdio:COMMAND, or where it listens: wss://HOST:PORT.",
        show_default="none",
    ),
]
UrlOption = Annotated[
    str | None,
    what(
        "--url",
        metavar="URL",
        help="Page that the browser opens first: an address, whose host it may then reach, or a file.",
        show_default="empty",
    ),
]
AttachOption = Annotated[
    list[Path] | None, what("--attach", metavar="FILE", help="A file to copy into the workspace; repeatable.")
]

RequireOption = Annotated[
    list[str] | None,
    what(
        "--require",
        metavar="'KIND TARGET TEXT'",
        help="This must hold in the end: 'file_contains report.txt 348'; repeatable.",
        show_default="none",
        autocompletion=completing.requirements,
    ),
]
YesOption = Annotated[
    bool,
    may(
        "--yes",
        help="Do not ask whether a small model has chosen the right skill of yours and its values; assume that it has. "
        "Shipped skills are used, too, but the run ends unverified until you have looked.",
    ),
]
CheckOption = Annotated[
    list[Path] | None,
    what(
        "--check",
        metavar="PROGRAM",
        help="A program that must reject the folder before the work (any exit code but 0), and accept it after; repeatable.",
        show_default="none",
    ),
]
ContractOption = Annotated[
    Path | None,
    what(
        "--contract",
        metavar="FILE",
        help="All that must hold, in TOML or JSON, instead of what a model would write.",
        show_default="none",
    ),
]

ModeOption = Annotated[
    Literal["automatic", "passive", "active"] | None,
    may(
        "--mode",
        help="automatic: never asks, and denies what needs approval; passive: asks for approval, and when an agent needs "
        "help; active: asks also after each reply and before each operation.",
        show_default="automatic",
    ),
]
ModeOfOption = Annotated[
    list[str] | None,
    may(
        "--mode-of",
        metavar="ROLE=MODE",
        help="A different mode for one role of the crew; repeatable.",
        autocompletion=completing.modes_of_roles,
    ),
]
ApproveOption = Annotated[bool, may("--approve", help="Short for --mode passive.")]
NetworkOption = Annotated[bool, may("--network", help="Let the crew's desktop and programs reach the network.")]
AllowHostOption = Annotated[
    list[str] | None,
    may(
        "--allow-host",
        metavar="HOST",
        help="Let them reach only this host: example.org, *.example.org, example.org:8443; repeatable.",
    ),
]
PolicyOption = Annotated[
    Path | None,
    may(
        "--policy",
        metavar="FILE",
        help="Rules for what is allowed, asked about or denied: see `deskcrew policy`.",
        show_default="policy.toml of your settings folder, else built in",
    ),
]
SecretOption = Annotated[
    list[str] | None,
    may(
        "--secret",
        metavar="NAME",
        help="A secret that the crew may type but not read (`deskcrew secret list`); repeatable.",
        autocompletion=completing.secrets,
    ),
]
LimitOption = Annotated[
    list[str] | None,
    bounds(
        "--limit",
        metavar="NAME=VALUE",
        help="operations, replies, tokens, seconds, money, repairs, replans...; repeatable; the value none removes a limit.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrewOptions:
    """Options for who does the task."""

    model: ModelOption = None
    crew: CrewOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceOptions:
    """Options for the files that the crew works on."""

    workspace: WorkspaceOption = None
    copy: CopyOption = False
    attach: AttachOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofOptions:
    """Options for what must hold in the end."""

    require: RequireOption = None
    check: CheckOption = None
    contract: ContractOption = None

    @property
    def required(self) -> Contract | None:
        """The contract that these options state, None if none. Raises UsageError or ConfigError if it is invalid."""
        from deskcrew.evidence.required import required_contract

        return required_contract(self.require or (), self.check or (), self.contract)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachOptions:
    """Options for what the crew may reach."""

    network: NetworkOption = False
    allow_host: AllowHostOption = None
    policy: PolicyOption = None

    def of(self, request: RunRequest) -> RunRequest:
        """The request with these options."""
        hosts, policy = tuple(dict.fromkeys(self.allow_host or ())), self.policy
        return replace(request, network=self.network, hosts=hosts, policy=policy.absolute() if policy is not None else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedOptions(ReachOptions):
    """Options for what the crew may reach, type and use up."""

    secret: SecretOption = None
    limit: LimitOption = None

    def of(self, request: RunRequest) -> RunRequest:
        """The request with these options, except for the secrets. Raises UsageError for an invalid limit."""
        from deskcrew.ways_in.cli.values import limits_with

        return replace(ReachOptions.of(self, request), limits=limits_with(request.limits, self.limit or []))


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonOptions:
    """Options for how much a person takes part."""

    mode: ModeOption = None
    mode_of: ModeOfOption = None
    approve: ApproveOption = False

    @property
    def given(self) -> Mode | None:
        """See :func:`values.mode_given`."""
        from deskcrew.ways_in.cli.values import mode_given

        return mode_given(self.mode, approve=self.approve)


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherOptions:
    """Options for continuing a run; what is not given stays as it was."""

    model: OtherModelOption = None
    person: PersonOptions
    limit: LimitOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """Options for how the result is printed, and where runs are stored."""

    json: JsonOption = False
    data: DataOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutputOptions(OutputOptions):
    """Output options of commands that run a task and print its progress."""

    json: RunJsonOption = False


def settings_with(data: Path | None) -> Settings:
    """The settings in force, with ``--data`` on top."""
    from deskcrew.settings import Settings

    settings = Settings.load()
    if data is None:
        return settings
    return settings.model_copy(update={"data": data.expanduser().absolute()}).of(settings.person)


def open_run(data: Path | None, run: str) -> Journal:
    """The journal of an existing run. Raises UsageError if there is none with that name."""
    store = existing_journal(data)
    return store.journal(run_named(store, run))


def run_named(store: Store, run: str, *, unasked: bool = False) -> str:
    """The run that a person means by a name: ``last`` is the last run that was started from this folder, or worked in it,
    inside it or around it, else the last of all, which is said. Any other name is left as it is.

    ``unasked``: nobody is asked before something is changed; then no run of another folder is meant, and UsageError is
    raised instead."""
    from deskcrew.journal.store import Sought

    if run != "last":
        return run
    if here := store.runs(limit=1, sought=Sought(place=Path.cwd())):
        return here[0].id
    for row in store.runs(limit=1):
        told = f"No run worked in this folder; the last of all is {row.id}: {one_line(row.task, 80)}"
        if unasked:
            raise UsageError(f"{told}.", hint="With --yes, give its id instead of 'last'.")
        console(stderr=True).print(told, soft_wrap=True, markup=False)
        return row.id
    return run


def existing_journal(data: Path | None) -> Store:
    """The store of all runs, for commands that only read. Raises UsageError if there are no runs."""
    from deskcrew.journal.store import Store, exists

    settings = settings_with(data)
    if not exists(settings):
        hint = "`deskcrew run TASK` starts one; --data names another folder."
        raise UsageError(f"There are no runs in {settings.data}.", hint=hint)
    return Store.of(settings)
