"""The state of a run is a fold over its events: the same from any prefix, in memory or from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.errors import CrewMistake
from deskcrew.facts.events import (
    ActionFinished,
    ActionStarted,
    Event,
    HumanSaid,
    Judged,
    Observed,
    Operation,
    OperationProposed,
    OperationSkipped,
    PlanPatched,
    RoleReplied,
)
from deskcrew.facts.observation import Evidence
from deskcrew.facts.plan import Plan, PlanPatch, chain
from deskcrew.facts.verdict import Branch, Verdict
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import accepted
from deskcrew.journal.store import Store
from support.bodies import bodies, ordinary_run, started

PHASES = [
    "plan",
    "plan",
    "plan",
    "plan",
    "plan",
    "decide",
    "decide",
    "decide",
    "decide",
    "execute",
    "execute",
    "execute",
    "decide",
    "decide",
    "execute",
    "execute",
    "execute",
    "recover",
    "recover",
    "recover",
    "recover",
    "review",
    "review",
    "judge",
    "judge",
    "decide",
    "judge",
    "decide",
    "decide",
    "execute",
    "execute",
    "execute",
    "recover",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "decide",
    "answer",
    "answer",
    "answer",
    "answer",
    "answer",
    "answer",
    "end",
    "compare",
    *["end"] * 3,
]
"""What is next after each event of the ordinary run."""


def fold(events: list[Event]) -> RunState:
    state = RunState()
    for event in events:
        state.apply(event)
    return state


def test_every_prefix_read_from_disk_folds_to_the_state_of_that_moment(tmp_path: Path) -> None:
    first, *rest = ordinary_run()
    journal = Store(tmp_path / "j.db").create(first)
    for body in rest:
        journal.append(body)
        journal.commit()
        again = Store(tmp_path / "j.db").journal("last")
        assert again.events == journal.events
        assert again.state == journal.state
        assert fold(journal.events) == journal.state
        assert again.state.phase == PHASES[len(again.events) - 1]


def test_an_ordinary_run_is_counted_right(tmp_path: Path) -> None:
    first, *rest = ordinary_run()
    journal = Store(tmp_path / "j.db").create(first)
    for body in rest:
        journal.append(body)
    state = journal.state
    assert state.replies == {"Planner": 1, "Programmer": 5}, "what a person asked for is no step of the Operator (C37)"
    assert (state.operations, state.barred, state.replans) == (2, False, 0)
    assert state.repairs == {"1": 1}
    assert [found.text for found in state.collected] == ["42"]
    assert state.spent.calls == 8, "one of them to a grounding model"
    assert state.spent.input == 500
    assert state.spent.cost is None, "two calls had no price, so the sum is not known"
    assert state.plan.finished
    assert state.outcome is not None
    assert state.outcome.answer == "42"


@given(st.lists(bodies, max_size=12))
def test_folding_depends_on_nothing_but_the_events(given_bodies: list[Any]) -> None:
    journal = Store(Path(":memory:")).create(started())
    for body in given_bodies:
        try:
            journal.append(body)
        except (CrewMistake, ValueError, TypeError):
            return  # No loop writes that: an unknown subtask, a reply of no type.
        assert fold(journal.events) == journal.state
        assert journal.state.phase


def test_a_reply_is_carried_out_one_operation_at_a_time(tmp_path: Path) -> None:
    two = [Operation(function="click_input", control=label) for label in ("e1", "e2")]
    reply = {"branch": "Continue", "operations": [operation.model_dump(mode="json") for operation in two]}
    journal = Store(tmp_path / "j.db").create(started())
    journal.append(RoleReplied(role="Operator", subtask="1", reply=reply))
    decision = journal.state.decision
    assert decision is not None
    assert (decision.operations, decision.total, decision.branch) == (two, 2, Branch.CONTINUE)


@pytest.mark.parametrize("times", [1, 3])
def test_the_same_operation_on_an_unchanged_screen_is_counted(tmp_path: Path, times: int) -> None:
    journal = Store(tmp_path / "j.db").create(started())
    for params in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 2})[:times]:
        journal.append(OperationProposed(role="r", subtask="1", operation=Operation(function="f", params=params)))
        journal.append(OperationSkipped(why="that is not what is tested here"))
    assert list(journal.state.unchanged.values()) == [times]


def test_what_a_reviewer_says_is_of_the_operation_and_not_of_its_own_reply(tmp_path: Path) -> None:
    journal = Store(tmp_path / "j.db").create(started())
    operation = Operation(function="f")
    acted: dict[str, Any] = {"role": "r", "subtask": "1", "operation": operation}
    reply = {"operations": [operation.model_dump(mode="json")] * 2, "branch": "Continue", "message": "from r"}
    journal.append(RoleReplied(role="r", subtask="1", reply=reply))
    for kind, why in (("continue", "as meant"), ("repair", "not as meant")):
        journal.append(ActionStarted(**acted, effect="none"))
        journal.append(ActionFinished(**acted, ok=True, text="fine"))
        journal.append(RoleReplied(role="Reviewer", subtask="1", reply={"verdict": kind, "judgement": why}))
        verdict = Verdict.model_validate({"kind": kind, "why": why})
        journal.append(Judged(scope="effect", subtask="1", verdict=verdict, by="model"))
    first, *reviews = journal.state.turns
    assert [(done.ok, done.verdict) for done in first.done] == [(True, "as meant"), (False, "not as meant")]
    assert not any(turn.done for turn in reviews)
    told = [(each.kind, each.sender, each.receiver, each.text) for each in journal.state.messages]
    # The reviewer is no agent: the note waits for the next one. Of what was said of the work, only the latest counts.
    assert told == [("note", "r", "decision", "from r"), ("judgement", "Reviewer", "r", "not as meant")]


@pytest.mark.parametrize(
    ("shown", "outdated"),
    [
        (Evidence(controls_appeared=("text 'Booked, 2 seats left'",)), True),
        (Evidence(titles_changed=(("Form", "Thanks"),)), True),
        (Evidence(files_created=("a.txt",), files_changed=("b.txt",), pixels_changed=True, exit_code=0), False),
    ],
)
def test_an_answer_is_outdated_once_the_screen_shows_what_its_own_operations_came_to(
    tmp_path: Path, shown: Evidence, outdated: bool
) -> None:
    journal = Store(tmp_path / "j.db").create(started())
    operation = Operation(function="f")
    acted: dict[str, Any] = {"role": "r", "subtask": "1", "operation": operation}
    reply = {"operations": [operation.model_dump(mode="json")], "branch": "RoleTaskFinish", "answer": "3 seats are left"}
    journal.append(RoleReplied(role="r", subtask="1", reply=reply))
    journal.append(Observed(observation="a" * 64, evidence=Evidence(titles_changed=(("", "Form"),))))
    journal.append(ActionStarted(**acted, effect="none"))
    finished = journal.append(ActionFinished(**acted, ok=True))
    journal.append(Observed(observation="b" * 64, evidence=shown), cause=finished)
    assert [found.outdated for found in journal.state.collected_by("answer")] == [outdated]
    assert len(accepted(journal.state.collected)) == (not outdated)


def replying(role: str, **more: Any) -> RoleReplied:
    return RoleReplied(role=role, subtask="1", reply={"operations": [], "branch": "Continue", **more})


def test_what_is_said_of_the_work_lasts_until_its_role_has_replied(tmp_path: Path) -> None:
    journal = Store(tmp_path / "j.db").create(started())
    said: list[str] = []
    journal.append(replying("r"))
    for scope, by, why in (
        ("effect", "model", "look left"), ("subtask", "rules", ""), ("subtask", "rules", "not finished"),
        ("effect", "rules", "its result says this"),
    ):  # fmt: skip
        verdict = Verdict(kind="continue", why=why)
        journal.append(Judged.model_validate({"scope": scope, "subtask": "1", "verdict": verdict, "by": by}))
        said.append(journal.state.judgement)
    assert said == ["look left", "look left", "not finished", "not finished"]
    journal.append(replying("s"))
    assert journal.state.judgement == "not finished", "it was said to another"
    journal.append(replying("r"))
    assert journal.state.judgement == ""
    assert journal.state.turns[-1].heard[0].text == "not finished"


def test_a_refusal_is_said_to_whoever_assigns_and_not_to_the_next_agent(tmp_path: Path) -> None:
    journal = Store(tmp_path / "j.db").create(started())
    plan = Plan().patched(chain(["a"], roles=["r"]))
    journal.append(PlanPatched(by="planner", patch=chain(["a"], roles=["r"]), plan=plan))
    journal.append(replying("r", branch="TaskMismatch"))
    journal.append(Judged(scope="subtask", subtask="1", verdict=Verdict(kind="reassign", why="not mine"), by="rules"))
    told = [(each.sender, each.receiver, each.kind) for each in journal.state.messages]
    assert told == [("r", "schedule", "refusal")]
    patch = PlanPatch(edit=(plan.subtask("1").model_copy(update={"role": "s"}),))
    journal.append(PlanPatched(by="TaskScheduler", patch=patch, plan=journal.state.plan.patched(patch)))
    assert journal.state.messages == ()


def test_what_a_person_says_to_one_role_is_its_own_and_stays_to_the_end(tmp_path: Path) -> None:
    journal = Store(tmp_path / "j.db").create(started())
    journal.append(HumanSaid(kind="guide", role="r", text="in blue"))
    journal.append(replying("s"))
    assert [each.receiver for each in journal.state.messages] == ["r"]
    journal.append(replying("r", message="a note"))
    assert [each.text for each in journal.state.messages] == ["in blue", "a note"]
    journal.append(HumanSaid(kind="guide", text="and bold"))
    assert [(each.receiver, each.text) for each in journal.state.messages] == [("r", "in blue"), ("r", "and bold")]
    journal.append(replying("r"))
    assert journal.state.turns[-1].heard == ()
    assert [each.text for each in journal.state.guidance] == ["in blue", "and bold"]


def test_a_run_that_is_stopped_does_not_go_on_with_a_review(tmp_path: Path) -> None:
    """What stopped it may be just that no review can be had."""
    journal = Store(tmp_path / "j.db").create(started())
    acted: dict[str, Any] = {"role": "r", "subtask": "1", "operation": Operation(function="f")}
    journal.append(ActionStarted(**acted, effect="none"))
    journal.append(ActionFinished(**acted, ok=True))
    assert journal.state.phase == "review"
    journal.append(Judged(scope="goal", verdict=Verdict(kind="stop", reason="model"), by="rules"))
    assert journal.state.phase == "finish"
