"""Lanes (F4): parts that do not need each other are worked on at once, and what is done is done in one recorded order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskcrew.engine import rewind, session
from deskcrew.engine.human.questions import Accepted, Approval, HelpQuestion, LimitQuestion, PlanEdit, Response
from deskcrew.engine.human.responder import PythonResponder, Responder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest, prepare
from deskcrew.engine.roles.crew import Switch
from deskcrew.errors import ConfigError
from deskcrew.facts import events as e
from deskcrew.facts.plan import dropped
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Answer, Call, T
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits
from support.crew import bodies, by_role, done, planner_saying, settings_in
from support.sampling import sampled
from support.waiting import LATEST

pytestmark = pytest.mark.anyio

Reply = Mapping[str, Any] | str
Parts = Sequence[tuple[str, str, Sequence[str]]]
THREE: Parts = [(f"write {name}.txt", "FileManager", ()) for name in "abc"]
"""Three parts that need nothing."""
CHAIN: Parts = [("write a.txt", "FileManager", ()), ("write b.txt", "FileManager", ("1",))]


def planning(parts: Parts) -> Reply:
    return {
        "subtasks": [{"goal": g, "role": role, "needs": list(needs)} for g, role, needs in parts],
    }


def part_of(call: Call) -> str:
    """The letter of the file that a part is to write."""
    return call.text().split("Your part: write ")[1][0]


def writing(name: str, branch: str = "RoleTaskFinish", **more: str) -> Reply:
    write = {"function": "write_file", "file_path": f"{name}.txt", "text": name}
    return {"operations": [write], "branch": branch, **more}


def write_it(call: Call) -> Reply:
    return writing(part_of(call))


class Meeting(ScriptedModel):
    """Answers agents only once ``together`` of them were asked, or never: whoever is asked alone has waited in vain."""

    def __init__(self, together: int, by: Callable[[Call], Reply]) -> None:
        super().__init__(itertools.repeat(by))
        self._together, self._asked, self._met = together, 0, anyio.Event()

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        if call.role != "Planner":
            self._asked += 1
            if self._asked >= self._together:
                self._met.set()
            with anyio.fail_after(LATEST):
                await self._met.wait()
        return await super().answer(call, type)


async def run(folder: Path, model: ScriptedModel, *, lanes: int = 3, human: Responder | None = None, **more: Any) -> Journal:
    watch = more.pop("watch", None)
    usual = {"model": "scripted:x", "workspace": folder / "work", "desktop": "none", "lanes": lanes}
    request = RunRequest(task="Do as readme.txt says.", **{"crew": "planned", **usual | more})
    journal = await session.run(request, settings_in(folder), model=model, human=human, watch=watch)
    assert journal.verify() == []
    again = RunState()
    for event in journal.events:
        again.apply(event)
    assert again == journal.state, "the fold of what is recorded is the state that the run had"
    return journal


def crew_of(parts: Parts, agent: Callable[[Call], Reply] = write_it, **roles: Any) -> ScriptedModel:
    return by_role(None, Planner=planning(parts), FileManager=agent, **roles)


def written(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((folder / "work").glob("*.txt"))}


def opened(journal: Journal) -> list[tuple[str, ...]]:
    return [body.subtasks for body in bodies(journal, e.LanesOpened)]


def accepted(journal: Journal) -> list[str]:
    return [b.subtask for b in bodies(journal, e.Judged) if b.scope == "subtask" and b.verdict.kind == "accept"]


async def equal(journal: Journal) -> None:
    again = await replay(journal)
    assert again.equal, again.difference
    assert again.events == len(journal.events)


# At once


async def test_parts_that_need_nothing_are_asked_at_once_and_done_one_at_a_time(tmp_path: Path) -> None:
    def by(call: Call) -> Reply:
        return planning(THREE) if call.role == "Planner" else write_it(call)

    journal = await run(tmp_path, Meeting(3, by))
    assert opened(journal) == [("1", "2", "3")]
    assert written(tmp_path) == {"a.txt": "a", "b.txt": "b", "c.txt": "c"}
    assert sorted(accepted(journal)) == ["1", "2", "3"]
    assert journal.state.plan.finished
    # From the start of an action to the verdict on it nobody else's events come in between, so what it did is known.
    for started in (event for event in journal.events if isinstance(event.body, e.ActionStarted)):
        rest = journal.since(started)
        judged = next(at for at, event in enumerate(rest) if isinstance(event.body, e.Judged))
        assert {event.header.lane for event in rest[: judged + 1]} == {started.header.lane}
        looks = [event.body.evidence for event in rest[:judged] if isinstance(event.body, e.Observed)]
        assert [look.files_created for look in looks] == [(started.body.operation.params["file_path"],)]
    await equal(journal)


async def test_without_lanes_there_are_none(tmp_path: Path) -> None:
    journal = await run(tmp_path, crew_of(THREE), lanes=1, crew=graph(tmp_path))
    assert opened(journal) == []
    assert accepted(journal) == ["1", "2", "3"]
    assert not journal.state.aside


def graph(folder: Path, *more: str) -> str:
    """A crew whose planner says what parts need, and which has no lanes."""
    crews = settings_in(folder).config / "crews"
    crews.mkdir(parents=True)
    planner_saying(settings_in(folder), "needs")
    lines = ('name = "graph"', 'description = ""', 'pool = ["FileManager"]', *more)
    (crews / "graph.toml").write_text("\n".join(lines))
    return "graph"


async def test_a_chain_takes_no_lanes(tmp_path: Path) -> None:
    journal = await run(tmp_path, crew_of(CHAIN))
    assert opened(journal) == []
    assert accepted(journal) == ["1", "2"]


@pytest.mark.parametrize("other", ["append to a.txt", "compare b.txt with a.txt"])
async def test_parts_that_name_the_same_file_take_turns(tmp_path: Path, other: str) -> None:
    def by(call: Call) -> Reply:
        return writing("a") if "Your part: write" in call.text() else writing("b")

    journal = await run(tmp_path, crew_of([("write a.txt", "FileManager", ()), (other, "FileManager", ())], by))
    assert opened(journal) == []
    assert accepted(journal) == ["1", "2"]


async def test_a_part_begins_as_soon_as_what_it_needs_is_done(tmp_path: Path) -> None:
    """Part 3 needs only part 1, and is done while part 2 still waits for its model."""
    third = anyio.Event()
    parts = [*THREE[:2], ("write c.txt", "FileManager", ["1"]), ("write d.txt", "FileManager", ["2", "3"])]

    class Slow(ScriptedModel):
        async def answer(self, call: Call, type: type[T]) -> Answer[T]:
            if call.role == "FileManager" and part_of(call) == "b":
                with anyio.fail_after(LATEST):
                    await third.wait()
            return await super().answer(call, type)

    def watch(event: e.Event, journal: Journal) -> None:
        if isinstance(event.body, e.Judged) and event.body.subtask == "3" and event.body.scope == "subtask":
            third.set()

    def by(call: Call) -> Reply:
        return planning(parts) if call.role == "Planner" else write_it(call)

    journal = await run(tmp_path, Slow(itertools.repeat(by)), watch=watch)
    assert opened(journal) == [("1", "2"), ("3",)]
    assert accepted(journal) == ["1", "3", "2", "4"]
    last = next(event for event in journal.events if isinstance(event.body, e.RoleCalled) and event.body.subtask == "4")
    assert "a.txt" in journal_text(journal, last), "what was done in lanes is known to who comes after"
    await equal(journal)


def journal_text(journal: Journal, called: e.Event) -> str:
    assert isinstance(called.body, e.RoleCalled)
    return "\n".join(journal.read_blob(part.blob).decode() for part in called.body.parts)


async def test_each_agent_is_shown_what_concerns_its_own_part(tmp_path: Path) -> None:
    """A failure in one lane is told to the role of that lane, not to the others."""
    asked: list[tuple[str, str]] = []

    def by(call: Call) -> Reply:
        mine = part_of(call)
        asked.append((mine, call.text()))
        if mine == "a" and "not there" not in call.text() and len([each for each, _ in asked if each == "a"]) == 1:
            return {"operations": [{"function": "read_file", "file_path": "missing.txt"}], "branch": "Continue"}
        return writing(mine)

    journal = await run(tmp_path, crew_of(THREE, by))
    assert journal.state.plan.finished
    assert "missing.txt" in [text for mine, text in asked if mine == "a"][1]
    assert not [mine for mine, text in asked if mine != "a" and "missing.txt" in text]


# What goes wrong in one of them


async def test_a_lane_that_fails_does_not_take_the_others_along(tmp_path: Path) -> None:
    def by(call: Call) -> Reply:
        if part_of(call) == "b":
            return {"operations": [], "branch": "Interrupt", "problem": "no such thing"}
        return writing(part_of(call), "Continue") if f"{part_of(call)}.txt" not in files(tmp_path) else FINISHED

    journal = await run(tmp_path, crew_of(THREE, by))
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.why) == ("failed", "no such thing")
    assert written(tmp_path) == {"a.txt": "a", "c.txt": "c"}
    assert sorted(accepted(journal)) == ["1", "3"]
    await equal(journal)


FINISHED: Reply = {"operations": [], "branch": "RoleTaskFinish"}


def files(folder: Path) -> set[str]:
    return set(written(folder))


async def test_the_plan_is_changed_once_all_lanes_are_over(tmp_path: Path) -> None:
    """What is done stays done, and the planner hears why."""
    planned: list[str] = []

    def planner(call: Call) -> Reply:
        planned.append(call.text())
        return planning(THREE if len(planned) == 1 else [("write d.txt", "FileManager", ())])

    def by(call: Call) -> Reply:
        if part_of(call) == "b":
            return {"operations": [], "branch": "TaskMismatch", "problem": "b cannot be written"}
        return write_it(call)

    journal = await run(tmp_path, by_role(None, Planner=planner, FileManager=by), without=("scheduler",))
    assert len(planned) == 2
    assert "b cannot be written" in planned[1]
    assert written(tmp_path) == {"a.txt": "a", "c.txt": "c", "d.txt": "d"}
    assert [event.body.type for event in journal.events if event.body.type in ("plan_patched", "action_finished")] == [
        "plan_patched",
        "action_finished",
        "action_finished",
        "plan_patched",
        "action_finished",
    ]
    await equal(journal)


async def test_limits_count_over_all_lanes(tmp_path: Path) -> None:
    journal = await run(tmp_path, crew_of(THREE), limits=Limits(operations=2))
    assert journal.state.outcome is not None
    assert journal.state.outcome.reason == "bound:operations"
    assert len(done(journal)) == 2
    await equal(journal)


async def test_lanes_that_a_budget_stops_go_on_after_one_yes(tmp_path: Path) -> None:
    asked: list[LimitQuestion] = []

    def more(question: LimitQuestion) -> bool:
        asked.append(question)
        return True

    human = PythonResponder(limit=more)
    journal = await run(tmp_path, crew_of(THREE), limits=Limits(operations=1), human=human, mode="passive")
    assert written(tmp_path) == {"a.txt": "a", "b.txt": "b", "c.txt": "c"}
    assert [question.limit for question in asked] == [1, 2]
    await equal(journal)


async def test_what_another_lane_has_changed_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    """Neither part names the file. Who had been asked before it changed is told, and asked again."""
    second: list[str] = []

    def by(call: Call) -> Reply:
        if call.role == "Planner":
            return planning([("note one", "FileManager", ()), ("note two", "FileManager", ())])
        text = "one" if "Your part: note one" in call.text() else "two"
        if text == "two":
            second.append(call.text())
        write = {"function": "write_file", "file_path": "notes.txt", "text": text, "append": True}
        return {"operations": [write], "branch": "RoleTaskFinish"}

    journal = await run(tmp_path, Meeting(2, by))
    assert opened(journal) == [("1", "2")]
    assert written(tmp_path) == {"notes.txt": "onetwo"}, "who wants the same again may have it"
    assert "has changed notes.txt in the meantime" in second[1]
    assert journal.state.plan.finished
    await equal(journal)


# A person


async def test_a_question_in_one_lane_does_not_stop_the_others(tmp_path: Path) -> None:
    others = anyio.Event()

    def watch(event: e.Event, journal: Journal) -> None:
        if len(accepted(journal)) == 2:
            others.set()

    async def help(question: HelpQuestion) -> e.HumanSaid:
        with anyio.fail_after(LATEST):
            await others.wait()
        return e.HumanSaid(kind="answer", text="in blue")

    def by(call: Call) -> Reply:
        if part_of(call) == "b" and "in blue" not in call.text():
            return {"operations": [], "branch": "NeedHumanHelp", "problem": "In which colour?"}
        return write_it(call)

    human = PythonResponder(help=help)
    journal = await run(tmp_path, crew_of(THREE, by), human=human, mode="passive", watch=watch)
    assert accepted(journal)[-1] == "2"
    assert written(tmp_path) == {"a.txt": "a", "b.txt": "b", "c.txt": "c"}
    said = next(event for event in journal.events if isinstance(event.body, e.HumanSaid))
    assert said.header.lane == "2"
    await equal(journal)


async def test_a_person_who_is_asked_about_everything_is_asked_one_at_a_time(tmp_path: Path) -> None:
    """Also where every operation has a reviewer: what came of each question and call is told apart again in a replay."""
    asking, most = 0, 0

    async def answered(response: Response) -> Response:
        nonlocal asking, most
        asking += 1
        most = max(most, asking)
        await anyio.sleep(0.005)
        asking -= 1
        return response

    human = PythonResponder(reply=lambda _: answered(Accepted()), operation=lambda _: answered(Approval(allowed=True)))
    reviewed = {"analyze": "It did.", "verdict": "continue", "judgement": "It is there."}
    crew = graph(tmp_path, 'review = "model"')
    model = crew_of(THREE, Reviewer=reviewed)
    journal = await run(tmp_path, model, human=human, mode="active", crew=crew)
    assert most == 1
    assert opened(journal) == [("1", "2", "3")]
    assert [body.by for body in bodies(journal, e.OperationApproved)] == ["human"] * 3
    assert [body.by for body in bodies(journal, e.Judged) if body.scope == "effect"] == ["model"] * 3
    assert written(tmp_path) == {"a.txt": "a", "b.txt": "b", "c.txt": "c"}
    await equal(journal)


async def test_a_part_that_a_person_takes_out_is_not_waited_for(tmp_path: Path) -> None:
    """Its model would never reply."""
    human = PythonResponder()

    class Stuck(ScriptedModel):
        async def answer(self, call: Call, type: type[T]) -> Answer[T]:
            if call.role == "FileManager" and part_of(call) == "b":
                await anyio.sleep_forever()
            return await super().answer(call, type)

    def watch(event: e.Event, journal: Journal) -> None:
        if isinstance(event.body, e.RoleCalled) and event.body.subtask == "3":
            human.say(PlanEdit(patch=dropped(journal.state.plan, "2")))

    def by(call: Call) -> Reply:
        return planning(THREE) if call.role == "Planner" else write_it(call)

    with anyio.fail_after(LATEST):
        journal = await run(tmp_path, Stuck(itertools.repeat(by)), human=human, watch=watch)
    assert written(tmp_path) == {"a.txt": "a", "c.txt": "c"}
    assert [part.id for part in journal.state.plan.subtasks] == ["1", "3"]
    await equal(journal)


async def test_a_person_stops_all_lanes(tmp_path: Path) -> None:
    human = PythonResponder()

    def watch(event: e.Event, journal: Journal) -> None:
        if isinstance(event.body, e.RoleCalled) and event.body.subtask == "3":
            human.say(e.HumanSaid(kind="stop", text="enough"))

    journal = await run(tmp_path, crew_of(THREE), human=human, watch=watch)
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.why) == ("stopped", "enough")
    after = await session.resume(journal.run, settings_in(tmp_path), model=crew_of(THREE))
    assert after.state.plan.finished
    assert written(tmp_path) == {"a.txt": "a", "b.txt": "b", "c.txt": "c"}
    await equal(after)


async def test_what_is_said_to_a_role_reaches_the_lane_that_it_works_in(tmp_path: Path) -> None:
    """It was being asked then: the reply that comes is none to what was said."""
    human, asked = PythonResponder(), list[str]()
    parts = [THREE[0], ("write b.txt", "Programmer", ())]

    def watch(event: e.Event, journal: Journal) -> None:
        if isinstance(event.body, e.RoleCalled) and event.body.role == "Programmer" and not asked:
            human.say(e.HumanSaid(kind="guide", role="Programmer", text="in capitals"))

    def programmer(call: Call) -> Reply:
        asked.append(call.text("volatile"))
        code = "open('b.txt', 'w').write('B' if {} else 'b')".format("in capitals" in call.text())
        wanted = {"operations": [{"function": "run_python_code", "code": code}]}
        return {**wanted, "branch": "RoleTaskFinish" if "in capitals" in call.text() else "Continue"}

    journal = await run(tmp_path, crew_of(parts, Programmer=programmer), human=human, watch=watch)
    assert written(tmp_path) == {"a.txt": "a", "b.txt": "B"}
    assert "Reply again and do what the user says" in asked[1]
    await equal(journal)


# Killed, resumed, rewound


class Killed(BaseException):
    """Stands for the end of the process: nothing in the engine catches it."""


@pytest.mark.parametrize(("number", "kept"), sampled(list(itertools.product(range(8, 38), (True, False))), 3))
async def test_ended_at_an_event_and_gone_on_with(
    tmp_path: Path, number: int, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``kept``: the journal is cut right after this event; else it ends with what had been committed, as after SIGKILL."""

    def watch(event: e.Event, journal: Journal) -> None:
        if event.number == number:
            raise Killed

    def by(call: Call) -> Reply:
        return write_it(call) if f"{part_of(call)}.txt" not in files(tmp_path) else FINISHED

    with monkeypatch.context() as patch:
        if not kept:
            patch.setattr(Journal, "close", lambda self: None)
        with pytest.raises(Killed):
            await run(tmp_path, crew_of(THREE, by), watch=watch)
    before = Store.of(settings_in(tmp_path)).journal("last")
    after = await session.resume(
        before.run, settings_in(tmp_path), model=crew_of(THREE, by), change=lambda request: replace(request, mode="passive")
    )
    assert after.events[: len(before.events)] == before.events
    assert after.verify() == []
    assert after.state.plan.finished
    assert written(tmp_path) == {"a.txt": "a", "b.txt": "b", "c.txt": "c"}
    ended = [body.operation for body in bodies(before, e.ActionFinished)]
    later = [x.body.operation for x in after.events[len(before.events) :] if isinstance(x.body, e.ActionStarted)]
    assert not [operation for operation in ended if operation in later], "done again"
    await equal(after)


