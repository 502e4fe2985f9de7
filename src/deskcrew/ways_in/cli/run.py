"""``deskcrew run TASK``: one run, shown live."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.ablations import WITH_ALL, Less, takes_less
from deskcrew.ways_in.cli.console import console
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.notes import ask_about_notes
from deskcrew.ways_in.cli.options import (
    LARGEST_SEED,
    MOST_ATTEMPTS,
    MOST_LANES,
    AllowHostOption,
    AtOption,
    CrewOptions,
    DesktopKind,
    LimitOption,
    NetworkOption,
    PersonOptions,
    PlaceOptions,
    PolicyOption,
    ProofOptions,
    RawOption,
    RunOutputOptions,
    SecretOption,
    UrlOption,
    YesOption,
    bounds,
    existing_journal,
    may,
    run_named,
    settings_with,
    what,
)
from deskcrew.ways_in.cli.secret import allowed
from deskcrew.ways_in.report.text import EXAMPLE

if TYPE_CHECKING:
    from deskcrew.engine.request import RunRequest
    from deskcrew.settings import Settings

EPILOG = """Examples:

deskcrew run "What is the total of the column amount in sales.csv?" --attach sales.csv

deskcrew run "Write the total into report.txt with the text editor" --workspace ./papers --approve

deskcrew run "Rename the photos by date" --workspace ./photos --desktop none --model openai:gpt-5-mini --json

deskcrew run "What does the blue lamp cost?" --desktop browser --url https://shop.example.org/lamps

deskcrew run "Write the total into report.txt" --workspace ./papers --require "file_contains report.txt 348"

deskcrew run --follow-up last "Now also write the total into report.txt"

deskcrew run "List what the three contracts have in common in common.md" --workspace ./contracts --attempts 3

deskcrew run "Rename the photos by date" --model openai:gpt-5-mini --estimate

deskcrew run "Save the newest release notes of the project as notes.txt" --allow-host docs.example.org

Exit codes: 0 done, 3 unverified, 4 failed, 5 denied, 6 stopped; 2 wrong usage, 1 a bug in Deskcrew."""

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="What to do, in plain words.", show_default=False)]
DesktopOption = Annotated[
    DesktopKind | None,
    what(
        "--desktop",
        help="virtual: a sandboxed desktop; real: your own; windows: a Windows machine with an agent (--at); browser: a "
        "sandboxed browser; none: files and commands only.",
        show_default="virtual",
    ),
]
EndpointOption = Annotated[
    str | None,
    what("--cdp", metavar="URL", help="Use an open browser, by its debugging address.", show_default="none"),
]
SessionOption = Annotated[
    str | None,
    what(
        "--session",
        metavar="NAME",
        help="Keep the browser's cookies under this name for later runs.",
        show_default="not kept",
    ),
]
OpenOption = Annotated[
    list[str] | None,
    what("--open", metavar="PROGRAM[=FILE]", help="Open this program on the virtual desktop first; repeatable."),
]
ScreenOption = Annotated[
    str | None, what("--screen", metavar="WxH", help="Size of the virtual desktop in pixels.", show_default="1280x800")
]
ScaleOption = Annotated[
    float | None,
    what("--scale", min=1.0, max=3.0, metavar="N", help="Scale of the virtual desktop: 1.5 for 150 %.", show_default="1"),
]
MonitorsOption = Annotated[
    int | None,
    what("--monitors", min=1, max=4, metavar="N", help="Monitors of the virtual desktop, side by side.", show_default="1"),
]
SeedOption = Annotated[
    int | None,
    what("--seed", min=-LARGEST_SEED, max=LARGEST_SEED, metavar="N", help="Seed for models that take one."),
]
AttemptsOption = Annotated[
    int | None,
    what(
        "--attempts",
        min=1,
        max=MOST_ATTEMPTS,
        metavar="N",
        help="Try up to N times from the same start until it is proven, and keep the best attempt. Limits apply to each.",
        show_default="1",
    ),
]
LanesOption = Annotated[
    int | None,
    what(
        "--lanes",
        min=1,
        max=MOST_LANES,
        metavar="N",
        help="Work on up to N subtasks at once, if they are independent and share no files.",
        show_default="the crew's setting",
    ),
]
FollowUpOption = Annotated[
    str | None,
    what(
        "--follow-up",
        metavar="RUN",
        help="Continue where this run ended: the crew is told what was done, and options that you omit stay the same.",
        show_default="none",
    ),
]
PlanOnlyOption = Annotated[
    bool,
    may("--plan-only", help="Stop with exit code 0 once contract and plan are made; `deskcrew resume` continues."),
]
EstimateOption = Annotated[
    bool,
    bounds("--estimate", help="Only show what similar earlier runs took in calls, tokens, cost and time; start nothing."),
]
NoMemoryWritesOption = Annotated[
    bool, may("--no-memory-writes", help="Recall earlier runs, but remember nothing of this one (`deskcrew memory`).")
]
MakeSkillOption = Annotated[
    bool, may("--make-skill", help="If it is proven, make skills of the Python code that did it (`deskcrew skill make`).")
]
UNCONFIRMED = (
    "With --yes nobody confirms what is understood: with a skill that ships, the run ends unverified (exit code 3)."
)
UnsafeOption = Annotated[bool, may("--unsafe-host", help="Run without a sandbox: programs may do everything that you may.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOptions(PlaceOptions):
    """Options for what the crew works on, and how often."""

    follow_up: FollowUpOption = None
    desktop: DesktopOption = None
    at: AtOption = None
    url: UrlOption = None
    cdp: EndpointOption = None
    session: SessionOption = None
    open_: OpenOption = None
    screen: ScreenOption = None
    scale: ScaleOption = None
    monitors: MonitorsOption = None
    seed: SeedOption = None
    attempts: AttemptsOption = None
    lanes: LanesOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MayOptions(PersonOptions):
    """Options for whom the crew asks, and what it may do."""

    plan_only: PlanOnlyOption = False
    yes: YesOption = False
    network: NetworkOption = False
    allow_host: AllowHostOption = None
    unsafe_host: UnsafeOption = False
    policy: PolicyOption = None
    secret: SecretOption = None
    no_memory_writes: NoMemoryWritesOption = False
    make_skill: MakeSkillOption = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of a run, which become its request."""

    who: CrewOptions
    work: WorkOptions
    may: MayOptions
    proof: ProofOptions
    limit: LimitOption = None

    def request(self, task: str, base: RunRequest, less: Less, settings: Settings) -> RunRequest:
        """The request: ``base`` with these options. Raises UsageError or ConfigError if an option is invalid."""
        from deskcrew.engine.request import role_modes
        from deskcrew.ways_in.cli import values

        who, work, may = self.who, self.work, self.may
        model, crew, mode = who.model or base.model, who.crew or base.crew, may.given
        mine = crew == base.crew  # roles have the modes that they had in that crew
        place = values.existing_folder(work.workspace) or base.workspace
        page, attached = values.page_with(work.url or "", work.attach or [], place)
        without = (*base.without, *less.without, *values.insisting(who.crew, model, settings))
        return replace(
            base,
            task=task,
            model=model,
            crew=crew,
            workspace=place,
            copy=work.copy,
            plan_only=may.plan_only,
            yes=may.yes,
            attachments=values.existing_files(attached),
            opened=values.opened_with(work.open_) if work.open_ else base.opened,
            at=work.at or base.at,
            url=page or base.url,
            endpoint=work.cdp or base.endpoint,
            session=work.session or base.session,
            screen=values.screen_with(work.screen) if work.screen else base.screen,
            scale=work.scale or base.scale,
            monitors=work.monitors or base.monitors,
            pool=base.pool and less.pool,
            without=tuple(dict.fromkeys(without)),
            mode=mode or base.mode,
            modes=tuple((dict(base.modes if mine else ()) | dict(role_modes(may.mode_of or []))).items()),
            seed=base.seed if work.seed is None else work.seed,
            attempts=base.attempts if work.attempts is None else work.attempts,
            lanes=base.lanes if work.lanes is None else work.lanes,
            limits=values.limits_with(base.limits, self.limit or []),
            network=may.network or base.network,
            hosts=tuple(dict.fromkeys((*(() if may.unsafe_host else base.hosts), *(may.allow_host or ())))),
            unsafe_host=may.unsafe_host,
            policy=may.policy.absolute() if may.policy is not None else None,
            secrets=allowed(settings, may.secret or []),
            required=self.proof.required,
            memory=values.memory_with(base.memory, none="memory" in less.without, no_writes=may.no_memory_writes),
        )


