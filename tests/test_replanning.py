"""What a planner's reply makes of the plan: needs and expected states, and changes to single subtasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.said import SaidPlan
from deskcrew.engine.steps.planning import anew, changed
from deskcrew.errors import ModelFailure, PlanError
from deskcrew.facts import events as e
from deskcrew.facts.plan import Plan, chain
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits
from deskcrew.ways_in.report.render import outcome_words
from support.crew import bodies, planner_saying, settings_in
from support.messages import doing
from support.required import usual

PLAN = Plan().patched(chain(["a", "b", "c"], roles=["A", "B", "C"])).done("1")


def order(plan: Plan) -> list[str]:
    return [subtask.goal for subtask in plan.in_order]


def change(plan: Plan = PLAN, **reply: Any) -> Plan:
    return plan.patched(changed(plan, SaidPlan.model_validate(reply)))


def given(goal: str, **more: Any) -> dict[str, Any]:
    """What a planner says of a subtask."""
    return {"goal": goal, **more}


def planned_anew(*subtasks: dict[str, Any]) -> Plan:
    return PLAN.patched(anew(PLAN, SaidPlan.model_validate({"subtasks": subtasks}).subtasks))


def test_new_subtasks_follow_each_other_unless_they_say_what_they_need() -> None:
    goals = [given("x"), given("y")]
    assert [s.needs for s in planned_anew(*goals).subtasks] == [(), ("1",), ("4",)]
    free = [given("x", needs=["1"], expect="X"), given("y", needs=[])]
    plan = planned_anew(*free)
    assert [(s.id, s.needs, s.expect) for s in plan.subtasks[1:]] == [("4", ("1",), "X"), ("5", (), "")]


def test_what_needs_itself_or_what_is_gone_is_refused_in_words_for_the_planner() -> None:
    for needs, said in ((["4"], "circle"), (["2"], "needs '2', which is not in the plan")):
        with pytest.raises(PlanError, match=said):
            planned_anew(given("x", needs=needs))


def test_changes_are_made_one_after_the_other() -> None:
    plan = change(
        drop=["2"],
        revise=[{"subtask": "3", "goal": "C", "role": None}],
        insert=[{"goal": "x", "before": "3"}, {"goal": "y", "before": "3"}, {"goal": "z", "before": "end"}],
    )
    assert order(plan) == ["a", "x", "y", "C", "z"]
    assert plan.subtask("3").role is None, "who does what is reworded is asked again"
    assert [s.id for s in plan.subtasks] == ["1", "3", "4", "5", "6"], "the number of what was dropped is not used again"


def test_a_revised_subtask_keeps_what_nobody_spoke_of() -> None:
    plan = change(revise=[given("C", subtask="3", needs=[])])
    assert plan.subtask("3").needs == ()
    assert change(plan, revise=[{"subtask": "2", "goal": "B"}]).subtask("2").needs == ("1",)


def test_the_last_one_waits_for_all_others_whatever_their_order() -> None:
    plan = change(insert=[{"goal": "x", "before": "2"}, {"goal": "z", "before": "end"}])
    assert order(plan) == ["a", "x", "b", "c", "z"]
    assert plan.subtask("5").needs == ("3",)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (given("x"), "Nothing of the plan would change"),
        ({"revise": [{"subtask": "3", "goal": "c", "role": "C"}]}, "Nothing of the plan would change"),
        ({"revise": [{"subtask": "2", "goal": "x"}], "drop": ["2"]}, "'2' is both revised and dropped"),
        ({"drop": ["1"]}, "is done and cannot change"),
        ({"drop": ["3"], "insert": [{"goal": "x", "before": "3"}]}, "no subtask '3'"),
        ({"revise": [{"subtask": "2", "goal": "b", "needs": ["3"]}]}, "circle"),
    ],
)
def test_what_cannot_be_is_refused_in_words_for_the_planner(reply: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        change(**reply)


CREW = """\
name = "graph"
description = "A graph of subtasks, each checked."
pool = ["LocalExecutor"]
assigns = []
review = "rules"
checker = "LocalChecker"
"""
TASK = 'Write "5" into total.txt.'


async def graph(
    folder: Path, replies: Sequence[Mapping[str, Any] | Exception], *, replan: str = "patch"
) -> tuple[Journal, list[Call]]:
    settings, model = settings_in(folder), ScriptedModel(replies)
    says = ("needs", "changes") if replan == "patch" else ("needs",)
    planner_saying(settings, *says, like="graph_planner")
    (settings.config / "crews").mkdir(parents=True)
    (settings.config / "crews" / "graph.toml").write_text(CREW)
    (folder / "work").mkdir()
    request = RunRequest(
        task=TASK, crew="graph", model="scripted:x", workspace=folder / "work", desktop="none", limits=Limits(replans=1),
        required=usual(TASK),
    )  # fmt: skip
    return await session.run(request, settings, model=model), model.calls


def planned(*needs: list[str]) -> dict[str, Any]:
    entries = [{"goal": f"goal {number}", "needs": each} for number, each in enumerate(needs, 1)]
    return {"subtasks": entries}


WRITES = doing({"function": "write_file", "file_path": "total.txt", "text": "5"}, branch="RoleTaskFinish")
DONE = doing(branch="RoleTaskFinish")
ACCEPT = {"why": "", "verdict": "accept"}


@pytest.mark.anyio
async def test_subtasks_are_done_in_the_order_of_their_needs(tmp_path: Path) -> None:
    journal, calls = await graph(tmp_path, [planned(["2"], ["8"]), planned(["2"], []), WRITES, ACCEPT, DONE, ACCEPT])
    assert "needs '8', which is not in the plan" in calls[1].text("volatile")
    assert [call.text("volatile").split("Your phase: ")[1].split("\n")[0] for call in calls[2:5:2]] == ["goal 2", "goal 1"]
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("replan", "again"),
    [("patch", {"insert": [given("new", before="2", needs=[])]}), ("anew", planned([], []))],
)
async def test_without_appeals_a_plan_that_the_checker_rejects_is_made_again(
    tmp_path: Path, replan: str, again: dict[str, Any]
) -> None:
    rejects = {"why": "goal 2 lacks SOMETHING", "verdict": "replan"}
    replies = [planned([], ["1"]), WRITES, ACCEPT, DONE, rejects, again, *(DONE, ACCEPT) * 2]
    journal, calls = await graph(tmp_path, replies, replan=replan)
    assert "This plan did not work: goal 2 lacks SOMETHING" in calls[5].text("volatile")
    assert "2. goal 2 (LocalExecutor, after 1)" in calls[5].text("memory")
    plans = [body.plan for body in bodies(journal, e.PlanPatched) if body.by == "Planner"]
    ids = (
        [("1", "done"), ("2", "todo"), ("3", "todo")] if replan == "patch" else [("1", "done"), ("3", "todo"), ("4", "todo")]
    )
    assert [(s.id, s.status) for s in plans[-1].subtasks] == ids
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"


WRONG = doing({"function": "write_file", "file_path": "total.txt", "text": "6"}, branch="RoleTaskFinish")
GONE = ModelFailure("The server is gone.")
FAILED = [planned([]), WRONG, ACCEPT]
"""Replies up to the planner's, once the result was seen to be wrong."""


