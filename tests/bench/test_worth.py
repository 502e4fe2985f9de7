"""``bench worth``: faults are put into kept replies, a model goes on from there, and what came of it is counted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.environments.linux.conftest import needs_desktop

from deskcrew.models.client import Call
from deskcrew_bench import worth
from deskcrew_bench.desk.task import tasks_of
from support.crew import by_role, settings_in

pytestmark = pytest.mark.anyio
SUITE = Path(__file__).parents[2] / "bench" / "strong"
DECISION = {"operations": [{"function": "write_file", "file_path": "a.txt", "text": "27 of 1300"}], "branch": "Continue"}
PLAN = {"subtasks": [{"goal": "one", "role": "Ada"}, {"goal": "two", "role": "Bo"}]}
CODE = "import csv\nrows = list(csv.reader(open('a.csv')))\ntotal = len(rows)\nopen('b.txt', 'w').write(str(total))"


@pytest.mark.parametrize(
    ("kind", "reply", "says"),
    [
        ("wrong agent", PLAN, {"subtasks": [{"goal": "one", "role": "Bo"}, {"goal": "two", "role": "Bo"}]}),
        ("wrong value", DECISION, {"operations": [DECISION["operations"][0] | {"text": "27 of 1301"}]}),  # type: ignore
        ("step left out", PLAN, {"subtasks": [{"goal": "one", "role": "Ada"}]}),
        ("false claim", DECISION, {"operations": [], "branch": "RoleTaskFinish"}),
        ("false impossible", DECISION, {"operations": [], "branch": "Unanswerable"}),
        ("needless replan", {"why": "", "verdict": "accept"}, {"verdict": "replan"}),
        ("nothing", PLAN, PLAN),
    ],
)
def test_a_reply_gets_its_fault_and_stays_otherwise_as_it_was(
    kind: worth.Kind, reply: dict[str, Any], says: Mapping[str, Any]
) -> None:
    other = worth.altered(kind, reply, ("Ada", "Bo"))
    assert other is not None
    assert {**other, **says} == other
    assert other.keys() >= reply.keys()


def test_a_program_loses_its_last_statement() -> None:
    other = worth.altered("step left out", {"operations": [{"function": "run_python_code", "code": CODE}]}, ())
    assert other is not None
    assert "b.txt" not in json.dumps(other)
    assert "csv.reader" in json.dumps(other)


def test_where_a_fault_is_not_possible_there_is_none() -> None:
    assert worth.altered("wrong agent", DECISION, ("Ada", "Bo")) is None
    assert worth.altered("needless replan", DECISION, ()) is None
    assert worth.altered("wrong value", {"operations": [{"function": "write_file", "text": "row 3"}]}, ()) is None


def test_cases_are_of_crews_that_have_the_part_and_of_replies_there_are_without_it() -> None:
    tasks = tasks_of(SUITE, ["editor-sum"], "en")
    crews, parts = ("default", "cola", "mmac"), ("reviewer", "checker", "backtracker")
    found = [case for case, _ in worth.cases(tasks, crews, parts, ("false claim",))]
    assert {(case.crew, case.part, case.arm) for case in found} == {
        *((crew, "backtracker", arm) for crew in crews for arm in ("with", "without", "anew")),
        *(("cola", "reviewer", arm) for arm in ("with", "without")),
        *(("mmac", "checker", arm) for arm in ("with", "without")),
    }
    without = next(case for case in found if (case.part, case.arm) == ("reviewer", "without"))
    assert "Reviewer" not in {each.role for each in without.replies}


def test_intervals_are_wilsons() -> None:
    assert worth.wilson(0, 0) == (0.0, 1.0)
    assert worth.wilson(8, 10) == (0.49, 0.943)
    assert worth.wilson(10, 10)[0] == 0.722


def trial(**said: Any) -> worth.Trial:
    usual = {"task": "t", "language": "en", "crew": "c", "part": "checker", "arm": "with", "kind": "wrong value", "run": "r"}
    return worth.Trial(**(usual | {"right": True, "outcome": "done"} | said))


def test_what_is_counted() -> None:
    sound = trial(kind="nothing", caught=True)
    trials = [trial(caught=True, calls=4), trial(right=False), trial(outcome="failed", right=False, caught=True), sound]
    found = worth.totals([*trials, trial(apart=True)])
    altered, alarms = found.rows
    assert (altered.runs, altered.caught, altered.right, altered.wrong, altered.calls) == (3, 2, 1, 1, 4)
    assert (alarms.altered, alarms.caught) == (False, 1)
    assert found.apart == 1
    assert "1 sound" in worth.summary(found)


@pytest.mark.first_case
@pytest.mark.desktop
@pytest.mark.parametrize("arm", ["with", "without", "anew"])
async def test_a_model_goes_on_from_the_altered_reply_on(tmp_path: Path, arm: worth.Arm) -> None:
    needs_desktop()
    asked: list[Call] = []

    def noted(reply: Mapping[str, Any]) -> Any:
        return lambda call: (asked.append(call), reply)[1]

    model = by_role(
        Worker=noted({"operations": [], "branch": "Unanswerable", "problem": "There is no such page."}),
        Verifier=noted({"code": "def look(before, after, screen, answer):\n    return {}"}),
        Backtracker=noted({"why": "No.", "reply": "none"}),
    )
    tasks = tasks_of(SUITE, ["letter"], "en")
    found = [each for each in worth.cases(tasks, ["default"], ["backtracker"], ["false claim"]) if each[0].arm == arm]
    [(case, consents)] = found
    result = await worth.attempt(case, consents, settings_in(tmp_path), model)
    assert not result.apart
    assert result.caught
    assert not result.right
    assert result.calls == len(asked)
    assert "ContractWriter" not in {call.role for call in asked}, "it was asked before"
    assert ("Backtracker" in {call.role for call in asked}) == (arm == "with")
