"""Sampling: freer after a failure of the same role, as before once that role succeeds, and nobody else's business."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.models.client import Call
from support.crew import by_role, settings_in

pytestmark = pytest.mark.anyio


async def test_it_rises_with_failures_in_a_row_and_falls_back_with_the_next_success(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    there = {"function": "write_file", "file_path": "a.txt", "text": "x"}
    missing = [{"function": "read_file", "file_path": f"missing-{number}.txt"} for number in range(3)]
    waiting: list[list[dict[str, Any]]] = [
        [missing[0]],
        [missing[1]],
        [there],
        [missing[2]],
        [there | {"file_path": "b.txt"}],
    ]
    asked: list[tuple[str, float]] = []

    def noted(reply: Any) -> Any:
        def answer(call: Call) -> Any:
            asked.append((call.role, call.temperature))
            return reply() if callable(reply) else reply

        return answer

    def manager() -> dict[str, Any]:
        if waiting:
            return {"operations": waiting.pop(0), "branch": "Continue"}
        return {"operations": [], "branch": "Interrupt", "problem": "enough"}

    model = by_role(
        Planner=noted({"subtasks": [{"goal": "write a.txt", "role": "FileManager"}]}),
        FileManager=noted(manager),
        Reviewer=noted({"analyze": "", "verdict": "continue", "judgement": ""}),
        TaskScheduler=noted({}),
    )
    request = RunRequest(task="Write a.txt.", model="scripted:", workspace=tmp_path / "work", desktop="none", crew="planned")
    await session.run(request, settings_in(tmp_path), model=model)
    assert [round(heat, 1) for role, heat in asked if role == "FileManager"] == [0.0, 0.3, 0.6, 0.0, 0.3, 0.0]
    assert {heat for role, heat in asked if role != "FileManager"} == {0.0}
