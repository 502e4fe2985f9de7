"""The form that starts a task, and the files that come with it."""

from __future__ import annotations

import shutil
import tempfile
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from mimetypes import MimeTypes
from pathlib import Path, PurePosixPath
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from pydantic import BaseModel
from starlette.responses import RedirectResponse, Response

from deskcrew.actions.readers import READERS
from deskcrew.engine.following import request_after
from deskcrew.engine.human.questions import Mode
from deskcrew.engine.request import Opened, crew_names, role_modes
from deskcrew.engine.roles.crew import MOST_LANES
from deskcrew.engine.roles.recorded import asked_crew
from deskcrew.errors import UsageError
from deskcrew.facts.events import YOURS, DesktopKind, RunStarted
from deskcrew.facts.texts import file_names, is_pattern, names_file
from deskcrew.ways_in.report.text import EXAMPLE
from deskcrew.ways_in.web import library
from deskcrew.ways_in.web.asking import Asked, Text, folder_named
from deskcrew.ways_in.web.context import Here, go_to, has_scripts
from deskcrew.ways_in.web.fields import FieldError, of_field
from deskcrew.ways_in.web.offering import offered, state_of

router = APIRouter()

LONGEST_NAME = 200
"""The maximum length of an attachment's name, in bytes; file systems allow 255."""
KINDS = frozenset({*READERS, *MimeTypes().types_map[True]})
"""The endings that tell a file's name in a task from a web site's."""


@router.get("/start")
def form(web: Here, request: Request, like: str = "", task: str = "") -> Response:
    """The form. ``like``: a run with whose task and settings it is filled in; with only the task if the run was imported,
    since its maker could have named a model of theirs, your own desktop, or a page. ``task``: a task to use instead."""
    settings, begun = web.settings, None
    if like:
        body = web.readings.of(like).event(1).body
        assert isinstance(body, RunStarted)
        task = task or body.task
        begun = None if web.store.row(like).imported else body
    return web.pages.page(
        request,
        "start.html",
        begun=begun,
        person=settings.person,
        task=task,
        model=begun.settings.model or begun.model if begun else settings.model,
        crew=asked_crew(begun) if begun else settings.crew,
        crews=crew_names(settings),
        models=offered(settings),
        state=state_of(begun.settings.model or begun.model if begun else settings.model, settings),
        limits=settings.limits,
        example=EXAMPLE,
        roles=library.roles_of(settings, asked_crew(begun) if begun else settings.crew),
    )


@router.get("/start/modes")
def modes(web: Here, request: Request, crew: str = "") -> Response:
    """The part of the form that sets a mode for single roles of a crew."""
    return web.pages.page(request, "parts/modes.html", roles=library.roles_of(web.settings, crew))


@router.get("/start/model")
def model_state(web: Here, request: Request, model: str = "") -> Response:
    """The text beside a model in the form: whether it can be used, and what it costs."""
    named = model.strip() or web.settings.model
    return web.pages.page(request, "parts/model_state.html", model=named, state=state_of(named, web.settings))


@router.get("/start/unattached")
def unattached(
    web: Here,
    request: Request,
    attached: Annotated[list[str], Query(default_factory=list)],
    task: str = "",
    workspace: str = "",
) -> Response:
    """The text beside the files in the form: what is wrong with the folder, or else which files the task would read, if it
    names none that is there. ``attached``: the names of the chosen files."""
    there, trouble = list(attached), ""
    try:
        folder = folder_named(workspace, web.settings)
        there += [each.name for each in folder.iterdir()] if folder is not None else []
    except UsageError as error:
        trouble = str(error)
    except OSError as error:
        trouble = f"The folder cannot be read: {error.strerror}."
    named = [name for name in file_names(task) if PurePosixPath(name).suffix.casefold() in KINDS and not is_pattern(name)]
    names = [] if any(names_file(task, each) for each in there) else [each for each in named if not _made(each, task)]
    return web.pages.page(request, "parts/unattached.html", names=names, trouble=trouble)


def _made(name: str, task: str) -> bool:
    """Whether the word before a file's name says that the task is to make it."""
    before = task.partition(name)[0].rstrip(" \n\"'“„«`").casefold().split()
    return before[-1:] in (["into"], ["as"], ["called"], ["named"])


class StartForm(BaseModel):
    """The fields of the form besides those that all forms for a task share."""

    mode: Mode = "passive"
    mode_of: list[str] = []
    desktop: DesktopKind = "virtual"
    at: str = ""
    url: str = ""
    opened: str = ""
    secrets: str = ""
    lanes: str = ""


