"""A person in the loop, with a scripted model on a real workspace: modes, interventions, what roles are shown."""

# ruff: noqa: ASYNC240 - files are looked at when the run has ended
from __future__ import annotations

import dataclasses
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.human.human import mode_of
from deskcrew.engine.human.questions import (
    Accepted,
    Approval,
    EditedOperation,
    EditedReply,
    HelpQuestion,
    OperationQuestion,
    PlanEdit,
    Question,
    ReplyQuestion,
    Response,
)
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.events import HumanSaid, Operation
from deskcrew.facts.plan import PlanPatch, Subtask
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits
from support.crew import bodies, done, settings_in
from support.required import reads, usual

pytestmark = pytest.mark.anyio

TASK = 'Write "hello" into hello.txt.'
PLAN = {"subtasks": [{"goal": "write hello", "role": "FileManager"}]}
FINISH = {"operations": [], "branch": "RoleTaskFinish"}
GIVES_UP = {"operations": [], "branch": "Interrupt", "problem": "enough"}


def write(file: str = "hello.txt", text: str = "hello") -> dict[str, Any]:
    return {"function": "write_file", "file_path": file, "text": text}


def doing(*operations: dict[str, Any], branch: str = "RoleTaskFinish", **more: str) -> dict[str, Any]:
    return {"operations": list(operations), "branch": branch, **more}


class Person(PythonResponder):
    """Somebody who gives these answers in turn, then accepts everything; a function is called with the question."""

    def __init__(self, *answers: Any) -> None:
        async def give(question: Question) -> Response | None:
            self.asked.append(question)
            if not self.answers:
                usual = {"operation": Approval(allowed=True), "reply": Accepted(), "help": None}
                return usual[question.type]
            answer = self.answers.pop(0)
            return answer(question) if callable(answer) else answer

        super().__init__(reply=give, operation=give, help=give, told=lambda text: self.told.append(text))
        self.answers = list(answers)
        self.asked: list[Question] = []
        self.told: list[str] = []

    @property
    def kinds(self) -> list[str]:
        return [f"{q.type} {q.role}" for q in self.asked]


class Ran:
    def __init__(self, journal: Journal, calls: list[Call]) -> None:
        assert journal.state.outcome is not None
        self.journal, self.calls, self.outcome = journal, calls, journal.state.outcome
        self.how = f"{self.outcome.status} {self.outcome.reason}".strip()
        self.asked = [call.role for call in calls]

    def last_part(self, number: int) -> str:
        return self.calls[number].parts[-1].text  # type: ignore[union-attr]

    def of(self, kind: type[Any]) -> list[Any]:
        return bodies(self.journal, kind)


Go = Callable[..., Awaitable[Ran]]


@pytest.fixture
def go(tmp_path: Path) -> Go:
    async def run(
        *replies: Any, human: Any = None, task: str = TASK, profile: Profile | None = None, watch: Any = None, **changes: Any
    ) -> Ran:
        model = ScriptedModel(replies, profile=profile)
        given = {"workspace": tmp_path / "work", "desktop": "none", "model": "scripted:x", "required": usual(task)} | changes
        request = RunRequest(task=task, **{"crew": "planned", **given})
        journal = await session.run(request, settings_in(tmp_path), model=model, human=human, watch=watch)
        assert journal.verify() == []
        return Ran(journal, model.calls)

    return run


def when(happens: Callable[[e.Event], bool], act: Callable[[Journal], None]) -> Callable[[e.Event, Journal], None]:
    """A watch that does something once, right after the first event of that sort."""
    todo = [act]

    def watch(event: e.Event, journal: Journal) -> None:
        if todo and happens(event):
            todo.pop()(journal)

    return watch


def after_reply(role: str) -> Callable[[e.Event], bool]:
    return lambda event: isinstance(event.body, e.RoleReplied) and event.body.role == role


def says(kind: Any, text: str = "", role: str | None = None) -> HumanSaid:
    return HumanSaid(kind=kind, text=text, role=role)


# What each mode asks.


async def test_automatic_asks_nothing(go: Go) -> None:
    human = Person()
    ran = await go(PLAN, doing(write()), human=human)
    assert (ran.how, human.asked) == ("done", [])


