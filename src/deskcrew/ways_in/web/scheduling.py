"""Routes that show schedules, and let a person add a schedule, switch it off and on, and remove it.

Runs are not started here, but by ``deskcrew every``, in a process of its own.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import APIRouter, Form, Request
from pydantic import BaseModel
from starlette.responses import Response

from deskcrew.engine.request import crew_names
from deskcrew.facts.events import ConfirmedReading
from deskcrew.ways_in.schedules.changing import asking_first, meant_by, set_up, switch
from deskcrew.ways_in.schedules.schedule import Schedule, Schedules, ScheduleStanding
from deskcrew.ways_in.schedules.times import times
from deskcrew.ways_in.web.asking import Asked
from deskcrew.ways_in.web.context import Here, Web, go_to
from deskcrew.ways_in.web.fields import FieldError, of_field
from deskcrew.ways_in.web.offering import offered, state_of

router = APIRouter(prefix="/schedules")


@dataclass(frozen=True, slots=True)
class ShownSchedule:
    """A schedule in the list. ``run``: whether the last run that it started still exists; ``meant``: how a person confirmed
    its task, None if nobody did."""

    schedule: Schedule
    standing: ScheduleStanding
    run: bool
    meant: ConfirmedReading | None

    @property
    def next(self) -> float | None:
        """When it is due next, in Unix seconds; None if it waits for files or is switched off."""
        return self.schedule.next(self.standing.last)


@router.get("")
def all_schedules(web: Here, request: Request) -> Response:
    """The list of schedules: when each is due next, and how its last run ended."""
    schedules = _schedules(web)
    shown = [_shown(web, each) for each in schedules.all()]
    return web.pages.page(request, "schedules.html", shown=shown, kept=schedules.are_kept())


@router.get("/new")
def form(web: Here, request: Request) -> Response:
    """The form for a new schedule."""
    settings = web.settings
    return web.pages.page(
        request,
        "schedule_new.html",
        model=settings.model,
        crew=settings.crew,
        crews=crew_names(settings),
        models=offered(settings),
        state=state_of(settings.model, settings),
        limits=settings.limits,
    )


class ScheduleForm(BaseModel):
    """When a task is done or for which files, and where."""

    when: str = ""
    files: str = ""
    missed: Literal["once", "skip"] = "once"
    desktop: Literal["virtual", "browser", "none"] = "virtual"
    url: str = ""
    secrets: str = ""


@router.post("/new")
async def add(web: Here, asked: Asked, form: Annotated[ScheduleForm, Form()]) -> Response:
    """Add a schedule. If a small model is to do it, go to the page where the person is asked whether it understood."""
    when, files, settings = form.when.strip(), form.files.strip(), web.settings
    if bool(when) == bool(files):
        raise FieldError("Say either when, or for which files.", field="when")
    if when:
        with of_field("when"):
            times(when)
    elif settings.person:
        hint = "Give times instead."
        raise FieldError(
            "This server cannot wait for files, since its folders are not one person's.", hint=hint, field="files"
        )
    elif not files.startswith(("/", "~")):
        raise FieldError("The server may be running in a different folder.", hint="Give the full path.", field="files")
    scale = settings.scale if form.desktop == "virtual" else 1.0
    # Nobody is there to be asked.
    request = replace(asked, mode="automatic", desktop=form.desktop, url=form.url.strip(), scale=scale)
    with of_field("send"):
        secrets, missed = tuple(form.secrets.split()), form.missed
        schedule = await anyio.to_thread.run_sync(
            lambda: set_up(settings, request, when=when, files=files, missed=missed, secrets=secrets)
        )
        asking = asking_first(schedule, settings)
        if asking is not None:
            run = await web.runs.start(asking, secrets=secrets)
            _schedules(web).put(schedule.model_copy(update={"asked_in": run}))
            return go_to(f"/runs/{run}")
    return go_to("/schedules")


@router.post("/{id}/switch")
def switch_it(web: Here, id: str, on: Annotated[bool, Form()]) -> Response:
    """Switch a schedule on or off."""
    switch(_schedules(web), id, on=on, now=time.time())
    return go_to("/schedules")


@router.post("/{id}/remove")
def remove(web: Here, id: str) -> Response:
    """Remove a schedule."""
    _schedules(web).remove(id)
    return go_to("/schedules")


def _schedules(web: Web) -> Schedules:
    return Schedules(web.settings)


def _shown(web: Web, schedule: Schedule) -> ShownSchedule:
    standing = _schedules(web).standing(schedule)
    return ShownSchedule(
        schedule, standing, bool(standing.run) and web.store.has(standing.run), meant_by(schedule, web.settings)
    )
