"""``deskcrew every``: tasks that run unattended, at set times or for new files."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from deskcrew.errors import UsageError, needing
from deskcrew.secrets.binding import Secret
from deskcrew.ways_in.cli.console import console, plain_table, print_json, tell
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import (
    AllowedOptions,
    CrewOptions,
    OutputOptions,
    PlaceOptions,
    ProofOptions,
    UrlOption,
    YesOption,
    settings_with,
    what,
)
from deskcrew.ways_in.cli.secret import allowed
from deskcrew.ways_in.report.text import clean, moment, one_line
from deskcrew.ways_in.schedules.unit import NAME, install

if TYPE_CHECKING:
    from deskcrew.engine.request import RunRequest
    from deskcrew.facts.json_values import JsonObject
    from deskcrew.settings import Settings
    from deskcrew.ways_in.schedules.schedule import Schedule, Schedules, ScheduleStanding

EPILOG = """Examples:

deskcrew every "mon 9:00" "Write last week's totals of sales.csv into report.txt" --workspace ./sales

deskcrew every --when-file "~/Inbox/*.pdf" "Write date and total of the attached invoice into invoice.csv" --desktop none

deskcrew every "9:00" --skill sort-table source=may.csv column=Amount --workspace ./sales

deskcrew every

With a task: add it to the list. Without one: run the scheduler, which starts due runs, until Ctrl-C. Times: "9:00",
"mon-fri 8:30", "30m", "2h", "1d", or a crontab's five fields. Nobody is asked anything: what needs asking is denied.
Details: `deskcrew docs schedules`."""

GivenArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[WHEN] [TASK]",
        help="When, and what to do; no WHEN with --when-file; with --skill its values, NAME=VALUE.",
        show_default=False,
    ),
]
SkillOption = Annotated[
    str | None,
    typer.Option("--skill", metavar="NAME", help="Have this skill do it, without a model, as `deskcrew skill use` does."),
]
WhenFileOption = Annotated[
    str | None,
    typer.Option(
        "--when-file", metavar="GLOB", help="Run once for each new or changed file that matches, with the file attached."
    ),
]
MissedOption = Annotated[
    Literal["once", "skip"],
    typer.Option("--missed", help="What to do about times missed while no scheduler was running: one run, or none."),
]
ListOption = Annotated[bool, typer.Option("--list", help="List the schedules and their states.")]
OffOption = Annotated[
    str | None, typer.Option("--off", metavar="ID", help="Switch a schedule off: it stays on the list, but starts no runs.")
]
OnOption = Annotated[
    str | None,
    typer.Option("--on", metavar="ID", help="Switch a schedule on again; runs that were due meanwhile are skipped."),
]
RemoveOption = Annotated[str | None, typer.Option("--remove", metavar="ID", help="Remove a schedule from the list.")]
InstallOption = Annotated[
    bool, typer.Option("--install", help="Write a systemd user unit that runs the scheduler without a terminal.")
]
UnattendedDesktopOption = Annotated[
    Literal["virtual", "browser", "none"] | None,
    what("--desktop", help="What it works on; never your own screen, since it runs unattended.", show_default="virtual"),
]


EMPTY = 'The list is empty. Try: deskcrew every "9:00" "TASK"'
ASKS = "It was not added: this model can only use skills, and {why} whether it understands the task."
UNASKED = (
    "{first}Nobody is asked with a larger model (--model), with --yes (with a skill that ships, its runs then end "
    "unverified), or with --skill."
)
UNCONFIRMED = "Reword the task, use a larger model, or say yes in advance: --yes."


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenOptions:
    """When the task is done, and whether by a skill."""

    skill: SkillOption = None
    when_file: WhenFileOption = None
    missed: MissedOption = "once"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What to do with the list, instead of adding a task to it."""

    list_: ListOption = False
    off: OffOption = None
    on: OnOption = None
    remove: RemoveOption = None
    install: InstallOption = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UnattendedOptions:
    """The options of an unattended run, which become its request."""

    who: CrewOptions
    place: PlaceOptions
    desktop: UnattendedDesktopOption = None
    url: UrlOption = None
    yes: YesOption = False
    proof: ProofOptions
    allowed: AllowedOptions

    def request(self, task: str, settings: Settings) -> RunRequest:
        """The request, without secrets. Raises UsageError or ConfigError if an option is invalid."""
        from deskcrew.ways_in.cli import values

        base = values.base_with(settings, None, self.desktop)
        place = values.existing_folder(self.place.workspace)
        page, attached = values.page_with(self.url or "", self.place.attach or [], place)
        return replace(
            self.allowed.of(base),
            task=task,
            model=self.who.model or base.model,
            crew=self.who.crew or base.crew,
            workspace=place,
            copy=self.place.copy,
            attachments=values.existing_files(attached),
            url=page,
            yes=self.yes,
            required=self.proof.required,
        )


