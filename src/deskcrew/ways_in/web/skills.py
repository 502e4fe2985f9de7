"""Routes that show skills, and let a person allow, try, remove, export, teach and keep them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, File, Form, Request, UploadFile
from pydantic import BaseModel
from starlette.responses import Response

from deskcrew.engine.human.questions import Mode
from deskcrew.engine.request import (
    Opened,
    RunRequest,
    allowed_skills,
    changed,
    own_skills,
    skill_folder,
    skill_source,
    usable_skill,
)
from deskcrew.engine.steps.filling import new_name
from deskcrew.engine.workshop import fitting
from deskcrew.engine.workshop.keeping import Corrections, keep, kept, named_after, received, take
from deskcrew.engine.workshop.showing import checks_of, step_words, ways_of
from deskcrew.engine.workshop.trying import chosen
from deskcrew.errors import JournalError, UsageError
from deskcrew.facts.events import RunStarted
from deskcrew.learning.skills import folders
from deskcrew.learning.skills.trials import OFFERED, Trials
from deskcrew.ways_in.report.skills import ListedSkill, came_from, listed, ran_here
from deskcrew.ways_in.running.messages import Teach, Try
from deskcrew.ways_in.web.asking import Text, folder_named
from deskcrew.ways_in.web.context import Here, go_to
from deskcrew.ways_in.web.fields import FieldError, of_field
from deskcrew.ways_in.web.starting import file_name
from deskcrew.ways_in.web.starting import keep as attachments

router = APIRouter(prefix="/skills")
Texts = Annotated[list[str], Form(default_factory=list)]
Numbers = Annotated[list[int], Form(default_factory=list)]
Files = Annotated[list[UploadFile] | None, File()]


GROUPS: dict[str, frozenset[str]] = {
    "Tables": frozenset({".csv", ".tsv", ".xlsx"}),
    "Texts": frozenset({".txt", ".md", ".docx", ".odt", ".html"}),
    "Pictures": frozenset({".jpg", ".png"}),
    "PDFs": frozenset({".pdf"}),
    "Mails": frozenset({".eml", ".mbox"}),
    "Calendars and contacts": frozenset({".ics", ".vcf"}),
}
"""The groups of chores, by the file name endings of their first parameter; all others are about files and folders."""


def _chores(web: Here, q: str = "") -> dict[str, list[ListedSkill]]:
    """The shipped skills, by group. ``q``: words that a skill's name, description or examples must contain."""
    groups: dict[str, list[ListedSkill]] = {name: [] for name in (*GROUPS, "Files and folders")}
    for each in listed(web.settings, shipped=True):
        told = " ".join((each.name, each.description, *each.asked)).casefold()
        if all(word in told for word in q.casefold().split()):
            group = next((name for name, endings in GROUPS.items() if each.needs in endings), "Files and folders")
            groups[group].append(each)
    return {name: found for name, found in groups.items() if found}


@router.get("")
def all_skills(web: Here, request: Request) -> Response:
    """The list of skills, each with its score, or with what is wrong with it."""
    own = listed(web.settings)
    groups = {} if own else _chores(web)
    return web.pages.page(request, "skills.html", skills=own, groups=groups, q="", offered=OFFERED)


@router.get("/shipped")
def shipped(web: Here, request: Request, q: str = "") -> Response:
    """The shipped skills that match a search."""
    return web.pages.page(request, "skills_shipped.html", groups=_chores(web, q), q=q)


@router.post("/teach")
async def teach(web: Here, what: Text = "", opened: Text = "", workspace: Text = "") -> Response:
    """Start a run in which the person demonstrates something, and go to its page."""
    if not what.strip():
        raise FieldError("Say what you are going to show.", field="what")
    with of_field("workspace"):
        folder = folder_named(workspace, web.settings)
    programs = [line.partition("=") for line in opened.splitlines() if line.strip()]
    request = RunRequest(
        what.strip(),
        model=web.settings.model,
        workspace=folder,
        desktop="virtual",
        opened=tuple(Opened(name=name.strip(), file=file.strip()) for name, _, file in programs),
        limits=web.settings.limits,
    )
    return go_to(f"/runs/{await web.runs.begin(Teach(request=request))}")


