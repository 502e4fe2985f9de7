"""A skill earned on a real virtual desktop: its controls are found by what they are, on another one, with other values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from tests.environments.linux.conftest import desktop_in

from deskcrew import events as e
from deskcrew.replay.keeping import kept, words_of
from deskcrew.replay.live import LiveRequest
from deskcrew.replay.trying import Tried, chosen, request_for, try_skill
from deskcrew.skills.folders import files_of, parse
from deskcrew.skills.skill import Skill
from replay.test_live import OTHER, TABLE, WRITING, record
from support.crew import bodies, settings_in

pytestmark = [pytest.mark.anyio, pytest.mark.desktop]


@pytest.fixture(scope="module")
def skill(tmp_path_factory: pytest.TempPathFactory) -> Skill:
    """The editor's chore: add up a table, type the sum into the editor, save it under a name."""
    folder = tmp_path_factory.mktemp("source")
    (folder / "probe").mkdir()
    desktop_in(folder / "probe").close()
    source = anyio.run(lambda: record(folder, *WRITING))
    method = kept(source, params=("label=Total:", "table=sales.csv", "report=report.txt"))
    files = files_of("report-total", "Reports a sum.", method, words_of("report-total", "Reports a sum.", method))
    assert str(folder).encode() not in b"".join(files.values())
    return parse("report-total", files, "report-total")


async def tried(skill: Skill, folder: Path, *params: str, there: dict[str, str]) -> tuple[Tried, Path]:
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


async def test_a_dialog_that_did_not_come_then_is_a_misfit(skill: Skill, tmp_path: Path) -> None:
    found, work = await tried(skill, tmp_path, there={"sales.csv": TABLE, "report.txt": "mine"})
    outcome = found.live.journal.state.outcome
    assert outcome is not None
    assert outcome.reason == "mismatch"
    assert "of skill report-total" in outcome.why
    assert (work / "report.txt").read_text() == "mine"
    assert found.score == (2, 0)