async def test_a_rewind_goes_back_to_a_reply_of_one_lane_and_on_with_all(tmp_path: Path) -> None:
    """The workspace is as it was then; what other lanes had not done by then is done again."""
    asked: list[str] = []

    def by(call: Call) -> Reply:
        mine = part_of(call)
        asked.append(mine)
        return writing(mine) if "say Moin" not in call.text("volatile").split("The user")[-1] else moin(mine)

    def moin(mine: str) -> Reply:
        write = {"function": "write_file", "file_path": f"{mine}.txt", "text": "Moin"}
        return {"operations": [write], "branch": "RoleTaskFinish"}

    first = await run(tmp_path, crew_of(THREE, by))
    settings = settings_in(tmp_path)
    journal = Store.of(settings).journal(first.run)
    replies = [x for x in journal.events if isinstance(x.body, e.RoleReplied) and x.body.subtask == "2"]
    with journal.claimed():
        points = session.points_of(tmp_path / "work", journal)
        rewind.go_back(journal, rewind.to_reply(journal, replies[0].number, points), points, say="say Moin")
    before = files(tmp_path)
    asked.clear()
    after = await session.resume(journal.run, settings, model=crew_of(THREE, by))
    assert sorted(asked) == sorted({"a", "b", "c"} - {name[0] for name in before}), "of what was done nobody is asked again"
    assert written(tmp_path) == {"a.txt": "a", "b.txt": "Moin", "c.txt": "c"}
    assert after.state.plan.finished
    await equal(after)


# What a crew must be like


@pytest.mark.parametrize(("crew", "less", "says"), [("planned", "planner", "no planner"), ("cola", "memory", "groups")])
def test_crews_that_can_have_no_lanes(tmp_path: Path, crew: str, less: Switch, says: str) -> None:
    request = RunRequest("x", model="scripted:x", crew=crew, desktop="none", lanes=2, without=(less,))
    with pytest.raises(ConfigError, match=says):
        prepare(request, settings_in(tmp_path))