@grouped
@takes_less()
def run(
    *,
    task: TaskArgument,
    less: Less = WITH_ALL,
    options: RunOptions,
    estimate: EstimateOption = False,
    raw: RawOption = False,
    output: RunOutputOptions,
) -> None:
    """Have the crew do a task, and watch it work."""
    if not task.strip():
        raise UsageError("The task is empty.", hint=f'Say what is to be done: deskcrew run "{EXAMPLE}"')
    from deskcrew.engine.request import profile_of
    from deskcrew.facts.verdict import EXIT_CODES
    from deskcrew.ways_in.cli import values
    from deskcrew.ways_in.cli.actions import ask_about_new
    from deskcrew.ways_in.cli.named_here import absent_here, given_in_words, slip_here
    from deskcrew.ways_in.cli.watched import perform

    settings, work, may, json = settings_with(output.data), options.work, options.may, output.json
    follows = work.follow_up and run_named(existing_journal(output.data), work.follow_up)
    base = values.base_with(settings, follows, work.desktop)
    notes: list[str] = []
    absent: dict[str, str] = {}
    if not (work.workspace or work.attach or work.url):
        given = given_in_words(task, Path.cwd(), base.workspace)
        small = not profile_of(options.who.model or base.model, settings).freely
        if small and not given.told and base.workspace is None and (slip := slip_here(task, Path.cwd())):
            raise UsageError(slip)
        if given.files and base.workspace is None:
            absent = absent_here(task, Path.cwd())
        if given.told:
            notes.append(f"{given.told} To work on the originals: --workspace DIR")
        copy = work.copy or given.folder is not None
        options = replace(options, work=replace(work, workspace=given.folder, attach=[*given.files], copy=copy))
    request = replace(options.request(task, base, less, settings), absent=absent)
    if estimate:
        from deskcrew.ways_in.cli.estimate import show_estimate

        return show_estimate(request, settings, json=json)
    if may.yes and not profile_of(request.model, settings).freely:
        notes.append(UNCONFIRMED)
    for note in notes:
        console(stderr=json).print(Text(note), soft_wrap=True)
    if not json and not (may.mode or may.mode_of or may.approve or may.yes):
        request = values.asking_what_is_meant(request, settings)
    ask_about_new(settings, json=json)
    ask_about_notes(request.workspace, settings, json=json)
    code, journal = perform(request, settings, json=json, raw=raw)
    if (may.make_skill or settings.make_skills) and not may.plan_only and journal is not None and code == EXIT_CODES["done"]:
        from deskcrew.ways_in.cli.skill_make import make_after

        make_after(journal, request, settings)
    raise typer.Exit(code)
