"""Small changes to a plan, as a person asks for them."""

from __future__ import annotations

import pytest

from deskcrew.errors import PlanError
from deskcrew.facts.plan import Plan, Subtask, chain, difference, dropped, inserted, preceded, reworded

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


NEW = Subtask(id="4", goal="new")


def test_a_prerequisite_stands_between_a_subtask_and_what_it_waited_for() -> None:
    plan = PLAN.patched(preceded(PLAN, "3", NEW))
    assert order(plan) == ["2", "4", "3"]
    assert (plan.subtask("4").needs, plan.subtask("3").needs) == (("2",), ("4",))
    assert [s.id for s in plan.in_order] == ["1", "2", "4", "3"]


def test_in_a_graph_a_subtask_keeps_what_it_needs_beside_its_prerequisite() -> None:
    """It is told the results of both (F5)."""
    plan = PLAN.patched(preceded(PLAN, "3", NEW, chained=False))
    assert (plan.subtask("4").needs, plan.subtask("3").needs) == ((), ("2", "4"))


def test_a_prerequisite_that_says_what_it_needs_keeps_to_it() -> None:
    plan = PLAN.patched(preceded(PLAN, "3", NEW.model_copy(update={"needs": ("1",)})))
    assert (plan.subtask("4").needs, set(plan.subtask("3").needs)) == (("1",), {"2", "4"})


def test_what_is_done_has_no_prerequisite_any_more() -> None:
    with pytest.raises(PlanError, match="is done"):
        PLAN.patched(preceded(PLAN, "1", NEW))


def test_of_several_changes_one_patch_remains() -> None:
    after = PLAN.patched(dropped(PLAN, "2"))
    after = after.patched(preceded(after, "3", NEW))
    patch = difference(PLAN, after)
    assert ([s.id for s in patch.add], [s.id for s in patch.edit], patch.drop) == (["4"], ["3"], ("2",))
    assert PLAN.patched(patch) == after


def test_the_last_are_those_that_nobody_waits_for() -> None:
    assert PLAN.last == ("3",)
    assert Plan().last == ()