@router.post("/start")
async def start(
    web: Here,
    asked: Asked,
    form: Annotated[StartForm, Form()],
    files: Annotated[list[UploadFile] | None, File()] = None,
) -> Response:
    """Start a run, and go to its page once it is in the journal."""
    settings, desktop = web.settings, form.desktop
    if desktop in YOURS and settings.person:
        hint = "Choose another: a virtual desktop is the run's own."
        raise FieldError(
            "The machine's own desktop cannot be used on a server for several people.", hint=hint, field="desktop"
        )
    if form.at.strip().startswith("stdio:"):  # a command, in no sandbox
        hint = "Start the agent so that it listens, and give its address; or start the run at a terminal."
        raise FieldError("An agent cannot be started with a command from a page.", hint=hint, field="at")
    given = [file for file in files or [] if file.filename]
    with tempfile.TemporaryDirectory(prefix="deskcrew-attached-") as folder:
        with of_field("files"):
            attached = await anyio.to_thread.run_sync(keep, given, Path(folder), settings.workspace_bytes)
        request = replace(
            asked,
            attachments=attached,
            desktop=desktop,
            at=form.at.strip() if desktop == "windows" else "",
            url=form.url.strip(),
            opened=tuple(Opened(name=name.strip()) for name in form.opened.splitlines() if name.strip()),
            scale=settings.scale if desktop == "virtual" else 1.0,
            lanes=lanes_with(form.lanes),
            mode=form.mode,
            modes=role_modes(pair for pair in form.mode_of if pair),
        )
        with of_field("send"):
            run = await web.runs.start(request, secrets=tuple(form.secrets.split()))
    return go_to(f"/runs/{run}")


@router.post("/runs/{run}/follow")
async def follow(web: Here, request: Request, run: str, task: Text = "") -> Response:
    """Start a run that continues from where another ended, and go to its page."""
    if not task.strip():
        raise UsageError("Say what is to be done now.", hint="In plain words; the crew is told what was done before.")
    row = web.store.row(run)
    base = await anyio.to_thread.run_sync(request_after, row.id, web.settings)
    # Of a run from elsewhere nothing is taken; here is somebody who can be asked.
    mode = "passive" if row.imported else base.mode
    made = await web.runs.start(replace(base, task=task.replace("\r\n", "\n"), mode=mode))
    place = f"/runs/{made}"
    if not has_scripts(request):
        return RedirectResponse(place, 303)
    return go_to(place)


def lanes_with(given: str) -> int:
    """How many subtasks may be worked on at once; 0, the crew's default, for ''. Raises FieldError if it is invalid."""
    number = given.strip()
    if not number:
        return 0
    if not number.isdecimal() or not 1 <= int(number) <= MOST_LANES:
        hint = f"Give 1 to {MOST_LANES}, or leave it empty for the crew's default."
        raise FieldError(f"{number!r} is not a valid number of parts at once.", hint=hint, field="lanes")
    return int(number)


def keep(files: Iterable[UploadFile], folder: Path, most: int) -> tuple[Path, ...]:
    """Write the attachments into a folder of their own, and return their paths. ``most``: bytes in total.

    Raises UsageError for an invalid name, for two files with one name, and for too much data.
    """
    kept: list[Path] = []
    size = 0
    for file in files:
        path = folder / file_name(file.filename or "")
        if path.exists():
            raise UsageError(f"Two attachments are called {path.name!r}.", hint="Rename one of them.")
        with path.open("xb") as target:
            shutil.copyfileobj(file.file, target)
        size += path.stat().st_size
        if size > most:
            raise UsageError("The attachments are too large.", hint="Put them into a folder, and use that as the workspace.")
        kept.append(path)
    return tuple(kept)


def file_name(given: str) -> str:
    """The name under which an uploaded file is stored: the last part of its path, without characters that could be read as a
    path or disguise the file. Raises UsageError if nothing is left, or the name is too long."""
    last = given.replace("\\", "/").rpartition("/")[2]
    name = "".join(c for c in unicodedata.normalize("NFC", last) if unicodedata.category(c)[0] != "C").strip()
    if not name.strip(". ") or len(name.encode("utf-8", "replace")) > LONGEST_NAME:
        raise UsageError(f"A file cannot be called {given[:60]!r}.", hint="Rename it.")
    return name