@router.post("/import")
async def import_(
    web: Here, request: Request, file: Annotated[UploadFile, File()], name: Text = "", seen: Text = ""
) -> Response:
    """Show what somebody else's skill does, or, once the person has seen that, add it to their own. ``seen``: the digest of
    the skill that they were shown. The file is sent both times, and nothing in it is trusted."""
    with tempfile.TemporaryDirectory(prefix="deskcrew-import-") as folder, of_field("file"):
        path = Path(folder) / file_name(file.filename or "the file")

        def read() -> folders.Source:
            with path.open("xb") as target:
                shutil.copyfileobj(file.file, target)
            return folders.unpacked(path, path.name)

        source = await anyio.to_thread.run_sync(read)
        skill = received(source, web.settings)
    if seen != source.digest and source.digest not in allowed_skills(web.settings).digests():
        return web.pages.page(
            request,
            "parts/foreign_skill.html",
            skill=skill,
            came=came_from(skill.method.provenance, here=ran_here(skill.method.provenance, web.store)),
            files=sorted(source.files),
            steps=ways_of(skill.method),
            checks=checks_of(skill.method),
        )
    with of_field("name"):
        taken = await anyio.to_thread.run_sync(take, source, web.settings, name.strip())
    return go_to(f"/skills/{taken.name}")


@router.get("/keep")
async def keeping(web: Here, request: Request, run: str) -> Response:
    """The page that shows what would be kept of a run, to be corrected."""
    journal = await anyio.to_thread.run_sync(web.store.journal, web.store.row(run).id)
    method, why = None, ""
    try:
        method = await anyio.to_thread.run_sync(kept, journal)
    except (UsageError, JournalError) as error:
        why = str(error)
    task = journal.state.task
    return web.pages.page(
        request,
        "skill_keep.html",
        run=journal.run,
        task=task,
        why=why,
        name=named_after(task),
        parameters=method.parameters if method else (),
        steps=[step_words(each) for each in method.steps] if method else [],
        checks=checks_of(method) if method else (),
    )


class KeepForm(BaseModel):
    """What to keep of a run. ``called``: a name for each ``value``, '' if it stays a constant; ``step``, ``check``: the
    numbers of those to keep."""

    run: str
    called: list[str] = []
    value: list[str] = []
    step: list[int] = []
    check: list[int] = []
    name: str = ""
    description: str = ""


@router.post("/keep")
async def keep_it(web: Here, form: Annotated[KeepForm, Form()]) -> Response:
    """Keep a run as a skill, and go to its page."""
    if len(form.called) != len(form.value):
        raise UsageError("Each value has one name.", hint="Load the page again.")
    journal = await anyio.to_thread.run_sync(web.store.journal, web.store.row(form.run).id)
    method = await anyio.to_thread.run_sync(kept, journal)
    proposed = {each.value: each.name for each in method.parameters}
    given = dict(zip(form.value, (each.strip() for each in form.called), strict=True))
    corrections = Corrections(
        params=[f"{new}={old}" for old, new in given.items() if new and proposed.get(old) != new],
        fixed=[proposed[old] for old, new in given.items() if not new and old in proposed],
        dropped=[number for number in range(1, len(method.steps) + 1) if number not in form.step],
        unchecked=[number for number in range(1, len(checks_of(method)) + 1) if number not in form.check],
    )

    def made() -> str:
        place = own_skills(web.settings)
        return keep(journal, web.settings, place, form.name.strip(), form.description, None, corrections).name

    with of_field("send"):
        return go_to(f"/skills/{await anyio.to_thread.run_sync(made)}")


@router.post("/there")
async def offers(
    web: Here, request: Request, skill: Text, param: Texts, value: Texts, workspace: Text = "", files: Files = None
) -> Response:
    """What the form for a skill's values offers: the files of the folder and the attached ones, files that are the only
    choice, and the columns of chosen tables."""
    asked = usable_skill(skill, web.settings)

    def found(attached: Sequence[Path]) -> tuple[list[str], dict[str, str], tuple[str, ...]]:
        try:
            known = fitting.GivenFiles(folder_named(workspace, web.settings), attached)
        except UsageError:
            known = fitting.GivenFiles(None, attached)
        return (
            known.names(),
            fitting.only(asked, known),
            fitting.columns(asked, dict(zip(param, value, strict=False)), known),
        )

    with tempfile.TemporaryDirectory(prefix="deskcrew-attached-") as folder:
        attached = await _attached(web, files, Path(folder))
        names, only, columns = await anyio.to_thread.run_sync(found, attached)
    return web.pages.page(request, "parts/skill_offers.html", names=names, only=only, columns=columns)