@grouped
def every(
    *,
    given: GivenArgument = None,
    when: WhenOptions,
    kept: ListOptions,
    options: UnattendedOptions,
    output: OutputOptions,
) -> None:
    """Have a task done at set times, or for each new file. Without a task: run the scheduler, which starts due runs."""
    from deskcrew.engine.request import profile_of

    with needing("schedules"):
        from deskcrew.ways_in.schedules.changing import set_up
        from deskcrew.ways_in.schedules.schedule import Schedules

    settings, json, files = _absolute(settings_with(output.data)), output.json, when.when_file
    schedules, given = Schedules(settings), given or []
    named = (each is not None for each in (kept.off, kept.on, kept.remove))
    if sum((kept.list_, *named, kept.install, bool(given or files or when.skill))) > 1:
        hint = "Give only one of: a task, --list, --off, --on, --remove, --install."
        raise UsageError("These options exclude each other.", hint=hint)
    if kept.list_:
        _show(schedules, json=json)
    elif kept.off is not None:
        _switch(schedules, kept.off, on=False, json=json)
    elif kept.on is not None:
        _switch(schedules, kept.on, on=True, json=json)
    elif kept.remove is not None:
        schedules.remove(kept.remove)
        tell(f"{kept.remove} was removed. A run that it started continues.", {"id": kept.remove}, json=json)
    elif kept.install:
        _install(settings, json=json)
    elif when.skill is not None:
        _added(schedules, _with_skill(settings, when.skill, given, when, options), json=json)
    elif not given and files is None:
        _keep(settings, schedules, json=json)
    else:
        if len(given) != (1 if files else 2):
            hint = 'For example: deskcrew every "9:00" "TASK", or: deskcrew every --when-file "*.pdf" "TASK"'
            raise UsageError("A task is needed, and either a time or --when-file.", hint=hint)
        if not files:
            _check_named(given[-1], options)
        request = options.request(given[-1], settings)
        schedule = set_up(
            settings,
            request,
            when="" if files else given[0],
            files=files or "",
            missed=when.missed,
            secrets=tuple(options.allowed.secret or ()),
        )
        if not request.yes and not profile_of(request.model, settings).freely:
            there = sys.stdin.isatty() and not json
            schedule = _confirmed(schedules, schedule, settings, tuple(options.allowed.secret or ()), there=there)
        _added(schedules, schedule, json=json)


def _with_skill(settings: Settings, skill: str, words: list[str], when: WhenOptions, options: UnattendedOptions) -> Schedule:
    """Add a schedule of a skill. ``words``: its times, then its values. Raises UsageError if it cannot work that way."""
    from deskcrew.errors import UsageError
    from deskcrew.ways_in.cli import values
    from deskcrew.ways_in.cli.grouped import given
    from deskcrew.ways_in.running.messages import Try
    from deskcrew.ways_in.schedules.changing import set_up_skill

    hint = "For example: deskcrew every 9:00 --skill sort-table source=may.csv column=Amount --workspace ./sales"
    if unfit := [*(["--when-file"] if when.when_file else []), *{*given(options)} - {"--workspace", "--attach"}]:
        raise UsageError(f"--skill needs no model, and takes no {', '.join(sorted(unfit))}.", hint=hint)
    if not words or "=" in words[0]:
        raise UsageError("A skill needs the time at which it begins.", hint=hint)
    values.typed(*words)
    attached = values.existing_files(options.place.attach or [])
    folder = values.existing_folder(options.place.workspace or (None if attached else Path.cwd()))
    task = Try(skill=skill, params=tuple(words[1:]), workspace=folder, attachments=attached)
    return set_up_skill(settings, task, when=words[0], missed=when.missed)


def _check_named(task: str, options: UnattendedOptions) -> None:
    """Raise UsageError if the task names files of the current folder, which its runs would not see."""
    from deskcrew.ways_in.cli.named_here import given_in_words

    if options.place.workspace or options.place.attach or options.url:
        return
    named = given_in_words(task, Path.cwd())
    if named.folder is not None:
        hint = f"To work in it: --workspace {shlex.quote(str(named.folder))}"
        raise UsageError(f"Each run has a new, empty folder, and cannot see {named.folder}.", hint=hint)
    if named.files:
        copies = " ".join(f"--attach {shlex.quote(str(each))}" for each in named.files)
        names = ", ".join(each.name for each in named.files)
        hint = f"To work in this folder: --workspace . To give each run a current copy: {copies}"
        raise UsageError(f"Each run has a new, empty folder, without {names}.", hint=hint)


