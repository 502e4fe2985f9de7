"""Routes that restore a folder as it was before a run, and that delete a run; each first shows what it would do."""

from __future__ import annotations

import hashlib
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from deskcrew.engine.rewind import Return
from deskcrew.environments.manifest import RestoreChanges as Restored
from deskcrew.ways_in.web.asking import Text
from deskcrew.ways_in.web.context import Here, Web

router = APIRouter(prefix="/runs/{run}")

MOST = 100
"""The maximum number of paths of a kind that a page lists; the others are counted."""


@router.get("/undo")
async def look(web: Here, request: Request, run: str) -> Response:
    """The page that shows what restoring the folder would do. Changes nothing."""
    return await anyio.to_thread.run_sync(_preview, web, request, run)


@router.post("/undo")
async def undo(
    web: Here, request: Request, run: str, seen: Text = "", everything: Annotated[bool, Form()] = False
) -> Response:
    """Restore the folder; with ``everything``, also what somebody else changed. ``seen``: identifies what the person was
    shown; if something else would be done now, they are shown that instead."""
    return await anyio.to_thread.run_sync(_undo, web, request, run, seen, everything)


def _undo(web: Web, request: Request, run: str, seen: str, everything: bool) -> Response:
    back = web.runs.look_undo(run)
    if seen != _mark(back):
        return _preview(web, request, run, changed=True)
    own = 0 if everything else len(back.own(web.store.journal(run)))
    lost = web.runs.undo(run, () if everything else back.kept)
    return web.pages.page(request, "undone.html", row=web.store.row(run), lost=lost, kept=own)


def _preview(web: Web, request: Request, run: str, *, changed: bool = False) -> Response:
    row = web.store.row(run)
    back = web.runs.look_undo(row.id)
    files = back.files.told if back.files is not None else Restored()
    plain = (
        ("gets its old content", files.written),
        ("is deleted", files.removed),
        ("is created again", files.made),
        ("becomes a link again", files.links),
        ("gets its old permissions", files.modes),
    )
    named = [("gets its old name", files.renamed), *((words, [(path, "") for path in paths]) for words, paths in plain)]
    return web.pages.page(
        request,
        "undo.html",
        row=row,
        kinds=[(paths[:MOST], len(paths) - MOST, words) for words, paths in named if paths],
        saved=back.files is not None,
        work=bool(files.work or back.kept),
        back=back,
        seen=_mark(back),
        changed=changed,
    )


def _mark(back: Return) -> str:
    """An identifier of what an undo would do."""
    told = (back.parent.id, back.manifest, back.files, back.lost, [each.id for each in back.followers], back.kept)
    return hashlib.sha256(repr(told).encode(errors="replace")).hexdigest()[:16]


@router.get("/remove")
def look_remove(web: Here, request: Request, run: str) -> Response:
    """The page that shows what deleting the run would delete. Changes nothing."""
    row = web.store.row(run)
    journal = web.store.journal(row.id)
    return web.pages.page(
        request,
        "remove.html",
        row=row,
        events=len(journal.all),
        workspace="" if row.imported or journal.state.started is None else journal.state.started.workspace,
        learned=web.runs.taught(row.id),
        after=[web.store.row(each) for each in web.store.followers(row)],
        busy=web.runs.busy(row.id),
    )


@router.post("/remove")
def remove(web: Here, run: str, keep_learned: Annotated[bool, Form()] = False) -> Response:
    """Delete the run for good, and go to the list of runs."""
    web.runs.remove(web.store.row(run).id, keep_learned=keep_learned)
    return RedirectResponse("/", 303)
