"""Routes that show schedules, and let a person set one up, switch it off and on, and remove it.

Nothing is started here: that is done by ``deskcrew every``, in a process of its own.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import APIRouter, Form, Request
from pydantic import BaseModel
from starlette.responses import Response

from deskcrew.facts.events import ConfirmedReading
from deskcrew.ways_in.schedules.changing import asking_first, meant_by, set_up, switch
from deskcrew.ways_in.schedules.schedule import Schedule, Schedules, ScheduleStanding
from deskcrew.ways_in.schedules.times import times
from deskcrew.ways_in.web import library
from deskcrew.ways_in.web.asking import Asked
from deskcrew.ways_in.web.context import Here, Web, go_to
from deskcrew.ways_in.web.fields import FieldError, of_field
from deskcrew.ways_in.web.offering import offered, state_of

router = APIRouter(prefix="/schedules")


@dataclass(frozen=True, slots=True)
class ShownSchedule:
    """A schedule in the list. ``run``: whether the last run that it started still exists; ``meant``: when a person said
    what its task means."""

    schedule: Schedule
    standing: ScheduleStanding
    run: bool
    meant: ConfirmedReading | None

    @property
    def next(self) -> float | None:
        """When it is due next, in Unix seconds; None: when a file arrives, or switched off."""
        return self.schedule.next(self.standing.last)


@router.get("")
def all_schedules(web: Here, request: Request) -> Response:
    """Each with when it is due next, and how the last run ended."""
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
        crews=library.crews(settings),
        models=offered(settings),
        state=state_of(settings.model, settings),
        limits=settings.limits,
    )


class ScheduleForm(BaseModel):
    """When a task is done, or for which files, and where."""

    when: str = ""
    files: str = ""
    missed: Literal["once", "skip"] = "once"
    desktop: Literal["virtual", "browser", "none"] = "virtual"
    url: str = ""
    secrets: str = ""


@router.post("/new")
async def add(web: Here, asked: Asked, form: Annotated[ScheduleForm, Form()]) -> Response:
    """Add a schedule, and go to the page where a person is asked what a small model takes its task for."""
    when, files, settings = form.when.strip(), form.files.strip(), web.settings
    if bool(when) == bool(files):
        raise FieldError("Say either when, or for which files.", field="when")
    if when:
        with of_field("when"):
            times(when)
    elif settings.person:
        hint = "Say when. A folder of the machine is not one person's."
        raise FieldError("Files cannot be waited for here.", hint=hint, field="files")
    elif not files.startswith(("/", "~")):
        raise FieldError("The server may be in another folder than you think.", hint="Give the whole path.", field="files")
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
    """Switch it on or off."""
    switch(_schedules(web), id, on=on, now=time.time())
    return go_to("/schedules")


@router.post("/{id}/remove")
def remove(web: Here, id: str) -> Response:
    """Remove it."""
    _schedules(web).remove(id)
    return go_to("/schedules")


def _schedules(web: Web) -> Schedules:
    return Schedules(web.settings)


def _shown(web: Web, schedule: Schedule) -> ShownSchedule:
    standing = _schedules(web).standing(schedule)
    return ShownSchedule(
        schedule, standing, bool(standing.run) and web.store.has(standing.run), meant_by(schedule, web.settings)
    )
