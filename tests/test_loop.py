"""The loop with a scripted model on a real workspace and sandbox."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskcrew import session
from deskcrew.errors import UsageError
from deskcrew.journal.store import Journal, Store
from deskcrew.models.scripted import ScriptedModel
from deskcrew.session import RunRequest
from deskcrew.settings import Limits, Settings

pytestmark = pytest.mark.anyio

PLAN = {"subtasks": [{"goal": "write hello", "role": "FileManager"}], "question": "", "files": []}
WRITE = {
    "operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}],
    "branch": "RoleTaskFinish",
}
TASK = 'Write "hello" into hello.txt.'


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", models=tmp_path / "models", config=tmp_path / "config")


Go = Callable[..., Any]


@pytest.fixture
def go(settings: Settings, tmp_path: Path) -> Go:
    async def run(task: str, *replies: Any, **changes: Any) -> Journal:
        request = RunRequest(task=task, workspace=tmp_path / "work", desktop="none", model="scripted", **changes)
        return await session.run(request, settings, model=ScriptedModel(replies))

    return run


async def test_one_file_action_is_done_and_verified_by_rules(go: Go, tmp_path: Path) -> None:
    journal = await go(TASK, PLAN, WRITE)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.verified_by) == ("done", "rules"), outcome
    assert (tmp_path / "work/hello.txt").read_text() == "hello"
    assert journal.verify() == []
