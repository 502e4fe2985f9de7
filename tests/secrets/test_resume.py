"""A run that had secrets goes on with them or not at all: without their values nothing could be kept from being written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import rewind, session
from deskcrew.engine.request import RunRequest, secrets_of
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.journal.store import Store
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from deskcrew.secrets.redactor import Redactor
from support.canary import CANARY, spoken, told_in
from support.crew import settings_in

pytestmark = pytest.mark.anyio


def crew() -> ScriptedModel:
    def replies() -> Any:
        yield {"operations": [{"function": "read_file", "file_path": "told.txt"}], "branch": "Continue"}
        while True:
            yield {"operations": [], "branch": "Interrupt", "problem": "enough"}

    return ScriptedModel(replies())


async def test_with_its_secrets_or_not_at_all(tmp_path: Path) -> None:
    work, settings = tmp_path / "work", settings_in(tmp_path)
    work.mkdir()
    (work / "told.txt").write_text(spoken())
    request = RunRequest(
        task="Read told.txt", model="scripted:none", crew="solo", workspace=work, desktop="none", secrets=(CANARY,)
    )
    await session.run(request, settings, model=crew())

    journal = Store(settings.journal).journal("last")
    assert secrets_of(journal) == {"mail"}
    journal.redactor = Redactor([CANARY])
    points = session.points_of(work, journal)
    reply = next(event for event in journal.events if isinstance(event.body, e.RoleReplied))
    rewind.go_back(journal, rewind.to_reply(journal, reply.number, points), points, say="again")
    journal.close()
    assert (work / "told.txt").read_text() == spoken(), "what a save point did not keep is left alone"

    with pytest.raises(UsageError, match="without its secrets: mail"):
        await session.resume(journal.run, settings, model=crew())
    second = crew()
    await session.resume(journal.run, settings, change=lambda request: replace(request, secrets=(CANARY,)), model=second)
    assert second.calls
    assert [told_in(call.text().encode()) for call in second.calls if isinstance(call, Call)] == [[]] * len(second.calls)
    for path in (tmp_path / "data").rglob("*"):
        assert not path.is_file() or told_in(path.read_bytes()) == [], path
