"""``deskcrew run TASK``: one run, shown live."""

from __future__ import annotations

from typing import Annotated

import typer

from deskcrew.ways_in.cli.ablations import WITH_ALL, Less, takes_less
from deskcrew.ways_in.cli.options import (
    LARGEST_SEED,
    MOST_ATTEMPTS,
    MOST_LANES,
    AllowHostOption,
    ApproveOption,
    AttachOption,
    CheckOption,
    ContractOption,
    CopyOption,
    CrewOption,
    DataOption,
    DesktopKind,
    LimitOption,
    ModelOption,
    ModeOfOption,
    ModeOption,
    NetworkOption,
    PolicyOption,
    RawOption,
    RequireOption,
    RunJsonOption,
    SecretOption,
    UrlOption,
    WorkspaceOption,
    YesOption,
    bounds,
    may,
    settings_with,
    what,
)

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
        help="virtual: a sandboxed desktop; real: yours; windows: yours on Windows, untried; browser: a sandboxed browser; "
        "none: files and commands only.",
        show_default="virtual",
    ),
]
EndpointOption = Annotated[
    str | None,
    what("--cdp", metavar="URL", help="Use a browser that is already open, by its debugging address.", show_default="none"),
]
SessionOption = Annotated[
    str | None,
    what(
        "--session",
        metavar="NAME",
        help="Keep the browser's cookies under this name for later runs.",
        show_default="thrown away",
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
        help="Try up to N times from the same start until it is proven, and take the best attempt. Limits hold for each.",
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
        help="Work on up to N parts of the plan at once, if they are independent and share no file.",
        show_default="as the crew says",
    ),
]
FollowUpOption = Annotated[
    str | None,
    what(
        "--follow-up",
        metavar="RUN",
        help="Continue where this run ended: the crew is told what was done, and options you do not give stay the same.",
        show_default="none",
    ),
]
PlanOnlyOption = Annotated[
    bool,
    may("--plan-only", help="Stop after contract and plan are made, with exit code 0; `deskcrew resume` continues."),
]
EstimateOption = Annotated[
    bool, bounds("--estimate", help="Start nothing: say what similar earlier runs took in calls, tokens, cost and time.")
]
NoMemoryWritesOption = Annotated[
    bool, may("--no-memory-writes", help="Recall earlier runs, and keep nothing of this one (`deskcrew memory`).")
]
MakeSkillOption = Annotated[
    bool, may("--make-skill", help="Once it is proven, make a skill of the Python code that did it (`deskcrew skill make`).")
]
UnsafeOption = Annotated[bool, may("--unsafe-host", help="Run without a sandbox: programs may do everything that you can.")]