def _confirmed(
    schedules: Schedules, schedule: Schedule, settings: Settings, secrets: tuple[str, ...], *, there: bool
) -> Schedule:
    """Ask the person, if one is ``there``, whether the task is understood, for all its unattended runs. Raises UsageError,
    and removes the schedule, unless they say yes."""
    from deskcrew.engine.session import STOPPED_BY_USER
    from deskcrew.ways_in.cli.watched import perform
    from deskcrew.ways_in.schedules.changing import asking_first, meant_by

    with ExitStack() as unconfirmed:
        unconfirmed.callback(schedules.remove, schedule.id)
        if schedule.files and schedule.example is None:
            first = "Put an example there and add it again: your answer then counts for every file. "
            why = "no file matches yet, to ask you about"
            raise UsageError(ASKS.format(why=why), hint=UNASKED.format(first=first))
        if not there:
            first = "Add it at a terminal, without --json, to be asked now. "
            raise UsageError(ASKS.format(why="nobody is there to say"), hint=UNASKED.format(first=first))
        asking = asking_first(schedule, settings)
        if asking is None:
            unconfirmed.pop_all()
            return schedule
        asking = replace(asking, secrets=allowed(settings, list(secrets)))
        _, journal = perform(asking, settings, json=False, told=lambda event, look: [])
        asked = schedule.model_copy(update={"asked_in": journal.run if journal is not None else ""})
        if meant_by(asked, settings) is None:
            outcome = journal.state.outcome if journal is not None else None
            if outcome == STOPPED_BY_USER:
                console(stderr=True).print("It was not added, because you stopped the question.")
                raise typer.Exit(STOPPED_BY_USER.exit_code)
            why = f": {outcome.why.removesuffix('.')}" if outcome is not None else ""
            raise UsageError(
                f"It was not added, because nobody confirmed how the task was understood{why}.", hint=UNCONFIRMED
            )
        schedules.put(asked)
        unconfirmed.pop_all()
    return asked


def _added(schedules: Schedules, schedule: Schedule, *, json: bool) -> None:
    """Print that the schedule was added, and when it runs."""
    standing = schedules.standing(schedule)
    told = f"{schedule.id}: {_next(schedule, standing)}."
    if not schedules.are_kept():
        told += "\nNo scheduler is running: start `deskcrew every`, or install it with `deskcrew every --install`."
    tell(told, _row(schedule, standing), json=json)


def _switch(schedules: Schedules, id: str, *, on: bool, json: bool) -> None:
    from deskcrew.ways_in.schedules.changing import switch

    schedule = switch(schedules, id, on=on, now=time.time())
    standing = schedules.standing(schedule)
    told = f"on: {_next(schedule, standing)}." if on else "off. A run that it started continues."
    tell(f"{id} is switched {told}", _row(schedule, standing), json=json)


def _keep(settings: Settings, schedules: Schedules, *, json: bool) -> None:
    import anyio

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
        out.print("The scheduler is running. Ctrl-C ends it, but no run; nobody is asked anything.")
        if not schedules.all():
            out.print(f"{EMPTY} You can add it in another terminal while this is running.", soft_wrap=True)
    anyio.run(keeper.keep)


def _show(schedules: Schedules, *, json: bool) -> None:
    there = [(each, schedules.standing(each)) for each in schedules.all()]
    kept = schedules.are_kept()
    if json:
        print_json({"kept": kept, "schedules": [_row(schedule, standing) for schedule, standing in there]})
        return
    out: Console = console()
    if not there:
        out.print(Text(EMPTY))
        return
    table = plain_table("id", "when", "task", "next", "last")
    for schedule, standing in there:
        last = " ".join(word for word in (standing.run, standing.outcome if standing.told else "goes on") if word)
        cells = (schedule.id, schedule.when or schedule.files, schedule.start.request.task, _next(schedule, standing), last)
        table.add_row(*(Text(one_line(cell, 120)) for cell in cells))
    out.print(table)
    if not kept:
        out.print(Text("No scheduler is running: start `deskcrew every`.", style="yellow"))


def _install(settings: Settings, *, json: bool) -> None:
    if settings.person:
        hint = f"Run `deskcrew every` with DESKCREW_PERSON={settings.person} from a service of your own."
        raise UsageError(
            "The service belongs to the machine's user, and cannot start another person's schedules.", hint=hint
        )
    beside = Path(sys.executable).with_name("deskcrew")
    program = str(beside) if beside.exists() else shutil.which("deskcrew")
    if program is None:
        raise UsageError("The program deskcrew was found neither beside its Python nor on the PATH.")
    path = install([program, "every", "--data", str(settings.data)])
    told = f"Wrote {path}. Now: systemctl --user daemon-reload && systemctl --user enable --now {NAME}"
    tell(f"{told}\nTo keep it running while you are signed out, too: loginctl enable-linger", {"file": str(path)}, json=json)


def _next(schedule: Schedule, standing: ScheduleStanding) -> str:
    """When a schedule runs next, in words."""
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


def _absolute(settings: Settings) -> Settings:
    """The settings with absolute paths, since runs are started from other folders."""
    folders = {name: getattr(settings, name).expanduser().absolute() for name in ("data", "models", "config")}
    return settings.model_copy(update=folders)
