"""Routes for rewinding and resuming a run, and for a person's judgement of its result."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from deskcrew.engine.following import request_after
from deskcrew.engine.human.questions import Mode
from deskcrew.engine.limits import limits_of
from deskcrew.facts.events import RunResumed, RunStarted
from deskcrew.settings import Limits
from deskcrew.ways_in.running import RewindPlace, RunChanges
from deskcrew.ways_in.web.asking import LimitForm, model_named
from deskcrew.ways_in.web.context import Here, Web, go_to, has_scripts
from deskcrew.ways_in.web.fields import FieldError, of_field

router = APIRouter(prefix="/runs/{run}")

Text = Annotated[str, Form()]


@router.get("/rewind")
async def preview(web: Here, request: Request, run: str, event: int) -> Response:
    """What a rewind would do, before it is done."""
    back = await anyio.to_thread.run_sync(web.runs.look_back, run, RewindPlace(event=event))
    files = back.files.summary() if back.files else ""
    return web.pages.page(request, "parts/preview.html", back=back, files=files)


class RewindForm(LimitForm):
    """Where to go back to, and the changes with which the run continues."""

    event: int | None = None
    branch: str = ""
    say: str = ""
    role: str = ""
    keep_files: bool = False
    mode: Mode | None = None
    model: str = ""

    @property
    def place(self) -> RewindPlace:
        return RewindPlace(
            event=self.event,
            branch=self.branch if self.event is None and self.branch else None,
            say=self.say.strip() if self.event is not None else "",
            role=self.role or None,
            keep_files=self.keep_files,
        )


@router.post("/rewind")
async def rewind(web: Here, run: str, form: Annotated[RewindForm, Form()]) -> Response:
    """Rewind to before a reply or to the end of a branch, or undo the last rewind; then continue."""
    usual = await anyio.to_thread.run_sync(_limits, web, run) if form.filled else None
    limits = form.limits(usual, form="rewind-") if usual is not None else None
    chosen = await anyio.to_thread.run_sync(_model, web, run, form.model.strip())
    await web.runs.rewind(run, form.place, RunChanges(mode=form.mode, model=chosen, limits=limits))
    return go_to(f"/runs/{run}")


def _limits(web: Web, run: str) -> Limits:
    """The limits of the run."""
    return limits_of(web.store.journal(run).all)


def _model(web: Web, run: str, given: str) -> str | None:
    """The model with which to continue, None for the recorded one. Raises UsageError for a model that the person may not
    name; an imported run may have recorded one."""
    if web.settings.person:
        bodies = (event.body for event in web.store.journal(run).events) if not given else ()
        recorded = {body.model for body in bodies if isinstance(body, RunStarted | RunResumed) and body.model}
        for name in (given,) if given else recorded:
            model_named(name, web.settings)
    return given or None


@router.post("/resume")
async def resume(web: Here, run: str, mode: Annotated[Mode | None, Form()] = None, model: Text = "") -> Response:
    """Continue a run where it stopped."""
    chosen = await anyio.to_thread.run_sync(_model, web, run, model.strip())
    await web.runs.resume(run, RunChanges(mode=mode, model=chosen))
    return go_to(f"/runs/{run}")


@router.post("/confirm")
async def confirm(
    web: Here,
    run: str,
    holds: Annotated[bool, Form()],
    requirement: Text = "",
    why: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Say whether a requirement of a run that has ended holds; without a requirement, whether the whole task is done."""
    said = functools.partial(web.runs.confirm, run, holds=holds, requirement=requirement, why=why)
    await anyio.to_thread.run_sync(said)
    return go_to(f"/runs/{run}")


@router.post("/object")
async def object_to(
    web: Here,
    request: Request,
    run: str,
    why: Annotated[str, Form(max_length=2000)] = "",
    requirement: Text = "",
    then: Literal["go_on", "nothing"] = Form("nothing"),
) -> Response:
    """Say why the result of a run that has ended is not right: it then counts as a failure, for memory and skills, too.
    ``then``: whether to start a new run that puts it right, and is told these words and what was done."""
    said = why.strip().replace("\r\n", "\n")
    if not said:
        raise FieldError("Say what is not right.", hint="In plain words: the crew is told.", field="why")
    objected = functools.partial(web.runs.confirm, run, holds=False, requirement=requirement, why=said)
    with of_field("why"):
        await anyio.to_thread.run_sync(objected)
        made = run
        if then == "go_on":
            base = await anyio.to_thread.run_sync(request_after, run, web.settings)
            made = await web.runs.start(replace(base, task=f"This is not right: {said}\nPut it right."))
    if not has_scripts(request):
        return RedirectResponse(f"/runs/{made}", 303)
    return go_to(f"/runs/{made}")
