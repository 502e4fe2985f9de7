"""A model that does nothing but skills does not choose one among its actions: it is asked which, and with what values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli, cli
from deskcrew.engine import session
from deskcrew.engine.confirming import confirm
from deskcrew.engine.human.questions import Accepted, Approval, EditedReply, Mode, ReplyQuestion, Response
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import MemoryUse, RunRequest
from deskcrew.engine.steps.filling import MORE, There, blanks, spans
from deskcrew.engine.workshop.keeping import skill_files
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.learning.memory.recollection import episode_text
from deskcrew.learning.skills.folders import FOLDER, parse, write
from deskcrew.learning.skills.trials import Trial, Trials
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.ways_in import library
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.advice import advice
from skills.test_earned import ran, skill_of
from skills.test_recognised import keep
from support.crew import bodies, done, go_on, settings_in

__all__ = ["cli"]
pytestmark = pytest.mark.anyio

SMALL = Profile(name="small", free_text="short", freely=False)
REWORDED = 'I need total.txt to begin with "In June:", and then what the numbers of june.txt come to.'
VALUES = {"text1": "In June:", "file1": "june.txt", "file2": "total.txt"}
SAID = {"text1": "In June:"}
"""What is left to be filled in: of each file there is one."""
READING = "Adds up numbers. (text1: In June:; file1: june.txt; file2: total.txt)"
SAME, OTHER = {"asked": "a sum", "same": True}, {"asked": "something else", "same": False}
ENDS: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}


async def use(
    folder: Path,
    *chooser: dict[str, Any],
    numbers: str = "7 5",
    answers: Sequence[Response] = (),
    yes: bool = False,
    memory: MemoryUse = "off",
) -> tuple[Journal, list[Call]]:
    work = folder / "used"
    work.mkdir()
    (work / "june.txt").write_text(numbers)
    waiting = {"SkillChooser": [*chooser], "Worker": [ENDS] * 9}
    model = ScriptedModel(itertools.repeat(lambda call: waiting[call.role].pop(0)), profile=SMALL)
    mode: Mode = "passive" if answers else "automatic"
    request = RunRequest(
        task=REWORDED, model="scripted:", workspace=work, desktop="none", crew="solo", mode=mode, yes=yes, memory=memory
    )
    left = list(answers)

    async def answer(question: ReplyQuestion) -> Response:
        assert question.reading == READING or question.note, question
        return left.pop(0)

    human = PythonResponder(reply=answer) if answers else None
    return await session.run(request, settings_in(folder), model=model, human=human), model.calls


async def test_with_nobody_there_what_was_understood_is_told_and_nothing_is_done(tmp_path: Path) -> None:
    keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method)
    journal, calls = await use(tmp_path, SAME, SAID)
    assert [call.role for call in calls] == ["SkillChooser"] * 2
    assert done(journal) == []
    assert [path.name for path in (tmp_path / "used").iterdir()] == ["june.txt"]
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.exit_code) == ("unverified", "unconfirmed", 5)
    assert READING in outcome.why
    again = await replay(journal)
    assert again.equal, again.difference
    told = advice(journal.run, journal.events)
    assert told is not None
    use_, yes, resume = (step.command for step in told.steps)
    work = tmp_path / "used"
    assert use_ == f"deskcrew skill use add-up text1='In June:' file1=june.txt file2=total.txt --workspace {work}"
    assert yes.endswith(f"--workspace {work} --yes")
    assert resume == f"deskcrew resume {journal.run}"
    with pytest.raises(UsageError, match="has not ended"):
        confirm(journal, holds=True)


async def test_a_run_that_nobody_confirmed_goes_on_where_somebody_is_asked(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    keep(settings, skill_of(await ran(tmp_path)).method)
    journal, _ = await use(tmp_path, SAME, SAID)
    later = ScriptedModel([], profile=SMALL)
    journal = await session.resume(
        journal.run,
        settings,
        change=lambda request: replace(request, mode="passive"),
        model=later,
        human=PythonResponder(reply=lambda question: Accepted()),
    )
    assert later.calls == [], "what it understood is known"
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert (tmp_path / "used" / "total.txt").read_text() == "In June: 12"
    again = await replay(journal)
    assert again.equal, again.difference


async def ended(folder: Path, *answers: Response, yes: bool = False) -> tuple[Journal, str, str]:
    keep(settings_in(folder), skill_of(await ran(folder)).method)
    journal, _ = await use(folder, SAME, SAID, answers=answers, yes=yes)
    outcome = journal.state.outcome
    assert outcome is not None
    again = await replay(journal)
    assert again.equal, again.difference
    return journal, outcome.status, outcome.why


async def test_what_a_person_says_yes_to_is_proven_by_the_checks_of_the_skill(tmp_path: Path) -> None:
    journal, status, _ = await ended(tmp_path, Accepted())
    assert status == "done"
    assert (tmp_path / "used" / "total.txt").read_text() == "In June: 12"
    shown, said = bodies(journal, e.Understood)
    assert (shown.words, shown.values, shown.by) == (READING, VALUES, "")
    assert (said.by, said.holds) == ("human", True)
    assert journal.state.proven is None or journal.state.proven.proofs


async def test_what_is_remembered_of_it_says_the_skill_and_its_values(cli: Cli, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    keep(settings, skill_of(await ran(tmp_path)).method)
    await use(tmp_path, SAME, SAID, answers=[Accepted()], memory="on")
    memory = memory_of(settings)
    try:
        entries = memory.all()
    finally:
        memory.close()
    (entry,) = entries
    assert entry.verdict == "proven"
    assert entry.reading == "understood as add-up: text1=In June:, file1=june.txt, file2=total.txt"
    said = cli("memory", "list", "--data", str(settings.data)).out
    assert f"done as read (by a program) {REWORDED}: {entry.reading}" in " ".join(said.split())
    assert "Result (done as read, proven by probe" in episode_text(entry, 400)


async def test_a_yes_that_was_said_beforehand_counts_and_nobody_is_asked(tmp_path: Path) -> None:
    journal, status, _ = await ended(tmp_path, yes=True)
    assert status == "done"
    assert [said.by for said in bodies(journal, e.Understood)] == ["", "request"]


@pytest.mark.parametrize("yes", [True, False])
async def test_from_python_too_a_yes_is_said_beforehand(tmp_path: Path, yes: bool) -> None:
    settings, work = settings_in(tmp_path), tmp_path / "used"
    keep(settings, skill_of(await ran(tmp_path)).method)
    work.mkdir()
    (work / "june.txt").write_text("7 5")
    replies = iter([SAME, SAID])
    model = ScriptedModel(itertools.repeat(lambda _: next(replies)), profile=SMALL)
    given = library.Options(workspace=work, desktop="none", crew="solo", yes=yes)
    result = await library.arun(REWORDED, model=model, settings=settings, **given)
    assert result.outcome == ("done" if yes else "unverified"), result.why


async def test_a_yes_alone_proves_nothing(tmp_path: Path) -> None:
    keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method)
    journal, calls = await use(tmp_path, SAME, SAID, numbers="1 2 three", answers=[Accepted()])
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.reason) == ("failed", "no_skill")
    assert "Step 1 of skill add-up" in journal.state.outcome.why
    assert {call.role for call in calls} == {"SkillChooser"}, "and nobody goes on without it"


async def test_after_a_no_nothing_is_done_and_no_skill_is_named_that_cannot_do_it(tmp_path: Path) -> None:
    journal, status, why = await ended(tmp_path, Approval(allowed=False))
    assert (status, why) == ("stopped", "you said no to what was understood, so nothing was done")
    assert done(journal) == []
    assert not (tmp_path / "used" / "total.txt").exists()
    told = advice(journal.run, journal.events)
    assert told is not None
    assert [step.command.partition(journal.run)[0] for step in told.steps] == [
        "deskcrew rewind ",
        "deskcrew skill list --shipped",
    ]


async def test_who_said_no_is_asked_again_if_the_run_goes_on(tmp_path: Path) -> None:
    journal, _, _ = await ended(tmp_path, Approval(allowed=False))
    asked: list[ReplyQuestion] = []

    def answer(question: ReplyQuestion) -> Response:
        asked.append(question)
        return Accepted()

    later = ScriptedModel([], profile=SMALL)
    journal = await session.resume(journal.run, settings_in(tmp_path), model=later, human=PythonResponder(reply=answer))
    assert [question.reading for question in asked] == [READING]
    assert (tmp_path / "used" / "total.txt").read_text() == "In June: 12"


async def test_a_person_may_give_other_values_which_must_be_possible(tmp_path: Path) -> None:
    missing, theirs = VALUES | {"file1": "may.txt"}, VALUES | {"text1": "All of it:"}
    journal, status, _ = await ended(tmp_path, EditedReply(reply=missing), EditedReply(reply=theirs))
    assert status == "done"
    assert (tmp_path / "used" / "total.txt").read_text() == "All of it: 12"
    last = next(event for event in reversed(journal.events) if isinstance(event.body, e.Understood))
    assert bodies(journal, e.Understood)[-1].values == theirs
    assert [line.plain for line in render.lines(last)] == ["you: yes, with text1: All of it:"]


async def test_of_several_it_is_asked_which(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    method = skill_of(await ran(tmp_path)).method
    keep(settings, method)
    files = skill_files("list-numbers", "Lists the numbers of a file in another file.", method)
    write(settings.config / FOLDER / "list-numbers", files)
    for number in range(2):
        trial = Trial(run="r", input=str(number), done=True)
        Trials(settings.data).add(parse("list-numbers", files, "list-numbers").digest, trial)
    _, calls = await use(tmp_path, OTHER, {"skill": "list_numbers"}, SAID, yes=True)
    assert "Chore: Adds up numbers" in calls[0].text("volatile"), "the nearest of the person's own is asked about first"
    assert "- list_numbers: Lists the numbers of a file" in calls[1].text("volatile")
    assert "add_up" not in calls[1].text("volatile")
    assert (tmp_path / "used" / "total.txt").read_text() == "In June: 12"


def nothing_done(journal: Journal) -> str:
    """Why a run in which nothing was done ended."""
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.answer) == ("failed", "no_skill", "")
    assert not (Path(journal.state.started.workspace) / "total.txt").exists()  # type: ignore[union-attr]
    return outcome.why


async def test_what_is_another_chore_is_not_done_by_the_skill(tmp_path: Path) -> None:
    keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method)
    journal, calls = await use(tmp_path, OTHER)
    assert [call.role for call in calls] == ["SkillChooser"], "it is asked once a run, and what ships is not near"
    assert nothing_done(journal).startswith("No skill does what is asked")
    assert done(journal) == []


@pytest.mark.parametrize("wrong", [{"file1": "may.txt"}, {"text1": "In May:"}])
async def test_an_unusable_reply_is_asked_for_again(tmp_path: Path, wrong: dict[str, str]) -> None:
    """A value that is not asked for, a text that nobody spoke of."""
    keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method)
    journal, calls = await use(tmp_path, SAME, SAID | wrong, SAID, yes=True)
    assert [call.role for call in calls] == ["SkillChooser"] * 3
    assert "could not be used" in calls[2].text()
    assert (tmp_path / "used" / "total.txt").read_text() == "In June: 12"
    assert done(journal) == ["run_python_code", "write_file"]


async def test_the_answer_of_a_skill_that_did_not_fit_is_none(tmp_path: Path) -> None:
    keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method.model_copy(update={"answer": "999"}))
    journal, _ = await use(tmp_path, SAME, SAID, numbers="1 2 three", yes=True)
    assert "Step 1 of skill add-up" in nothing_done(journal)


async def test_who_goes_on_in_another_process_is_not_asked_again(tmp_path: Path) -> None:
    keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method)
    work = tmp_path / "used"
    work.mkdir()
    (work / "june.txt").write_text("7 5")
    request = RunRequest(task=REWORDED, model="scripted:", workspace=work, desktop="none", crew="solo", yes=True)

    def dies(call: Call) -> Any:
        raise KeyboardInterrupt

    begun = ScriptedModel([SAME, dies], profile=SMALL)
    with pytest.raises(KeyboardInterrupt):
        await session.run(request, settings_in(tmp_path), model=begun)
    (run,) = [row.id for row in Store.of(settings_in(tmp_path)).runs() if row.task == REWORDED]
    later = ScriptedModel([SAID], profile=SMALL)
    await go_on(request, settings_in(tmp_path), run, later)
    assert [call.role for call in later.calls] == ["SkillChooser"], "that it is this skill was said already"
    assert (work / "total.txt").read_text() == "In June: 12"


async def test_one_for_which_a_file_is_missing_is_not_thought_of(tmp_path: Path) -> None:
    skill = keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method)
    assert blanks(REWORDED, skill, There(("june.csv",))) is None
    found = blanks(REWORDED, skill, There(("june.txt", "may.txt", "june.csv")))
    assert found is not None
    assert found.known == {"file1": "june.txt", "file2": "total.txt"}, "they are named"
    properties = found.values.model_json_schema()["properties"]
    assert list(properties) == ["text1"]
    assert "In June:" in properties["text1"]["enum"]
    found = blanks(REWORDED.replace("total.txt", "total.md"), skill, There(("june.txt",)))
    assert found is not None
    assert found.known["file2"] == "total.md", "a new file is none that is there"
    found = blanks("Add them up.", skill, There(tuple(f"{number}.txt" for number in range(99))))
    assert found is None, "it does not say which of them"


def test_a_value_is_a_text_of_the_task() -> None:
    task = 'Please write "Sum: all" into the file of Ms. Otis-Reed (urgent!).'
    found = spans(task, "Bo")
    assert {"Sum: all", "Otis-Reed", "Ms. Otis-Reed", "urgent", "(urgent!).", "file"} <= set(found)
    assert all(each in task and len(each.split()) <= 1 + MORE for each in found)
    assert spans("请把总数写进文件。", "Bo") == (), "words are not told apart by spaces"
    assert spans(" ".join(f"w{number}" for number in range(400)), "Bo") == ()