async def test_passive_asks_only_where_it_must(go: Go) -> None:
    human = Person()
    ran = await go(PLAN, doing(write()), human=human, mode="passive")
    assert (ran.how, human.asked) == ("done", [])


async def test_active_asks_after_each_reply_and_before_each_operation(go: Go) -> None:
    human = Person()
    required = usual(TASK, "a.txt")
    ran = await go(PLAN, doing(write("a.txt"), write()), human=human, mode="active", required=required)
    assert ran.how == "done"
    assert human.kinds == ["reply Planner", "reply FileManager", "operation FileManager", "operation FileManager"]
    assert [body.by for body in ran.of(e.OperationApproved)] == ["human", "human"]


@pytest.mark.parametrize("mode", ["automatic", "passive", "active"])
async def test_a_role_may_give_up_in_every_mode(go: Go, mode: str) -> None:
    """C15: with a person there it may ask for help besides."""
    ran = await go(PLAN, GIVES_UP, human=Person(), mode=mode)
    assert (ran.how, ran.outcome.why) == ("failed gave_up", "enough")


@pytest.mark.parametrize("human", [None, PythonResponder()])
async def test_active_with_nobody_there_does_nothing(go: Go, tmp_path: Path, human: Any) -> None:
    ran = await go(PLAN, doing(write()), GIVES_UP | {"branch": "NeedHumanHelp"}, human=human, mode="active")
    assert (ran.outcome.status, done(ran.journal)) == ("denied", [])
    assert [body.by for body in ran.of(e.OperationDenied)] == ["nobody"]
    assert not (tmp_path / "work/hello.txt").exists()


async def test_a_role_may_have_a_mode_of_its_own(go: Go) -> None:
    human = Person()
    plan = {"subtasks": [{"goal": g, "role": r} for g, r in (("make b.txt", "FileManager"), ("say", "Programmer"))]}
    says_so = doing({"function": "run_python_code", "code": "print(1)"})
    modes = (("Programmer", "active"),)
    ran = await go(plan, doing(write()), says_so, human=human, modes=modes)
    assert ran.how == "done"
    assert human.kinds == ["reply Programmer", "operation Programmer"]


async def test_the_writer_of_the_contract_may_have_a_mode_of_its_own(go: Go) -> None:
    human = Person()
    strong = Profile(name="strong", context=128_000, free_text="short", contracts=True)
    contract = {"requirements": [{"parts": [1], "says": "hello.txt holds hello", "seen_by": "checks",
        "checks": [{"kind": "file_is", "target": "hello.txt", "text": "hello"}]}]}  # fmt: skip
    modes = (("ContractWriter", "active"),)
    ran = await go(contract, doing(write()), human=human, crew="solo", profile=strong, modes=modes)
    assert (ran.how, ran.asked, human.kinds) == ("done", ["ContractWriter", "Worker"], ["reply ContractWriter"])


async def test_a_mode_for_a_role_that_is_not_there_is_wrong_usage(go: Go) -> None:
    with pytest.raises(UsageError, match="Nobody"):
        await go(modes=(("Nobody", "active"),))


async def test_modes_are_switched_in_mid_run(go: Go) -> None:
    human = Person(Accepted(), says("mode", "automatic", "FileManager"))
    ran = await go(PLAN, doing(write()), human=human, mode="active")
    assert ran.how == "done"
    assert human.kinds == ["reply Planner", "reply FileManager"], "the second answer ends the questions about that role"

    human = Person()
    watch = when(after_reply("Planner"), lambda _: human.say(says("mode", "active")))
    ran = await go(PLAN, doing(write()), human=human, watch=watch)
    assert human.kinds == ["reply Planner", "reply FileManager", "operation FileManager"]


async def test_a_role_may_ask_for_help_as_soon_as_its_mode_lets_it(go: Go) -> None:
    human = Person(says("answer", "the FRIENDLY one"))
    human.say(says("mode", "passive"))
    ran = await go(PLAN, doing(branch="NeedHumanHelp", problem="Which word?"), doing(write()), human=human)
    assert ran.how == "done"
    assert human.asked == [HelpQuestion(role="FileManager", question="Which word?")]
    assert "FRIENDLY" in ran.last_part(2)
    assert ran.of(HumanSaid)[-1] == says("answer", "the FRIENDLY one", "FileManager")


