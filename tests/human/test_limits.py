"""A budget that is used up: who is there is asked for more, and what ended for want of it is resumed with more."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, LimitQuestion, Question, Response
from deskcrew.engine.human.responder import PythonResponder, meant, responder_of
from deskcrew.engine.limits import limits_of
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.errors import ModelFailure
from deskcrew.facts import events as e
from deskcrew.facts.events import HumanSaid
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Answer, Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits
from deskcrew.ways_in.report.result import result_of
from support.crew import bodies, done, settings_in
from support.required import usual

pytestmark = pytest.mark.anyio

T = TypeVar("T")
TASK = 'Write "hello" into hello.txt.'
YES, NO = Approval(allowed=True), Approval(allowed=False)


WRITE: dict[str, Any] = {"function": "write_file", "file_path": "hello.txt", "text": "hello"}


def doing(*operations: dict[str, Any], branch: str = "Continue") -> dict[str, Any]:
    return {"operations": list(operations), "branch": branch}


def look(number: int = 0) -> dict[str, Any]:
    """What changes nothing, and finds out something new each time."""
    return {"function": "run_python_code", "code": f"print({number} + 41)"}


LAST = doing(WRITE, branch="RoleTaskFinish")


class Person(PythonResponder):
    """Somebody who is asked for more, and gives these answers in turn."""

    def __init__(self, *answers: Response | None) -> None:
        super().__init__(limit=self._next)
        self.answers, self.asked = list(answers), list[LimitQuestion]()

    def _next(self, question: LimitQuestion) -> Response | None:
        self.asked.append(question)
        return self.answers.pop(0)


async def run(
    folder: Path, *replies: Any, human: Person, limits: Limits, model: ScriptedModel | None = None, mode: Any = "passive"
) -> Journal:
    (folder / "work").mkdir(exist_ok=True)
    request = RunRequest(
        TASK, workspace=folder / "work", desktop="none", crew="solo", model="scripted:x", limits=limits, mode=mode
    )
    request = dataclasses.replace(request, required=usual(TASK))
    journal = await session.run(request, settings_in(folder), model=model or ScriptedModel(replies), human=human)
    assert journal.verify() == []
    return journal


def how(journal: Journal) -> str:
    outcome = journal.state.outcome
    assert outcome is not None
    return f"{outcome.status} {outcome.reason}".strip()


async def replayed(journal: Journal) -> None:
    found = await replay(Store(journal.path).journal(journal.run))
    assert found.difference is None, found.difference


async def test_a_yes_gives_as_much_again_each_time_that_it_is_used_up(tmp_path: Path) -> None:
    human = Person(YES, YES)
    some = [doing(look(n)) for n in range(4)]
    journal = await run(tmp_path, *some, LAST, human=human, limits=Limits(replies=2))
    assert how(journal) == "done"
    assert [question.limit for question in human.asked] == [2, 4]
    assert human.asked[0].question == "The limit of 2 replies is used up. Go on with as many again?"
    assert [(body.budget, body.limit) for body in bodies(journal, e.LimitRaised)] == [("replies", 4), ("replies", 8)]
    assert limits_of(journal.all).replies == 8, "a run that is resumed later has what was granted"
    await replayed(journal)


async def test_what_a_reply_still_wants_done_is_done_after_a_yes(tmp_path: Path) -> None:
    batch = doing(look(), WRITE, branch="RoleTaskFinish")
    journal = await run(tmp_path, batch, human=Person(YES), limits=Limits(operations=1))
    assert done(journal) == ["run_python_code", "write_file"]
    assert len(bodies(journal, e.RoleReplied)) == 1, "nobody is asked again for what was decided already"
    await replayed(journal)


@pytest.mark.parametrize("answer", [NO, None])
async def test_without_a_yes_it_ends_and_is_resumed_with_more(tmp_path: Path, answer: Approval | None) -> None:
    human = Person(answer)
    journal = await run(tmp_path, doing(look()), human=human, limits=Limits(replies=1))
    assert (how(journal), len(human.asked)) == ("failed bound:replies", 1)
    await replayed(journal)
    model = ScriptedModel([LAST])
    more = await session.resume(
        journal.run,
        settings_in(tmp_path),
        change=lambda request: dataclasses.replace(request, limits=Limits(replies=2)),
        model=model,
    )
    assert how(more) == "done"
    assert [call.role for call in model.calls] == ["Worker"], "it went on where it was"
    assert "limit replies" not in model.calls[0].parts[-1].text  # type: ignore[union-attr]
    await replayed(more)


async def test_where_nobody_is_asked_anything_it_ends_at_once(tmp_path: Path) -> None:
    human = Person()
    journal = await run(tmp_path, doing(look()), human=human, limits=Limits(replies=1), mode="automatic")
    assert (how(journal), human.asked) == ("failed bound:replies", [])
    assert not [body for body in bodies(journal, e.Judged) if body.verdict.kind == "ask"]


async def test_a_limit_that_more_of_it_does_not_help_ends_it_unasked(tmp_path: Path) -> None:
    """What the model's replies cost is not known: a higher limit of money could not be kept either."""
    human = Person()
    journal = await run(tmp_path, LAST, human=human, model=Untold([doing(look()), LAST]), limits=Limits(tokens=1000))
    assert (how(journal), human.asked) == ("failed bound:tokens", [])


class Untold(ScriptedModel):
    """Does not say how many tokens it used."""

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        return dataclasses.replace(await super().answer(call, type), usage=e.Usage())


