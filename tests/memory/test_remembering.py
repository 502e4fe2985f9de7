"""Whole runs that remember: what is kept, what the next run is shown of it, and what is taken back."""

# ruff: noqa: ASYNC240 - files are made before a run and looked at after it
from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.confirming import confirm
from deskcrew.engine.human.questions import Approval, OperationQuestion, ReplyQuestion
from deskcrew.engine.human.responder import PythonResponder, Responder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.recalling import HEAD, TOKENS, recalled_text
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.learning.memory import keeping
from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.keeping import catch_up, memory_of, settle, settle_again
from deskcrew.learning.memory.recollection import episode_text, tokens
from deskcrew.learning.memory.store import MemoryFailure
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.settings import MemorySettings, Settings
from deskcrew.ways_in.running.runs import Runs
from support.crew import bodies, settings_in
from support.required import required, usual
from support.servers import PostgresServer

pytestmark = pytest.mark.anyio

TASK = 'Write "hello" into hello.txt.'
LIKE = 'Write "good morning" into morning.txt.'
FINISHED: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}


def write(file: str, text: str) -> dict[str, Any]:
    operation = {"function": "write_file", "file_path": file, "text": text}
    return {"operations": [operation], "branch": "RoleTaskFinish"}


def planned(goal: str) -> dict[str, Any]:
    return {"subtasks": [{"goal": goal, "role": "FileManager"}]}


async def ran(
    settings: Settings,
    folder: Path,
    *work: Mapping[str, Any],
    task: str = TASK,
    goal: str = "",
    profile: Profile | None = None,
    human: Responder | None = None,
    **more: Any,
) -> tuple[Journal, list[Call]]:
    """A run in which the FileManager replies ``work``, in a workspace of its own."""
    folder.mkdir(exist_ok=True)
    asked: list[Call] = []
    replies = iter(work)

    def reply(call: Call) -> Mapping[str, Any]:
        asked.append(call)
        return planned(goal or task) if call.role == "Planner" else next(replies, FINISHED)

    given: dict[str, Any] = {"task": task, "workspace": folder, "desktop": "none", "memory": "on", "required": usual(task)}
    request = RunRequest(**({"crew": "planned", **given | more}))
    model = ScriptedModel(itertools.repeat(reply), profile=profile) if profile else ScriptedModel(itertools.repeat(reply))
    return await session.run(request, settings, model=model, human=human), asked


def standing(settings: Settings) -> list[Entry]:
    memory = memory_of(settings)
    try:
        return memory.all()
    finally:
        memory.close()


def remembered(calls: list[Call], role: str) -> list[str]:
    """What the prompts of a role showed of earlier runs."""
    return [text[text.index(HEAD) :] for call in calls if call.role == role and HEAD in (text := call.text("memory"))]


@pytest.mark.deep
async def test_what_was_proven_is_shown_to_the_same_roles_in_a_like_run(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    first, asked = await ran(settings, tmp_path / "one", write("hello.txt", "hello"))
    assert first.state.outcome is not None
    assert first.state.outcome.status == "done"
    assert not bodies(first, e.Recalled)
    assert remembered(asked, "Planner") == remembered(asked, "FileManager") == []

    kept = {entry.role: entry for entry in standing(settings)}
    assert set(kept) == {"Planner", "FileManager"}
    done = json.dumps(
        {
            "operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello", "append": False}],
            "branch": "RoleTaskFinish",
        },
        separators=(",", ":"),
    )
    assert kept["FileManager"].decision == done
    assert (kept["FileManager"].verdict, kept["FileManager"].verified_by) == ("proven", "rules")
    assert (kept["FileManager"].run, kept["Planner"].situation) == (first.run, TASK)

    second, asked = await ran(settings, tmp_path / "two", write("morning.txt", "good morning"), task=LIKE)
    recalled = {body.role: body for body in bodies(second, e.Recalled)}
    assert set(recalled) == {"Planner", "FileManager"}
    assert [hit.digest for hit in recalled["FileManager"].hits] == [kept["FileManager"].digest]
    assert recalled["Planner"].records == (e.TrackRecord(role="FileManager", proven=1, failed=0),)
    shown = remembered(asked, "FileManager")
    assert shown
    assert f"  Reply: {done}\n" in shown[0]
    assert "FileManager 1 of 1" in remembered(asked, "Planner")[0]
    assert "FileManager 1 of 1" not in shown[0]

    # A replay needs no memory, whatever has become of it since.
    settings.remembered.unlink()
    for journal in (first, second):
        again = await replay(journal)
        assert again.difference is None, again.difference
        assert again.events == len(journal.events)
    assert not settings.remembered.exists()