async def test_the_answerer_may_ask_for_help(go: Go) -> None:
    """Its question is a verdict that asks; the answer goes to it."""
    human = Person(says("answer", "of the SECOND number"))
    plan = {"subtasks": [{"goal": "compute", "role": "Programmer"}], "question": "How much is 6 times 7?"}
    finds = doing({"function": "run_python_code", "code": "print(6 * 7)"})
    asks = {"answer": "", "sources": [], "branch": "NeedHumanHelp", "problem": "Of which?"}
    answers = {"answer": "42", "sources": [], "branch": "Continue"}
    ran = await go(plan, finds, asks, answers, human=human, task="How much is 6 times 7?", mode="passive")
    assert (ran.how, ran.outcome.answer) == ("unverified", "42")
    assert human.asked == [HelpQuestion(role="FinalAnswer", question="Of which?")]
    assert "SECOND" in ran.last_part(3)


async def test_an_answer_that_nobody_gives_ends_the_run(go: Go) -> None:
    ran = await go(PLAN, doing(branch="NeedHumanHelp", problem="Which?"), mode="passive")
    assert ran.how == "failed gave_up"
    assert "nobody was there" in ran.outcome.why


# A reply is guided, edited, switched.


async def test_a_guided_reply_is_taken_back_and_asked_again(go: Go, tmp_path: Path) -> None:
    human = Person(Accepted(), says("guide", "no, call it b.txt"))
    replies = [PLAN, doing(write("wrong.txt")), doing(write("b.txt"), write())]
    ran = await go(*replies, human=human, mode="active", required=usual(TASK, "b.txt"))
    assert ran.how == "done"
    assert not (tmp_path / "work/wrong.txt").exists()
    told = ran.last_part(2)
    assert ran.calls[2].parts[-1].zone == "volatile"
    assert "wrong.txt" in told
    assert "no, call it b.txt" in told
    assert "b.txt" not in ran.last_part(1)
    assert "wrong.txt" not in str(ran.journal.state.turns)


async def test_a_reply_that_was_asked_for_again_is_no_step(go: Go, tmp_path: Path) -> None:
    """C37: with a limit of two replies, the rejected one and its repetition leave room for one more."""
    again = says("guide", "do it otherwise")
    human = Person(Accepted(), again)
    one = doing(write("a.txt"), branch="Continue")
    two: dict[str, Any] = {"limits": Limits(replies=2), "required": usual(TASK, "a.txt")}
    ran = await go(PLAN, one, one, doing(write()), human=human, mode="active", **two)
    assert ran.how == "done"
    assert ran.journal.state.replies["FileManager"] == 2
    ran = await go(PLAN, one, doing(write("b.txt"), branch="Continue"), workspace=tmp_path / "b", **two)
    assert ran.how == "failed bound:replies"


async def test_the_last_reply_that_a_role_may_give_can_be_rejected_too(go: Go) -> None:
    human = Person(Accepted(), says("guide", "hello.txt"))
    ran = await go(PLAN, doing(write("b.txt")), doing(write()), human=human, mode="active", limits=Limits(replies=1))
    assert ran.how == "done"


async def test_a_reply_rejected_without_a_word_is_sampled_anew(go: Go) -> None:
    human = Person(says("guide"), says("guide"))
    ran = await go(PLAN, PLAN, PLAN, doing(write()), human=human, mode="active")
    first, second, third, _ = ran.calls
    assert first.temperature == 0
    assert min(second.temperature, third.temperature) >= 0.7
    assert len({first.seed, second.seed, third.seed}) == 3
    assert "in another way" in ran.last_part(1)


async def test_an_edited_reply_counts_as_the_roles_own(go: Go, tmp_path: Path) -> None:
    def edit(question: ReplyQuestion) -> EditedReply:
        return EditedReply(reply=json.loads(json.dumps(question.reply).replace("wrong.txt", "hello.txt")))

    human = Person(Accepted(), edit)
    ran = await go(PLAN, doing(write("wrong.txt")), human=human, mode="active")
    assert ran.how == "done"
    assert [body.model for body in ran.of(e.RoleReplied)] == ["scripted", "scripted", "human"]
    assert ran.journal.state.replies["FileManager"] == 1
    assert ran.journal.state.spent.calls == 2
    assert [file.name for file in (tmp_path / "work").iterdir()] == ["hello.txt"]


