"""Routes for signing in: by a one-time link, or a token that is typed in."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response

from deskcrew.facts.loopback import on_this_machine
from deskcrew.ways_in.web.access import SESSION_SECONDS, Access
from deskcrew.ways_in.web.context import Here, Web
from deskcrew.ways_in.web.gate import entry
from deskcrew.ways_in.web.pages import Templates

router = APIRouter()


@router.get("/enter")
def enter(web: Here, request: Request, token: str = "", run: str = "") -> Response:
    """Sign in with a link, which may lead to the page of a run. A prefetch by a browser or messenger does not use it up."""
    if "prefetch" in request.headers.get("sec-purpose", ""):
        return Response(status_code=503)
    if not web.access.opens(token):
        return locked(web.pages, web.access, request, wrong=bool(token))
    return _let_in(web, request, f"/runs/{quote(run, safe='')}" if run else "/")


@router.post("/enter")
def enter_typed(web: Here, request: Request, token: Annotated[str, Form()]) -> Response:
    """Sign in with a typed token."""
    return _let_in(web, request) if web.access.opens(token.strip()) else locked(web.pages, web.access, request, wrong=True)


@router.post("/leave")
def leave(web: Here, request: Request) -> Response:
    """Sign this browser out, and anyone who has copied its cookie."""
    web.access.leave(request.cookies.get(web.cookie, ""))
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(web.cookie, httponly=True, samesite="strict")
    return answer


@router.post("/link")
def another(web: Here, request: Request) -> Response:
    """A link for another browser of the same person, such as the one on their phone."""
    return web.pages.page(
        request, "parts/link.html", link=entry(web.origin, web.access.link()), local=on_this_machine(web.origin)
    )


def locked(pages: Templates, access: Access, request: HTTPConnection, *, wrong: bool = False) -> Response:
    """The page for anyone not signed in. ``wrong``: whether they gave a token that is invalid or used up."""
    return pages.page(request, "locked.html", status=401, wrong=wrong, typed=access.has_token)


def _let_in(web: Web, request: Request, to: str = "/") -> Response:
    # A page, not a redirection: a browser that came here from another site would not send the new cookie along at once.
    answer = web.pages.page(request, "entered.html", to=to)
    answer.set_cookie(
        web.cookie,
        web.access.session(),
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=web.origin.startswith("https:"),
    )
    return answer
