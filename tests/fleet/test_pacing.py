"""A model whose rate is limited is asked when it is due, and whoever looks is told of the wait."""

from __future__ import annotations

import time

import pytest

from deskcrew.engine.roles.said import ReadText as Said
from deskcrew.models.client import Call, Model
from deskcrew.models.scripted import ScriptedModel
from deskcrew.ways_in.fleet import pacing
from deskcrew.ways_in.fleet.pacing import Paced
from deskcrew.ways_in.fleet.tasks import Task
from deskcrew.ways_in.fleet.work import perform
from fleet.conftest import Fleet

pytestmark = pytest.mark.anyio


async def test_a_request_waits_until_it_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "TOLD", 0.2)
    due, told = [0.0, 0.3], list[str]()
    asked: Model = ScriptedModel(["one", "two"])
    paced: Model = Paced(asked, lambda: due.pop(0), told.append)
    assert (paced.name, paced.profile) == (asked.name, asked.profile)
    call = Call(role="Worker", parts=(), max_tokens=10)
    assert (await paced.answer(call, Said)).raw == "one"
    assert told == []
    began = time.monotonic()
    assert (await paced.answer(call, Said)).raw == "two"
    assert time.monotonic() - began >= 0.3
    assert len(told) == 1
    assert "rate" in told[0]


def test_the_setting_holds_for_runs_of_a_fleet(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "TOLD", 0.0)
    model = fleet.script({"operations": [], "branch": "Interrupt", "problem": "enough"})
    settings = fleet.settings.model_copy(update={"rates": {model: 600.0}})
    (run,) = fleet.submit(Task(task="Do it."), model=model)
    perform(settings, run, "node")
    assert any("rate is limited" in line for line in fleet.log(run))
    assert fleet.submissions.reserve(model, 600.0) == 0