async def test_an_edit_that_cannot_be_is_asked_again(go: Go) -> None:
    nobody = {"operations": [{"function": "write_file", "params": {"file_path": "a"}}], "branch": "RoleTaskFinish"}
    unplanned = EditedReply(reply={"subtasks": [{"goal": "g", "role": "King"}]})
    human = Person(unplanned, Accepted(), EditedReply(reply=nobody), EditedReply(reply={"branch": 3}))
    ran = await go(PLAN, doing(write()), human=human, mode="active")
    assert ran.how == "done"
    notes = [q.note for q in human.asked if isinstance(q, ReplyQuestion)]
    assert notes[0] == notes[2] == ""
    assert "role" in notes[1]
    assert "text" in notes[3]
    assert notes[4]
    assert [body.model for body in ran.of(e.RoleReplied)] == ["scripted", "scripted"]


async def test_switching_to_the_planner(go: Go) -> None:
    human = Person(Accepted(), says("switch", "make it TWO parts", "planner"))
    two = {"subtasks": [{"goal": g, "role": "FileManager"} for g in ("make a.txt", "write hello")]}
    replies = [PLAN, doing(write("wrong.txt")), two, doing(write("a.txt")), doing(write())]
    ran = await go(*replies, human=human, mode="active", required=usual(TASK, "a.txt"))
    assert ran.how == "done"
    assert ran.asked == ["Planner", "FileManager", "Planner", "FileManager", "FileManager"]
    assert "TWO" in ran.last_part(2)
    assert "wrong.txt" not in ran.calls[2].text(), "the planner does not see another role's rejected reply"
    assert done(ran.journal) == ["write_file", "write_file"]
    assert ran.of(HumanSaid)[0].role_kind == "plan"


async def test_switching_to_the_scheduler(go: Go) -> None:
    human = Person(Accepted(), says("switch", "somebody who WRITES files", "TaskScheduler"))
    plan = {"subtasks": [{"goal": "write hello", "role": "Programmer"}]}
    assigned = {"assignments": [{"subtask": "1", "role": "FileManager"}], "branch": "Continue"}
    ran = await go(plan, doing(branch="Continue"), assigned, doing(write()), human=human, mode="active")
    assert ran.how == "done"
    assert ran.asked == ["Planner", "Programmer", "TaskScheduler", "FileManager"]
    assert "WRITES" in ran.last_part(2)


async def test_switching_to_an_agent(go: Go) -> None:
    human = Person(Accepted(), says("switch", "write it YOURSELF", "FileManager"))
    plan = {"subtasks": [{"goal": "write hello", "role": "Programmer"}]}
    ran = await go(plan, doing(branch="Continue"), doing(write()), human=human, mode="active")
    assert ran.how == "done"
    assert ran.asked == ["Planner", "Programmer", "FileManager"]
    assert "YOURSELF" in ran.last_part(2)
    assert ran.journal.state.plan.subtask("1").role == "FileManager"


@pytest.mark.parametrize("role", ["Reviewer", "Reader", "King", ""])
async def test_others_cannot_be_switched_to(go: Go, role: str) -> None:
    human = Person(Accepted(), says("switch", "go on", role))
    ran = await go(PLAN, doing(write()), human=human, mode="active")
    assert ran.how == "done"
    assert "cannot be switched to" in human.told[0]
    assert "FileManager" in human.told[0]
    assert ran.of(HumanSaid) == []


async def test_nobody_but_the_planner_is_switched_to_before_there_is_a_plan(go: Go) -> None:
    human = Person(says("switch", "go on", "FileManager"), says("switch", "in ONE step", "Planner"))
    ran = await go(PLAN, PLAN, doing(write()), human=human, mode="active")
    assert ran.how == "done"
    assert "no plan yet" in human.told[0]
    assert "ONE" in ran.last_part(1)


