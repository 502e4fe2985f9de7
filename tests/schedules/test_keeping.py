"""Schedules that are kept: real runs in processes of their own, with a model that answers from a file."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskcrew.engine.human.questions import Accepted
from deskcrew.errors import UsageError
from deskcrew.facts.events import ConfirmedReading, SaidBefore
from deskcrew.facts.json_values import JsonObject
from deskcrew.secrets.binding import Secret
from deskcrew.ways_in.running import messages
from deskcrew.ways_in.schedules import arrivals
from deskcrew.ways_in.schedules.changing import asking_first, meant_by, meant_of, set_up, set_up_skill, switch
from deskcrew.ways_in.schedules.keeping import LATE, Keeper
from deskcrew.ways_in.schedules.schedule import Schedule, Schedules, ScheduleStanding
from support.runs import There, own_runtime, there
from support.waiting import LATEST

__all__ = ["own_runtime", "there"]
pytestmark = pytest.mark.anyio
ENDS: list[Any] = [{"operations": [], "branch": "Interrupt", "problem": "enough"}]
WRITES: list[Any] = [
    {"operations": [{"function": "run_shell", "command": "ls > seen.txt"}], "branch": "RoleTaskFinish"},
    *ENDS,
]
ASKS: list[Any] = [{"operations": [{"function": "run_shell", "command": "rm a.txt"}], "branch": "Continue"}, *ENDS]


@dataclass
class Desk:
    """Schedules, and a keeper of theirs whose clock is set by hand."""

    there: There
    said: list[str] = field(default_factory=list[str])
    now: float = field(default_factory=time.time)

    @property
    def schedules(self) -> Schedules:
        return Schedules(self.there.settings)

    def add(self, replies: list[Any], **given: Any) -> Schedule:
        request = self.there.request(replies, **({"workspace": None} | given.pop("request", {})))
        schedule = Schedule(
            id=self.schedules.new_id(),
            start=messages.Start(request=request),
            folder=self.there.folder,
            begun=self.now,
            since=self.now,
            **given,
        )
        self.schedules.put(schedule)
        return schedule

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        def no_secret(name: str) -> Secret:
            raise UsageError(f"There is no secret {name!r}.")

        keeper = Keeper(self.there.settings, self.there.runs, self.said.append, no_secret, clock=lambda: self.now)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keeper.keep)
            await self.until(self.schedules.are_kept)
            yield
            tasks.cancel_scope.cancel()

    async def until(self, wanted: Callable[[], object]) -> None:
        with anyio.move_on_after(LATEST):
            while not wanted():  # noqa: ASYNC110 - of another process
                await anyio.sleep(0.02)
        assert wanted(), self.said

    def told(self, text: str) -> int:
        return sum(text in line for line in self.said)


@pytest.fixture
def desk(there: There, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    return Desk(there)


async def test_what_is_due_is_done_once_and_told_and_nobody_is_asked(desk: Desk) -> None:
    (work := desk.there.folder / "work").mkdir()
    (work / "a.txt").write_text("kept")
    schedule = desk.add(ASKS, when="1h", request={"workspace": work, "task": "Tidy up."})
    async with desk.kept():
        with pytest.raises(UsageError, match="already running"), desk.schedules.kept():
            pass
        await anyio.sleep(0.1)
        assert desk.said == []
        desk.now += 3601
        await desk.until(lambda: desk.told("has ended"))
        await anyio.sleep(1.2)
    assert desk.told("has begun") == 1
    standing = desk.schedules.standing(schedule)
    journal = desk.there.journal(standing.run)
    assert (standing.told, standing.outcome) == (True, journal.state.outcome.status if journal.state.outcome else "")
    assert standing.outcome == "denied"
    assert (work / "a.txt").exists()
    assert journal.state.started is not None
    assert (journal.state.started.mode, journal.state.started.words_of) == ("automatic", "person")


@pytest.mark.parametrize(
    ("missed", "begun", "then"),
    [pytest.param("once", 1, "runs once now", marks=pytest.mark.deep), ("skip", 0, "next run is at its usual time")],
)
async def test_what_was_missed_is_told_and_done_once_or_not_at_all(desk: Desk, missed: Any, begun: int, then: str) -> None:
    schedule = desk.add(ENDS, when="1h", missed=missed)
    desk.now += 3 * 3600 + LATE + 5
    async with desk.kept():
        await desk.until(lambda: desk.told("3 scheduled runs missed while no scheduler was running") and desk.told(then))
        await desk.until(lambda: desk.told("has ended") == begun)
    assert desk.told("has begun") == begun
    assert desk.schedules.standing(schedule).last == desk.now


@pytest.mark.deep
async def test_each_file_that_comes_is_done_once_also_after_a_restart(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "SETTLED", 0.2)
    (inbox := desk.there.folder / "inbox").mkdir()
    (inbox / "old.csv").write_text("0")
    pattern = f"{inbox}/*.csv"
    schedule = desk.add(WRITES, files=pattern, there=arrivals.fitting(pattern))
    async with desk.kept():
        (inbox / "new.csv").write_text("1")
        await desk.until(lambda: desk.told("has ended"))
    assert desk.told("has begun") == desk.told(f"for {inbox}/new.csv") == 1
    run = desk.there.journal(desk.schedules.standing(schedule).run).state.started
    assert run is not None
    assert run.words_of == "file", "what comes with a file consents to nothing"
    assert (await anyio.Path(run.workspace, "seen.txt").read_text()).split() == ["new.csv", "seen.txt"]
    desk.said.clear()
    async with desk.kept():
        await anyio.sleep(1.5)
        assert desk.said == []
        desk.schedules.remove(schedule.id)
        await desk.until(lambda: not desk.schedules.all())
    assert not list(desk.schedules.folder.glob(f"{schedule.id}*"))


@pytest.mark.deep
async def test_switched_off_nothing_is_begun_and_what_came_meanwhile_is_left_out(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "SETTLED", 0.2)
    (inbox := desk.there.folder / "inbox").mkdir()
    clock, files = desk.add(ENDS, when="1h"), desk.add(ENDS, files=f"{inbox}/*.csv")
    for each in (clock, files):
        switch(desk.schedules, each.id, on=False, now=desk.now)
    async with desk.kept():
        desk.now += 3 * 3600 + 60
        (inbox / "come.csv").write_text("1")
        await anyio.sleep(1.5)
        for each in (clock, files):
            switch(desk.schedules, each.id, on=True, now=desk.now)
        await anyio.sleep(1.5)
        assert desk.said == []
        desk.now += 3600
        await desk.until(lambda: desk.told(f"{clock.id}: run") and desk.told("has ended"))
    assert desk.told("has begun") == 1
    assert desk.told("came while") == 0


@pytest.mark.deep
async def test_a_run_is_found_again_and_one_of_which_nothing_is_known_is_not_begun_again(desk: Desk) -> None:
    going = desk.add(ENDS, when="1h")
    run = await desk.there.begin(ENDS)
    desk.schedules.stands(going.id, ScheduleStanding(since=desk.now, last=desk.now, run=run, told=False))
    lost = desk.add(ENDS, when="1h")
    desk.schedules.stands(lost.id, ScheduleStanding(since=desk.now, last=desk.now, beginning=True))
    async with desk.kept():
        await desk.until(
            lambda: desk.told(f"{going.id}: run {run} has ended") and desk.told(f"{lost.id}: a run was about to")
        )
    assert desk.told("has begun") == 0
    assert not desk.schedules.standing(lost).beginning


@pytest.mark.deep
async def test_a_damaged_file_is_said_and_keeps_no_other_from_its_time(desk: Desk) -> None:
    good, bad = desk.add(ENDS, when="1h"), desk.add(ENDS, when="1h")
    (desk.schedules.folder / f"{bad.id}.standing").write_text("{")
    desk.now += 3601
    async with desk.kept():
        await desk.until(lambda: desk.told(f"{good.id}: run") and desk.told(f"{bad.id}: it will not run again"))
        (desk.schedules.folder / "abcd.json").write_text("{")
        await desk.until(lambda: desk.told("abcd.json is not a schedule"))
        await desk.until(lambda: desk.told("has ended"))
    assert desk.told("abcd.json") == 1


@pytest.mark.deep
async def test_what_cannot_begin_is_told_and_kept_no_other_from_its_time(desk: Desk) -> None:
    schedule = desk.add(ENDS, when="1h", request={"crew": "nobody"})
    gone = desk.add(ENDS, when="1h").model_copy(update={"folder": desk.there.folder / "gone"})
    desk.schedules.put(gone)
    desk.now += 3601
    async with desk.kept():
        await desk.until(lambda: desk.told("not begun") == 2)
    assert "nobody" in desk.schedules.standing(schedule).outcome
    assert "no longer exists" in desk.schedules.standing(gone).outcome


async def confirmed(desk: Desk, schedule: Schedule) -> str:
    """The run in which a person said yes to what a small model takes the schedule's task for."""
    desk.there.settings.config.mkdir(parents=True, exist_ok=True)
    desk.there.settings.config.joinpath("models.toml").write_text(
        '[[profile]]\nmatch = ["scripted:*"]\nscripted = true\ncontracts = false\nfreely = false\n'
    )
    asking = asking_first(schedule, desk.there.settings)
    assert asking is not None
    run = desk.there.known(await desk.there.runs.start(asking))
    question = (await desk.there.question(run)).question
    assert question is not None
    assert (await desk.there.runs.answer(run, question.id, Accepted())).ok
    assert (await desk.there.ended(run)).state.outcome is not None
    desk.schedules.put(schedule.model_copy(update={"asked_in": run}))
    return run


