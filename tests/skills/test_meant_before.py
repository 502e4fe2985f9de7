"""What a person said once that a task means counts for runs of it with nobody there, and for nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine.human.questions import Accepted, EditedReply, ReplyQuestion, Response
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.steps.understanding import reading_in
from deskcrew.facts import events as e
from deskcrew.ways_in.report.render import understood
from skills.test_skills_alone import SORTED, SORTS, VALUES, asked
from support.crew import bodies, done

pytestmark = pytest.mark.anyio


def other_column(question: ReplyQuestion) -> Response:
    return EditedReply(reply=question.reply | {"column": "Region"})


def folder_before(folder: Path) -> Path:
    (made := folder / "before").mkdir()
    return made


async def said_before(folder: Path, answer: Any) -> e.ConfirmedReading:
    journal, _, work = await asked(folder, SORTS, VALUES, answers=[answer], plan_only=True)
    assert journal.state.outcome is not None
    assert (journal.state.outcome.reason, done(journal)) == ("planned", [])
    assert not (work / "sales sorted.csv").exists()
    meant = reading_in(journal)
    assert meant is not None
    assert meant.said.run == journal.run
    return meant


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("answer", "then"), [(Accepted(), SORTED), (other_column, "Region,Amount\nWest,200\nSouth,80\nNorth,120\n")]
)
async def test_a_yes_from_before_counts_as_the_persons_and_is_told_with_its_run(
    tmp_path: Path, answer: Any, then: str
) -> None:
    meant = await said_before(folder_before(tmp_path), answer)
    journal, _, work = await asked(tmp_path, SORTS, VALUES, meant=meant)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.verified_by) == ("done", "probe"), outcome
    assert (work / "sales sorted.csv").read_text() == then
    assert f"run {meant.said.run})" in outcome.why
    yes = bodies(journal, e.Understood)[-1]
    assert (yes.by, yes.said) == ("human", meant.said)
    assert f"in run {meant.said.run}: yes" in understood(yes).plain
    again = await replay(journal)
    assert again.equal, again.difference


@pytest.mark.parametrize(
    ("other", "task", "reply"),
    [
        ({"digest": "0" * 64}, SORTS, VALUES),
        ({}, f"{SORTS} Please.", VALUES),
        ({}, SORTS, {"column": "Region"}),
    ],
)
async def test_another_skill_sentence_or_value_is_nobodys_word(
    tmp_path: Path, other: dict[str, str], task: str, reply: dict[str, Any]
) -> None:
    meant = (await said_before(folder_before(tmp_path), Accepted())).model_copy(update=other)
    journal, _, work = await asked(tmp_path, task, reply, meant=meant)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason) == ("unverified", "unconfirmed"), outcome
    assert not (work / "sales sorted.csv").exists()
