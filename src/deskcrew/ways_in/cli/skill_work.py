"""``deskcrew skill keep``, ``try`` and ``use``: make a skill of a proven run, and repeat a skill with other values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer
from rich.console import RenderableType

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import (
    AllowedOptions,
    ApproveOption,
    AtOption,
    AttachOption,
    LimitOption,
    OutputOptions,
    RunArgument,
    WorkspaceOption,
    open_run,
    settings_with,
)
from deskcrew.ways_in.cli.secret import allowed
from deskcrew.ways_in.report.text import clean

if TYPE_CHECKING:
    from deskcrew.engine.human.responder import Responder
    from deskcrew.engine.request import RunRequest
    from deskcrew.engine.workshop.keeping import Corrections
    from deskcrew.engine.workshop.trying import TriedSkill
    from deskcrew.facts.contract import TypedCheck
    from deskcrew.facts.events import Event
    from deskcrew.facts.observation import Observation
    from deskcrew.journal.journal import Journal
    from deskcrew.learning.skills.skill import Skill
    from deskcrew.settings import Settings
    from deskcrew.ways_in.cli.live import LiveView

KEEP_EPILOG = """Examples: deskcrew skill keep last --name add-up-sales | deskcrew skill keep 0317 --param month=June

A quoted text or file name in the task that an operation uses becomes a parameter; --param adds and renames parameters."""
USE_EPILOG = """Examples: deskcrew skill use sort-table source=may.csv column=amount result=sorted.csv

`deskcrew skill show NAME` explains the parameters. A shipped skill only makes new files: it overwrites and removes none."""
TRY_EPILOG = """Example: deskcrew skill try add-up-sales --param file1=june.csv --attach june.csv

