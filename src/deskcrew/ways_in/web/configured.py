"""The page that shows the settings and what set them, and changes those that may be changed on a page."""

from __future__ import annotations

import tomllib
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from deskcrew.engine.request import crew_names
from deskcrew.errors import UsageError
from deskcrew.settings import Setting, all_settings, settings_file
from deskcrew.ways_in.configuring import ON_PAGES, change
from deskcrew.ways_in.web.context import Here, go_to
from deskcrew.ways_in.web.offering import state_of

router = APIRouter()
FIRST = ("model", "limits.money", "limits.seconds", "notify.desktop", "notify.runs")
"""The settings that most people change; the other ones are folded."""
Texts = Annotated[list[str], Form(default_factory=list)]


@router.get("/settings")
def page(web: Here, request: Request) -> Response:
    """Every setting with its value, what set it, and how to change it."""
    if web.settings.person:
        raise HTTPException(404)  # they are the server's, and say where others are notified
    file = settings_file()
    # Those of no table come first, as in the file.
    every = sorted(all_settings(type(web.settings), web.settings), key=lambda each: "." in each.name)
    first = [each for name in FIRST for each in every if each.name == name]
    rest = groupby((each for each in every if each.name not in FIRST), lambda each: each.name.rpartition(".")[0])
    return web.pages.page(
        request,
        "settings.html",
        file=file,
        there=file.is_file(),
        policy=web.settings.config / "policy.toml",
        first=first,
        tables=[(table.capitalize() or "General", list(found)) for table, found in rest],
        model=web.settings.model,
        state=state_of(web.settings.model, web.settings),
        crews=crew_names(web.settings),
        changed=[each.name for each in every if each.name in ON_PAGES and not each.variables],
        set_by=_set_by(tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}, every),
    )


@router.post("/settings")
def save(web: Here, request: Request, name: Texts, value: Texts) -> Response:
    """Write the values that were changed to the file. They apply to what is started from now on."""
    if web.settings.person:
        raise HTTPException(404)
    now = {each.name: each.written for each in all_settings(type(web.settings), web.settings)}
    given = {each: text.strip() for each, text in zip(name, value, strict=False) if text.strip() != now.get(each)}
    if away := next((each for each in given if each not in ON_PAGES), None):
        raise UsageError(f"{away} cannot be changed on a page.", hint=f"Write it into {settings_file()}.")
    if given:
        new = change(given)
        tables = {each.partition(".")[0] for each in given}
        changed = {table: getattr(new, table) for table in tables}
        request.app.state.webs.change(web.settings.model_copy(update=changed))
    return go_to("/settings")


def _set_by(file: dict[str, object], every: list[Setting]) -> dict[str, str]:
    """What set the settings that do not have their default, by name."""
    return {
        each.name: f"the variable {each.variables[0]}"
        if each.variables
        else "the settings file"
        if each.is_in(file)
        else "how Deskcrew was started"
        for each in every
        if each.own or each.variables or each.is_in(file)
    }
