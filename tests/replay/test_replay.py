"""A run again from its journal alone: the same to the last prompt, and the first thing that is not is found."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskcrew.actions.sandbox import Sandbox
from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, EditedOperation, EditedReply, OperationQuestion, ReplyQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles import ask
from deskcrew.engine.roles.recorded import recorded_crew
from deskcrew.errors import ModelFailure, UsageError
from deskcrew.facts import events as e
from deskcrew.guard.guard import Guard
from deskcrew.journal.branches import branches
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Answer, Call, T
from deskcrew.models.scripted import ScriptedModel
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.settings import Limits
from deskcrew_bench.cassettes import CASES, TASK, WRITES, WRITING, Case, Killed, Stage, check, make
from support import chore
from support.crew import bodies, settings_in
from support.sampling import sampled

pytestmark = pytest.mark.anyio

ONE = CASES[0]


@pytest.mark.first_case
@pytest.mark.parametrize("case", sampled(CASES, 4), ids=lambda case: case.name)
async def test_every_kind_of_run_is_the_same_elsewhere(tmp_path: Path, case: Case) -> None:
    checked = await check(case, tmp_path)
    assert checked.ended == case.ends
    assert [each.difference for each in checked.replays] == [None] * len(checked.replays)


async def test_nothing_is_written_and_nothing_outside_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = await make(ONE, tmp_path)
    before = Store(journal.path).verified("last")
    shutil.rmtree(tmp_path / "work")

    def used(*_: Any, **__: Any) -> Any:
        pytest.fail("something outside was used")

    for name in ("run", "probe"):
        monkeypatch.setattr(Sandbox, name, used)
    monkeypatch.setattr(session, "parts", used)
    found = await replay(journal)
    assert found.difference is None
    assert (found.events, found.prompts) == (len(journal.events), 2)
    assert Store(journal.path).verified("last") == before
    assert not (tmp_path / "work").exists()


# What differs is found, at its event.


async def test_one_byte_of_a_prompt_is_found_at_its_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = await make(ONE, tmp_path)
    render = ask.render

    def other(role: Any, *arguments: Any, **more: Any) -> Any:
        parts = render(role, *arguments, **more)
        if role.name != "FileManager":
            return parts
        return (*parts[:-1], replace(parts[-1], text=parts[-1].text + "."))

    monkeypatch.setattr(ask, "render", other)
    found = (await replay(journal)).difference
    assert found is not None
    calls = [x for x in journal.events if isinstance(x.body, e.RoleCalled)]
    assert calls[1].body.role == "FileManager"  # type: ignore[union-attr]
    assert (found.event, found.what.split(",")[0]) == (calls[1].number, "the prompt of FileManager")
    changed = [line for line in found.lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert len(changed) == 2
    assert changed[1][1:] == changed[0][1:] + "."


async def test_another_decision_of_the_guard_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = await make(ONE, tmp_path)
    decide = Guard.decide

    def denying(self: Guard, *arguments: Any, **more: Any) -> Any:
        return decide(self, *arguments, **more).model_copy(update={"effect": "deny"})

    monkeypatch.setattr(Guard, "decide", denying)
    found = (await replay(journal)).difference
    approved = next(x for x in journal.events if isinstance(x.body, e.OperationApproved))
    assert found is not None
    assert (found.event, found.what) == (approved.number, "the event")
    assert found.recorded.startswith("operation_approved")
    assert found.instead.startswith("operation_denied")


async def test_another_verdict_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from deskcrew.engine.steps import reviewing

    journal = await make(ONE, tmp_path)

    own_word = reviewing.own_word

    def harsher(*arguments: Any, **named: Any) -> Any:
        return own_word(*arguments, **named).model_copy(update={"why": "because"})

    monkeypatch.setattr(reviewing, "own_word", harsher)
    found = (await replay(journal)).difference
    judged = next(x for x in journal.events if isinstance(x.body, e.Judged) and x.body.scope == "subtask")
    assert found is not None
    assert (found.event, found.what, found.instead) == (judged.number, "judged, verdict.why", "because")


async def test_a_reply_that_is_read_otherwise_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = await make(ONE, tmp_path)
    to_event = ask.to_event
    monkeypatch.setattr(ask, "to_event", lambda role, value: to_event(role, value) | {"branch": "Continue"})
    found = (await replay(journal)).difference
    replied = [x for x in journal.events if isinstance(x.body, e.RoleReplied)]
    assert found is not None
    assert found.event in [event.number for event in replied]
    assert found.what == "role_replied, reply.branch"


async def test_an_engine_that_goes_on_or_fails_where_the_run_did_not_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = await make(ONE, tmp_path)

    def faulty(*_: Any, **__: Any) -> Any:
        raise TypeError("a bug of today")

    monkeypatch.setattr(Guard, "decide", faulty)
    found = (await replay(journal)).difference
    assert found is not None
    assert "TypeError: a bug of today" in found.instead


# A process that ended anywhere, and the one that went on.

EVENTS = 63


@pytest.mark.parametrize("number", sampled(range(1, EVENTS), 2))
async def test_a_run_ended_at_any_event_and_gone_on_with_replays(tmp_path: Path, number: int) -> None:
    def watch(event: e.Event, journal: Journal) -> None:
        if event.number == number:
            raise Killed

    settings = settings_in(tmp_path)
    try:
        await session.run(chore.request_in(tmp_path), settings, watch=watch, model=chore.crew_in(tmp_path))
    except Killed:
        cut = await replay(Store(settings.journal).journal("last"))
        assert cut.difference is None
        assert cut.events == len(Store(settings.journal).journal("last").events)
        if Store(settings.journal).journal("last").state.outcome is None:
            await session.resume("last", settings, model=chore.crew_in(tmp_path))
    journal = Store(settings.journal).journal("last")
    found = await replay(journal)
    assert found.difference is None
    assert found.events == len(journal.events)


async def test_a_run_that_a_bug_of_ours_ended_replays(tmp_path: Path) -> None:
    """A script that runs out is such a bug."""
    settings = settings_in(tmp_path)
    stage = Stage(replace(ONE, answers={"Planner": [WRITING], "FileManager": [KeyError("gone")]}), tmp_path)
    with pytest.raises(KeyError):
        await stage.begin()
    journal = Store(settings.journal).journal("last")
    assert journal.state.interrupted
    found = await replay(journal)
    assert (found.difference, found.events) == (None, len(journal.events))


async def test_a_cancelled_run_replays(tmp_path: Path) -> None:
    import anyio

    with anyio.CancelScope() as scope:

        def watch(event: e.Event, _: Journal) -> None:
            if isinstance(event.body, e.ActionStarted):
                scope.cancel()

        await Stage(ONE, tmp_path).begin(watch)
    journal = Stage(ONE, tmp_path).journal()
    assert journal.state.outcome == session.STOPPED_BY_USER
    assert (await replay(journal)).difference is None


async def test_what_a_person_edits_replays(tmp_path: Path) -> None:
    async def reply(question: ReplyQuestion) -> EditedReply | None:
        return EditedReply(reply=question.reply | {"message": "edited"}) if question.role == "FileManager" else None

    async def operation(question: OperationQuestion) -> EditedOperation:
        params = {"file_path": "hello.txt", "text": "hello!", "append": False}
        return EditedOperation(operation=e.Operation(function="write_file", params=params))

    case = replace(ONE, changes={"mode": "active"}, person=lambda: PythonResponder(reply=reply, operation=operation))
    journal = await make(case, tmp_path)
    assert (tmp_path / "work/hello.txt").read_text() == "hello!"
    assert "human" in [body.model for body in bodies(journal, e.RoleReplied)]
    assert (await replay(journal)).difference is None


async def test_another_model_and_other_limits_of_a_later_process_are_recorded(tmp_path: Path) -> None:
    from deskcrew.models.client import Profile
    from deskcrew.models.scripted import ScriptedModel
    from deskcrew.settings import Limits

    def watch(event: e.Event, _: Journal) -> None:
        if isinstance(event.body, e.ActionFinished):
            raise Killed

    stage = Stage(replace(ONE, answers={"Planner": [WRITING], "FileManager": [WRITES | {"branch": "Continue"}]}), tmp_path)
    with pytest.raises(Killed):
        await stage.begin(watch)
    model = ScriptedModel([WRITES] * 9, name="another", profile=Profile(name="another", free_text="short"))

    def change(request: RunRequest) -> RunRequest:
        return replace(request, limits=Limits(operations=1))

    journal = await session.resume("last", stage.settings, model=model, change=change)
    assert journal.state.outcome is not None
    assert journal.state.outcome.reason == "bound:operations"
    assert (await replay(journal)).difference is None


@pytest.mark.deep
async def test_each_branch_replays_by_itself(tmp_path: Path) -> None:
    journal = await make(CASES[-1], tmp_path)
    found = [await replay(journal, branch.head) for branch in branches(journal)]
    assert [each.difference for each in found] == [None, None, None]
    assert len({each.events for each in found}) == 3


async def test_links_lead_where_they_led(tmp_path: Path) -> None:
    """The guard goes by where a path really is; in a replay there are no links to follow."""
    (tmp_path / "elsewhere").mkdir()
    inside = {"function": "write_file", "file_path": "in/hello.txt", "text": "hello"}
    outside = {"function": "write_file", "file_path": "out/hello.txt", "text": "hello"}
    first, second = ({"operations": [each], "branch": "Continue"} for each in (inside, outside))
    answers = {"Planner": [WRITING], "FileManager": [first, second, WRITES]}
    stage = Stage(replace(ONE, answers=answers), tmp_path)
    work = tmp_path / "work"

    class Linked(Stage):
        def _prepare(self, work: Path) -> None:
            super()._prepare(work)
            (work / "real").mkdir()
            (work / "in").symlink_to("real")
            (work / "out").symlink_to(tmp_path / "elsewhere")

    await Linked(stage.case, tmp_path).begin()
    journal = stage.journal()
    denied = bodies(journal, e.OperationDenied)
    assert [body.by for body in denied] == ["nobody"]
    assert (work / "real/hello.txt").exists()
    shutil.rmtree(work)
    assert (await replay(journal)).difference is None


async def test_what_cannot_be_replayed_is_told(tmp_path: Path) -> None:
    started = e.RunStarted(task=TASK, crew="planned", model="m", mode="automatic", workspace="w", desktop="none")
    journal = Store(tmp_path / "j.db").create(started)
    with pytest.raises(UsageError, match="did not record enough"):
        await replay(journal)
    whole = await make(ONE, tmp_path)
    whole.redacted.add(whole.events[3].id)
    with pytest.raises(UsageError, match="texts were removed"):
        await replay(whole)
    assert recorded_crew(whole).name == "planned"


async def test_secrets_are_replayed_without_their_values(tmp_path: Path) -> None:
    """Prompts tell names and where each may go; values are nowhere."""
    secret = Secret("mail", "correct horse battery", Binding(apps=("thunderbird",)))
    types = {"function": "write_file", "file_path": "hello.txt", "text": "{{secret:mail}}"}
    answers = {"Planner": [WRITING], "FileManager": [{"operations": [types], "branch": "Continue"}, WRITES]}
    journal = await make(replace(ONE, answers=answers, changes={"secrets": (secret,)}), tmp_path)
    assert [body.ok for body in bodies(journal, e.ActionFinished)] == [False, True]
    told = [journal.read_blob(part.blob) for body in bodies(journal, e.RoleCalled) for part in body.parts]
    assert not [text for text in told if b"correct horse" in text]
    assert (await replay(journal)).difference is None


async def test_an_approval_that_ended_in_time_ends_there_again(tmp_path: Path) -> None:
    """Whether it still holds goes by the recorded time, not by today's clock."""

    async def operation(question: OperationQuestion) -> Approval:
        return Approval(allowed=True, scope="run", expires=3600.0)

    policy = tmp_path / "policy.toml"
    policy.write_text('[[rules]]\nname = "mine"\neffect = "ask"\naction = ["write_file"]\n')
    first = {"operations": [{"function": "write_file", "file_path": "hello.txt", "text": "x"}], "branch": "Continue"}
    case = replace(
        ONE,
        answers={"Planner": [WRITING], "FileManager": [first, WRITES]},
        changes={"mode": "passive", "policy": policy},
        person=lambda: PythonResponder(operation=operation),
    )
    journal = await make(case, tmp_path / "run")
    assert [body.by for body in bodies(journal, e.OperationApproved)] == ["human", "grant"]
    policy.unlink()
    later = time.time() + 7200
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: later)
        assert (await replay(journal)).difference is None


class Stalled(ScriptedModel):
    """Answers as scripted, and then not before the call's time is over."""

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        if len(self.calls) < 1:
            return await super().answer(call, type)
        assert 0 < call.deadline <= LIMIT
        await anyio.sleep(call.deadline)
        raise ModelFailure("no answer in time")


LIMIT = 1.0


async def test_no_call_goes_on_past_the_end_of_a_runs_time_and_that_is_replayed(tmp_path: Path) -> None:
    request = RunRequest(
        task=TASK, workspace=tmp_path / "work", desktop="none", limits=Limits(seconds=LIMIT), crew="planned"
    )
    (tmp_path / "work").mkdir()
    journal = await session.run(request, settings_in(tmp_path), model=Stalled([WRITING]))
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.why) == (
        "failed",
        "bound:seconds",
        "The run has used up its 1 seconds (limit seconds).",
    )
    assert [body.role for body in bodies(journal, e.RoleCalled)] == ["Planner", "FileManager"]
    assert (await replay(Store(journal.path).journal("last"))).difference is None