A skill is offered to runs once its score is 8, which it reaches by working on two inputs."""

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The skill.", show_default=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionOptions:
    """Options for which parts of the recorded run become parameters, steps and checks."""

    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="A value that becomes a parameter; repeatable."),
    ] = None
    fixed: Annotated[
        list[str] | None,
        typer.Option("--fixed", metavar="NAME", help="A proposed parameter that keeps its recorded value; repeatable."),
    ] = None
    drop: Annotated[list[int] | None, typer.Option("--drop", metavar="STEP", help="Leave out this step; repeatable.")] = None
    uncheck: Annotated[
        list[int] | None, typer.Option("--uncheck", metavar="CHECK", help="Leave out this check; repeatable.")
    ] = None
    check: Annotated[
        list[str] | None,
        typer.Option("--check", metavar="KIND:TARGET[=TEXT]", help="Check this too, at the end; repeatable."),
    ] = None

    @property
    def corrections(self) -> Corrections:
        """The corrections that these options ask for. Raises UsageError if a check cannot be parsed."""
        from deskcrew.engine.workshop.keeping import Corrections
        from deskcrew.ways_in.cli.values import typed

        typed(*(self.param or []), *(self.check or []))
        checks = [check_from(text) for text in self.check or []]
        return Corrections(self.param or [], self.fixed or [], self.drop or [], self.uncheck or [], checks)


@grouped
def keep(
    *,
    run: RunArgument,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What to call it.", show_default="made from the task")
    ] = None,
    description: Annotated[
        str | None, typer.Option("--description", metavar="TEXT", help="What it does.", show_default="the task")
    ] = None,
    corrected: CorrectionOptions,
    branch: Annotated[
        str | None, typer.Option("--branch", metavar="BRANCH", help="The branch to keep.", show_default="the current branch")
    ] = None,
    project: Annotated[bool, typer.Option("--project", help="Put it into .deskcrew/skills here.")] = False,
    output: OutputOptions,
) -> None:
    """Make a skill of a run that is done and proven: its values become parameters, its proven requirements checks.

    Steps and checks are numbered as `deskcrew teach` and `deskcrew skill show` list them.
    """
    from deskcrew.engine.request import own_skills
    from deskcrew.engine.workshop.keeping import constants
    from deskcrew.engine.workshop.keeping import keep as keep_skill
    from deskcrew.journal.branches import branch_named
    from deskcrew.learning.skills import folders
    from deskcrew.learning.skills.trials import Trials
    from deskcrew.ways_in.cli.values import typed

    typed(description or "")
    journal, settings = open_run(output.data, run), settings_with(output.data)
    head = branch_named(journal, branch).head if branch is not None else None
    place = Path.cwd() / ".deskcrew" / folders.FOLDER if project else own_skills(settings)
    skill = keep_skill(journal, settings, place, name or "", description or "", head, corrected.corrections)
    called, method = skill.name, skill.method
    score, given = Trials(settings.data).score(skill.digest), {each.name: each.value for each in method.parameters}
    always = constants(method)
    if output.json:
        told = {"name": called, "digest": skill.digest, "folder": str(place / called), "score": score, "set": given}
        print_json(told | {"always": always})
        return
    out = console()
    out.print(clean(f"Kept as {called} in {place / called}, with a score of {score} of 10."), soft_wrap=True)
    for each in method.parameters:
        out.print(clean(f"  {each.name}={each.value}"), soft_wrap=True)
    for value, why in always.items():
        out.print(clean(f"  always {value!r}, which is not a parameter: {why}"), soft_wrap=True)
    out.print(clean(f"Try it on another input: deskcrew skill try {called} --param NAME=VALUE"), soft_wrap=True)


def check_from(text: str) -> TypedCheck:
    """Parse a check from ``KIND:TARGET=TEXT``. Raises UsageError if it is invalid."""
    from pydantic import ValidationError

    from deskcrew.facts.contract import TypedCheck, TypedKind

    kind, _, rest = text.partition(":")
    target, _, wanted = rest.partition("=")
    try:
        if target:
            return TypedCheck.model_validate({"kind": kind, "target": target, "text": wanted})
    except ValidationError:
        pass  # told below
    hint = f"For example file_contains:report.txt=Total. Kinds: {', '.join(get_args(TypedKind))}."
    raise UsageError(f"--check {text!r} is not KIND:TARGET=TEXT.", hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedPlaceOptions:
    """Options for what a skill is tried on."""

    workspace: WorkspaceOption = None
    attach: AttachOption = None
    desktop: Annotated[
        Literal["virtual", "browser", "none"] | None,
        typer.Option("--desktop", help="The kind of desktop.", show_default="as recorded"),
    ] = None
    at: AtOption = None


@grouped
def try_(
    *,
    name: NameArgument,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="Another value of a parameter, '' for none; repeatable."),
    ] = None,
    place: TriedPlaceOptions,
    approve: ApproveOption = False,
    bounds: AllowedOptions,
    output: OutputOptions,
) -> None:
    """Repeat a skill with other values, without a model: guarded and recorded like any run. Checks say whether it worked.

    A success on a new input raises its score; if a step does not fit or a check fails, the score falls.
    """
    from deskcrew.facts.events import YOURS
    from deskcrew.ways_in.cli.values import existing_files, existing_folder, mode_with

    settings = settings_with(output.data)
    skill, values, request = _request(name, param or [], settings)
    request = replace(
        bounds.of(request),
        workspace=existing_folder(place.workspace),
        attachments=existing_files(place.attach or []),
        desktop=place.desktop or ("virtual" if request.desktop in YOURS else request.desktop),
        at=place.at or "",
        mode=mode_with(None, approve=approve),
        secrets=allowed(settings, bounds.secret or ()),
    )
    raise typer.Exit(_watched(skill, values, request, settings, json=output.json))


def _request(
    name: str, params: list[str], settings: Settings, folder: Path | None = None
) -> tuple[Skill, dict[str, str], RunRequest]:
    """A skill, the values of its parameters, and the request that repeats it with them. ``params``: ``name=value`` as typed;
    ``folder``: where the files are. Raises UsageError if a value is missing or does not fit."""
    from deskcrew.engine.request import usable_skill
    from deskcrew.engine.workshop.fitting import GivenFiles
    from deskcrew.engine.workshop.trying import chosen, request_for
    from deskcrew.ways_in.cli.values import typed

    def said(text: str) -> None:
        console(stderr=True).print(clean(text), style="yellow", soft_wrap=True)

    typed(*params)
    skill = usable_skill(name, settings, said)
    values = chosen(skill, params, GivenFiles(folder))
    return skill, values, request_for(skill, settings, values)


def _watched(
    skill: Skill,
    values: dict[str, str],
    request: RunRequest,
    settings: Settings,
    *,
    json: bool,
    briefly: bool = False,
) -> int:
    """Repeat a skill, shown live, and print its new score. ``briefly``: print only how it ended."""
    from deskcrew.engine.replay.live import LiveRequest
    from deskcrew.engine.workshop.trying import try_skill
    from deskcrew.learning.skills.trials import Trials
    from deskcrew.ways_in.cli.ending import print_end
    from deskcrew.ways_in.cli.watched import asks, watched

    told = _nothing if briefly else None
    ended: list[TriedSkill] = []

    async def start(view: LiveView, human: Responder) -> Journal:
        live = LiveRequest(request)
        ended.append(await try_skill(skill, values, live, settings, watch=view, human=human, notice=view.notice))
        return ended[0].live.journal

    def more() -> dict[str, object]:
        before, after = ended[0].score if ended else (0, 0)
        return {"skill": {"name": skill.name, "digest": skill.digest, "score": after, "before": before}} if ended else {}

    code, journal = watched(start, settings, asks=asks(request), json=json, more=more, told=told)
    if briefly and journal is not None and not json:
        print_end(journal, console())
    before, after = ended[0].score if ended else (0, 0)
    if ended and (told is None or before != after):
        why = ": the reply was as described; what the service did was not observed" if skill.method.request else ""
        score = f"a score of {after} of 10 now (before: {before}){why if after > before else ''}"
        said = f"{skill.name} has {Trials(settings.data).record(skill.digest) if skill.shipped else score}"
        console(stderr=json).print(said, soft_wrap=True)
    return code


def _nothing(event: Event, look: Observation | None) -> list[RenderableType]:
    return []


@grouped
def use(
    *,
    name: NameArgument,
    values: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=VALUE", help="The values of its parameters.", show_default=False)
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", metavar="DIR", help="The folder of the files.", show_default="this one")
    ] = None,
    approve: ApproveOption = False,
    limit: LimitOption = None,
    output: OutputOptions,
) -> None:
    """Have a skill do its chore on the files of a folder, without a model: guarded, recorded, and checked at the end.

    `deskcrew skill list --shipped` lists skills that ship with Deskcrew. `deskcrew undo RUN` undoes what a skill did.
    """
    from deskcrew.ways_in.cli.values import existing_folder, mode_with

    settings, json = settings_with(output.data), output.json
    folder = existing_folder(workspace or Path.cwd())
    skill, chosen, request = _request(name, values or [], settings, folder)
    request = replace(
        AllowedOptions(limit=limit).of(request),
        workspace=folder,
        mode=mode_with(None, approve=approve),
    )
    raise typer.Exit(_watched(skill, chosen, request, settings, json=json, briefly=True))
