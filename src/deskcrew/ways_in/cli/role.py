"""``deskcrew role``: show the roles, draft agents from a program's guide, try them, and describe agents by what they did."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer

from deskcrew.errors import UsageError
from deskcrew.facts.meant import did_you_mean
from deskcrew.ways_in.cli.console import console, must_agree, print_json, tell
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import CrewOptions, JsonOption, LimitOption, OutputOptions, settings_with
from deskcrew.ways_in.report.text import clean

if TYPE_CHECKING:
    from deskcrew.engine.roles.role import Role
    from deskcrew.engine.workshop.drafting import AgentTrial as Trial_
    from deskcrew.engine.workshop.drafting import Drafted
    from deskcrew.settings import Settings

T = TypeVar("T")

EPILOG = "How to write a role file, or have one drafted: `deskcrew docs add-an-agent`."
FROM_GUIDE_EPILOG = """Examples: deskcrew role from-guide mousepad.html --program mousepad

deskcrew role from-guide ffmpeg.txt --program ffmpeg --works-in commands --name FilmCutter

You are shown the agent and its trial task, and asked; with --yes you are not asked. Crews find an agent only if its trial
was proven."""

DESCRIBE_EPILOG = """Examples: deskcrew role describe Operator

deskcrew role describe Operator --undo

Planners and schedulers choose an agent by its description. The new one counts only once you have accepted it."""

TRIES, USES = "--yes tries it, and keeps it if it is proven.", "--yes uses it without asking."


def build() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(
        no_args_is_help=True, help="Show the roles, draft agents for the pool of crews, and try them.", epilog=EPILOG
    )
    app.command("list", epilog="Example: deskcrew role list")(list_roles)
    app.command("show", epilog="Example: deskcrew role show Worker")(show)
    app.command("from-guide", epilog=FROM_GUIDE_EPILOG)(from_guide)
    app.command("describe", epilog=DESCRIBE_EPILOG)(describe)
    return app


def list_roles(json: JsonOption = False) -> None:
    """List the roles, each with its kind and the file that counts."""
    roles = sorted(_roles(settings_with(None)).values(), key=lambda role: role.name)
    told = {"roles": [{"name": role.name, "kind": role.kind, "file": role.path} for role in roles]}
    tell([f"{role.name:18} {role.kind:10} {role.path}" for role in roles], told, json=json)


def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A role.", show_default=False)], json: JsonOption = False
) -> None:
    """Show a role: the file that counts, the crews that have it, and its text."""
    from deskcrew.engine.request import crew_folders, crew_names
    from deskcrew.engine.roles.crew import load_crew

    settings = settings_with(None)
    roles = _roles(settings)
    role = _role(name, roles)
    having = [crew for crew in crew_names(settings) if name in load_crew(crew, crew_folders(settings), roles).members]
    said = f"{role.path}\nIn the crews: {', '.join(having) or 'none'}\n\n{role.text}"
    tell(said, {"name": name, "file": role.path, "crews": having, "text": role.text}, json=json)


def _role(name: str, roles: dict[str, Role]) -> Role:
    if name not in roles:
        raise UsageError(f"There is no role {name!r}.{did_you_mean(name, roles)}", hint="deskcrew role list lists them.")
    return roles[name]


def _roles(settings: Settings) -> dict[str, Role]:
    from deskcrew.engine.request import role_folders, usable_actions
    from deskcrew.engine.roles.role import load_roles

    return load_roles(role_folders(settings), usable_actions(settings))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions:
    """Options for the agent to draft, and what to do with it."""

    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="What to call the agent.", show_default="after the program, or FILE"),
    ] = None
    program: Annotated[
        str,
        typer.Option("--program", metavar="PROGRAM", help="The program, by the command that opens it.", show_default="none"),
    ] = ""
    works_in: Annotated[
        Literal["windows", "files", "commands"] | None,
        typer.Option(
            "--works-in",
            help="What the agent may work with: the program's windows, files, or commands.",
            show_default="windows with --program, else files",
        ),
    ] = None
    project: Annotated[bool, typer.Option("--project", help="Put it into .deskcrew/roles here.")] = False
    keep_untried: Annotated[
        bool, typer.Option("--keep-untried", help="Let crews find it even if its trial was not proven.")
    ] = False
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False


@grouped
def from_guide(
    *,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The guide: text, Markdown, HTML, PDF...", show_default=False)
    ],
    agent: AgentOptions,
    who: CrewOptions,
    limit: LimitOption = None,
    output: OutputOptions,
) -> None:
    """Draft an agent from a program's guide, try it on a small task, and keep it if that is proven."""
    from deskcrew.engine.workshop import drafting
    from deskcrew.ways_in.cli.values import limits_with, typed

    settings, json, program = settings_with(output.data), output.json, agent.program
    typed(agent.name or "", program)
    way = agent.works_in or ("windows" if program else "files")
    if way == "windows" and not program:
        raise UsageError("An agent that works in windows needs a program.", hint="Name it: --program NAME.")
    if not file.is_file():
        raise UsageError(f"The guide {file} cannot be read: there is no such file.")
    if not agent.yes and not sys.stdin.isatty():
        raise UsageError("There is nobody to ask about the agent.", hint=TRIES)
    wish = drafting.AgentWish(
        guide=file,
        folder=Path.cwd() / ".deskcrew" / "roles" if agent.project else settings.config / "roles",
        program=program.strip(),
        name=agent.name or "",
        way=way,
        model=who.model or settings.model,
        crew=who.crew or settings.crew,
        limits=limits_with(settings.limits, limit or []),
    )
    told = _teller(json=json)
    told("Reading the guide ...")
    drafted = _stoppable(lambda: drafting.draft(wish, settings), told)
    told(shown(drafted))
    if not agent.yes:
        must_agree("Try it, and keep it if the trial is proven?", about="about the agent", instead=TRIES, json=json)
    told("Trying it ...")
    trial = _stoppable(lambda: drafting.try_out(drafted, wish, settings), told)
    place = drafting.keep(drafted, trial, untried=agent.keep_untried)
    offered = not trial.why or agent.keep_untried
    told(_said(drafted, trial, place, offered=offered))
    if json:
        runs = {"run": drafted.journal.run, "trial": trial.journal.run}
        head = {"agent": drafted.role.name, "file": str(place), "domain": list(drafted.role.domain)}
        print_json(head | runs | {"proven": not trial.why, "offered": offered, "why": trial.why})
    raise typer.Exit(0 if offered else 4)


