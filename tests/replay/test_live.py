"""Live replay on a real virtual desktop: recorded once, done again with other values and without a model."""

from __future__ import annotations

import io
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from PIL import Image
from tests.environments.linux.conftest import needs_desktop

from deskcrew.engine.replay.live import Live, LiveRequest, replay_live, request_again
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from skills.test_desktop import skill_of, tried
from support.crew import bodies, done, settings_in
from support.editor_chore import OPEN, OTHER, TABLE, WRITING, label, of, record

pytestmark = [pytest.mark.anyio, pytest.mark.desktop]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    """The editor's chore, recorded once."""
    folder = tmp_path_factory.mktemp("source")
    needs_desktop()
    return anyio.run(lambda: record(folder, *WRITING))


async def again(source: Journal, folder: Path, *sets: str, model: Any = None, **more: Any) -> Live:
    """Do it again; no model may be asked unless one is given."""
    of_run = {name: more.pop(name) for name in ("workspace", "attachments", "policy", "desktop") if name in more}
    live = LiveRequest(replace(request_again(source, settings_in(folder)), **of_run), sets=sets, patience=1.5, **more)
    return await replay_live(source, None, live, settings_in(folder), model=model)


def outcome(live: Live) -> Any:
    assert live.journal.state.outcome is not None
    return live.journal.state.outcome


@pytest.mark.deep
async def test_other_values_and_another_table(source: Journal, tmp_path: Path) -> None:
    other = tmp_path / "june.csv"
    other.write_text(OTHER)
    sets = ("text1=Sum in June:", "file1=june.csv", "report.txt=summary.txt")
    live = await again(source, tmp_path, *sets, attachments=(other,))
    assert outcome(live).status == "done", outcome(live)
    work = Path(live.journal.state.started.workspace)  # type: ignore[union-attr]
    assert (work / "summary.txt").read_text() == "Sum in June: 355"
    assert not (work / "report.txt").exists()
    assert not (work / "sales.csv").exists()
    assert bodies(live.journal, e.RoleCalled, e.RoleReplied) == []
    assert done(live.journal) == done(source)
    assert live.journal.verify() == []
    started = live.journal.state.started
    assert started is not None
    assert started.crew == "replay"
    assert started.settings.replay.run == source.run


@pytest.mark.deep
async def test_the_same_again_from_the_files_it_began_with(source: Journal, tmp_path: Path) -> None:
    recorded = Path(source.state.started.workspace)  # type: ignore[union-attr]
    (recorded / "sales.csv").write_text("changed since")
    live = await again(source, tmp_path)
    assert outcome(live).status == "done", outcome(live)
    work = Path(live.journal.state.started.workspace)  # type: ignore[union-attr]
    assert (work / "report.txt").read_text() == "Total: 42"


@pytest.mark.deep
async def test_an_extra_dialog_ends_it_with_a_picture(source: Journal, tmp_path: Path) -> None:
    """The file is there already, so the editor asks whether to overwrite it."""
    work = tmp_path / "again"
    work.mkdir()
    (work / "sales.csv").write_text(TABLE)
    (work / "report.txt").write_text("precious")
    live = await again(source, tmp_path, workspace=work)
    assert outcome(live).status == "failed"
    assert outcome(live).reason == "mismatch"
    assert outcome(live).exit_code == 4
    assert live.mismatch is not None
    assert live.mismatch.found in outcome(live).why
    assert live.picture is not None
    with Image.open(io.BytesIO(live.picture.read_bytes())) as picture:
        assert picture.width > 2 * 1000
    assert (work / "report.txt").read_text() == "precious"
    assert done(live.journal)[-1] == "click_input"


@pytest.mark.deep
async def test_a_crew_goes_on_after_a_mismatch(source: Journal, tmp_path: Path) -> None:
    work = tmp_path / "again"
    work.mkdir()
    (work / "sales.csv").write_text(OTHER)
    (work / "report.txt").write_text("old")
    told: list[str] = []

    def overwrites(call: Call) -> dict[str, Any]:
        told.append(call.text())
        press = {"function": "click_input", "control": label(call, "button .*(Replace|Overwrite)")}
        return {"operations": [press], "branch": "RoleTaskFinish"}

    live = await again(source, tmp_path, workspace=work, hand_over=True, model=ScriptedModel(itertools.repeat(overwrites)))
    assert (work / "report.txt").read_text() == "Total: 355"
    assert outcome(live).status == "done", outcome(live)
    assert len(told) == 1
    assert "A recorded run was done again up to here" in told[0]
    assert "run_python_code" in told[0]


async def test_a_missing_program_is_a_mismatch(source: Journal, tmp_path: Path) -> None:
    live = await again(source, tmp_path, desktop="none")
    assert outcome(live).reason == "mismatch"
    assert "open_application" in outcome(live).why
    assert live.picture is not None  # of what was expected


async def test_todays_policy_decides(source: Journal, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rules]]\nname = "no programs"\neffect = "deny"\naction = ["open_application"]\n')
    live = await again(source, tmp_path, policy=policy)
    assert outcome(live).status == "denied", outcome(live)
    assert outcome(live).exit_code == 5
    assert done(live.journal) == ["run_python_code"]


async def test_a_dialog_that_did_not_come_then_is_a_misfit_of_the_skill(source: Journal, tmp_path: Path) -> None:
    """More of skills of this chore is tried in tests/skills/test_desktop.py."""
    skill = skill_of(source, Path(source.state.started.workspace).parent)  # type: ignore[union-attr]
    found, work = await tried(skill, tmp_path, there={"sales.csv": TABLE, "report.txt": "mine"})
    outcome = found.live.journal.state.outcome
    assert outcome is not None
    assert outcome.reason == "mismatch"
    assert "of skill report-total" in outcome.why
    assert (work / "report.txt").read_text() == "mine"
    assert found.score == (2, 0)


READING = 'Open the file "notes" with the dialog of the text editor, and read it.'


def opens_notes(call: Call) -> dict[str, Any]:
    select = {"function": "click_input", "control": label(call, 'list item "notes"')}
    return of(select, {"function": "click_input", "control": label(call, 'button "Open"')})


@pytest.mark.deep
async def test_a_control_that_is_called_otherwise_or_gone(source: Journal, tmp_path: Path) -> None:
    """``source``: there can be a desktop."""
    asks = {"operations": [], "branch": "RoleTaskFinish", "information": "Buy milk."}
    press = {"function": "hotkey", "keys": ["ctrl", "o"]}
    recorded = await record(tmp_path, of(OPEN), of(press), opens_notes, asks, task=READING)
    work = tmp_path / "again"
    work.mkdir()
    (work / "diary").write_text("Slept well.")
    live = await again(recorded, tmp_path, "text1=diary", workspace=work)
    assert live.mismatch is None, live.mismatch
    looks = bodies(live.journal, e.Observed)
    assert any("diary" in title for title in looks[-1].windows)
    live = await again(recorded, tmp_path, workspace=work)
    assert outcome(live).reason == "mismatch"
    assert outcome(live).exit_code == 4
    assert live.mismatch is not None
    assert "list item 'notes'" in live.mismatch.expected
    assert "'diary'" in live.mismatch.found
    assert done(live.journal) == ["open_application", "hotkey"]