@pytest.mark.anyio
async def test_a_run_that_ends_after_its_check_failed_keeps_what_was_seen(tmp_path: Path) -> None:
    journal, _ = await graph(tmp_path, [*FAILED, GONE])
    outcome = journal.state.outcome
    assert outcome is not None
    seen = next(event.number for event in journal.events if isinstance(event.body, e.Proved))
    assert [proof.holds for proof in outcome.proofs] == [False]
    assert outcome.proofs[0].found.endswith(f"as of event {seen})")
    assert outcome.why.startswith("1 of 1 requirements did not hold when they were checked. Then: ")
    assert outcome_words(outcome).startswith("failed: 1 of 1 requirement did not hold; then the model gave")


@pytest.mark.anyio
async def test_what_was_done_after_a_check_is_not_checked(tmp_path: Path) -> None:
    goes_on = doing({"function": "write_file", "file_path": "other.txt", "text": "5"}, branch="Continue")
    again = {"subtasks": [given("again", needs=[])]}
    journal, _ = await graph(tmp_path, [*FAILED, again, goes_on, GONE], replan="anew")
    assert journal.state.outcome is not None
    [proof] = journal.state.outcome.proofs
    assert proof.holds is None
    assert "it did not hold at event" in proof.found
    assert journal.state.outcome.why.startswith("The server is gone.")
