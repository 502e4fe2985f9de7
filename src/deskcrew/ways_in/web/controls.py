"""Routes for interventions in an active run, and for answers to its questions."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import APIRouter, Form, Path, Request
from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from deskcrew.engine.human.questions import Accepted, Approval, EditedOperation, EditedReply, PlanEdit
from deskcrew.engine.human.questions import Response as Answer
from deskcrew.errors import PlanError, UsageError
from deskcrew.facts.events import HumanSaid, Operation
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.plan import dropped, inserted, reworded
from deskcrew.facts.unfit import fault
from deskcrew.ways_in.running import Told
from deskcrew.ways_in.web.context import Here, Web, has_scripts
from deskcrew.ways_in.web.run import seen, standing
from deskcrew.ways_in.web.run_view import shown

router = APIRouter(prefix="/runs/{run}")

Kind = Literal["guide", "switch", "mode", "pause", "resume", "take_over", "hand_back", "stop"]
Answered = Literal["yes", "run", "app", "no", "accept", "edit", "guide", "answer"]
Text = Annotated[str, Form()]
QuestionId = Annotated[str, Path(pattern="^[0-9a-zA-Z]{1,64}$")]


@router.post("/say")
async def say(
    web: Here, request: Request, run: str, kind: Annotated[Kind, Form()], text: Text = "", role: Text = ""
) -> Response:
    """Send the run an intervention."""
    if kind == "guide" and not text.strip():
        raise UsageError("Say what the role should know.")
    if kind == "switch" and not role.strip():
        raise UsageError("Choose which role is to continue.", hint="A role of the crew, instead of “the next role”.")
    return told(web, request, run, await web.runs.say(run, HumanSaid(kind=kind, text=text.strip(), role=role or None)))


@router.post("/stop")
async def stop(web: Here, request: Request, run: str) -> Response:
    """Stop the run cleanly, at once."""
    return told(web, request, run, await web.runs.stop(run))


@router.post("/plan")
async def plan(
    web: Here,
    request: Request,
    run: str,
    do: Annotated[Literal["drop", "reword", "insert"], Form()],
    part: Text = "",
    goal: Text = "",
) -> Response:
    """Change an unfinished subtask of the plan, or insert one."""
    reading = web.readings.of(run)
    view = shown(reading, web.store.row(run), None)
    if do != "drop" and not goal.strip():
        raise UsageError("Say what is to be done.")
    try:
        match do:
            case "drop":
                patch = dropped(view.plan, part)
            case "reword":
                patch = reworded(view.plan, part, goal.strip())
            case "insert":
                patch = inserted(view.plan, goal.strip(), part or None)
    except PlanError as error:
        raise UsageError(str(error)) from error
    return told(web, request, run, await web.runs.say(run, PlanEdit(patch=patch)))


@router.post("/answers/{question}")
async def answer(
    web: Here,
    request: Request,
    run: str,
    question: QuestionId,
    do: Annotated[Answered, Form()],
    text: Text = "",
    role: Text = "",
) -> Response:
    """Answer the question with that id.

    The response itself removes the question from the page, so that it cannot be answered again, even if the page's stream
    has broken. If the question is outdated, the response has the current one.
    """
    form = await request.form()
    values = zip(form.getlist("name"), form.getlist("value"), strict=False)
    reply: JsonObject = {str(name): str(value) for name, value in values}
    try:
        given = EditedReply(reply=reply) if reply else answered(do, text, role)
    except UsageError as error:
        if do != "edit" or not has_scripts(request):
            raise
        # Beside what was typed, which stays.
        return web.pages.page(request, "parts/wrong.html", text=str(error))
    return await answer_with(web, request, run, question, given)


async def answer_with(web: Web, request: Request, run: str, question: str, given: Answer) -> Response:
    """Send an answer, and remove its question from the page."""
    result = await web.runs.answer(run, question, given)
    if not has_scripts(request):
        return told(web, request, run, result)
    if result.ok:
        return web.pages.page(request, "parts/answered.html", question=question, stale="")
    now = await seen(web, run)
    if now.alive is not None and now.alive.question is not None and now.alive.question.id == question:
        return told(web, request, run, result)  # it is still asked: that was no answer to it
    values = await anyio.to_thread.run_sync(standing, now)
    told_ = web.pages.page(request, "parts/answered.html", question=question, stale=result.text, **values)
    told_.headers["hx-retarget"] = "#trouble"
    return told_


def answered(do: Answered, text: str, role: str) -> Answer:
    """The answer in a form. Raises UsageError with a readable message for an invalid one."""
    match do:
        case "yes":
            return Approval(allowed=True)
        case "run" | "app":
            return Approval(allowed=True, scope=do)
        case "no":
            return Approval(allowed=False, why=text.strip())
        case "accept":
            return Accepted(without=text.strip())
        case "answer":
            return HumanSaid(kind="answer", text=text.strip())
        case "guide":
            if not text.strip():
                raise UsageError("Say what is to be done instead.")
            return HumanSaid(kind="guide", text=text.strip(), role=role or None)
        case "edit":
            return _edited(text)


def _edited(text: str) -> Answer:
    """Parse the JSON of a reply or an operation as a person edited it; an operation has a ``function``."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"That is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise UsageError("That is not a JSON object.")
    if "function" not in value:
        return EditedReply(reply=value)  # pyright: ignore[reportUnknownArgumentType]
    try:
        return EditedOperation(operation=Operation.model_validate(value))
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise UsageError(f"{place}: {fault(error, shown=True)}.") from error


def told(web: Web, request: Request, run: str, result: Told) -> Response:
    """The response for the result of an intervention: no content if it was accepted, since the page updates itself. A
    browser without scripts gets the page again, or, if it was not accepted, UsageError is raised."""
    if result.ok:
        return Response(status_code=204) if has_scripts(request) else RedirectResponse(f"/runs/{run}", 303)
    if not has_scripts(request):
        raise UsageError(result.text, hint="Go back to the page of the run, and reload it.")
    return web.pages.page(request, "parts/trouble.html", text=result.text, hint="")
