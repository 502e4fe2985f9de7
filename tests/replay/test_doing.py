"""Live replay of files and programs without a desktop: what is done again, where it stops, who goes on, how it ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval
from deskcrew.engine.human.responder import Nobody
from deskcrew.engine.replay.live import Live, LiveRequest, replay_live, request_again
from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.contract import Contract, Requirement
from deskcrew.journal.journal import Journal
from deskcrew.learning.repeating.recording import recording
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits
from support.crew import bodies, by_role, done, settings_in
from support.required import required

pytestmark = pytest.mark.anyio

PLAN = {
    "subtasks": [{"goal": "Add up numbers.txt", "role": "Programmer"}, {"goal": "Write sum.txt", "role": "FileManager"}],
    "question": "",
}
TASK = "Add up numbers.txt and write the sum into sum.txt."
ADD = {"function": "run_python_code", "code": "print(sum(map(int, open('numbers.txt').read().split())))"}
FAILS = {"function": "run_python_code", "code": "raise SystemExit(3)"}
WANTED = required("file_contains sum.txt 42")
PROBE = """def requirement_1(start, end):
    total, said = sum(map(int, (start / "numbers.txt").read_text().split())), (end / "sum.txt").read_text()
    return said.replace(",", "") == str(total), f"it is {said}, not {total}"
"""
READ = {"function": "read_file", "file_path": "numbers.txt"}


def writes(text: str) -> dict[str, Any]:
    return {"function": "write_file", "file_path": "sum.txt", "text": text}


def of(*operations: dict[str, Any], branch: str = "RoleTaskFinish") -> dict[str, Any]:
    return {"operations": list(operations), "branch": branch}


async def record(
    folder: Path,
    *replies: Any,
    task: str = TASK,
    crew: str = "planned",
    numbers: str = "30 12",
    wanted: Contract | None = WANTED,
) -> Journal:
    work = folder / "recorded"
    work.mkdir()
    (work / "numbers.txt").write_text(numbers)
    request = RunRequest(task=task, model="scripted:x", workspace=work, crew=crew, desktop="none", required=wanted)
    return await session.run(request, settings_in(folder), model=ScriptedModel(replies))


async def again(source: Journal, folder: Path, numbers: str | None = "1 2 3", **more: Any) -> Live:
    """Do it again on other numbers."""
    of_run = {name: more.pop(name) for name in ("policy", "mode", "limits") if name in more}
    others = {name: more.pop(name) for name in ("model", "human") if name in more}
    work = folder / "again"
    work.mkdir(exist_ok=True)
    if numbers is not None:
        (work / "numbers.txt").write_text(numbers)
    live = LiveRequest(replace(request_again(source, settings_in(folder)), workspace=work, **of_run), patience=0.2, **more)
    return await replay_live(source, None, live, settings_in(folder), **others)


def outcome(live: Live) -> Any:
    assert live.journal.state.outcome is not None
    return live.journal.state.outcome


async def test_what_failed_is_not_done_again(tmp_path: Path) -> None:
    source = await record(tmp_path, PLAN, of(FAILS, branch="Continue"), of(ADD), of(writes("42")))
    assert done(source) == ["run_python_code", "run_python_code", "write_file"]
    live = await again(source, tmp_path)
    assert outcome(live).status == "done", outcome(live)
    assert outcome(live).verified_by == "rules"
    assert done(live.journal) == ["run_python_code", "write_file"]
    assert (tmp_path / "again" / "sum.txt").read_text() == "6"
    assert [s.status for s in live.journal.state.plan.subtasks] == ["done", "done"]
    numbers = [step.number for step in recording(source).steps]
    proposed = bodies(live.journal, e.OperationProposed)
    assert [body.intention for body in proposed] == [f"as event {number} of run {source.run}" for number in numbers]
    assert live.journal.verify() == []


async def test_a_result_that_cannot_be_told_is_a_mismatch(tmp_path: Path) -> None:
    """The new output has another form, so nobody knows what a number of the old one is now."""
    lists = {"function": "run_python_code", "code": "n = open('numbers.txt').read().split()\nprint(*n, sum(map(int, n)))"}
    source = await record(tmp_path, PLAN, of(lists), of(writes("30 12 42, the largest is 30")))
    live = await again(source, tmp_path, "1 2 3 4")
    assert outcome(live).reason == "mismatch"
    assert live.mismatch is not None
    assert "'30' was in what event" in live.mismatch.found
    assert done(live.journal) == ["run_python_code"]


async def test_a_goal_that_does_not_hold_is_no_success(tmp_path: Path) -> None:
    """The result was written otherwise than printed, which a replay cannot see; the goal's probe can."""
    sums = Requirement(id="1", says="sum.txt holds the sum", seen_by="probe", files=("sum.txt",))
    wanted = Contract(by="user", requirements=(sums,))
    replies = PLAN, of(ADD), of(writes("1,000")), {"code": PROBE}
    source = await record(tmp_path, *replies, numbers="400 600", wanted=wanted)
    assert source.state.outcome is not None
    assert source.state.outcome.status == "done", source.state.outcome
    live = await again(source, tmp_path)
    assert (tmp_path / "again" / "sum.txt").read_text() == "1,000"
    assert outcome(live).status == "failed"
    assert outcome(live).reason == "mismatch"
    assert "1,000, not 6" in outcome(live).why


