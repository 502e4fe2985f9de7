"""``deskcrew every``: tasks that are done at set times, or for new files, with nobody there."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deskcrew.ways_in.cli.options import (
    AllowHostOption,
    AttachOption,
    CheckOption,
    ContractOption,
    CopyOption,
    CrewOption,
    DataOption,
    JsonOption,
    LimitOption,
    ModelOption,
    NetworkOption,
    PolicyOption,
    RequireOption,
    SecretOption,
    UrlOption,
    WorkspaceOption,
    YesOption,
    settings_with,
    what,
)

if TYPE_CHECKING:
    from rich.console import Console

    from deskcrew.facts.json_values import JsonObject
    from deskcrew.settings import Settings
    from deskcrew.ways_in.schedules.schedule import Schedule, Schedules, ScheduleStanding

EPILOG = """Examples:

deskcrew every "mon 9:00" "Write last week's totals of sales.csv into report.txt" --workspace ./sales

deskcrew every --when-file "~/Inbox/*.pdf" "Write date and total of the attached invoice into invoice.csv" --desktop none

deskcrew every

With a task: put it on the list. Without one: run the scheduler, which starts what is due, until Ctrl-C. Times: "9:00",
"mon-fri 8:30", "30m", "2h", "1d", or a crontab's five fields. Nobody is asked anything: what needs asking is denied.
Details: docs/how-to/schedules.md."""

GivenArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[WHEN] [TASK]", help="When, and what to do; no WHEN with --when-file.", show_default=False),
]
WhenFileOption = Annotated[
    str | None,
    typer.Option("--when-file", metavar="GLOB", help="Once for each new or changed file that matches; it is attached."),
]
MissedOption = Annotated[
    Literal["once", "skip"],
    typer.Option("--missed", help="What to do about times missed while no scheduler ran: one run, or none."),
]
ListOption = Annotated[bool, typer.Option("--list", help="Show the list with the state of each.")]
OffOption = Annotated[
    str | None, typer.Option("--off", metavar="ID", help="Switch one off; it stays on the list and starts no runs.")
]
OnOption = Annotated[
    str | None, typer.Option("--on", metavar="ID", help="Switch one on again; what became due meanwhile is skipped.")
]
RemoveOption = Annotated[str | None, typer.Option("--remove", metavar="ID", help="Remove one from the list.")]
InstallOption = Annotated[
    bool, typer.Option("--install", help="Write a systemd user unit that runs the scheduler without a terminal.")
]
UnattendedDesktopOption = Annotated[
    Literal["virtual", "browser", "none"] | None,
    what("--desktop", help="What it works on; never your own screen, as nobody is there.", show_default="virtual"),
]


EMPTY = 'Nothing is on the list. Try: deskcrew every "9:00" "TASK"'
ASKS = (
    "This model does nothing but skills, and asks whether it has understood: with nobody there, nothing is done. With --yes "
    "what it understood is done, and ends unverified; a skill that you taught yourself ends done."
)


def every(
    given: GivenArgument = None,
    when_file: WhenFileOption = None,
    missed: MissedOption = "once",
    list_: ListOption = False,
    off: OffOption = None,
    on: OnOption = None,
    remove: RemoveOption = None,
    install: InstallOption = False,
    model: ModelOption = None,
    crew: CrewOption = None,
    workspace: WorkspaceOption = None,
    copy: CopyOption = False,
    attach: AttachOption = None,
    desktop: UnattendedDesktopOption = None,
    url: UrlOption = None,
    yes: YesOption = False,
    require: RequireOption = None,
    check: CheckOption = None,
    contract: ContractOption = None,
    network: NetworkOption = False,
    allow_host: AllowHostOption = None,
    policy: PolicyOption = None,
    secret: SecretOption = None,
    limit: LimitOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Have a task done at set times, or for each new file. Without a task: run the scheduler, which starts what is due."""
    from dataclasses import replace

    from deskcrew.engine.request import profile_of
    from deskcrew.errors import UsageError, needing
    from deskcrew.evidence.required import stated
    from deskcrew.ways_in.cli import values

    with needing("schedules"):
        from deskcrew.ways_in.schedules.changing import set_up
        from deskcrew.ways_in.schedules.schedule import Schedules

    settings = _absolute(settings_with(data))
    schedules, given = Schedules(settings), given or []
    if sum((list_, *(each is not None for each in (off, on, remove)), install, bool(given or when_file))) > 1:
        hint = "Give one of a task, --list, --off, --on, --remove and --install."
        raise UsageError("This is several things at once.", hint=hint)
    if list_:
        _show(schedules, json=json)
    elif off is not None:
        _switch(schedules, off, on=False, json=json)
    elif on is not None:
        _switch(schedules, on, on=True, json=json)
    elif remove is not None:
        schedules.remove(remove)
        _say(f"{remove} is off the list. A run that it began goes on.", {"id": remove}, json=json)
    elif install:
        _install(settings, json=json)
    elif not given and when_file is None:
        _keep(settings, schedules, json=json)
    else:
        if len(given) != (1 if when_file else 2):
            hint = 'For example: deskcrew every "9:00" "TASK", or: deskcrew every --when-file "*.pdf" "TASK"'
            raise UsageError("A task is needed, and either a time or --when-file.", hint=hint)
        base = values.base_with(settings, None, desktop)
        place = values.existing_folder(workspace)
        page, attached = values.page_with(url or "", attach or [], place)
        request = replace(
            values.within(base, network=network, allow_host=allow_host, policy=policy, limit=limit),
            task=given[-1],
            model=model or base.model,
            crew=crew or base.crew,
            workspace=place,
            copy=copy,
            attachments=values.existing_files(attached),
            url=page,
            yes=yes,
            required=stated(require or (), check or (), contract),
        )
        schedule = set_up(
            settings,
            request,
            when="" if when_file else given[0],
            files=when_file or "",
            missed=missed,
            secrets=tuple(secret or ()),
        )
        _added(schedules, schedule, json=json)
        if not json and not yes and not profile_of(request.model, settings).freely:
            _say(ASKS, {}, json=json)


