"""Runs as tasks of the Agent2Agent protocol. Imports the SDK, which is an extra: only ``deskcrew a2a`` imports this.

A task is a run. Its updates are events in words; its artifact is the answer with the whole result: requirements, who
checked each, and what was found. It is ``completed`` only if the run is done; a question makes it ``input-required``.
"""

from __future__ import annotations

import importlib.metadata
import secrets
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from a2a.helpers import new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    HTTPAuthSecurityScheme,
    Message,
    SecurityRequirement,
    SecurityScheme,
    StringList,
    TaskState,
)
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from deskcrew.engine.request import RunRequest, usual
from deskcrew.errors import DeskcrewError
from deskcrew.facts.events import DesktopKind
from deskcrew.ways_in.cli.served import RunStanding, Served, ToldEvent
from deskcrew.ways_in.report.result import Result

CARD, CALLS = "/.well-known/agent-card.json", "/"
STATES = {"done": TaskState.TASK_STATE_COMPLETED, "stopped": TaskState.TASK_STATE_CANCELED}
"""Task states, by a run's outcome; any other outcome is ``failed``, so that nobody takes it for done."""


def build(served: Served, address: str, token: str, desktop: DesktopKind = "virtual") -> Starlette:
    """The server's application. ``address``: its URL; ``token``: required for everything but the agent card."""
    card = _card(address)
    handler = DefaultRequestHandler(agent_executor=_Tasks(served, desktop), task_store=InMemoryTaskStore(), agent_card=card)
    routes = [*create_agent_card_routes(card), *create_jsonrpc_routes(handler, CALLS)]
    return Starlette(routes=routes, middleware=[Middleware(_Authorized, token=token)])


class _Authorized:
    """Admits clients that know the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._expected = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] != CARD:
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not secrets.compare_digest(given, self._expected):
                refused = PlainTextResponse("A bearer token is needed.", 401, {"WWW-Authenticate": "Bearer"})
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _Tasks(AgentExecutor):
    """Does tasks as runs. Only this process knows which run belongs to a task; the runs themselves outlive it."""

    def __init__(self, served: Served, desktop: DesktopKind) -> None:
        self._served = served
        self._desktop: DesktopKind = desktop
        self._run: dict[str, str] = {}
        """The run of each task."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Begin a run, or answer its question; then report until it ends or asks something."""
        assert context.task_id is not None
        assert context.context_id is not None
        assert context.message is not None
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        told, answered = context.get_user_input(), ""
        try:
            if context.task_id in self._run:
                answered = await self._served.answer(self._run[context.task_id], told)
            else:
                self._run[context.task_id] = await self._served.runs.start(self._request(told))
        except DeskcrewError as error:
            await self._refused(updater, error)
            return
        journal = self._served.journal(self._run[context.task_id])
        async with aclosing(self._served.follow(journal, from_start=not answered, answered=answered)) as happenings:
            async for happening in happenings:
                await self._report(updater, happening)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """End the run of a task gracefully."""
        assert context.task_id is not None
        updater = TaskUpdater(event_queue, context.task_id, context.context_id or "")
        try:
            told = await self._served.stop(self._run[context.task_id]) if context.task_id in self._run else ""
        except DeskcrewError as error:
            told = str(error)  # it has ended
        await updater.cancel(_said(updater, told))

    def _request(self, task: str) -> RunRequest:
        base = usual(self._served.settings)
        return replace(base, task=task, desktop=self._desktop, mode="passive", words_of="agent")

    async def _report(self, updater: TaskUpdater, happening: ToldEvent | RunStanding) -> None:
        if isinstance(happening, ToldEvent):
            await updater.start_work(_said(updater, happening.text, event=happening.number))
        elif happening.result is None:
            await updater.requires_input(_said(updater, happening.question, run=happening.run))
        else:
            await self._ended(updater, happening.result)

    async def _ended(self, updater: TaskUpdater, result: Result) -> None:
        parts = [new_text_part(result.answer)] if result.answer else []
        evidence = new_data_part(result.model_dump(mode="json"), media_type="application/json")
        await updater.add_artifact([*parts, evidence], name="result")
        state = STATES.get(result.outcome, TaskState.TASK_STATE_FAILED)
        await updater.update_status(state, _said(updater, f"{result.outcome}. {result.why}".strip(), run=result.run or ""))

    async def _refused(self, updater: TaskUpdater, error: DeskcrewError) -> None:
        """Report the error. A running run still asks; a task that could not begin is rejected."""
        said = _said(updater, error.whole)
        alive = self._run.get(updater.task_id)
        if alive is not None and await self._served.runs.alive(alive) is not None:
            await updater.requires_input(said)
        else:
            await updater.reject(said)


def _said(updater: TaskUpdater, text: str, **about: Any) -> Message:
    return updater.new_agent_message([new_text_part(text)], metadata=about or None)


def _card(address: str) -> AgentCard:
    """The agent card that other agents read."""
    return AgentCard(
        name="Deskcrew",
        description="A crew of agents that operates a computer: files, code, a desktop or a browser of its own. A task is "
        "completed only if its requirements were verified; the artifact has the evidence.",
        version=importlib.metadata.version("deskcrew"),
        supported_interfaces=[AgentInterface(url=address + CALLS, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain", "application/json"],
        skills=[
            AgentSkill(
                id="task",
                name="Do a task on a computer",
                description="Works with files, programs and pages, and reports the evidence for each requirement.",
                tags=["computer use", "files", "browser"],
                examples=["Add up the column amount of https://example.org/sales.csv"],
            )
        ],
        security_schemes={"token": SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="bearer"))},
        security_requirements=[SecurityRequirement(schemes={"token": StringList()})],
    )