class Late(ScriptedModel):
    """Its second answer does not come before the run's time is up."""

    late = 1

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        if self.late and len(self.calls) == 1:
            self.late -= 1
            await anyio.sleep(call.deadline)
            raise ModelFailure("no answer in time")
        return await super().answer(call, type)


async def test_more_time_is_counted_from_the_yes_on(tmp_path: Path) -> None:
    human = Person(YES)
    journal = await run(tmp_path, human=human, model=Late([doing(look()), LAST]), limits=Limits(seconds=1))
    assert how(journal) == "done"
    assert [question.question for question in human.asked] == [
        "The limit of 1 seconds is used up. Go on with as many again?"
    ]
    assert [body.limit for body in bodies(journal, e.LimitRaised)] == [1]
    await replayed(journal)


async def test_who_is_asked_for_more_may_say_something_else(tmp_path: Path) -> None:
    human = Person(HumanSaid(kind="stop", text="enough"))
    journal = await run(tmp_path, doing(look()), human=human, limits=Limits(replies=1))
    assert how(journal) == "stopped"
    await replayed(journal)


async def test_a_question_that_was_open_when_the_process_ended_is_asked_again(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def gone(question: LimitQuestion) -> None:
        raise Killed

    human = Person()
    human._limit = gone  # type: ignore[reportPrivateUsage]
    with pytest.raises(Killed):
        await run(tmp_path, doing(look()), human=human, limits=Limits(replies=1))
    again = Person(YES)
    journal = await session.resume("last", settings_in(tmp_path), model=ScriptedModel([LAST]), human=again)
    assert len(again.asked) == 1
    assert how(journal) == "done"
    await replayed(journal)


async def test_one_function_for_all_questions_is_asked_for_more_too() -> None:
    asked: list[Question] = []

    def ask(question: Question) -> bool:
        asked.append(question)
        return len(asked) == 1

    responder, question = responder_of(ask), LimitQuestion(name="money", limit=0.5)
    assert responder is not None
    assert [await responder.ask(question), await responder.ask(question)] == [YES, NO]
    assert question.question == "The limit of 0.5 US dollars is used up. Go on with as much again?"
    assert meant(question, "yes") == YES


class OneLate(ScriptedModel):
    """Of the contract's writer and the Worker, who are asked at once, one does not answer before the time is up."""

    def __init__(self, late: str) -> None:
        super().__init__((), profile=Profile(name="strong", context=128_000, contracts=True, scripted=True))
        self._late = [late]

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        if call.role in self._late:
            self._late.clear()
            await anyio.sleep(call.deadline)
            raise ModelFailure("no answer in time")
        return await ScriptedModel([CONTRACT if call.role == "ContractWriter" else LAST]).answer(call, type)


CONTRACT: dict[str, Any] = {
    "requirements": [
        {
            "parts": [1],
            "says": "hello.txt holds hello",
            "seen_by": "checks",
            "files": ["hello.txt"],
            "checks": [{"kind": "file_is", "target": "hello.txt", "text": "hello"}],
        }
    ],
    "question": "",
}


@pytest.mark.first_case
@pytest.mark.parametrize("late", ["ContractWriter", "Worker"])
async def test_more_time_is_granted_while_the_contract_is_written(tmp_path: Path, late: str) -> None:
    (tmp_path / "work").mkdir()
    request = RunRequest(
        TASK,
        workspace=tmp_path / "work",
        desktop="none",
        model="scripted:x",
        limits=Limits(seconds=2),
        mode="passive",
        crew="default",
    )
    human = Person(YES)
    human._reply = lambda _: True  # type: ignore[reportPrivateUsage]
    journal = await session.run(request, settings_in(tmp_path), model=OneLate(late), human=human)
    assert (how(journal), len(human.asked)) == ("done", 1)
    await replayed(journal)


TOLD = "Left for all that is to be done: "


def last_parts(model: ScriptedModel) -> list[str]:
    return [call.parts[-1].text for call in model.calls]  # type: ignore[union-attr]


async def test_who_works_is_told_what_is_left_once_that_is_less_than_a_third(tmp_path: Path) -> None:
    model = ScriptedModel([*(doing(look(n)) for n in range(4)), LAST])
    journal = await run(tmp_path, human=Person(), model=model, limits=Limits(replies=5, operations=12))
    assert how(journal) == "done"
    *before, end = last_parts(model)
    assert not [text for text in before if TOLD in text]
    assert f"{TOLD}1 of 5 replies\n" in end, "and nothing of the operations, of which there are many"
    assert "\n".join(end.splitlines()[-3:]).startswith(TOLD), "at the very end: all before it stays as caches know it"
    await replayed(journal)


async def test_what_is_left_of_a_runs_time_is_told_and_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, ahead = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + ahead[0])

    class Slow(ScriptedModel):
        async def answer(self, call: Call, type: type[T]) -> Answer[T]:
            ahead[0] += 500
            return await super().answer(call, type)

    model = Slow([doing(look()), LAST])
    journal = await run(tmp_path, human=Person(), model=model, limits=Limits(seconds=720))
    first, second = last_parts(model)
    assert TOLD not in first
    assert "of 720 seconds\n" in second
    monkeypatch.undo()
    await replayed(journal)


async def test_a_result_says_what_is_left_of_each_budget_with_what_was_granted(tmp_path: Path) -> None:
    journal = await run(tmp_path, doing(look()), LAST, human=Person(YES), limits=Limits(replies=1, operations=5))
    result = result_of(journal.run, journal.events)
    assert result.left == {"replies": 0, "operations": 3}
