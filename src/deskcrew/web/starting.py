"""The form that a task is started with, and the files that come with it."""

from __future__ import annotations

import shutil
import tempfile
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, File, Form, Request, UploadFile
from pydantic import ValidationError
from starlette.responses import Response

from deskcrew.errors import UsageError
from deskcrew.human.questions import Mode
from deskcrew.request import DesktopKind, Opened, RunRequest, role_modes
from deskcrew.settings import Limits
from deskcrew.web import library
from deskcrew.web.context import Here

router = APIRouter()

LONGEST_NAME = 200
"""Bytes of an attachment's name; file systems take 255."""
Text = Annotated[str, Form()]
Box = Annotated[bool, Form()]
EXAMPLES = (
    "What is the total of the column amount in sales.csv?",
    "Write a packing list for a week by the sea into list.txt with the text editor",
    "Rename the photos in this folder by their date",
)


@router.get("/start")
def form(web: Here, request: Request, like: str = "") -> Response:
    """The form. ``like``: a run whose task and surroundings it is filled in with."""
    settings, begun = web.settings, None
    if like:
        body = web.readings.of(like).event(1).body
        begun = body if body.type == "run_started" else None
    return web.pages.page(
        request,
        "start.html",
        begun=begun,
        model=begun.settings.get("model", begun.model) if begun else settings.model,
        crew=begun.crew if begun else settings.crew,
        crews=library.crews(settings),
        models=[entry.name for entry, path, _ in library.weights(settings) if path is not None],
        limits=settings.limits,
        examples=EXAMPLES,
        roles=library.roles_of(settings, begun.crew if begun else settings.crew),
    )


@router.get("/start/modes")
def modes(web: Here, request: Request, crew: str = "") -> Response:
    """The part of the form in which single roles of a crew are given a mode of their own."""
    return web.pages.page(request, "parts/modes.html", roles=library.roles_of(web.settings, crew))


@router.post("/start")
async def start(
    web: Here,
    request: Request,
    task: Text,
    model: Text = "",
    crew: Text = "",
    mode: Annotated[Mode, Form()] = "passive",
    mode_of: Annotated[list[str] | None, Form()] = None,
    desktop: Annotated[DesktopKind, Form()] = "virtual",
    url: Text = "",
    workspace: Text = "",
    opened: Text = "",
    hosts: Text = "",
    network: Box = False,
    secrets: Text = "",
    operations: Text = "",
    seconds: Text = "",
    tokens: Text = "",
    files: Annotated[list[UploadFile] | None, File()] = None,
) -> Response:
    """Begin a run, and go to its page once it is in the journal."""
    if not task.strip():
        raise UsageError("Say what is to be done.", hint="In plain words, as you would tell somebody else.")
    settings = web.settings
    given = [file for file in files or [] if file.filename]
    with tempfile.TemporaryDirectory(prefix="deskcrew-attached-") as folder:
        attached = await anyio.to_thread.run_sync(keep, given, Path(folder), settings.workspace_bytes)
        asked = RunRequest(
            task=task.replace("\r\n", "\n"),
            model=model.strip() or settings.model,
            crew=crew.strip() or settings.crew,
            workspace=_folder(workspace),
            attachments=attached,
            desktop=desktop,
            url=url.strip(),
            opened=tuple(Opened(name=name.strip()) for name in opened.splitlines() if name.strip()),
            scale=settings.scale if desktop == "virtual" else 1.0,
            mode=mode,
            modes=role_modes(pair for pair in mode_of or () if pair),
            limits=limits_with(settings.limits, operations=operations, seconds=seconds, tokens=tokens),
            network=network,
            hosts=tuple(hosts.split()),
        )
        run = await web.runs.start(asked, secrets=tuple(secrets.split()))
    return Response(status_code=204, headers={"hx-redirect": f"/runs/{run}"})


def keep(files: Iterable[UploadFile], folder: Path, most: int) -> tuple[Path, ...]:
    """Write what was attached into a folder of its own, and return where. ``most``: bytes of all together.

    Raises UsageError for a name that is none, for two of one name, and for what is too large.
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
            raise UsageError("The attachments are too large.", hint="Name a folder that they lie in, as the workspace.")
        kept.append(path)
    return tuple(kept)


def file_name(given: str) -> str:
    """The name that a file of a browser is kept under: the last part of what it was called, and nothing that could be
    taken for a place or hides what it is. Raises UsageError where nothing is left of it."""
    last = given.replace("\\", "/").rpartition("/")[2]
    name = "".join(c for c in unicodedata.normalize("NFC", last) if unicodedata.category(c)[0] != "C").strip()
    if not name.strip(". ") or len(name.encode("utf-8", "replace")) > LONGEST_NAME:
        raise UsageError(f"No file can be called {given[:60]!r}.", hint="Rename it.")
    return name


def _folder(given: str) -> Path | None:
    if not given.strip():
        return None
    path = Path(given.strip()).expanduser()
    if not (path.is_absolute() and path.is_dir()):
        raise UsageError(f"There is no folder {given.strip()!r} on this machine.", hint="Give its whole path.")
    return path.resolve()


def limits_with(usual: Limits, **given: str) -> Limits:
    """The usual limits with those that were filled in. Raises UsageError, in words, for what is none."""
    values = usual.model_dump() | {name: text.strip() for name, text in given.items() if text.strip()}
    try:
        return Limits.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"The limit {first['loc'][0]}: {first['msg']}.") from error
