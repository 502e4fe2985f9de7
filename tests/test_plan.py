"""The plan is acyclic after every change, and what is done never changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.errors import CrewMistake, PlanError
from deskcrew.facts.plan import Plan, PlanPatch, Subtask, chain

IDS = st.sampled_from(["1", "2", "3", "4", "5", "6"])
SUBTASKS = st.builds(
    Subtask,
    id=IDS,
    goal=st.sampled_from(["look", "write"]),
    needs=st.lists(IDS, max_size=2, unique=True).map(tuple),
    status=st.sampled_from(["todo", "todo", "todo", "done"]),
)
PATCHES = st.builds(
    PlanPatch,
    add=st.lists(SUBTASKS, max_size=3).map(tuple),
    edit=st.lists(SUBTASKS, max_size=2).map(tuple),
    drop=st.lists(IDS, max_size=2).map(tuple),
)
STEPS = st.lists(st.one_of(PATCHES, PATCHES, IDS, st.just("next")), max_size=12)


def subtask(id: str, *needs: str, **more: str) -> Subtask:
    return Subtask.model_validate({"id": id, "goal": f"goal {id}", "needs": needs} | more)


def order(plan: Plan) -> list[str]:
    """The ids in the order in which they become ready, found independently of graphlib."""
    left = {s.id: set(s.needs) for s in plan.subtasks}
    found: list[str] = []
    while free := [id for id, needs in left.items() if needs.issubset(found)]:
        found += free
        for id in free:
            del left[id]
    assert not left, f"a cycle, or an unknown dependency: {left}"
    return found


@given(STEPS)
def test_any_patches_leave_a_sound_plan_or_say_what_is_wrong(steps: list[PlanPatch | str]) -> None:
    plan = Plan()
    for step in steps:
        before = plan
        try:
            if isinstance(step, PlanPatch):
                plan = plan.patched(step)
            else:
                plan = plan.done(plan.ready.id if step == "next" and plan.ready else step)
        except PlanError:
            assert plan is before
            continue
        order(plan)
        assert len({s.id for s in plan.subtasks}) == len(plan.subtasks)
        after = {s.id: s for s in plan.subtasks}
        for old in before.subtasks:
            if old.status == "done":
                assert after[old.id] == old


@given(st.permutations(["1", "2", "3", "4"]), st.data())
def test_every_ready_subtask_has_its_needs_done_and_all_get_their_turn(ids: list[str], data: st.DataObject) -> None:
    needs = {id: data.draw(st.sets(st.sampled_from(ids[:place]))) if place else set() for place, id in enumerate(ids)}
    listed = data.draw(st.permutations(ids))
    plan = Plan().patched(PlanPatch(add=tuple(subtask(id, *sorted(needs[id])) for id in listed)))
    finished: list[str] = []
    while ready := plan.ready:
        assert needs[ready.id].issubset(finished)
        plan = plan.done(ready.id)
        finished.append(ready.id)
    assert plan.finished
    assert sorted(finished) == sorted(ids)


def test_a_forward_reference_is_fine_when_the_subtask_is_known() -> None:
    plan = Plan().patched(PlanPatch(add=(subtask("1", "2"), subtask("2"))))
    assert plan.ready is not None
    assert plan.ready.id == "2"


@pytest.mark.parametrize(
    ("add", "said"),
    [
        ((subtask("1", "9"),), "Subtask '1' needs '9', which is not in the plan."),
        ((subtask("1"), subtask("1")), "Two subtasks have the id '1'."),
        ((subtask("1", "1"),), "circle: 1 -> 1."),
        ((subtask("1", "3"), subtask("2", "1"), subtask("3", "2")), "circle: "),
    ],
)
def test_a_wrong_plan_is_an_error_worded_for_the_planner(add: tuple[Subtask, ...], said: str) -> None:
    with pytest.raises(PlanError) as raised:
        Plan().patched(PlanPatch(add=add))
    assert said in str(raised.value)
    assert isinstance(raised.value, CrewMistake)


def test_an_edit_can_close_a_circle_and_is_refused() -> None:
    plan = Plan().patched(chain(["a", "b", "c"]))
    with pytest.raises(PlanError, match="circle"):
        plan.patched(PlanPatch(edit=(subtask("1", "3"),)))


def test_what_is_done_cannot_be_edited_dropped_or_added_again() -> None:
    plan = Plan().patched(chain(["a", "b"])).done("1")
    for patch in (PlanPatch(edit=(subtask("1"),)), PlanPatch(drop=("1",))):
        with pytest.raises(PlanError, match="is done and cannot change"):
            plan.patched(patch)
    with pytest.raises(PlanError, match="Two subtasks"):
        plan.patched(PlanPatch(add=(subtask("1"),)))


def test_dropping_what_others_need_is_refused_and_replacing_it_is_not() -> None:
    plan = Plan().patched(chain(["a", "b"]))
    with pytest.raises(PlanError, match="needs '1'"):
        plan.patched(PlanPatch(drop=("1",)))
    replaced = plan.patched(PlanPatch(drop=("1",), add=(subtask("3"),), edit=(subtask("2", "3"),)))
    assert order(replaced) == ["3", "2"]


def test_an_unknown_subtask_is_named_with_those_that_are_there() -> None:
    plan = Plan().patched(chain(["a", "b"]))
    with pytest.raises(PlanError, match=r"no subtask '7'. There are: 1, 2\."):
        plan.done("7")
    with pytest.raises(PlanError, match="There are: none"):
        Plan().patched(PlanPatch(drop=("1",)))


def test_an_empty_plan_is_finished_and_has_nothing_ready() -> None:
    assert Plan().finished
    assert Plan().ready is None


def test_a_chain_counts_on_from_the_plan_it_is_added_to() -> None:
    plan = Plan().patched(chain(["a", "b"], roles=["Searcher", None])).patched(chain(["c"], first=3, after="2"))
    assert [(s.id, s.needs, s.role) for s in plan.subtasks] == [
        ("1", (), "Searcher"),
        ("2", ("1",), None),
        ("3", ("2",), None),
    ]


@pytest.mark.parametrize("how", ["add", "edit"])
def test_no_patch_makes_a_subtask_done(how: str) -> None:
    plan = Plan().patched(chain(["look"]))
    made = subtask("2" if how == "add" else "1", status="done")
    with pytest.raises(PlanError, match="only a judgement"):
        plan.patched(PlanPatch.model_validate({how: (made,)}))