@takes_less()
def run(
    task: TaskArgument,
    follow_up: FollowUpOption = None,
    model: ModelOption = None,
    crew: CrewOption = None,
    less: Less = WITH_ALL,
    workspace: WorkspaceOption = None,
    copy: CopyOption = False,
    attach: AttachOption = None,
    desktop: DesktopOption = None,
    url: UrlOption = None,
    cdp: EndpointOption = None,
    session: SessionOption = None,
    open_: OpenOption = None,
    screen: ScreenOption = None,
    scale: ScaleOption = None,
    monitors: MonitorsOption = None,
    seed: SeedOption = None,
    attempts: AttemptsOption = None,
    lanes: LanesOption = None,
    mode: ModeOption = None,
    mode_of: ModeOfOption = None,
    approve: ApproveOption = False,
    plan_only: PlanOnlyOption = False,
    yes: YesOption = False,
    require: RequireOption = None,
    check: CheckOption = None,
    contract: ContractOption = None,
    network: NetworkOption = False,
    allow_host: AllowHostOption = None,
    unsafe_host: UnsafeOption = False,
    policy: PolicyOption = None,
    secret: SecretOption = None,
    no_memory_writes: NoMemoryWritesOption = False,
    make_skill: MakeSkillOption = False,
    limit: LimitOption = None,
    estimate: EstimateOption = False,
    raw: RawOption = False,
    json: RunJsonOption = False,
    data: DataOption = None,
) -> None:
    """Have the crew do a task, and watch it work."""
    from dataclasses import replace
    from pathlib import Path

    from rich.text import Text

    from deskcrew.errors import UsageError
    from deskcrew.ways_in.report.text import EXAMPLE

    if not task.strip():
        raise UsageError("The task is empty.", hint=f'Say what is to be done: deskcrew run "{EXAMPLE}"')
    from deskcrew.engine.request import role_modes
    from deskcrew.evidence.required import stated
    from deskcrew.facts.verdict import EXIT_CODES
    from deskcrew.ways_in.cli import values
    from deskcrew.ways_in.cli.actions import ask_about_new
    from deskcrew.ways_in.cli.console import console
    from deskcrew.ways_in.cli.named_here import given_in_words
    from deskcrew.ways_in.cli.notes import ask_about_notes
    from deskcrew.ways_in.cli.secret import allowed
    from deskcrew.ways_in.cli.watched import perform

    settings = settings_with(data)
    base = values.base_with(settings, follow_up, desktop)
    place = values.existing_folder(workspace) or base.workspace
    if not (workspace or attach or url):
        given = given_in_words(task, Path.cwd(), place)
        if given.told:
            console(stderr=json).print(Text(f"{given.told} To work on what is there: --workspace DIR"), soft_wrap=True)
        attach, place, copy = [*given.files], given.folder or place, copy or given.folder is not None
    page, attached = values.page_with(url or "", attach or [], place)
    mine = crew in (None, base.crew)  # roles have the modes that they had in that crew
    request = replace(
        base,
        task=task,
        model=model or base.model,
        crew=crew or base.crew,
        workspace=place,
        copy=copy,
        plan_only=plan_only,
        yes=yes,
        attachments=values.existing_files(attached),
        opened=values.opened_with(open_) if open_ else base.opened,
        url=page or base.url,
        endpoint=cdp or base.endpoint,
        session=session or base.session,
        screen=values.screen_with(screen) if screen else base.screen,
        scale=scale or base.scale,
        monitors=monitors or base.monitors,
        pool=base.pool and less.pool,
        without=tuple(dict.fromkeys((*base.without, *less.without, *values.insisting(crew, model or base.model, settings)))),
        mode=values.mode_with(mode, approve=approve) if mode or approve else base.mode,
        modes=tuple((dict(base.modes if mine else ()) | dict(role_modes(mode_of or []))).items()),
        seed=base.seed if seed is None else seed,
        attempts=base.attempts if attempts is None else attempts,
        lanes=base.lanes if lanes is None else lanes,
        limits=values.limits_with(base.limits, limit or []),
        network=network or base.network,
        hosts=tuple(dict.fromkeys((*(() if unsafe_host else base.hosts), *(allow_host or ())))),
        unsafe_host=unsafe_host,
        policy=policy.absolute() if policy is not None else None,
        secrets=allowed(settings, secret or []),
        required=stated(require or (), check or (), contract),
        memory=values.memory_with(base.memory, none="memory" in less.without, no_writes=no_memory_writes),
    )
    if estimate:
        from deskcrew.ways_in.cli.estimate import show_estimate

        return show_estimate(request, settings, json=json)
    if not json and not (mode or mode_of or approve or yes):
        request = values.asking_what_is_meant(request, settings)
    ask_about_new(settings, json=json)
    ask_about_notes(request.workspace, settings, json=json)
    code, journal = perform(request, settings, json=json, raw=raw)
    if make_skill and not plan_only and journal is not None and code == EXIT_CODES["done"]:
        from deskcrew.ways_in.cli.skill_make import make_after

        make_after(journal, request, settings)
    raise typer.Exit(code)
