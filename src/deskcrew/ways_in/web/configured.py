"""The page that says what is set, by what, and where to change it."""

from __future__ import annotations

import tomllib
from itertools import groupby

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from deskcrew.settings import Setting, all_settings, settings_file
from deskcrew.ways_in.web.context import Here

router = APIRouter()


@router.get("/settings")
def page(web: Here, request: Request) -> Response:
    """Every setting with its value, what set it, and how to change it."""
    if web.settings.person:
        raise HTTPException(404)  # they are the server's, and say where others are notified
    file = settings_file()
    # Those of no table come first, as in the file.
    every = sorted(all_settings(type(web.settings), web.settings), key=lambda each: "." in each.name)
    return web.pages.page(
        request,
        "settings.html",
        file=file,
        there=file.is_file(),
        policy=web.settings.config / "policy.toml",
        model=web.settings.model,
        tables=[(table, list(found)) for table, found in groupby(every, _table)],
        set_by=_set_by(tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}, every),
    )


def _table(each: Setting) -> str:
    return each.name.rpartition(".")[0]


def _set_by(file: dict[str, object], every: list[Setting]) -> dict[str, str]:
    """What set each of those that do not have the default, by name."""
    return {
        each.name: f"the variable {each.variables[0]}"
        if each.variables
        else "the settings file"
        if each.is_in(file)
        else "how Deskcrew was started"
        for each in every
        if each.own or each.variables or each.is_in(file)
    }
