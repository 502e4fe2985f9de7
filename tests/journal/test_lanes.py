"""Lanes in the fold: whose state is whose, when a lane ends; and the floor, which one of them has at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from deskcrew.errors import PlanError
from deskcrew.facts import events as e
from deskcrew.facts.observation import Evidence
from deskcrew.facts.plan import Plan, PlanPatch, Subtask, dropped, reworded
from deskcrew.facts.verdict import Verdict
from deskcrew.journal.floor import Floor
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal
from deskcrew.journal.lanes import Lanes, LaneState
from deskcrew.journal.store import Store
from support.bodies import started
from support.waiting import LATEST

NAMES = ("1", "2", "3")
PARTS = tuple(Subtask(id=id, goal=f"do {id}", role=f"Role{id}") for id in NAMES)
PATCH = PlanPatch(add=PARTS)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    made = Store(tmp_path / "journal.db").create(started(), run="lanes")
    made.append(e.PlanPatched(by="Planner", patch=PATCH, plan=Plan().patched(PATCH)))
    made.append(e.LanesOpened(subtasks=NAMES))
    return made


def say(journal: Journal, lane: str, *bodies: e.Body) -> None:
    """Append these in a lane."""
    for body in bodies:
        journal.state.enter(lane)
        journal.append(body)


def decision(lane: str, *texts: str) -> e.RoleReplied:
    operations = [write(text).model_dump(mode="json") for text in texts]
    return e.RoleReplied(role=f"Role{lane}", subtask=lane, reply={"operations": operations, "branch": "Continue"})


def write(path: str) -> e.Operation:
    return e.Operation(function="write_file", params={"file_path": path, "text": "x"})


def verdict(lane: str, kind: str, why: str = "") -> e.Judged:
    return e.Judged(scope="subtask", subtask=lane, verdict=Verdict(kind=kind, why=why), by="rules")  # type: ignore[arg-type]


def phases(journal: Journal) -> dict[str, str]:
    return {lane: journal.state.phase_of(lane) for lane in journal.state.lanes}


def test_each_lane_is_in_the_middle_of_its_own_part(journal: Journal) -> None:
    say(journal, "1", decision("1", "a.txt"))
    say(journal, "2", e.RoleReplied(role="Role2", subtask="2", error="no reply"))
    assert phases(journal) == {"1": "execute", "2": "decide", "3": "decide"}
    state = journal.state
    state.enter("1")
    assert (state.subtask, state.format_errors, state.turn and state.turn.role) == (PARTS[0], 0, "Role1")
    state.enter("2")
    assert (state.subtask, state.format_errors, state.turn, state.decision) == (PARTS[1], 1, None, None)
    assert state.replies == {"Role1": 1, "Role2": 1}, "limits count over all lanes"


def test_events_say_which_lane_they_belong_to_and_the_fold_goes_by_that(journal: Journal) -> None:
    say(journal, "2", decision("2", "b.txt"))
    journal.state.enter("1")
    assert journal.append(e.FileRead(path="x")).header.lane == "1"
    assert journal.append(e.RunInterrupted(error="x")).header.lane == "", "that is no lane's doing"
    journal.commit()
    again = Store(journal.path).journal("lanes")
    assert again.state == journal.state
    assert phases(again) == {"1": "decide", "2": "execute", "3": "decide"}


@pytest.mark.parametrize(
    "end",
    [
        lambda journal: say(journal, "2", verdict("2", "accept")),
        lambda journal: say(journal, "2", verdict("2", "reassign", "not mine")),
        lambda journal: patched(journal, dropped(journal.state.plan, "2")),
        lambda journal: patched(journal, reworded(journal.state.plan, "2", "do it otherwise")),
    ],
    ids=["done", "given to another", "dropped", "changed"],
)
def test_a_lane_ends_with_its_part(journal: Journal, end: Callable[[Journal], None]) -> None:
    say(journal, "1", decision("1", "a.txt"))
    end(journal)
    assert list(journal.state.lanes) == ["1", "3"]
    assert journal.state.aside.keys() | {journal.state.floor} == {"", "1", "3"}
    assert phases(journal)["1"] == "execute", "the others are where they were"


def patched(journal: Journal, patch: PlanPatch) -> None:
    """A person changes the plan while the first lane has the floor."""
    journal.state.enter("1")
    plan = journal.state.plan.patched(patch)
    journal.append(e.PlanPatched(by="human", patch=patch, plan=plan))


def test_what_is_wrong_in_one_lane_stands_in_the_way_of_no_other(journal: Journal) -> None:
    say(journal, "1", verdict("1", "stop", "no use"))
    say(journal, "2", verdict("2", "replan", "cannot be done"))
    assert phases(journal) == {"1": "finish", "2": "plan", "3": "decide"}
    assert journal.state.problems == "cannot be done", "whoever plans hears of it, from whatever lane"


def test_a_person_stops_all_of_them(journal: Journal) -> None:
    say(journal, "1", e.HumanSaid(kind="stop", text="enough"))
    assert set(phases(journal).values()) == {"finish"}


def test_guidance_is_for_the_lane_in_which_its_role_works(journal: Journal) -> None:
    say(journal, "1", decision("1", "a.txt"), e.HumanSaid(kind="guide", role="Role3", text="in blue"))
    assert phases(journal)["1"] == "execute", "whoever else works goes on"
    corrections = {lane: (journal.state.enter(lane), journal.state.correction)[1] for lane in NAMES}
    assert [lane for lane, said in corrections.items() if said is not None] == ["3"]
    told = {lane: (journal.state.enter(lane), journal.state.messages)[1] for lane in NAMES}
    assert {lane: [said.text for said in each] for lane, each in told.items() if each} == {"3": ["in blue"]}


def test_files_that_another_lane_changed_meanwhile_are_known_until_they_were_looked_at(journal: Journal) -> None:
    changed = e.Observed(observation="a" * 64, evidence=Evidence(files_created=("a.txt",), files_changed=("b.txt",)))
    say(journal, "1", changed)

    def proposes(operation: e.Operation) -> tuple[str, ...]:
        say(journal, "2", e.OperationProposed(role="Role2", subtask="2", operation=operation))
        return journal.state.clash

    assert proposes(write("c.txt")) == ()
    assert proposes(e.Operation(function="read_file", params={"file_path": "b.txt"})) == ("b.txt",)
    assert proposes(write("b.txt")) == (), "it has read it"
    assert proposes(e.Operation(function="run_python_code", params={"code": "open('a.txt')"})) == ("a.txt",)
    assert proposes(write("a.txt")) == (), "it was told"


@pytest.mark.parametrize("wrong", [("9",), ("",), ("1",)])
def test_lanes_that_cannot_be(journal: Journal, wrong: tuple[str, ...]) -> None:
    with pytest.raises(PlanError):
        journal.append(e.LanesOpened(subtasks=wrong))


@pytest.mark.anyio
async def test_one_has_the_floor_and_who_waited_longest_is_next() -> None:
    state, order = Lanes(lanes={part.id: part for part in PARTS}, aside={lane: LaneState() for lane in NAMES}), list[str]()
    floor = Floor(lambda: state)
    waits = {lane: anyio.Event() for lane in NAMES}

    async def work(lane: str) -> None:
        async with floor.held(lane):
            order.append(f"{lane} asks")
            await floor.outside(waits[lane].wait)
            assert (state.floor, floor.holder) == (lane, lane)
            order.append(f"{lane} begins")
            await anyio.sleep(0.01)
            order.append(f"{lane} ends")

    with anyio.fail_after(LATEST):
        async with anyio.create_task_group() as group:
            for lane in NAMES:
                floor.there.append(lane)
                group.start_soon(work, lane)
            await anyio.wait_all_tasks_blocked()
            for lane in ("3", "1", "2"):
                waits[lane].set()
                await anyio.lowlevel.checkpoint()
    asked, went_on = order[: len(NAMES)], order[len(NAMES) :]
    assert asked == ["1 asks", "2 asks", "3 asks"]
    assert went_on == ["3 begins", "3 ends", "1 begins", "1 ends", "2 begins", "2 ends"]
    assert (floor.holder, floor.there, floor.waiting) == ("", [], [])


@pytest.mark.anyio
async def test_while_an_action_is_under_way_nobody_else_goes_on(journal: Journal) -> None:
    state = Lanes()
    floor = Floor(lambda: state)
    floor.there.append("1")
    async with floor.held("1"):
        state.action = journal.events[0]
        await floor.outside(anyio.lowlevel.checkpoint)
        assert floor.holder == "1"


@pytest.mark.anyio
async def test_a_lane_that_is_ended_while_it_waits_leaves_the_floor_to_others() -> None:
    state = Lanes()
    floor = Floor(lambda: state)
    floor.there += ["1", "2"]

    async def work(lane: str) -> None:
        async with floor.held(lane):
            await floor.outside(anyio.sleep_forever)

    with anyio.fail_after(LATEST):
        async with anyio.create_task_group() as group:
            group.start_soon(work, "1")
            await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
    async with floor.held("2"):
        assert floor.holder == "2"
    assert floor.there == []


# Desktops and browsers of their own


def placed(*parts: Subtask, **desks: int) -> RunState:
    """The state of a run whose lanes were given these desks."""
    state = RunState(plan=Plan(subtasks=parts))
    state.desks |= {id.removeprefix("p"): desk for id, desk in desks.items()}
    return state


def part(id: str, *needs: str, done: bool = False) -> Subtask:
    return Subtask(id=id, goal=f"do {id}", needs=needs, status="done" if done else "todo")


def test_a_lane_works_where_it_was_told_to(journal: Journal) -> None:
    assert journal.state.desk == 1
    state = RunState()
    for event in journal.events:
        body = event.body
        given = body.model_copy(update={"desks": {"2": 2}}) if isinstance(body, e.LanesOpened) else body
        state.apply(event.model_copy(update={"body": given}))
    desks: dict[str, int] = {}
    for lane in NAMES:
        state.enter(lane)
        desks[lane] = state.desk
    assert desks == {"1": 1, "2": 2, "3": 1}


@pytest.mark.parametrize(
    ("parts", "desk"),
    [
        pytest.param(
            [part("1", done=True), part("2", done=True), part("3", "1", "2")], 2, id="where the last need was done"
        ),
        pytest.param([part("1", done=True), part("2", done=True), part("3", "2", "1")], 1, id="in the order of the needs"),
        pytest.param(
            [part("1", done=True), part("2", done=True), part("3", "2", done=True), part("4", "3")], 2, id="on and on"
        ),
        pytest.param([part("2", done=True), part("3")], 1, id="what needs nothing begins at the run's own"),
        pytest.param([part("1", done=True), part("2", done=True)], 2, id="after the plan, where its last part was done"),
        pytest.param([part("3", "9")], 1, id="a need that was dropped"),
        pytest.param([], 1, id="no plan"),
    ],
)
def test_whoever_needs_a_part_goes_on_where_it_was_done(parts: list[Subtask], desk: int) -> None:
    assert placed(*parts, p2=2).desk == desk
