"""Small changes to a plan, as a person asks for them."""

from __future__ import annotations

import pytest

from deskcrew.errors import PlanError
from deskcrew.human.planning import dropped, inserted, reworded
from deskcrew.plan import Plan, chain

PLAN = Plan().patched(chain(["a", "b", "c"], roles=["A", "B", "C"])).done("1")


def order(plan: Plan) -> list[str]:
    """Ids in the order in which they would be done."""
    found: list[str] = []
    while (ready := plan.ready) is not None:
        found.append(ready.id)
        plan = plan.done(ready.id)
    return found


def test_what_waited_for_a_dropped_subtask_waits_for_what_that_waited_for() -> None:
    plan = PLAN.patched(dropped(PLAN, "2"))
    assert order(plan) == ["3"]
    assert plan.subtask("3").needs == ("1",)


def test_a_reworded_subtask_keeps_its_role_and_place() -> None:
    plan = PLAN.patched(reworded(PLAN, "2", "other"))
    assert (plan.subtask("2").goal, plan.subtask("2").role, order(plan)) == ("other", "B", ["2", "3"])


@pytest.mark.parametrize(("after", "wanted"), [("1", ["4", "2", "3"]), ("2", ["2", "4", "3"]), (None, ["2", "3", "4"])])
def test_a_new_subtask_goes_between(after: str | None, wanted: list[str]) -> None:
    plan = PLAN.patched(inserted(PLAN, "new", after))
    assert order(plan) == wanted
    assert plan.subtask("4").role is None


def test_a_subtask_that_is_not_there() -> None:
    for change in (lambda: dropped(PLAN, "9"), lambda: reworded(PLAN, "9", "x"), lambda: inserted(PLAN, "x", "9")):
        with pytest.raises(PlanError, match="no subtask '9'"):
            change()