def _added(schedules: Schedules, schedule: Schedule, *, json: bool) -> None:
    """Confirm that it is on the list, and say when it runs."""
    standing = schedules.standing(schedule)
    told = f"{schedule.id}: {_next(schedule, standing)}."
    if not schedules.are_kept():
        told += "\nNo scheduler is running: start `deskcrew every`, or install it with `deskcrew every --install`."
    _say(told, _row(schedule, standing), json=json)


def _switch(schedules: Schedules, id: str, *, on: bool, json: bool) -> None:
    from deskcrew.ways_in.schedules.changing import switch

    schedule = switch(schedules, id, on=on, now=time.time())
    standing = schedules.standing(schedule)
    told = f"on: {_next(schedule, standing)}." if on else "off. A run that it began goes on."
    _say(f"{id} is switched {told}", _row(schedule, standing), json=json)


def _keep(settings: Settings, schedules: Schedules, *, json: bool) -> None:
    import anyio

    from deskcrew.secrets.binding import Secret
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.cli.secret import allowed
    from deskcrew.ways_in.report.text import clean, moment
    from deskcrew.ways_in.running import Runs
    from deskcrew.ways_in.schedules.keeping import Keeper

    out = console()

    def say(text: str) -> None:
        if json:
            print_json({"time": time.time(), "text": text})
        else:
            out.print(clean(f"{moment(time.time())}  {text}"), soft_wrap=True)

    def secret(name: str) -> Secret:
        return allowed(settings, [name])[0]

    keeper = Keeper(settings, Runs(settings), say, secret)
    if not json:
        out.print("The list is kept. Ctrl-C ends this, but no run; nobody is asked anything.")
        if not schedules.all():
            out.print(f"{EMPTY} This starts it, too, once you add one in another terminal.", soft_wrap=True)
    anyio.run(keeper.keep)


def _show(schedules: Schedules, *, json: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.report.text import one_line

    there = [(each, schedules.standing(each)) for each in schedules.all()]
    kept = schedules.are_kept()
    if json:
        print_json({"kept": kept, "schedules": [_row(schedule, standing) for schedule, standing in there]})
        return
    out: Console = console()
    if not there:
        out.print(Text(EMPTY))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("id", "when", "task", "next", "last"):
        table.add_column(column, overflow="fold")
    for schedule, standing in there:
        last = " ".join(word for word in (standing.run, standing.outcome if standing.told else "goes on") if word)
        cells = (schedule.id, schedule.when or schedule.files, schedule.start.request.task, _next(schedule, standing), last)
        table.add_row(*(Text(one_line(cell, 120)) for cell in cells))
    out.print(table)
    if not kept:
        out.print(Text("No scheduler is running: start `deskcrew every`.", style="yellow"))


def _install(settings: Settings, *, json: bool) -> None:
    import shutil
    import sys

    from deskcrew.errors import UsageError
    from deskcrew.ways_in.schedules.unit import NAME, install

    if settings.person:
        hint = f"Run `deskcrew every` with DESKCREW_PERSON={settings.person} from a service of your own."
        raise UsageError("The service is of the user of the machine, and starts nobody else's schedules.", hint=hint)
    beside = Path(sys.executable).with_name("deskcrew")
    program = str(beside) if beside.exists() else shutil.which("deskcrew")
    if program is None:
        raise UsageError("The program deskcrew is not installed beside its Python, nor found by its name.")
    path = install([program, "every", "--data", str(settings.data)])
    told = f"Wrote {path}. Now: systemctl --user daemon-reload && systemctl --user enable --now {NAME}"
    _say(f"{told}\nTo keep it running while you are signed out, too: loginctl enable-linger", {"file": str(path)}, json=json)


def _next(schedule: Schedule, standing: ScheduleStanding) -> str:
    """When it runs next, in words."""
    from deskcrew.ways_in.report.text import moment

    if schedule.off:
        return "switched off"
    time = schedule.next(standing.last)
    return moment(time) if time is not None else f"for each file that matches {schedule.files}"


def _row(schedule: Schedule, standing: ScheduleStanding) -> JsonObject:
    return {
        "id": schedule.id,
        "when": schedule.when,
        "files": schedule.files,
        "task": schedule.start.request.task,
        "missed": schedule.missed,
        "on": not schedule.off,
        "next": schedule.next(standing.last),
        "run": standing.run or None,
        "outcome": (standing.outcome if standing.told else "goes on") or None,
    }


def _say(text: str, told: JsonObject, *, json: bool) -> None:
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.report.text import clean

    if json:
        print_json(told)
    else:
        console().print(clean(text), soft_wrap=True)


def _absolute(settings: Settings) -> Settings:
    """The settings for runs that are started from other folders."""
    folders = {name: getattr(settings, name).expanduser().absolute() for name in ("data", "models", "config")}
    return settings.model_copy(update=folders)
