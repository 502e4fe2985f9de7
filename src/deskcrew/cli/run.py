"""``deskcrew run TASK``: one run, shown live."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from deskcrew.cli.ablations import (
    NoMemoryOption,
    NoNarrowingOption,
    NoPoolOption,
    NoReviewerOption,
    NoSchedulerOption,
    SingleOption,
    left_out,
)
from deskcrew.cli.options import (
    LARGEST_SEED,
    AllowHostOption,
    ApproveOption,
    AttachOption,
    CrewOption,
    DataOption,
    LimitOption,
    ModelOption,
    ModeOfOption,
    ModeOption,
    NetworkOption,
    PolicyOption,
    RunJsonOption,
    SecretOption,
    folder,
    may,
    settings_with,
    what,
)

EPILOG = """Examples:

deskcrew run "What is the total of the column amount in sales.csv?" --attach sales.csv

deskcrew run "Write the total into report.txt with the text editor" --workspace ./papers --approve

deskcrew run "Rename the photos by date" --workspace ./photos --desktop none --model openai:gpt-5-mini --json

deskcrew run "What does the blue lamp cost?" --desktop browser --url https://shop.example.org/lamps

deskcrew run "Save the newest release notes of the project as notes.txt" --allow-host docs.example.org

Exit codes: 0 done, 3 unverified, 4 failed, 5 denied, 6 stopped; 2 wrong usage, 1 a bug of ours."""

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="What is to be done, in plain words.", show_default=False)]
WorkspaceOption = Annotated[
    Path | None,
    what("--workspace", parser=folder, metavar="DIR", help="Folder the crew may change.", show_default="a new, empty one"),
]
DesktopOption = Annotated[
    Literal["virtual", "real", "browser", "none"],
    what("--desktop", help="A desktop of its own, yours, a browser of its own, or files and programs only."),
]
UrlOption = Annotated[
    str | None,
    what(
        "--url",
        metavar="URL",
        help="Page that the browser begins with: an address, whose host may be reached, or a file of --attach.",
        show_default="empty",
    ),
]
EndpointOption = Annotated[
    str | None,
    what("--cdp", metavar="URL", help="A browser of yours that is open, by its debugging address.", show_default="none"),
]
SessionOption = Annotated[
    str | None,
    what("--session", metavar="NAME", help="Keep the browser's cookies under that name.", show_default="thrown away"),
]
OpenOption = Annotated[
    list[str] | None,
    what("--open", metavar="PROGRAM[=FILE]", help="Open it on the virtual desktop before the crew looks; repeatable."),
]
ScreenOption = Annotated[
    str | None, what("--screen", metavar="WxH", help="Pixels of the virtual desktop.", show_default="1280x800")
]
ScaleOption = Annotated[
    float | None,
    what("--scale", min=1.0, max=3.0, metavar="N", help="Its scale: 1.5 for 150 %.", show_default="1"),
]
MonitorsOption = Annotated[
    int, what("--monitors", min=1, max=4, metavar="N", help="Its monitors, side by side, of so many pixels each.")
]
SeedOption = Annotated[
    int | None,
    what("--seed", min=-LARGEST_SEED, max=LARGEST_SEED, metavar="N", help="Seed for models that take one."),
]
UnsafeOption = Annotated[bool, may("--unsafe-host", help="Run without a sandbox: programs may do all that you may.")]


def run(
    task: TaskArgument,
    model: ModelOption = None,
    crew: CrewOption = None,
    no_pool: NoPoolOption = False,
    no_reviewer: NoReviewerOption = False,
    no_scheduler: NoSchedulerOption = False,
    no_memory: NoMemoryOption = False,
    single: SingleOption = False,
    no_narrowing: NoNarrowingOption = False,
    workspace: WorkspaceOption = None,
    attach: AttachOption = None,
    desktop: DesktopOption = "virtual",
    url: UrlOption = None,
    cdp: EndpointOption = None,
    session: SessionOption = None,
    open_: OpenOption = None,
    screen: ScreenOption = None,
    scale: ScaleOption = None,
    monitors: MonitorsOption = 1,
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
    from deskcrew.cli.values import (
        existing_files,
        existing_folder,
        limits_with,
        mode_with,
        opened_with,
        screen_with,
    )
    from deskcrew.cli.watched import perform
    from deskcrew.request import RunRequest, role_modes

    settings = settings_with(data)
    request = RunRequest(
        task=task,
        model=model or settings.model,
        crew=crew or settings.crew,
        workspace=existing_folder(workspace),
        attachments=existing_files(attach or []),
        desktop=desktop,
        opened=opened_with(open_ or []),
        url=url or "",
        endpoint=cdp or "",
        session=session or "",
        screen=screen_with(screen),
        scale=scale or (settings.scale if desktop in ("virtual", "browser") else 1.0),
        monitors=monitors,
        pool=not no_pool,
        without=left_out(no_reviewer, no_scheduler, no_memory, single, no_narrowing),
        mode=mode_with(mode, approve=approve),
        modes=role_modes(mode_of or []),
        seed=seed,
        limits=limits_with(settings.limits, limit or []),
        network=network,
        hosts=tuple(allow_host or ()),
        unsafe_host=unsafe_host,
        policy=policy.absolute() if policy is not None else None,
        secrets=allowed(settings, secret or []),
    )
    raise typer.Exit(perform(request, settings, json=json)[0])