async def _attached(web: Here, files: list[UploadFile] | None, folder: Path) -> tuple[Path, ...]:
    """Write the uploaded files into a folder, and return their paths. Raises FieldError if one cannot be used."""
    given = [file for file in files or [] if file.filename]
    with of_field("files"):
        return await anyio.to_thread.run_sync(attachments, given, folder, web.settings.workspace_bytes)


@router.post("/try")
async def try_it(
    web: Here,
    skill: Text,
    param: Texts,
    value: Texts,
    workspace: Text = "",
    files: Files = None,
    mode: Annotated[Mode, Form()] = "passive",
) -> Response:
    """Repeat a skill with other values, in a new run; '' keeps a value. Raises FieldError for an unfitting value."""
    if len(param) != len(value):
        raise UsageError("Each value has one name.", hint="Load the page again.")
    params = tuple(f"{which}={new}" for which, new in zip(param, value, strict=True) if new.strip())
    with tempfile.TemporaryDirectory(prefix="deskcrew-attached-") as kept_in:
        attached = await _attached(web, files, Path(kept_in))
        with of_field("workspace"):
            folder = folder_named(workspace, web.settings)
            asked = usable_skill(skill, web.settings)
            if asked.shipped and folder is None and not attached:
                raise UsageError("Choose the files above, or say in which folder they are.")
        there = fitting.GivenFiles(folder, attached)
        values = chosen(asked, params, there)
        if asked.shipped:
            wrong = await anyio.to_thread.run_sync(fitting.misfit, asked, values, there)
            if wrong is not None:
                raise FieldError(wrong.text, field=f"p-{wrong.name}")
        with of_field("send"):
            task = Try(skill=skill, params=params, workspace=folder, attachments=attached, mode=mode)
            run = await web.runs.begin(task)
    return go_to(f"/runs/{run}")


@router.get("/{name}")
def show(web: Here, request: Request, name: str, like: str = "") -> Response:
    """One skill: its steps, its checks, where it came from, and its record. ``like``: a run with whose folder the form is
    filled in, and with whose values if it was a run of this skill."""
    body = web.readings.of(like).event(1).body if like and not web.store.row(like).imported else None
    begun = body if isinstance(body, RunStarted) else None
    again = begun.settings.replay if begun is not None else None
    source = skill_source(name, web.settings)
    skill, trials, allowed = folders.load(source), Trials(web.settings.data), allowed_skills(web.settings).digests()
    example = {each.name: each.value for each in skill.method.parameters}
    runs = {skill.method.provenance.run, *(each.run for each in trials.of(skill.digest))}
    return web.pages.page(
        request,
        "skill.html",
        skill=skill,
        origin=source.origin,
        folder=str(source.folder),
        trusted=source.trusted(allowed),
        changed=changed(source, allowed),
        steps=ways_of(skill.method),
        checks=checks_of(skill.method),
        named={each.name: new_name(each, skill, example) for each in skill.method.parameters},
        score=trials.score(skill.digest, shipped=skill.shipped),
        record=trials.record(skill.digest),
        offered=OFFERED,
        trials=trials.of(skill.digest),
        there={run: web.store.row(run) for run in runs if web.store.has(run)},
        values=again.values if again and again.skill == skill.name else {},
        workspace=begun.workspace if begun is not None else "",
    )


@router.post("/{name}/allow")
def allow(web: Here, name: str) -> Response:
    """Allow a skill in its current version."""
    source = skill_source(name, web.settings)
    folders.load(source)
    allowed_skills(web.settings).add(source.digest, str(source.folder))
    return go_to(f"/skills/{name}")


@router.post("/{name}/remove")
def remove(web: Here, name: str) -> Response:
    """Remove a skill's folder. On a server for several people, only the person's own skills can be removed."""
    origin, folder = skill_folder(name, web.settings)
    if origin == "shipped" or (web.settings.person and origin != "user"):
        raise UsageError(f"The skill {name} is not yours alone, so it cannot be removed.")
    folders.remove(folder)
    return go_to("/skills")


@router.get("/{name}/export")
def export(web: Here, name: str) -> Response:
    """The skill as a zip file, to give to somebody else."""
    source = skill_source(name, web.settings)
    folders.load(source)
    headers = {"content-disposition": f'attachment; filename="{source.name}.zip"'}
    return Response(folders.packed(source), media_type="application/zip", headers=headers)
