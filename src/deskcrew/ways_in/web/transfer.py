"""Routes for export, import and replay."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import anyio
import anyio.to_thread
from fastapi import APIRouter, File, Form, Request, UploadFile
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from deskcrew.engine.human.questions import Mode
from deskcrew.engine.replay.live import values_of
from deskcrew.engine.replay.replay import Replayed
from deskcrew.engine.replay.replay import replay as again_from_record
from deskcrew.engine.request import sieve
from deskcrew.errors import JournalError, UsageError
from deskcrew.journal.exporting import export as write
from deskcrew.journal.importing import Imported, read_export
from deskcrew.learning.repeating.values import Value
from deskcrew.secrets.store import open_store
from deskcrew.ways_in.running import Again
from deskcrew.ways_in.web.context import Here, go_to
from deskcrew.ways_in.web.starting import file_name

Texts = Annotated[list[str], Form(default_factory=list)]
RECORD_ONLY = "An imported run can only be replayed from its record."
router = APIRouter()


@router.get("/runs/{run}/export")
def export(web: Here, run: str, redact: bool = False) -> Response:
    """The run as one file. ``redact``: leave out its texts and pictures."""
    journal = web.store.journal(web.store.row(run).id)
    folder = Path(tempfile.mkdtemp(prefix="deskcrew-export-"))
    cleared = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    target = folder / f"{journal.run}.deskcrew.zip"
    try:
        write(
            journal,
            target,
            redact=redact,
            holds=None if redact else sieve(journal, lambda: open_store(web.settings, _nobody)),
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(target, media_type="application/zip", filename=target.name, background=cleared)


@router.post("/import")
async def import_(web: Here, request: Request, file: Annotated[UploadFile, File()]) -> Response:
    """Import an exported run into the journal. Nothing in the file is trusted."""
    called = file_name(file.filename or "the file")
    with tempfile.TemporaryDirectory(prefix="deskcrew-import-") as folder:
        path = Path(folder) / "run.zip"

        def read() -> Imported:
            with path.open("xb") as target:
                shutil.copyfileobj(file.file, target)
            try:
                return read_export(path, web.store, called=called)
            except JournalError as error:  # the file is at fault, and not our journal
                raise UsageError(str(error), hint=error.hint) from error

        found = await anyio.to_thread.run_sync(read)
    if not found.new:
        return web.pages.page(request, "parts/here.html", run=found.run)
    return go_to(f"/runs/{found.run}")


@router.get("/runs/{run}/replay")
def replay(web: Here, request: Request, run: str) -> Response:
    """The page that starts a replay of a run."""
    row = web.store.row(run)
    journal = web.store.journal(row.id)
    values: Sequence[Value] = ()
    never = RECORD_ONLY if row.imported else ""
    if not never:
        try:
            values = values_of(journal)
        except UsageError as error:
            never = str(error)
    return web.pages.page(request, "replay.html", row=row, started=journal.state.started, values=values, never=never)


@router.post("/runs/{run}/replay")
async def from_record(web: Here, request: Request, run: str) -> Response:
    """Replay a run from its record alone: nothing is executed, and everything must come out the same."""
    journal = await anyio.to_thread.run_sync(web.store.journal, run)
    # In a thread with a loop of its own: it is all computing, and other pages are waited for meanwhile.
    found: Replayed = await anyio.to_thread.run_sync(anyio.run, again_from_record, journal)
    return web.pages.page(request, "parts/replayed.html", found=found, run=run)


@router.post("/runs/{run}/again")
async def again(
    web: Here,
    run: str,
    name: Texts,
    value: Texts,
    hand_over: Annotated[bool, Form()] = False,
    mode: Annotated[Mode, Form()] = "passive",
) -> Response:
    """Replay a run on a live desktop, as a new run. ``value``: a new value for each ``name``, '' to keep the old one."""
    if len(name) != len(value):
        raise UsageError("Each value has one name.", hint="Load the page again.")
    if web.store.row(run).imported:
        raise UsageError(RECORD_ONLY)
    sets = tuple(f"{which}={new.strip()}" for which, new in zip(name, value, strict=True) if new.strip())
    made = await web.runs.begin(Again(run=run, sets=sets, hand_over=hand_over, mode=mode))
    return go_to(f"/runs/{made}")


def _nobody(question: str) -> str:
    raise UsageError("The secrets of this run are locked.", hint="Export it at a terminal: deskcrew export RUN")
