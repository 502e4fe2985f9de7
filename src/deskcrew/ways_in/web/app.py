"""The web application: its routes, its access control, and its error pages."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from deskcrew.errors import DeskcrewError, UnknownError, UsageError
from deskcrew.journal.store import Store
from deskcrew.learning.skills.folders import MOST_BYTES
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.remote_runs import runs_of
from deskcrew.ways_in.web import (
    agreeing,
    comparing,
    configured,
    controls,
    desktop,
    entering,
    gallery,
    library,
    listing,
    live,
    notes,
    policing,
    remembering,
    repairing,
    run,
    run_files,
    scheduling,
    skills,
    starting,
    transfer,
    undoing,
)
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.bounds import Bounds
from deskcrew.ways_in.web.context import Web, Webs, has_scripts
from deskcrew.ways_in.web.fields import FieldError
from deskcrew.ways_in.web.gate import Doors
from deskcrew.ways_in.web.pages import STATIC, Templates
from deskcrew.ways_in.web.people import PERSON, NamedPerson, Opener
from deskcrew.ways_in.web.run_view import Readings
from deskcrew.ways_in.web.wording import hint

PARTS = (
    entering,
    listing,
    gallery,
    starting,
    run,
    run_files,
    live,
    controls,
    agreeing,
    desktop,
    repairing,
    undoing,
    comparing,
    transfer,
    library,
    policing,
    configured,
    remembering,
    notes,
    skills,
    scheduling,
)
"""The modules whose routes make up the application."""


def create_app(settings: Settings, access: Access, origins: Sequence[str], *, folder: Path | None = None) -> FastAPI:
    """The application. ``origins``: the addresses at which it may be opened, such as ``http://127.0.0.1:8700``; links begin
    with the first; ``folder``: where the runs' sockets are, None for the user's runtime folder.

    Raises JournalError if the journal cannot be used.
    """
    pages = Templates()
    # Browsers send a cookie to every port of a host, so two servers need two names.
    cookie = "deskcrew-" + origins[0].rpartition(":")[2].strip("/")
    several = bool(settings.web.identity_header)

    def web_of(own: Settings) -> Web:
        store = Store.of(own)
        runs = runs_of(own, folder, store)
        return Web(own, store, runs, pages, access, Readings(store), cookie=cookie, origin=origins[0])

    webs = Webs(web_of, settings)
    if not several:
        webs.of("")

    def refuse(connection: HTTPConnection, status: int, text: str, advice: str) -> Response:
        if status == 401 and not several:
            return entering.locked(pages, access, connection)
        return pages.page(connection, "error.html", status=status, text=text, hint=advice)

    who = NamedPerson(settings.web, access) if several else Opener(access, cookie)
    door = Middleware(Doors, who=who, origins=origins, refuse=refuse)
    filled = ("/start", "/import", "/skills/try", "/skills/there")
    uploads = dict.fromkeys(filled, settings.workspace_bytes) | {"/skills/import": MOST_BYTES}
    bounds = Middleware(Bounds, uploads=uploads, refuse=refuse)
    app = FastAPI(
        title="Deskcrew", openapi_url=None, docs_url=None, redoc_url=None, middleware=[door, bounds], lifespan=_lifespan
    )
    app.state.webs, app.state.pages = webs, pages
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for part in PARTS:
        app.include_router(part.router)
    app.add_exception_handler(DeskcrewError, _told)
    app.add_exception_handler(HTTPException, _missing)
    app.add_exception_handler(RequestValidationError, _wrong)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    yield
    app.state.webs.close()


def _told(request: Request, error: Exception) -> Response:
    """The page, or the text beside a field, for an error that a person can act on."""
    assert isinstance(error, DeskcrewError)
    if isinstance(error, FieldError) and has_scripts(request):
        answer = request.app.state.pages.page(
            request, "parts/field_error.html", status=400, text=str(error), hint=hint(error.hint)
        )
        answer.headers["hx-retarget"], answer.headers["hx-reswap"] = f"#error-{error.field}", "innerHTML"
        return answer
    status = 404 if isinstance(error, UnknownError) else 400 if isinstance(error, UsageError) else 500
    return _error(request, status, str(error), hint(error.hint))


def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return _error(request, 404, "There is no such page.", "All runs are on the first page.")
    return _error(request, error.status_code, str(error.detail), "")


def _wrong(request: Request, error: Exception) -> Response:
    """The page for a form or an address that no page of ours made. What was sent is not shown again."""
    assert isinstance(error, RequestValidationError)
    fields = ", ".join(sorted({str(each["loc"][-1]) for each in error.errors()}))
    return _error(request, 422, f"This cannot be read: {fields}.", "Go back and try again.")


def _run_of(request: Request) -> str:
    """The address of the requested run's page, '' if there is no such run."""
    webs: Webs = request.app.state.webs
    run = request.path_params.get("run", "")
    return f"/runs/{quote(run, safe='')}" if run and webs.of(request.scope[PERSON]).store.has(run) else ""


def _error(request: Request, status: int, text: str, advice: str) -> Response:
    pages = request.app.state.pages
    # A part of a page gets a line, which htmx puts where lines for the person are; a whole page a page.
    part = has_scripts(request)
    name, back = ("parts/trouble.html" if part else "error.html"), _run_of(request)
    answer = pages.page(request, name, status=status, text=text, hint=advice, back=back)
    if part:
        answer.headers["hx-retarget"], answer.headers["hx-reswap"] = "#trouble", "innerHTML"
    return answer