async def test_another_kind_of_task_is_not_reminded(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    await ran(settings, tmp_path / "one", write("hello.txt", "hello"))
    other = 'Translate the poem about winter into "poem.txt".'
    journal, _ = await ran(settings, tmp_path / "two", task=other, goal="translate the poem about the winter")
    assert [body.role for body in bodies(journal, e.Recalled) if body.hits] == []


async def test_what_was_only_claimed_is_not_kept(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    journal, _ = await ran(settings, tmp_path / "one", write("other.txt", "x"))
    assert journal.state.outcome is not None
    assert journal.state.outcome.status != "done"
    assert [entry for entry in standing(settings) if entry.verdict != "failed"] == []


@pytest.mark.parametrize("use", ["off", "read"])
async def test_nothing_is_kept_where_that_is_not_wanted(tmp_path: Path, use: str) -> None:
    settings = settings_in(tmp_path)
    await ran(settings, tmp_path / "one", write("hello.txt", "hello"), memory=use)
    assert not settings.remembered.exists()
    await ran(settings, tmp_path / "two", write("hello.txt", "hello"))
    journal, _ = await ran(settings, tmp_path / "three", write("hello.txt", "hello"), memory=use)
    assert bool(bodies(journal, e.Recalled)) == (use == "read")
    assert {entry.run for entry in standing(settings)} != {journal.run}


async def test_a_crew_without_memory_recalls_nothing(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    for folder in ("one", "two"):
        journal, _ = await ran(settings, tmp_path / folder, write("hello.txt", "hello"), without=("memory",))
        assert not bodies(journal, e.Recalled)


async def test_a_run_that_turns_out_wrong_takes_its_entries_back(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    journal, _ = await ran(settings, tmp_path / "one", write("hello.txt", "hello"))
    assert standing(settings)
    confirm(journal, holds=False, why="the greeting is wrong")
    settle_again(journal, settings)
    assert standing(settings) == []
    after, _ = await ran(settings, tmp_path / "two", write("hello.txt", "hello"))
    assert not bodies(after, e.Recalled)
    confirm(journal, holds=True)
    settle_again(journal, settings)
    assert {entry.verified_by for entry in standing(settings) if entry.run == journal.run} == {"human"}


async def test_a_run_that_is_undone_takes_its_entries_back(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    journal, _ = await ran(settings, tmp_path / "one", write("hello.txt", "hello"))
    assert standing(settings)
    Runs(settings).undo(journal.run)
    assert not (tmp_path / "one" / "hello.txt").exists()
    assert standing(settings) == []
    after, _ = await ran(settings, tmp_path / "two", write("hello.txt", "hello"))
    assert not bodies(after, e.Recalled)
    assert {entry.run for entry in standing(settings)} == {after.run}, "what was undone stays so"


async def test_a_persons_correction_is_kept_and_outweighs(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    await ran(settings, tmp_path / "one", write("hello.txt", "hello"))
    said = ["Always end such a file with a full stop."]

    async def reply(question: ReplyQuestion) -> e.HumanSaid | None:
        if question.role == "FileManager" and said:
            return e.HumanSaid(kind="guide", text=said.pop())
        return None

    async def allow(question: OperationQuestion) -> Approval:
        return Approval(allowed=True)

    work = (write("hello.txt", "hello"), write("hello.txt", "hello."))
    person = PythonResponder(reply=reply, operation=allow)
    journal, _ = await ran(settings, tmp_path / "two", *work, mode="active", human=person)
    assert bodies(journal, e.HumanSaid)
    (corrected,) = (entry for entry in standing(settings) if entry.verdict == "corrected")
    assert "Always end such a file with a full stop." in corrected.decision
    assert '"text":"hello."' in corrected.decision
    after, _ = await ran(settings, tmp_path / "three", write("morning.txt", "good morning."), task=LIKE)
    hits = next(body.hits for body in bodies(after, e.Recalled) if body.role == "FileManager")
    assert hits[0].entry == corrected.id


async def test_no_role_is_shown_more_than_its_model_can_take(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    for number, letters in enumerate(("abc", "äöü", "表計算")):
        text = f"{letters} {number} " * 400
        long = write("more.txt", text)
        both = [*write("hello.txt", "hello")["operations"], *long["operations"] * 5]
        wanted = required("file_contains hello.txt hello", f"file_is more.txt '{text}'")
        await ran(settings, tmp_path / letters, {"operations": both, "branch": "RoleTaskFinish"}, required=wanted)
    for free, most in (("short", TOKENS), ("full", TOKENS)):
        profile = Profile(name="test", free_text=free, context=100_000)  # type: ignore[arg-type]
        journal, _ = await ran(settings, tmp_path / free, write("hello.txt", "hello"), profile=profile)
        told = bodies(journal, e.Recalled)
        assert told
        assert all(0 < tokens(recalled_text(body)) <= most for body in told)
        assert all(len(body.hits) <= (3 if body.role == "Planner" else 2) for body in told)


async def test_a_secret_is_never_remembered(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    secret = Secret("mail", "correct-horse-battery", Binding(("*",), ()))
    work = write("hello.txt", "hello correct-horse-battery")
    await ran(settings, tmp_path / "one", work, secrets=(secret,))
    memory = memory_of(settings)
    assert all("mail" not in entry.model_dump_json() for entry in memory.all(withdrawn=True))
    memory.close()
    assert b"correct-horse" not in settings.remembered.read_bytes()


async def test_what_a_process_that_died_could_not_keep_is_kept_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_in(tmp_path)

    def killed(*_: object) -> None:
        raise MemoryFailure("the process is gone")

    with monkeypatch.context() as gone:
        gone.setattr(keeping, "settle", killed)
        journal, _ = await ran(settings, tmp_path / "one", write("hello.txt", "hello"))
    assert standing(settings) == []
    memory = memory_of(settings)
    assert memory.unsettled() == [journal.run]
    catch_up(memory, settings, pytest.fail)
    assert memory.unsettled() == []
    assert {entry.run for entry in memory.all()} == {journal.run}
    memory.close()


async def test_a_run_that_was_removed_before_it_was_remembered_is_no_news(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    memory = memory_of(settings)
    memory.begin("0101-000000-aaaa", "the run goes on")
    catch_up(memory, settings, pytest.fail)
    assert memory.unsettled() == []
    memory.close()


@pytest.mark.deep
async def test_a_run_that_goes_on_does_not_stand_until_it_has_ended_again(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    journal, _ = await ran(settings, tmp_path / "one", write("hello.txt", "hello"))
    memory = memory_of(settings)
    memory.begin(journal.run, "the run goes on")
    assert memory.all() == []
    assert settle(memory, Store(settings.journal).journal(journal.run), settings)
    before = [(entry.id, entry.created) for entry in memory.all()]
    assert before
    assert settle(memory, journal, settings)
    assert [(entry.id, entry.created) for entry in memory.all()] == before
    memory.close()


async def test_what_a_folder_taught_may_stay_with_it(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    settings = settings.model_copy(update={"memory": MemorySettings(scope="workspace")})
    await ran(settings, tmp_path / "one", write("hello.txt", "hello"))
    elsewhere, _ = await ran(settings, tmp_path / "two", write("hello.txt", "hello"), memory="read")
    again, _ = await ran(settings, tmp_path / "one", write("hello.txt", "hello"), memory="read")
    assert not any(body.hits for body in bodies(elsewhere, e.Recalled))
    assert any(body.hits for body in bodies(again, e.Recalled))


async def test_a_memory_that_cannot_be_used_stops_no_run(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    settings.data.mkdir()
    settings.remembered.write_bytes(b"this is no database" * 100)
    told: list[str] = []
    request = RunRequest(
        TASK, workspace=tmp_path / "work", desktop="none", memory="on", required=usual(TASK), crew="planned"
    )
    model = ScriptedModel([planned("write it"), write("hello.txt", "hello")])
    (tmp_path / "work").mkdir()
    journal = await session.run(request, settings, model=model, notice=told.append)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    assert any("is damaged" in text for text in told)


@pytest.mark.deep
async def test_machines_with_one_journal_have_one_memory(tmp_path: Path, postgres: PostgresServer) -> None:
    words = {"database": postgres.journal(), "memory": MemorySettings(embedder="none")}
    here, there = (settings_in(tmp_path / name).model_copy(update=words) for name in ("here", "there"))
    first, _ = await ran(here, tmp_path / "one", write("hello.txt", "hello"))
    second, _ = await ran(there, tmp_path / "two", write("hello.txt", "hello"))
    hits = {hit.entry for body in bodies(second, e.Recalled) for hit in body.hits}
    assert hits == {entry.id for entry in standing(here) if entry.run == first.run}
    assert not here.remembered.exists()


async def test_words_alone_will_do(tmp_path: Path) -> None:
    settings = settings_in(tmp_path).model_copy(update={"memory": MemorySettings(embedder="none")})
    await ran(settings, tmp_path / "one", write("hello.txt", "hello"))
    journal, _ = await ran(settings, tmp_path / "two", write("hello.txt", "hello"))
    assert {body.role for body in bodies(journal, e.Recalled)} == {"Planner", "FileManager"}


async def test_the_record_of_an_agent_says_where_it_failed(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    mismatch: dict[str, Any] = {"operations": [], "branch": "TaskMismatch", "problem": "this is not mine"}
    await ran(settings, tmp_path / "one", *[mismatch] * 30)
    failed = [entry for entry in standing(settings) if entry.verdict == "failed"]
    assert {entry.role for entry in failed} == {"FileManager"}
    assert {entry.decision for entry in failed} == {""}
    journal, asked = await ran(settings, tmp_path / "two", write("hello.txt", "hello"))
    records = next(body.records for body in bodies(journal, e.Recalled) if body.role == "Planner")
    assert [(each.role, each.proven) for each in records] == [("FileManager", 0)]
    assert records[0].failed >= 1
    assert not any(body.hits for body in bodies(journal, e.Recalled) if body.role == "FileManager")
    assert "FileManager 0 of" in asked[0].text("memory")


def test_an_episode_is_cut_between_replies() -> None:
    line = '{"operations":[{"function":"run_python_code","code":"%s"}],"branch":"Continue"}'
    entry = Entry(
        id="1", situation="x", decision="\n".join(line % ("y" * 300) for _ in range(9)), result="it held",
        verdict="proven", created=0.0,
    )  # fmt: skip
    told = episode_text(entry, 400).splitlines()
    assert len(told) == 2 + 2
    assert all(line.endswith('"branch":"Continue"}') for line in told[1:-1])
    assert tokens("\n".join(told)) <= 400
