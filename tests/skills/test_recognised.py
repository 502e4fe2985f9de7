"""A task that is a skill's own but for its values: done and proven with nobody asked, or else gone on with by the crew."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.engine.workshop.keeping import skill_files
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.folders import FOLDER, parse, write
from deskcrew.learning.skills.skill import Method, Skill
from deskcrew.learning.skills.trials import Trial, Trials
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Settings
from skills.test_earned import OVER, PROBE, TASK, contract, ran, skill_of
from support.crew import bodies, done, settings_in

pytestmark = pytest.mark.anyio

OTHER = TASK.replace("numbers.txt", "june.txt").replace("sum.txt", "total.txt").replace("Total:", "In June:")
STOPS: dict[str, Any] = {"operations": [], "branch": "Interrupt", "problem": "enough"}
PROFILES = (Profile(name="strong", context=128_000, contracts=True), Profile(name="small", free_text="short"))


def keep(settings: Settings, method: Method, *, worked: int = 2) -> Skill:
    files = skill_files("add-up", "Adds up numbers.", method)
    write(settings.config / FOLDER / "add-up", files)
    skill = parse("add-up", files, "add-up")
    for number in range(worked):
        Trials(settings.data).add(skill.digest, Trial(run="r", input=str(number), done=True))
    return skill


async def use(
    folder: Path,
    *own: dict[str, Any],
    task: str = OTHER,
    numbers: str = "7 5",
    profile: Profile = PROFILES[0],
    there: str = "",
) -> tuple[Journal, list[Call]]:
    """``there``: what total.txt says before, '' if it is not there."""
    work = folder / "used"
    work.mkdir()
    if there:
        (work / "total.txt").write_text(there)
    (work / "june.txt").write_text(numbers)
    code = PROBE.replace("numbers.txt", "june.txt").replace("sum.txt", "total.txt").replace("Total:", "In June:")
    waiting = {"Worker": [*own], "ContractWriter": [contract("probe")] * 3, "Verifier": [{"code": code}] * 2}
    waiting["ConsentReader"] = [{"ordered": []}]
    model = ScriptedModel(itertools.repeat(lambda call: waiting[call.role].pop(0)), profile=profile)
    request = RunRequest(task=task, model="scripted:", workspace=work, desktop="none", crew="solo")
    return await session.run(request, settings_in(folder), model=model), model.calls


@pytest.mark.first_case
@pytest.mark.parametrize("profile", PROFILES, ids=["strong", "small"])
async def test_nobody_is_asked(tmp_path: Path, profile: Profile) -> None:
    skill = keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method)
    journal, calls = await use(tmp_path, profile=profile)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.verified_by) == ("done", "probe"), outcome
    assert calls == []
    assert (tmp_path / "used" / "total.txt").read_text() == "In June: 12"
    assert done(journal) == ["run_python_code", "write_file"]
    assert len(bodies(journal, e.OperationApproved)) == 2, "each step is for the guard"
    assert journal.verify() == []
    assert Trials(settings_in(tmp_path).data).score(skill.digest) == 10
    again = await replay(journal)
    assert again.equal, again.difference


async def test_what_its_program_wrote_and_may_not_keep_does_not_count_against_it(tmp_path: Path) -> None:
    method = skill_of(await ran(tmp_path, does=OVER)).method
    skill = keep(settings_in(tmp_path), method)
    task = OTHER.replace("june.txt", "numbers.txt")
    journal, calls = await use(tmp_path, STOPS, task=task, there="rain on most days")
    assert [body.by for body in bodies(journal, e.OperationDenied)] == ["nobody"]
    assert "it would lose total.txt" in calls[-1].text()
    assert "did not fit" not in calls[0].text()
    assert [each.done for each in Trials(settings_in(tmp_path).data).of(skill.digest)] == [True, True]


async def test_a_step_that_does_not_fit_is_for_the_crew_under_the_same_goal(tmp_path: Path) -> None:
    skill = keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method)
    program = {"function": "run_python_code", "code": "open('total.txt', 'w').write('In June: 3')"}
    wrong = {"operations": [program], "branch": "RoleTaskFinish"}
    journal, calls = await use(tmp_path, wrong, numbers="1 2 three")
    assert calls[0].role == "Worker", "what is wanted is known"
    assert "The skill did not fit here. Step 1 of skill add-up" in calls[0].text()
    assert journal.state.outcome is not None
    assert journal.state.outcome.status != "done"
    assert Trials(settings_in(tmp_path).data).score(skill.digest) == 5


async def test_a_check_that_fails_lowers_the_score(tmp_path: Path) -> None:
    """What the role wrote was made up: it is the right sum of the numbers then, and of no others."""
    method = skill_of(await ran(tmp_path)).method
    blind = method.model_copy(update={"steps": tuple(s for s in method.steps if s.operation.function == "write_file")})
    skill = keep(settings_in(tmp_path), blind)
    journal, _ = await use(tmp_path, STOPS)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "failed"
    assert Trials(settings_in(tmp_path).data).score(skill.digest) == 5


@pytest.mark.first_case
@pytest.mark.parametrize("task", [f"{OTHER} Do it twice.", OTHER.replace("june.txt", "july.txt")])
async def test_another_task_or_a_file_that_is_not_there_is_for_the_crew(tmp_path: Path, task: str) -> None:
    keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method)
    _, calls = await use(tmp_path, STOPS, task=task)
    assert calls[0].role == "ContractWriter"


async def test_what_was_ordered_to_be_sent_is_for_the_task_alone(tmp_path: Path) -> None:
    method = skill_of(await ran(tmp_path)).method
    origin = method.provenance.model_copy(update={"ordered": True})
    keep(settings_in(tmp_path), method.model_copy(update={"provenance": origin}))
    _, calls = await use(tmp_path, STOPS)
    assert calls[0].role == "ContractWriter"


async def test_one_that_has_worked_only_once_is_not_taken(tmp_path: Path) -> None:
    keep(settings_in(tmp_path), skill_of(await ran(tmp_path)).method, worked=1)
    _, calls = await use(tmp_path, STOPS)
    assert calls[0].role == "ContractWriter"
