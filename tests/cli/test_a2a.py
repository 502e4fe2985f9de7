"""``deskcrew a2a``, spoken to by the SDK's own client over HTTP on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import pytest

from deskcrew.ways_in.cli.served import Served
from deskcrew.ways_in.web.serving import listen, server
from support.required import have_writers, wanting
from support.runs import There, own_runtime, there

__all__ = ["own_runtime", "there"]
pytestmark = pytest.mark.anyio
TOKEN = "a-token-that-is-long-enough"
ENDS: dict[str, Any] = {"operations": [], "branch": "Interrupt", "problem": "enough"}
WRITES: dict[str, Any] = {"operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}]}
DONE: list[Any] = [wanting("file_contains hello.txt hello"), WRITES | {"branch": "RoleTaskFinish"}]
DELETES: list[Any] = [
    WRITES | {"branch": "Continue"},
    {"operations": [{"function": "run_shell", "command": "rm hello.txt"}], "branch": "Continue"},
    ENDS,
]


class Agent:
    """An agent that has tasks done."""

    def __init__(self, there: There, client: Any) -> None:
        self.there, self.client, self.task, self.context = there, client, "", ""
        self.states: list[int] = []
        self.said: list[str] = []
        self.evidence: list[Any] = []

    async def says(self, text: str, until: int | None = None) -> None:
        """Say it, and listen until the task waits or has ended, or is in a state."""
        from a2a.helpers import get_data_parts, get_message_text, new_text_message
        from a2a.types import Role, SendMessageRequest

        message = new_text_message(text, task_id=self.task or None, context_id=self.context or None, role=Role.ROLE_USER)
        with anyio.fail_after(150):
            async for reply in self.client.send_message(SendMessageRequest(message=message)):
                if reply.HasField("task"):
                    self.task, self.context = reply.task.id, reply.task.context_id
                if reply.HasField("artifact_update"):
                    self.evidence += get_data_parts(reply.artifact_update.artifact.parts)
                if reply.HasField("status_update"):
                    self.states.append(reply.status_update.status.state)
                    self.said.append(get_message_text(reply.status_update.status.message))
                    for run in self.there.runs_there():
                        self.there.known(run)
                    if until == self.states[-1]:
                        return


@asynccontextmanager
async def agent(there: There, replies: list[Any], *, may_approve: bool = False) -> AsyncIterator[tuple[Agent, str]]:
    from a2a.client import ClientConfig, create_client

    from deskcrew.ways_in.cli.a2a_server import build

    settings = there.settings.model_copy(update={"model": there.request(replies).model, "crew": "solo"})
    place = listen("127.0.0.1", 0, ())
    serving = server(build(Served(settings, may_approve=may_approve), place.origins[0], TOKEN, "none"), place)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: serving.serve(sockets=[place.socket]))
        while not serving.started:  # noqa: ASYNC110 - it says no more
            await anyio.sleep(0.02)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(headers=headers, timeout=150) as http:
            client = await create_client(place.origins[0], ClientConfig(httpx_client=http, streaming=True))
            yield Agent(there, client), place.origins[0]
        serving.should_exit = True
    place.socket.close()


async def test_a_task_is_done_with_its_evidence_and_only_with_the_token(there: There) -> None:
    from a2a.types import GetTaskRequest, TaskState

    have_writers(there.settings.config)
    async with agent(there, DONE, may_approve=True) as (other, address):
        async with httpx.AsyncClient() as stranger:
            assert (await stranger.post(address, json={})).status_code == 401
            assert (await stranger.get(f"{address}/.well-known/agent-card.json")).json()["name"] == "Deskcrew"
        await other.says('Write "hello" into hello.txt.')
        assert other.states[-1] == TaskState.TASK_STATE_INPUT_REQUIRED, other.said
        assert "hello.txt contains 'hello'" in other.said[-1], "what must hold is agreed on"
        await other.says("yes")
        assert other.states[-1] == TaskState.TASK_STATE_COMPLETED, other.said
        assert TaskState.TASK_STATE_WORKING in other.states
        assert any("hello.txt" in line for line in other.said)
        (result,) = other.evidence
        assert result["outcome"] == "done"
        assert [each["holds"] for each in result["requirements"]] == [True]
        kept = await other.client.get_task(GetTaskRequest(id=other.task))
        assert kept.status.state == TaskState.TASK_STATE_COMPLETED
    (run,) = there.runs_there()
    begun = there.journal(run).state.started
    assert begun is not None
    assert begun.words_of == "agent", "what it says consents to nothing"


@pytest.mark.deep
async def test_permission_stays_with_a_person_and_a_task_can_be_cancelled(there: There) -> None:
    """Its runs begin in a folder that is empty, and taking away what they made themselves is no loss, so the person's own
    policy asks before commands."""
    from a2a.types import CancelTaskRequest, TaskState

    there.settings.config.mkdir(exist_ok=True)
    (there.settings.config / "policy.toml").write_text('[[rules]]\nname = "careful"\neffect = "ask"\naction = "run_shell"\n')
    async with agent(there, DELETES) as (other, _):
        await other.says("Tidy up.")
        assert other.states[-1] == TaskState.TASK_STATE_INPUT_REQUIRED, other.said
        assert "rm hello.txt" in other.said[-1]
        await other.says("yes")
        assert other.states[-1] == TaskState.TASK_STATE_INPUT_REQUIRED
        assert "Only a person may allow this" in other.said[-1]
        ended = await other.client.cancel_task(CancelTaskRequest(id=other.task))
        assert ended.status.state == TaskState.TASK_STATE_CANCELED
    (run,) = there.runs_there()
    journal = await there.ended(run)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "stopped"