async def test_what_a_person_said_that_its_task_means_counts_when_nobody_is_there(desk: Desk) -> None:
    (work := desk.there.folder / "files").mkdir()
    (work / "sales.csv").write_text("Region,Amount\nNorth,120\nWest,200\n")
    given = {"workspace": work, "copy": True, "required": None, "task": "Sort sales.csv, the biggest amounts first."}
    schedule = desk.add([{"column": "Amount"}], when="1h", request=given)
    run = await confirmed(desk, schedule)
    async with desk.kept():
        desk.now += 3601
        await desk.until(lambda: desk.told("has ended"))
    journal = desk.there.journal(desk.schedules.standing(schedule).run)
    outcome, begun = journal.state.outcome, journal.state.started
    desk.there.runs.remove(run)
    assert meant_by(schedule, desk.there.settings) is not None
    assert outcome is not None
    assert begun is not None
    assert (outcome.status, f"run {run})" in outcome.why) == ("done", True), outcome
    assert await anyio.Path(begun.workspace, "sales sorted.csv").read_text() == "Region,Amount\nWest,200\nNorth,120\n"


async def test_a_skill_does_its_chore_when_it_is_due_each_time_into_a_new_file(desk: Desk) -> None:
    (work := desk.there.folder / "work").mkdir()
    (work / "may.csv").write_text("Region,Amount\nNorth,120\nWest,200\n")
    values = ("source=may.csv", "column=Amount", "order=descending")
    task = messages.Try(skill="sort-table", params=values, workspace=work)
    set_up_skill(desk.there.settings, task, when="1h")
    async with desk.kept():
        for ended in (1, 2):
            desk.now += 3601
            await desk.until(lambda ended=ended: desk.told("has ended: done") == ended)
            await anyio.sleep(1.2)
    made = {path.name for path in work.iterdir()} - {"may.csv"}
    assert len(made) == 2
    assert {(work / name).read_text() for name in made} == {"Region,Amount\nWest,200\nNorth,120\n"}