@pytest.mark.parametrize("back", [True, False], ids=["and put back", "for good"])
async def test_the_crew_goes_on_in_the_open_part_alone(tmp_path: Path, back: bool) -> None:
    """A file of the user's is taken away before it is read again, by no step of the run: it is done only if the file is
    there in the end as it was, and says whose change it is."""
    source = await record(tmp_path, PLAN, of(ADD), of(READ, writes("42")))
    told: list[str] = []

    def goes_on(call: Call) -> dict[str, Any]:
        told.append(call.text())
        if back:
            (tmp_path / "again" / "numbers.txt").write_text("1 2 3")
        return of(writes("6"))

    def removes_numbers(event: e.Event, journal: Journal) -> None:
        body = event.body
        if isinstance(body, e.Judged) and body.scope == "subtask" and not told:
            (tmp_path / "again" / "numbers.txt").unlink(missing_ok=True)

    model = by_role(FileManager=goes_on)  # any other role would be a KeyError
    work = tmp_path / "again"
    work.mkdir()
    (work / "numbers.txt").write_text("1 2 3")
    asked = replace(request_again(source, settings_in(tmp_path)), workspace=work, limits=Limits(replans=0))
    live_request = LiveRequest(asked, hand_over=True, patience=0.2)
    live = await replay_live(source, None, live_request, settings_in(tmp_path), model=model, watch=removes_numbers)
    assert live.mismatch is not None
    ended = ("done", ()) if back else ("unverified", ("numbers.txt",))
    assert (outcome(live).status, outcome(live).unordered) == ended, outcome(live)
    assert back or outcome(live).why.startswith("changed by somebody else while the run was at work: numbers.txt")
    assert done(live.journal) == ["run_python_code", "read_file", "write_file"]
    assert "Nothing of this part is done" in told[0]
    assert "Next was to be read_file" in told[0]
    assert "numbers.txt" in told[0]
    resumed = bodies(live.journal, e.RunResumed)
    assert [body.model for body in resumed] == ["scripted"]


async def test_an_answer_is_unverified_without_a_reader(tmp_path: Path) -> None:
    plan = {"subtasks": [{"goal": "Add them up", "role": "Programmer"}], "question": "What is the sum?"}
    answers = {"answer": "42", "sources": [], "branch": "Continue"}
    source = await record(tmp_path, plan, of(ADD), answers, task="What is the sum of numbers.txt?", wanted=None)
    assert source.state.outcome is not None
    assert source.state.outcome.answer == "42", source.state.outcome
    live = await again(source, tmp_path)
    assert outcome(live).status == "unverified"
    assert outcome(live).answer == "6"
    assert len(outcome(live).sources) == 1
    assert bodies(live.journal, e.RoleCalled) == []


async def test_a_run_that_ended_in_the_middle_is_no_whole_one(tmp_path: Path) -> None:
    gives_up = {"operations": [], "branch": "Interrupt", "problem": "no idea"}
    source = await record(tmp_path, PLAN, of(ADD), gives_up)
    live = await again(source, tmp_path)
    assert outcome(live).status == "failed"
    assert "Write sum.txt" in outcome(live).why


async def test_a_person_may_be_asked_anew(tmp_path: Path) -> None:
    source = await record(tmp_path, PLAN, of(ADD), of(writes("42")))
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rules]]\nname = "careful"\neffect = "ask"\naction = "write_file"\n')
    asked: list[Any] = []

    class Person(Nobody):
        async def ask(self, question: Any) -> Any:
            asked.append(question.operation)
            return Approval(allowed=len(asked) < 2)

    live = await again(source, tmp_path, policy=policy, mode="passive", human=Person())
    assert outcome(live).status == "done", outcome(live)
    assert [operation.params["text"] for operation in asked] == ["6"]
    (tmp_path / "again" / "sum.txt").unlink()
    live = await again(source, tmp_path, policy=policy, mode="passive", human=Person())
    assert outcome(live).status == "denied"
    assert not (tmp_path / "again" / "sum.txt").exists()


async def test_the_limits_hold(tmp_path: Path) -> None:
    source = await record(tmp_path, PLAN, of(ADD), of(writes("42")))
    live = await again(source, tmp_path, limits=Limits(operations=1))
    assert outcome(live).reason == "bound:operations"
    assert done(live.journal) == ["run_python_code"]


async def test_a_run_that_did_nothing_is_refused(tmp_path: Path) -> None:
    gives_up = {"operations": [], "branch": "Interrupt", "problem": "no idea"}
    source = await record(tmp_path, PLAN, gives_up)
    with pytest.raises(UsageError, match="has no operations that could be repeated"):
        await again(source, tmp_path)
