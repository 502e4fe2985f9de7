"""``deskcrew skill make`` and ``deskcrew skill from-openapi``: make skills that a crew writes, or from a web service."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.secrets.binding import check_name
from deskcrew.ways_in.cli.console import console, tell
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import (
    CrewOptions,
    JsonOption,
    LimitOption,
    OutputOptions,
    open_run,
    settings_with,
)
from deskcrew.ways_in.report.text import clean

if TYPE_CHECKING:
    from deskcrew.engine.human.responder import Responder
    from deskcrew.engine.request import RunRequest
    from deskcrew.engine.workshop.making import MadeSkill
    from deskcrew.journal.journal import Journal
    from deskcrew.settings import Settings
    from deskcrew.ways_in.cli.live import LiveView

MAKE_EPILOG = """Examples: deskcrew skill make "Count the words of a text file" | deskcrew skill make --from last

It is kept if its score is at least 8 of 10 and its tests pass on two inputs; it is corrected at most three times."""
OPENAPI_EPILOG = """Example: deskcrew skill from-openapi library.yaml --operation getBook --secret library-token

This sends nothing. A skill is offered to runs once it has worked on two inputs: deskcrew skill try."""

ProjectOption = Annotated[bool, typer.Option("--project", help="Put it into .deskcrew/skills here.")]


@grouped
def make(
    *,
    what: Annotated[
        str | None, typer.Argument(metavar="WHAT", help="What the skill is to do.", show_default="what the run's code did")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="RUN", help="Make it from this run, proven with Python code.", show_default="none"),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What to call it.", show_default="its function's name")
    ] = None,
    who: CrewOptions,
    project: ProjectOption = False,
    limit: LimitOption = None,
    output: OutputOptions,
) -> None:
    """Have a crew write a skill as code: run on two inputs, scored by a critic, repaired, and kept if it passes."""
    from deskcrew.engine.request import RunRequest, allowed_skills
    from deskcrew.engine.workshop import making
    from deskcrew.learning.skills import folders
    from deskcrew.ways_in.cli.values import limits_with, typed
    from deskcrew.ways_in.cli.watched import watched

    typed(what or "")
    json, data = output.json, output.data
    recorded = making.recorded_in(open_run(data, source))[0] if source is not None else None
    wanted = (what or (recorded.what if recorded is not None else "")).strip()
    if not wanted:
        raise UsageError("Say what the skill is to do.", hint='deskcrew skill make "Count the words of a text file"')
    settings = settings_with(data)
    request = RunRequest(
        wanted,
        model=who.model or settings.model,
        crew=who.crew or making.CREW,
        desktop="none",
        limits=limits_with(settings.limits, limit or []),
    )
    folder = Path.cwd() / ".deskcrew" / folders.FOLDER if project else None
    wish = making.SkillWish(wanted, recorded, name or "", folder)
    ended: list[MadeSkill] = []

    async def start(view: LiveView, human: Responder) -> Journal:
        ended.append(await making.make(wish, request, settings, watch=view, human=human, notice=view.notice))
        return ended[0].journal

    def more() -> dict[str, object]:
        skill = ended[0].skill if ended else None
        if skill is None:
            return {"skill": None}
        told = {"name": skill.name, "digest": skill.digest, "folder": str(ended[0].folder)}
        return {"skill": {**told, "score": ended[0].score, "parameters": [each.name for each in skill.method.parameters]}}

    code, _ = watched(start, settings, asks=False, json=json, more=more)
    if ended and (skill := ended[0].skill) is not None:
        if project:
            allowed_skills(settings).add(skill.digest, str(ended[0].folder))
        out = console(stderr=json)
        out.print(
            clean(f"Kept as {skill.name} in {ended[0].folder}, with a score of {ended[0].score} of 10."), soft_wrap=True
        )
    raise typer.Exit(code)


def make_after(journal: Journal, request: RunRequest, settings: Settings) -> None:
    """Make skills of a run that is done, with the run's model and limits: of each part whose code was scored high enough, or
    of the whole. Reports the results on standard error; the run stays done even if no skill could be made."""
    import anyio

    from deskcrew.engine.request import RunRequest as Request
    from deskcrew.engine.workshop import making

    out = console(stderr=True)

    def told(text: str) -> None:
        out.print(clean(text), soft_wrap=True)

    try:
        parts = making.recorded_in(journal)
    except UsageError as refused:
        return told(f"No skill was made: {refused}")
    for part in parts:
        wanted = Request(part.what, model=request.model, crew=making.CREW, desktop="none", limits=request.limits)
        try:
            made = anyio.run(making.make, making.SkillWish(part.what, part), wanted, settings)
        except UsageError as refused:
            told(f"No skill was made: {refused}")
            continue
        outcome = made.journal.state.outcome
        if made.skill is not None:
            told(f"Made the skill {made.skill.name} ({made.folder}); run {made.journal.run}")
        else:
            told(f"No skill was made (run {made.journal.run}): {outcome.why if outcome is not None else ''}")


def from_openapi(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The service's OpenAPI 3 description.", show_default=False)],
    operation: Annotated[
        list[str] | None,
        typer.Option("--operation", metavar="ID", help="Only this operation; repeatable.", show_default="all"),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option("--server", metavar="URL", help="The service's address.", show_default="from the description"),
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option(
            "--secret", metavar="NAME", help="The secret with the service's key or token.", show_default="the scheme's name"
        ),
    ] = None,
    project: ProjectOption = False,
    json: JsonOption = False,
) -> None:
    """Make a skill of each operation of a web service, with typed parameters. No model is called, and nothing is
    sent."""
    from deskcrew.engine.request import allowed_skills, own_skills
    from deskcrew.engine.workshop.keeping import keep_operations
    from deskcrew.facts.meant import unknown
    from deskcrew.learning.skills import folders, openapi
    from deskcrew.ways_in.cli.values import typed

    typed(server or "", secret or "", *(operation or []))
    if secret:
        check_name(secret)
    settings = settings_with(None)
    found = openapi.operations(file, server=server or "", secret=secret or "")
    there = [each.id for each in found]
    if other := sorted(set(operation or ()).difference(there)):
        raise unknown(f"{file} describes no operation {other[0]!r}", other[0], there)
    chosen = [each for each in found if not operation or each.id in operation]
    place = Path.cwd() / ".deskcrew" / folders.FOLDER if project else own_skills(settings)
    kept, skipped = keep_operations(chosen, place)
    if project:
        for skill in kept:
            allowed_skills(settings).add(skill.digest, str(place / skill.name))
    told = [{"name": each.name, "digest": each.digest, "folder": str(place / each.name)} for each in kept]
    named = [(each, ", ".join(given.name for given in each.method.parameters)) for each in kept]
    said = [Text(clean(f"{skill.name}({names}): {skill.description}")) for skill, names in named]
    said += [Text(clean(f"Left out {id}: {why}."), "yellow") for id, why in skipped.items()]
    tell(said, {"skills": told, "skipped": skipped}, json=json)
    if not kept:
        raise typer.Exit(4)