async def test_what_a_person_said_of_a_file_that_is_there_counts_for_those_that_come(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "SETTLED", 0.1)
    (inbox := desk.there.folder / "inbox").mkdir()
    request = desk.there.request(
        [{"column": "Amount"}], workspace=None, required=None, task="Sort it, the biggest amounts first."
    )
    pattern = str(inbox / "*.csv")
    nothing = set_up(desk.there.settings, request, files=pattern)
    assert asking_first(nothing, desk.there.settings) is None
    desk.schedules.remove(nothing.id)
    (inbox / "may.csv").write_text("Region,Amount\nNorth,120\nWest,200\n")
    schedule = set_up(desk.there.settings, request, files=pattern)
    run = await confirmed(desk, schedule)
    async with desk.kept():
        (inbox / "june.csv").write_text("Region,Amount\nSouth,1\nEast,7\n")
        await desk.until(lambda: desk.told("has ended"))
    journal = desk.there.journal(desk.schedules.standing(schedule).run)
    outcome, begun = journal.state.outcome, journal.state.started
    assert outcome is not None
    assert begun is not None
    assert (outcome.status, f"run {run})" in outcome.why) == ("done", True), outcome
    assert begun.words_of == "file"
    assert await anyio.Path(begun.workspace, "june sorted.csv").read_text() == "Region,Amount\nEast,7\nSouth,1\n"


def test_the_name_of_a_file_that_comes_stands_in_the_place_of_the_examples() -> None:
    values: JsonObject = {"source": "may.csv", "result": "may-sorted.xlsx", "column": "mayor", "rows": 3}
    said = SaidBefore(run="r", time=0)
    meant = ConfirmedReading(task="t", skill="s", digest="d", read=values, values=values | {"result": "out.csv"}, said=said)
    other = meant_of(meant, Path("/in/may.csv"), Path("/in/june 2.csv"))
    assert other.read == {"source": "june 2.csv", "result": "june 2-sorted.xlsx", "column": "mayor", "rows": 3}
    assert other.values == other.read | {"result": "out.csv"}
