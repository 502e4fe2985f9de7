"""``deskcrew skill``: list, show, allow, edit, remove, export and import skills."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli import skill_make, skill_work
from deskcrew.ways_in.cli.console import console, must_agree, plain_table, print_json, tell
from deskcrew.ways_in.cli.options import JsonOption, settings_with
from deskcrew.ways_in.report.text import clean, one_line

if TYPE_CHECKING:
    from deskcrew.learning.skills.folders import Source
    from deskcrew.learning.skills.skill import Skill
    from deskcrew.settings import Settings

EPILOG = "How to make skills: `deskcrew docs keep-a-skill`."
SHOW_EPILOG = "Example: deskcrew skill show add-up-sales"
ALLOW_EPILOG = """Example: deskcrew skill allow add-up-sales

It is allowed as it is now: if it changes, you are asked again."""
EDIT_EPILOG = """Examples: deskcrew skill edit add-up --description "Adds up" | deskcrew skill edit add-up --param text1=what

An edited skill is a new one: it is tried again before it is offered."""
IMPORT_EPILOG = """Examples: deskcrew skill import add-up.zip | deskcrew skill import ~/Downloads/add-up

You are shown what it does, and asked; with --yes you are not asked."""

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The skill.", show_default=False)]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def build() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(
        no_args_is_help=True,
        help="Proven chores that can be repeated without a model: keep, make, try and share them.",
        epilog=EPILOG,
    )
    app.command("keep", epilog=skill_work.KEEP_EPILOG)(skill_work.keep)
    app.command("make", epilog=skill_make.MAKE_EPILOG)(skill_make.make)
    app.command("from-openapi", epilog=skill_make.OPENAPI_EPILOG)(skill_make.from_openapi)
    app.command("try", epilog=skill_work.TRY_EPILOG)(skill_work.try_)
    app.command("use", epilog=skill_work.USE_EPILOG)(skill_work.use)
    app.command("list", epilog="Example: deskcrew skill list --json")(list_skills)
    app.command("show", epilog=SHOW_EPILOG)(show)
    app.command("edit", epilog=EDIT_EPILOG)(edit)
    app.command("allow", epilog=ALLOW_EPILOG)(allow)
    app.command("revoke", epilog="Example: deskcrew skill revoke add-up-sales")(revoke)
    app.command("export", epilog="Example: deskcrew skill export add-up-sales add-up.zip")(export)
    app.command("import", epilog=IMPORT_EPILOG)(import_)
    app.command("remove", epilog="Example: deskcrew skill remove add-up-sales")(remove)
    return app


def list_skills(
    shipped: Annotated[bool, typer.Option("--shipped", help="List the skills that ship with Deskcrew instead.")] = False,
    json: JsonOption = False,
) -> None:
    """List the skills of this folder and your own, with their scores."""
    from deskcrew.ways_in.report.skills import SCORED, listed

    rows = [each.model_dump(mode="json", by_alias=True) for each in listed(settings_with(None), shipped=shipped)]
    if json:
        print_json({"skills": rows})
        return
    out = console()
    if not rows:
        there = listed(settings_with(None), shipped=True)
        out.print(
            Text(
                f"None of your own. To keep a finished run as one: deskcrew skill keep RUN. {len(there)} ship with Deskcrew:"
            )
        )
        out.print(Text(", ".join(each.name for each in there), style="dim"))
        out.print(Text("What each does: deskcrew skill list --shipped"))
        return
    titles = ("skill", "does", "needs") if shipped else ("skill", "score", "parameters", "does", "from")
    table = plain_table(*titles)
    for row in rows if shipped else ():
        needs = ", ".join(name for name in row["parameters"] if name not in row["optional"])
        table.add_row(row["name"], one_line(row["description"], 200), needs)
    for row in rows if not shipped else ():
        does = Text(one_line(row["problem"], 400), style="yellow") if row["problem"] else one_line(row["description"], 120)
        given = one_line(", ".join(row["parameters"]), 80)
        score = "" if row["score"] is None else f"{row['score']}"
        table.add_row(Text(one_line(row["name"], 60)), score, Text(given), does, row["from"])
    out.print(table)
    if not shipped:
        out.print(f"Score, of 10: {SCORED}.", style="dim", soft_wrap=True)


def show(
    name: NameArgument,
    code: Annotated[bool, typer.Option("--code", help="Show its programs, too.")] = False,
    json: JsonOption = False,
) -> None:
    """Show a skill: its parameters, steps and checks, where it came from, its digest, and how it performed."""
    from deskcrew.engine.request import skill_source
    from deskcrew.engine.workshop.showing import checks_of, ways_of
    from deskcrew.learning.skills.folders import load
    from deskcrew.learning.skills.trials import Trials
    from deskcrew.ways_in.report.skills import SCORED

    settings = settings_with(None)
    source = skill_source(name, settings)
    skill, trials = load(source), Trials(settings.data)
    if json:
        method = skill.method
        print_json(
            {"name": skill.name, "description": skill.description, "digest": skill.digest, "from": source.origin}
            | {"folder": str(source.folder), "score": trials.score(skill.digest, shipped=skill.shipped)}
            | {"parameters": [each.model_dump(mode="json") for each in method.parameters]}
            | {"steps": list(ways_of(method)), "code": skill.code}
            | {"checks": list(checks_of(method)), "probe": method.program or skill.checker}
            | {"provenance": method.provenance.model_dump(mode="json")}
            | {"trials": [each.model_dump(mode="json") for each in trials.of(skill.digest)]}
        )
        return
    out = console()
    for line in told(skill, source, settings, code=code):
        out.print(line, soft_wrap=True)
    if skill.shipped:
        out.print(f"Record: {trials.record(skill.digest)}", style="bold", soft_wrap=True)
    else:
        out.print(f"Score: {trials.score(skill.digest)} of 10 ({SCORED})", style="bold", soft_wrap=True)
    for each in trials.of(skill.digest):
        out.print(f"  run {each.run}: {'done' if each.done else f'misfit: {each.why}'}", soft_wrap=True)


def told(skill: Skill, source: Source, settings: Settings, *, code: bool = True) -> list[str]:
    """The lines that show a skill to a person, safe for a terminal. ``code``: with its programs."""
    from deskcrew.engine.workshop.showing import block, checks_of, in_line, parameter_words, proven_when, ways_of
    from deskcrew.journal.store import Store, exists
    from deskcrew.ways_in.report.skills import came_from, ran_here

    method, origin = skill.method, skill.method.provenance
    here = exists(settings) and ran_here(origin, Store.of(settings))
    where = f"To import: {source.sent}" if source.sent else f"Folder: {source.folder}"
    lines = [f"{skill.name}: {skill.description}", came_from(origin, here=here)]
    lines += [f"Digest: {skill.digest}", where, f"Works on: {origin.desktop}"]
    lines += [f"Files: {', '.join(sorted(source.files))}"]
    lines += [f"Types secrets: {', '.join(origin.secrets)}"] if origin.secrets else []
    recorded = bool(origin.task)
    lines += ["Parameters:", *(f"  {parameter_words(each, recorded=recorded)}" for each in method.parameters)]
    lines = [*map(in_line, lines), "Steps:"]
    lines += [f"  {number}. {each}" for number, each in enumerate(ways_of(method), 1)]
    lines += [block(skill.code)] if skill.code and code else []
    if method.function is not None and method.function.reasons:
        lines += [in_line(f"Scored {method.function.score} of 10 by its critic: {method.function.reasons}")]
    lines += [f"{proven_when(method)}:"]
    lines += [f"  {number}. {in_line(each)}" for number, each in enumerate(checks_of(method), 1)]
    probe = method.program or skill.checker
    lines += ["The program that checks it:", block(probe)] if probe and code else []
    lines += [f"Its programs: deskcrew skill show {skill.name} --code"] if (probe or skill.code) and not code else []
    return [clean(line) for line in lines]


def allow(name: NameArgument, json: JsonOption = False) -> None:
    """Allow a skill of a project to be used, as it is now, and show what it does. To see that first: `deskcrew skill
    show`."""
    from deskcrew.engine.request import allowed_skills, changed, skill_source
    from deskcrew.engine.workshop.keeping import received

    settings = settings_with(None)
    source = skill_source(name, settings)
    skill = received(source, settings)  # what does not work need not be allowed
    allowed = allowed_skills(settings)
    other = changed(source, allowed.digests()) and source.digest not in allowed.digests()
    if not (own := source.origin != "project"):
        allowed.add(source.digest, str(source.folder))
    since = ", which has changed since you allowed it" if other else ""
    said = f"Allowed {source.name}{since}. If you do not want that: deskcrew skill revoke {source.name}"
    lines = [*told(skill, source, settings), Text(clean(said), "bold")]
    if own:
        lines = [clean(f"{source.name} is one of yours: it need not be allowed.")]
    tell(lines, {"name": source.name, "digest": source.digest, "changed": other}, json=json)


def revoke(name: NameArgument, json: JsonOption = False) -> None:
    """Revoke the permission to use a skill of a project."""
    from deskcrew.engine.request import allowed_skills

    allowed = allowed_skills(settings_with(None))
    places = sorted({place for place in allowed.digests().values() if name in (place, Path(place).name)})
    if len(places) != 1:
        hint = f"Name one by its path: {', '.join(places)}." if places else "`deskcrew skill list` shows all skills."
        raise UsageError(f"{'Several skills are' if places else 'No skill is'} allowed as {name!r}.", hint=hint)
    allowed.remove(places[0])
    tell(f"{name} is no longer allowed.", {"name": name}, json=json)


def edit(
    name: NameArgument,
    rename: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Another name.")] = None,
    description: Annotated[str | None, typer.Option("--description", metavar="TEXT", help="Another description.")] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="OLD=NEW", help="Rename a parameter; repeatable.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Rename a skill or its parameters, or change its description. Its files are plain text: any editor changes the
    rest."""
    from deskcrew.engine.request import skill_source
    from deskcrew.engine.workshop.keeping import check_free, check_parameter, skill_files
    from deskcrew.learning.skills import folders
    from deskcrew.learning.skills.trials import FIRST, OFFERED

    if not (rename or description or param):
        raise UsageError("Say what to change.", hint="Give --name, --description or --param.")
    settings = settings_with(None)
    source = skill_source(name, settings)
    if source.shipped:
        hint = f"Make a copy of your own: deskcrew skill export {name} mine.zip; deskcrew skill import mine.zip --name NAME"
        raise UsageError(f"{name} is part of Deskcrew, and cannot be edited.", hint=hint)
    skill = folders.load(source)
    if rename:
        check_free(rename, settings)
    if param and not skill.method.steps:
        raise UsageError(f"The parameters of {name} are those of its function or service.", hint="Leave out --param.")
    names = {each.name: each.name for each in skill.method.parameters}
    for text in param or []:
        old, _, new = text.partition("=")
        if old not in names or not new:
            hint = f"There are: {', '.join(names) or 'none'}."
            raise UsageError(f"--param {text!r} is not OLD=NEW with an existing parameter.", hint=hint)
        check_parameter(new)
        names[old] = new
    if twice := next((each for each in names.values() if list(names.values()).count(each) > 1), None):
        raise UsageError(f"Two parameters would be called {twice!r}.", hint="Give them different names.")
    renamed = tuple(each.model_copy(update={"name": names[each.name]}) for each in skill.method.parameters)
    method = skill.method.model_copy(update={"parameters": renamed})
    called, said = rename or skill.name, description or skill.description
    files = dict(source.files) | skill_files(called, said, method)
    made = folders.parse(called, files, str(source.folder))  # before anything is written
    folder = source.folder.with_name(called)
    folders.write(folder, files, replace=called == skill.name)
    if folder != source.folder:
        folders.remove(source.folder)
    said = f"{made.name} is a new skill now, with a score of {FIRST}. It is offered from {OFFERED} on, once it has worked"
    said = f"{said} on two inputs: deskcrew skill try {made.name}"
    tell(said, {"name": made.name, "digest": made.digest}, json=json)