# Operations.

DELETE = doing({"function": "run_shell", "command": "rm old.txt"})
DELETING = {"subtasks": [{"goal": "delete old.txt", "role": "Programmer"}]}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "work/old.txt"
    file.parent.mkdir()
    file.write_text("old")
    return file


async def test_a_denial_with_words_reaches_the_role(go: Go, old: Path) -> None:
    human = Person(Approval(allowed=False, why="KEEP it"))
    ran = await go(
        DELETING, DELETE, GIVES_UP | {"branch": "NeedHumanHelp"}, human=human, mode="passive", task="Delete old.txt."
    )
    assert (ran.of(e.OperationDenied)[0].by, ran.of(e.OperationDenied)[0].why) == ("human", "KEEP it")
    assert "KEEP it" in ran.calls[2].text()
    assert old.exists()


@pytest.mark.parametrize("mode", ["passive", "active"])
@pytest.mark.parametrize("path", ["/etc/x", "../x", "away/x"])
async def test_nobody_is_asked_about_what_a_yes_cannot_do(go: Go, tmp_path: Path, path: str, mode: str) -> None:
    """The role hears of it at once, and does it right; the person sees only that."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work/away").symlink_to(tmp_path)
    human = Person()
    ran = await go(PLAN, doing(write(path)), doing(write()), human=human, mode=mode)
    assert ran.how == "done"
    asked = [q.operation.params["file_path"] for q in human.asked if isinstance(q, OperationQuestion)]
    assert asked == ([] if mode == "passive" else ["hello.txt"])
    assert "workspace" in ran.last_part(2)
    assert ran.of(e.OperationDenied) == []


async def test_of_what_was_denied_it_is_said_that_nothing_was_kept(go: Go, old: Path) -> None:
    human = Person(Approval(allowed=False, why="KEEP it"))
    asks = GIVES_UP | {"branch": "NeedHumanHelp"}
    ran = await go(DELETING, DELETE, DELETE, asks, human=human, mode="passive", task="Delete old.txt.")
    assert [q.type for q in human.asked] == ["operation", "help"]
    told = ran.last_part(3)
    assert "Nothing that it wrote was kept: KEEP it" in told
    assert old.exists()


async def test_accepting_is_not_approving(go: Go, old: Path) -> None:
    """Where the guard asks, only a clear yes lets it through."""
    human = Person(Accepted(), EditedReply(reply={}), None)
    ran = await go(
        DELETING, DELETE, GIVES_UP | {"branch": "NeedHumanHelp"}, human=human, mode="passive", task="Delete old.txt."
    )
    questions = [q for q in human.asked if isinstance(q, OperationQuestion)]
    assert [bool(q.note) for q in questions] == [False, True, True]
    assert all(q.needed and q.risk and q.why for q in questions)
    assert ran.of(e.OperationDenied)[0].by == "nobody"
    assert old.exists()


async def test_guiding_an_operation_denies_it(go: Go, tmp_path: Path) -> None:
    human = Person(Accepted(), Accepted(), says("guide", "the name is HELLO"))
    ran = await go(PLAN, doing(write("wrong.txt")), doing(write()), human=human, mode="active")
    assert ran.how == "done"
    assert "HELLO" in ran.last_part(2)
    assert "denied" in ran.calls[2].text()
    assert [file.name for file in (tmp_path / "work").iterdir()] == ["hello.txt"]


async def test_an_edited_operation_is_proposed_and_judged_anew(go: Go, tmp_path: Path) -> None:
    instead = EditedOperation(operation=Operation(function="write_file", params={"file_path": "hello.txt", "text": "hello"}))
    human = Person(Accepted(), Accepted(), instead)
    ran = await go(PLAN, doing(write("wrong.txt")), human=human, mode="active")
    assert ran.how == "done"
    proposed = [x for x in ran.journal.events if isinstance(x.body, e.OperationProposed)]
    assert [x.body.operation.params["file_path"] for x in proposed] == ["wrong.txt", "hello.txt"]  # type: ignore[union-attr]
    approved = next(x for x in ran.journal.events if isinstance(x.body, e.OperationApproved))
    assert approved.header.cause == proposed[1].id
    assert [file.name for file in (tmp_path / "work").iterdir()] == ["hello.txt"]


async def test_an_edited_operation_cannot_pass_the_guard(go: Go, old: Path) -> None:
    """A harmless operation is edited into one that the guard asks about: it is asked about, and a no holds."""
    harmless = doing({"function": "run_shell", "command": "true"})
    worse = EditedOperation(operation=Operation(function="run_shell", params={"command": "rm old.txt"}))
    human = Person(Accepted(), Accepted(), worse, Approval(allowed=False))
    ran = await go(DELETING, harmless, GIVES_UP | {"branch": "NeedHumanHelp"}, human=human, mode="active", task="Look.")
    asked = [q for q in human.asked if isinstance(q, OperationQuestion)]
    assert [q.needed for q in asked] == [False, True]
    assert asked[1].risk == "destroy"
    assert asked[1].scopes == ("once",), "of what is asked every time no approval is remembered"
    assert done(ran.journal) == ["run_shell"], "over a layer, of which nothing landed"
    assert old.exists()


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (Operation(function="run_shell", params={"command": "ls"}), "no action 'run_shell'"),
        (Operation(function="write_file", params={"path": "x"}), "write_file"),
    ],
)
async def test_an_edited_operation_that_cannot_be_is_asked_again(go: Go, operation: Operation, words: str) -> None:
    """Not of the role's domain, or with wrong parameters."""
    human = Person(Accepted(), Accepted(), EditedOperation(operation=operation))
    ran = await go(PLAN, doing(write()), human=human, mode="active")
    assert ran.how == "done"
    assert words in human.asked[3].note  # type: ignore[union-attr]
    assert len(ran.of(e.OperationProposed)) == 1


