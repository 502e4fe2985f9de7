"""A skill earned on a real virtual desktop: its controls are found by what they are, on another one, with other values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from tests.environments.linux.conftest import needs_desktop

from deskcrew.engine import session
from deskcrew.engine.replay.live import LiveRequest
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.engine.workshop.keeping import Corrections, kept, skill_files
from deskcrew.engine.workshop.trying import TriedSkill, chosen, request_for, try_skill
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.folders import FOLDER, files_of, parse, write
from deskcrew.learning.skills.skill import Skill
from deskcrew.learning.skills.trials import Trial, Trials
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in
from support.editor_chore import OTHER, TASK, WRITING, record
from support.required import required

pytestmark = [pytest.mark.anyio, pytest.mark.desktop, pytest.mark.deep]


def skill_of(source: Journal, folder: Path) -> Skill:
    """The editor's chore, recorded in ``folder``, as a skill: add up a table, type the sum into the editor, save it."""
    method = kept(source, corrections=Corrections(("label=Total:", "table=sales.csv", "report=report.txt")))
    files = skill_files("report-total", "Reports a sum.", method)
    assert str(folder).encode() not in b"".join(files.values())
    return parse("report-total", files, "report-total")


@pytest.fixture(scope="module")
def skill(tmp_path_factory: pytest.TempPathFactory) -> Skill:
    needs_desktop()
    folder = tmp_path_factory.mktemp("source")
    return skill_of(anyio.run(lambda: record(folder, *WRITING)), folder)


async def tried(skill: Skill, folder: Path, *params: str, there: dict[str, str]) -> tuple[TriedSkill, Path]:
    settings = settings_in(folder)
    work = folder / "again"
    work.mkdir()
    for name, text in there.items():
        (work / name).write_text(text)
    live = LiveRequest(replace(request_for(skill, settings), workspace=work), patience=3)
    return await try_skill(skill, chosen(skill, params), live, settings), work


async def test_other_values_on_another_desktop(skill: Skill, tmp_path: Path) -> None:
    params = ("label=Sum in June:", "table=june.csv", "report=summary.txt")
    found, work = await tried(skill, tmp_path, *params, there={"june.csv": OTHER})
    outcome = found.live.journal.state.outcome
    assert outcome is not None
    assert outcome.status == "done", outcome.why
    assert (work / "summary.txt").read_text() == "Sum in June: 355"
    assert bodies(found.live.journal, e.RoleCalled) == []
    assert found.score == (2, 5)


@pytest.mark.parametrize(("begins", "calls"), [("Please ", 1), ("", 0)], ids=["reworded", "same words"])
async def test_a_role_of_a_small_model_wants_it_in_a_run(skill: Skill, tmp_path: Path, begins: str, calls: int) -> None:
    settings = settings_in(tmp_path)
    said = "Adds up a column of a table with Python and types the total in the text editor."
    files = files_of(skill.name, said, skill.method, "Words.")
    write(settings.config / FOLDER / skill.name, files)
    for number in range(2):
        trial = Trial(run="r", input=str(number), done=True)
        Trials(settings.data).add(parse(skill.name, files, "").digest, trial)
    work = tmp_path / "used"
    work.mkdir()
    (work / "june.csv").write_text(OTHER)
    task = TASK.replace("sales.csv", "june.csv").replace("Total:", "All:").replace("report.txt", "all.txt")
    task = f"{begins}{task[:1].lower() if begins else task[:1]}{task[1:]}"
    wanted = {"function": "report_total", "label": "All:", "table": "june.csv", "report": "all.txt"}
    model = ScriptedModel([{"operations": [wanted], "branch": "RoleTaskFinish"}])
    # By a role it does a part of a task of which somebody else must say what holds in the end.
    wants = required("file_contains all.txt 'All: 355'") if begins else None
    request = RunRequest(task=task, model="scripted:x", workspace=work, crew="solo", required=wants)
    journal = await session.run(request, settings, model=model)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", (journal.state.outcome.why, journal.state.judgement)
    assert (work / "all.txt").read_text() == "All: 355"
    assert len(model.calls) == calls
    assert (await replay(journal)).equal