@grouped
def describe(
    name: Annotated[str, typer.Argument(metavar="NAME", help="An agent.", show_default=False)],
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Take its last new description back.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    who: CrewOptions,
    limit: LimitOption = None,
    output: OutputOptions,
) -> None:
    """Propose a new description of an agent from what it did, and use it if you agree."""
    from deskcrew.engine.roles import descriptions
    from deskcrew.engine.workshop import describing
    from deskcrew.ways_in.cli.values import limits_with

    settings, json = settings_with(output.data), output.json
    folder = settings.config / "roles"
    role = _role(name, _roles(settings))
    if undo:
        gone = descriptions.revoke(folder, name)
        if gone is None:
            raise UsageError(f"{name} has no new description.", hint=f"deskcrew role show {name}")
        now = _roles(settings)[name].skills
        tell(f"{name} is described as before: {now}", {"agent": name, "skills": now, "removed": gone.skills}, json=json)
        return
    if not yes and not sys.stdin.isatty():
        raise UsageError("There is nobody to ask about the description.", hint=USES)
    told = _teller(json=json)
    model, crew = who.model or settings.model, who.crew or settings.crew
    limits = limits_with(settings.limits, limit or [])
    found = _stoppable(lambda: describing.propose(role, settings, by=model, crew=crew, limits=limits), told)
    head = {"agent": name, "run": found.run, "skills": found.skills, "before": role.skills, "why": found.why}
    if found.skills == role.skills:
        tell(f"Its description fits what it did ({found.record}), and stays: {role.skills}", head, json=json)
        return
    told(f"{name} so far: {role.skills}\nProposed from {found.record}: {found.skills}\nWhy: {found.why}")
    if not yes:
        must_agree("Use the new description?", about="about the description", instead=USES, json=json)
    descriptions.accept(folder, name, role.skills, found.skills, found.run)
    tell(f"It counts from now on. To take it back: deskcrew role describe {name} --undo", head, json=json)


def _teller(*, json: bool) -> Callable[[str], None]:
    """Prints texts for the person, beside what is printed for programs if ``json``."""
    out = console(stderr=json)
    return lambda text: out.print(clean(text), soft_wrap=True, markup=False, highlight=False)


def shown(drafted: Drafted) -> str:
    """The text that a person is shown before an agent is tried."""
    made = drafted.draft
    files = [f"  {file.path}:\n{file.text.rstrip()}" for file in made.files]
    return "\n".join(("", drafted.role.text, f"It is tried on: {made.task}", *files))


def _said(drafted: Drafted, trial: Trial_, place: Path, *, offered: bool) -> str:
    """The result of the trial, in words."""
    name, run = drafted.role.name, trial.journal.run
    if not trial.why:
        return f"{name} did its task, which is proven [{run}]. Crews with '*' in their pool can use it: {place}"
    kept = "Crews can use it all the same" if offered else "It was put aside, where no crew finds it"
    return f"{name} was not proven [{run}]: {trial.why.removesuffix('.')}. {kept}: {place}"


def _stoppable(start: Callable[[], Awaitable[T]], told: Callable[[str], None]) -> T:
    """The result of ``start``. Ctrl-C ends ``start``, and the command."""
    import anyio

    from deskcrew.ways_in.cli.signals import Signals

    async def run(signals: Signals) -> T | None:
        return await signals.stoppable(start)

    with Signals(lambda: told("Stopping... (Ctrl-C again to end at once)")) as signals:
        result = anyio.run(run, signals)
    if result is None or signals.received:
        raise typer.Exit(6)
    return result