async def test_an_approval_for_the_run_is_not_asked_again(go: Go, tmp_path: Path) -> None:
    """The guard remembers it; only where its rule allows that."""
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rules]]\nname = "all"\neffect = "ask"\n')
    human = Person(Approval(allowed=True, scope="run", expires=600))
    ran = await go(PLAN, doing(write(), write()), human=human, mode="passive", policy=policy)
    assert ran.how == "done"
    (question,) = human.asked
    assert isinstance(question, OperationQuestion)
    assert question.scopes == ("once", "run")
    first, second = ran.of(e.OperationApproved)
    assert (first.by, first.scope, first.expires) == ("human", "run", 600)
    assert second.by == "grant"


# At any moment, in any mode.


async def test_pause_and_resume(go: Go) -> None:
    human = Person()

    def pause(journal: Journal) -> None:
        human.say(says("pause"))
        human.say(says("mode", "passive"))
        human.say(says("resume"))

    ran = await go(PLAN, doing(write()), human=human, watch=when(after_reply("FileManager"), pause))
    assert ran.how == "done"
    assert [body.kind for body in ran.of(HumanSaid)] == ["pause", "mode", "resume"]
    numbers = {type(x.body): x.number for x in ran.journal.events}
    assert numbers[HumanSaid] < numbers[e.ActionStarted], "nothing is done while the run is held"


async def test_the_reply_is_still_there_to_be_guided_after_a_pause(go: Go) -> None:
    human = Person()

    def look(journal: Journal) -> None:
        for said in (says("pause"), says("guide", "no, hello.txt"), says("resume")):
            human.say(said)

    ran = await go(
        PLAN, doing(write("wrong.txt")), doing(write()), human=human, watch=when(after_reply("FileManager"), look)
    )
    assert ran.how == "done"
    assert "wrong.txt" in ran.last_part(2), "the rejected reply is shown with the words"
    assert done(ran.journal) == ["write_file"]


async def test_stop_while_paused(go: Go) -> None:
    human = Person()
    human.say(says("pause"))
    human.say(says("stop", "no more"))
    ran = await go(human=human)
    assert (ran.outcome.status, ran.outcome.why, ran.asked) == ("stopped", "no more", [])


async def test_a_held_run_whose_person_has_gone_stops(go: Go) -> None:
    class Gone(Person):
        async def wait(self) -> None:
            return None

    human = Gone()
    human.say(says("pause"))
    ran = await go(human=human)
    assert ran.outcome.status == "stopped"
    assert "nobody is connected to it any more" in ran.outcome.why


