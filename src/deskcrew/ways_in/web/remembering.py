"""Routes that show what is remembered, and let a person declare, change and delete it."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from deskcrew.facts.canonical import canonical
from deskcrew.learning.memory.declaring import declare as keep
from deskcrew.learning.memory.declaring import reworded
from deskcrew.learning.memory.entry import Entry, Scope
from deskcrew.learning.memory.inferring import accept, decline, proposed
from deskcrew.learning.memory.store import Memory
from deskcrew.ways_in.web.asking import Text, folder_named
from deskcrew.ways_in.web.context import Here, Web, go_to, has_scripts
from deskcrew.ways_in.web.fields import FieldError, of_field

router = APIRouter(prefix="/memory")
Show = Literal["all", "facts", "episodes", "withdrawn"]
PAGE = 50
"""The number of entries on a page."""


@router.get("")
def page(web: Here, request: Request, q: str = "", show: Show = "all", skip: int = 0) -> Response:
    """The valid entries, the newest first, and above them the facts proposed by runs. ``q``: words they must contain."""
    with _opened(web) as memory:
        entries = memory.all(withdrawn=True)
    found = _found(entries, q, show)
    part = skip > 0 and has_scripts(request)
    return web.pages.page(
        request,
        "parts/entries.html" if part else "memory.html",
        q=q,
        show=show,
        skip=skip,
        found=found[skip : skip + PAGE],
        count=len(found),
        page=PAGE,
        proposed=[each for each in reversed(entries) if proposed(each)],
    )


@router.post("")
def declare(
    web: Here,
    request: Request,
    text: Text = "",
    scope: Annotated[Scope, Form()] = "user",
    workspace: Text = "",
) -> Response:
    """Declare a fact, which the list then shows first."""
    with of_field("text"):
        place = ""
        if scope == "workspace":
            with of_field("workspace"):
                folder = folder_named(workspace, web.settings)
            if folder is None:
                raise FieldError("Name the folder.", field="workspace")
            place = str(folder)
        with _opened(web) as memory:
            keep(memory, text, scope=scope, place=place, now=time.time())
    return go_to("/memory")


@router.post("/{entry}/edit")
def edit(web: Here, request: Request, entry: str, text: Text = "") -> Response:
    """Reword an entry; the response replaces it on the page."""
    with _opened(web) as memory, of_field(f"text-{entry}"):
        changed = reworded(memory.get(entry), text)
        memory.change(changed)
    return web.pages.page(request, "parts/entry.html", entry=changed)


@router.post("/{entry}/forget")
def forget(web: Here, request: Request, entry: str) -> Response:
    """Delete an entry for good; its run does not teach it again."""
    with _opened(web) as memory:
        memory.forget([memory.get(entry).id])
    return web.pages.page(request, "parts/forgotten.html", entry=entry, said="Forgotten.")


@router.post("/{entry}/accept")
def accept_it(web: Here, request: Request, entry: str) -> Response:
    """Keep a fact proposed by a run, as if the person had declared it. The response replaces it on the page."""
    with _opened(web) as memory:
        kept = accept(memory, memory.get(entry), now=time.time())
    return web.pages.page(request, "parts/entry.html", entry=kept)


@router.post("/{entry}/decline")
def decline_it(web: Here, request: Request, entry: str) -> Response:
    """Decline a fact proposed by a run; no run proposes it again."""
    with _opened(web) as memory:
        proposal = memory.get(entry)
        decline(memory, proposal)
    return web.pages.page(request, "parts/forgotten.html", entry=proposal.id, said="Declined.")


@router.get("/export")
def export(web: Here, shared: bool = False) -> Response:
    """All valid entries, one JSON object per line, in the format of ``deskcrew memory export``."""
    with _opened(web) as memory:
        entries = [each for each in memory.all() if not shared or each.scope == "shared"]
    lines = (canonical(each.exported()) + b"\n" for each in entries)
    headers = {"content-disposition": 'attachment; filename="deskcrew-memory.jsonl"'}
    return Response(b"".join(lines), media_type="application/x-ndjson", headers=headers)


def _found(entries: Iterable[Entry], q: str, show: Show) -> list[Entry]:
    words = q.casefold().split()
    kinds = {"facts": "fact", "episodes": "episode"}
    wanted = [each for each in entries if each.verdict != "proposed" and kinds.get(show, each.kind) == each.kind]
    wanted = [each for each in wanted if bool(each.withdrawn or each.verdict == "failed") == (show == "withdrawn")]
    return [each for each in reversed(wanted) if all(word in _text(each) for word in words)]


def _text(entry: Entry) -> str:
    parts = (entry.id, entry.role, entry.situation, entry.decision, entry.result, entry.run, *entry.origins)
    return "\n".join(parts).casefold()


@contextmanager
def _opened(web: Web) -> Generator[Memory]:
    """A context with the person's memory, opened for one response without an embedder."""
    memory = Memory.of(web.settings)
    try:
        yield memory
    finally:
        memory.close()
