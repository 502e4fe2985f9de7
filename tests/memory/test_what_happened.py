"""What is remembered is what happened: the plan as it was carried out, what judges said and evidence after them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.human.questions import Accepted, ReplyQuestion, Response
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.facts import events as e
from deskcrew.learning.memory.declaring import declare
from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.models.client import Profile
from deskcrew.settings import Settings
from support.crew import by_role, settings_in
from support.messages import Message, doing, messages

pytestmark = pytest.mark.anyio
TASK = 'Write "5" into total.txt.'


def write(text: str) -> dict[str, Any]:
    return {"function": "write_file", "file_path": "total.txt", "text": text}


def printing(text: str) -> dict[str, Any]:
    return {"function": "run_python_code", "code": f"open('total.txt', 'w').write({text!r})"}


def kept(settings: Settings, role: str, verdict: str = "proven") -> list[Entry]:
    memory = memory_of(settings)
    try:
        return [entry for entry in memory.all() if (entry.role, entry.verdict) == (role, verdict)]
    finally:
        memory.close()


async def remembered(folder: Path, crew: str, script: Sequence[Message], **more: Any) -> Settings:
    journal, _ = await messages(crew, folder, TASK, script, desktop="none", memory="on", **more)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    return settings_in(folder)


async def test_the_plan_is_remembered_as_it_was_carried_out_with_what_was_refused(tmp_path: Path) -> None:
    parts = [{"goal": "work out the TOTAL", "role": "Librarian"}, {"goal": "DELETE what is old", "role": "TeamProgrammer"}]
    accept: Message = ("Mentor", {"observation": "", "why": "seen", "verdict": "accept"})
    script: list[Message] = [
        ("TeamPlanner", {"subtasks": parts}),
        ("Librarian", doing(branch="TaskMismatch", problem="I cannot write")),
        (
            "TeamPlanner",
            {"revise": [{"subtask": "1", "goal": "write the TOTAL", "role": "TeamProgrammer"}], "drop": ["2"]},
        ),
        ("TeamProgrammer", doing(write("5"), branch="RoleTaskFinish")),
        accept,
        ("TeamPlanner", {"summary": "", "why": "", "verdict": "accept"}),
    ]
    settings = await remembered(tmp_path, "mmac", script)
    (plan,) = kept(settings, "TeamPlanner")
    assert "all of it as one subtask (TeamProgrammer)" in plan.decision
    assert "Librarian refused 'work out the TOTAL': I cannot write" in plan.decision
    assert "DELETE" not in plan.decision, "what was planned and not done is no plan that worked"
    assert [entry.situation for entry in kept(settings, "Librarian", "failed")] == ["work out the TOTAL"]


async def test_who_judges_remembers_what_evidence_said_later(tmp_path: Path) -> None:
    def checked(verdict: str, why: str) -> Message:
        return "LocalChecker", {"why": why, "verdict": verdict}

    phase: Message = ("GlobalPlanner", {"subtasks": [{"goal": "write the total", "expect": "it is there"}]})
    collation: Message = ("GlobalPlanner", {"summary": "", "why": "", "verdict": "accept"})
    script: list[Message] = [
        phase,
        ("LocalExecutor", doing(write("6"), branch="RoleTaskFinish")),
        checked("accept", "the file LOOKS right"),
        collation,
        phase,
        ("LocalExecutor", doing(write("7"), branch="RoleTaskFinish")),
        checked("repair", "seven is TOO many"),
        ("LocalExecutor", doing(write("5"), branch="RoleTaskFinish")),
        checked("accept", "now it holds"),
        collation,
    ]
    told = {entry.decision: entry.result for entry in kept(await remembered(tmp_path, "coact", script), "LocalChecker")}
    assert set(told) == {"accept: the file LOOKS right", "repair: seven is TOO many"}
    assert "no" in told["accept: the file LOOKS right"]
    assert told["repair: seven is TOO many"] == "so it was done otherwise, and held"


async def test_who_writes_code_remembers_how_it_was_mended(tmp_path: Path) -> None:
    def critic(verdict: str, score: int | None = None) -> Message:
        return "Critic", {"why": "seen", "verdict": verdict, "score": score}

    script: list[Message] = [
        ("GraphPlanner", {"subtasks": [{"goal": "write the total", "type": "code", "needs": []}]}),
        ("ToolGenerator", doing(printing("6"), branch="RoleTaskFinish")),
        critic("repair"),
        ("ToolRefiner", doing(printing("5"), branch="RoleTaskFinish")),
        critic("accept", 3),
    ]
    settings = await remembered(tmp_path, "friday", script)
    (wrote,), (mended,) = kept(settings, "ToolGenerator"), kept(settings, "ToolRefiner")
    assert wrote.decision == mended.decision
    assert "write('5')" in wrote.decision
    assert wrote.id != mended.id


async def test_a_correction_is_remembered_with_the_branch_that_followed_it(tmp_path: Path) -> None:
    said = ["Write it TWICE."]

    async def reply(question: ReplyQuestion) -> Response:
        if question.role == "FileManager" and said:
            return e.HumanSaid(kind="guide", text=said.pop())
        return Accepted()

    script: list[Message] = [
        ("Planner", {"subtasks": [{"goal": "write it", "role": "FileManager"}]}),
        ("FileManager", doing(write("5"), branch="RoleTaskFinish")),
        ("FileManager", doing(write("5"))),
        ("FileManager", doing(branch="RoleTaskFinish")),
    ]
    settings = await remembered(
        tmp_path,
        "planned",
        script,
        modes=(("FileManager", "active"),),
        human=PythonResponder(reply=reply, operation=lambda _: _yes()),
    )
    (corrected,) = kept(settings, "FileManager", "corrected")
    assert '"branch":"Continue"' in corrected.decision
    assert "RoleTaskFinish" not in corrected.decision


async def _yes() -> Accepted:
    return Accepted()


async def test_what_a_person_declared_reaches_the_contract(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    memory = memory_of(settings)
    declare(memory, "Totals are written in WORDS.", scope="user", place="", now=time.time())
    memory.close()
    model = by_role(
        Profile(name="strong", context=128_000, free_text="short", contracts=True),
        Worker=doing(branch="Interrupt", problem="enough"),
        ContractWriter={
            "requirements": [
                {
                    "parts": [1],
                    "says": "total.txt holds 5",
                    "seen_by": "checks",
                    "checks": [{"kind": "file_is", "target": "total.txt", "text": "5"}],
                }
            ]
        },
    )
    request = RunRequest(TASK, workspace=tmp_path / "work", desktop="none", memory="on", crew="default", model="scripted:x")
    await session.run(request, settings, model=model)
    told = {call.role: "Totals are written in WORDS." in call.text() for call in model.calls}
    assert told == {"ContractWriter": True, "Worker": True}