async def test_guidance_in_automatic_mode_reaches_the_role_that_is_asked_next(go: Go) -> None:
    human = Person()
    human.say(says("guide", "make it SHORT"))
    ran = await go(PLAN, doing(write()), human=human)
    assert ran.how == "done"
    assert "SHORT" in ran.last_part(0)
    assert "SHORT" not in ran.last_part(1)
    assert "The user says: make it SHORT" in ran.calls[1].text()


async def test_guidance_for_a_later_role_leaves_the_reply_of_another(go: Go) -> None:
    human = Person()
    watch = when(after_reply("Planner"), lambda _: human.say(says("guide", "call it HELLO", "filemanager")))
    ran = await go(PLAN, doing(write()), human=human, watch=watch)
    assert ran.how == "done"
    assert ran.asked == ["Planner", "FileManager"]
    assert "HELLO" in ran.last_part(1)


async def test_the_plan_is_edited(go: Go, tmp_path: Path) -> None:
    def edit(_: Any) -> PlanEdit:
        added = Subtask(id="2", goal="write hello", role="FileManager")
        return PlanEdit(patch=PlanPatch(add=(added,), drop=("1",)), why="not that")

    wrong = {"subtasks": [{"goal": "write bye", "role": "Programmer"}]}
    human = Person(Accepted(), edit)
    ran = await go(wrong, doing(branch="Continue"), doing(write()), human=human, mode="active")
    assert ran.how == "done"
    patched = ran.of(e.PlanPatched)[-1]
    assert (patched.by, patched.why, [s.id for s in patched.plan.subtasks]) == ("human", "not that", ["2"])
    assert ran.asked == ["Planner", "Programmer", "FileManager"]


@pytest.mark.parametrize("moment", [0, 1])
async def test_what_is_to_come_is_edited_while_something_is_done(go: Go, moment: int) -> None:
    """After the reply, or before its operation: what is being done goes on."""
    plan = {"subtasks": [{"goal": g, "role": "FileManager"} for g in ("make a.txt", "make b.txt")]}
    edit = PlanEdit(patch=PlanPatch(edit=(Subtask(id="2", goal="write hello", needs=("1",), role="FileManager"),)))
    human = Person(*[Accepted()] * (1 + moment), edit)
    ran = await go(plan, doing(write("a.txt")), doing(write()), human=human, mode="active", required=usual(TASK, "a.txt"))
    assert ran.how == "done"
    assert ran.asked == ["Planner", "FileManager", "FileManager"]
    assert ran.of(e.OperationDenied) == []
    assert "write hello" in ran.calls[2].text()


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        (PlanPatch(drop=("7",)), "no subtask '7'"),
        (PlanPatch(edit=(Subtask(id="1", goal="g", needs=("1",)),)), "circle"),
        (PlanPatch(add=(Subtask(id="2", goal="g", role="King"),)), "'King' cannot do a subtask"),
    ],
)
async def test_an_impossible_plan_is_told_and_ends_nothing(go: Go, patch: PlanPatch, words: str) -> None:
    human = Person()
    watch = when(after_reply("FileManager"), lambda _: human.say(PlanEdit(patch=patch)))
    ran = await go(PLAN, doing(write()), human=human, watch=watch)
    assert ran.how == "done"
    assert words in human.told[0]
    assert len(ran.of(e.PlanPatched)) == 1