def export(
    name: NameArgument,
    place: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A zip file, or a folder to create.", show_default="NAME.zip, here")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write a skill into a zip or a folder to share it. Any tool that supports Agent Skills can read it."""
    from deskcrew.engine.request import skill_source
    from deskcrew.learning.skills import folders

    source = skill_source(name, settings_with(None))
    folders.load(source)
    target = place or Path(f"{source.name}.zip")
    if target.exists():
        raise UsageError(f"{target} already exists.", hint="Name another file.")
    if target.suffix == ".zip":
        try:
            target.write_bytes(folders.packed(source))
        except OSError as error:
            raise UsageError(f"{target} cannot be written: {error.strerror}.") from error
    else:
        folders.write(target.absolute(), source.files)
    note = Text("It contains the texts of its steps and of its run's task.", "dim")
    made = {"name": source.name, "digest": source.digest, "file": str(target)}
    tell([clean(f"{source.name} is in {target}; digest {source.digest}"), note], made, json=json)


def import_(
    place: Annotated[str, typer.Argument(metavar="PLACE", help="A zip or a folder.", show_default=False)],
    rename: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What to call it.", show_default="its own name")
    ] = None,
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Import a skill made elsewhere. Its score is not imported: it must be tried here before it is offered."""
    from deskcrew.engine.request import allowed_skills, own_skills
    from deskcrew.engine.workshop.keeping import received, take
    from deskcrew.learning.skills import folders

    settings = settings_with(None)
    if "://" in place:
        raise UsageError(f"{place} is an address, not a file.", hint="Download it, and import the file.")
    source = folders.unpacked(Path(place))
    skill, allowed = received(source, settings), allowed_skills(settings)
    if not yes and source.digest not in allowed.digests():
        out = console(stderr=json)
        for line in told(skill, source, settings):
            out.print(line, soft_wrap=True)
        instead = "To import it without asking: --yes."
        must_agree("Import it as it is now?", about="whether it may be used", instead=instead, json=json)
    taken = take(source, settings, rename or "")
    folder = own_skills(settings) / taken.name
    made = {"name": taken.name, "digest": taken.digest, "folder": str(folder)}
    tell(f"Imported {taken.name}. Try it: deskcrew skill try {taken.name}", made, json=json)


def remove(name: NameArgument, yes: YesOption = False, json: JsonOption = False) -> None:
    """Remove a skill's folder."""
    from deskcrew.engine.request import skill_folder
    from deskcrew.learning.skills import folders

    origin, folder = skill_folder(name, settings_with(None))
    if origin == "shipped":
        raise UsageError(f"{name} is part of Deskcrew, and cannot be removed.")
    if not yes:
        instead = "To remove it without asking: --yes."
        must_agree(clean(f"Remove {folder}?"), about="whether to remove it", instead=instead, json=json)
    folders.remove(folder)
    tell(f"Removed {name}.", {"name": name}, json=json)