async def test_a_subtask_may_be_dropped_while_its_operation_is_reviewed(go: Go) -> None:
    human = Person()
    plan = {"subtasks": [{"goal": g} for g in ("make a.txt", "write hello")]}
    patch = PlanPatch(drop=("1",), edit=(Subtask(id="2", goal="write hello", role="FileManager"),))
    watch = when(lambda event: isinstance(event.body, e.ActionFinished), lambda _: human.say(PlanEdit(patch=patch)))
    judged = {"analyze": "", "verdict": "continue", "judgement": "fine"}
    assigned = {"assignments": [{"subtask": n, "role": "FileManager"} for n in "12"], "branch": "Continue"}
    replies = [plan, assigned, doing(write("a.txt")), judged, doing(write()), judged, FINISH]
    ran = await go(*replies, human=human, watch=watch, crew="cola", required=usual(TASK, "a.txt"))
    assert ran.how == "done", ran.outcome


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (says("resume"), "not paused"),
        (says("hand_back"), "not taken over"),
        (says("take_over"), "no desktop"),
        (says("mode", "sleepy"), "no mode 'sleepy'"),
        (says("mode", "active", "King"), "no role 'King'"),
        (says("guide", "x", "King"), "no role 'King'"),
        (says("answer", "x"), "Nobody asked"),
        (says("edit"), "only be edited when you are asked"),
        (PlanEdit(patch=PlanPatch(drop=("1",))), "no plan yet"),
    ],
)
async def test_what_cannot_be_is_refused_with_words(go: Go, said: Any, words: str) -> None:
    human = Person()
    human.say(said)
    ran = await go(PLAN, doing(write()), human=human)
    assert ran.how == "done"
    assert words in human.told[0]
    assert ran.of(HumanSaid) == []


async def test_a_failure_after_a_denial_that_did_not_matter_is_no_denial(go: Go, old: Path) -> None:
    """Something was done since: what ends the run is not that it was denied."""
    works = doing({"function": "run_shell", "command": "ls"}, branch="Interrupt", problem="enough")
    ran = await go(DELETING, DELETE, works, task="Delete old.txt.")
    assert ran.how == "failed gave_up"
    ran = await go(DELETING, DELETE, GIVES_UP, task="Delete old.txt.")
    assert ran.how == "denied gave_up"


async def test_a_judgement_that_a_person_edits_is_theirs(go: Go) -> None:
    question = "How much is 6 times 7?"
    contract = {
        "requirements": [{"parts": [1], "says": "The user is told how much it is", "seen_by": "answer"}],
        "question": question,
    }
    plan = {"subtasks": [{"goal": "compute", "role": "Programmer"}]}
    finds = doing({"function": "run_python_code", "code": "print(6 * 7)"})
    answers = {"answer": "42", "sources": [], "branch": "Continue"}

    def doubts(call: Call) -> dict[str, Any]:
        said = reads("42")(call)
        return {"texts": [each | {"fulfils": False} for each in said["texts"]], "why": "of what?"}

    def knows(asked: ReplyQuestion) -> EditedReply:
        texts = [each | {"fulfils": each["quote"] == "42"} for each in asked.reply["texts"]]
        assert sum(each["fulfils"] for each in texts) == 1
        return EditedReply(reply={"texts": texts, "why": "I know it"})

    strong = Profile(name="strong", context=128_000, contracts=True)
    given: dict[str, Any] = {"modes": (("Reader", "active"),), "profile": strong, "task": question}
    ran = await go(contract, plan, finds, answers, doubts, human=Person(knows), **given)
    assert (ran.how, ran.outcome.verified_by) == ("done", "human")
    ran = await go(contract, plan, finds, answers, doubts, human=Person(Accepted()), **given)
    assert (ran.how, ran.outcome.why) == ("unverified", "judged, not proven: of what?")


async def test_a_run_goes_on_in_another_mode(go: Go, tmp_path: Path) -> None:
    human = Person()
    with pytest.raises(KeyError):
        await go(PLAN, KeyError("a bug"), human=human, modes=(("FileManager", "active"),))
    model = ScriptedModel([doing(write())])
    change = lambda request: dataclasses.replace(request, mode="passive", modes=())  # noqa: E731
    journal = await session.resume("last", settings_in(tmp_path), change=change, model=model, human=human)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    assert human.asked == [], "the role's own mode does not hold any more"
    assert mode_of(journal.state, "FileManager") == mode_of(journal.state) == "passive"


async def test_a_run_that_died_while_it_was_held_goes_on_when_it_is_resumed(go: Go, tmp_path: Path) -> None:
    class Dies(Person):
        async def wait(self) -> None:
            raise KeyError("the process died")

    human = Dies()
    human.say(says("pause"))
    with pytest.raises(KeyError):
        await go(human=human)
    journal = await session.resume("last", settings_in(tmp_path), model=ScriptedModel([PLAN, doing(write())]))
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
