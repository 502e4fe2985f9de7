"""Whole runs of a small model on a real virtual desktop, where rules do what is plain: whoever asks it fails the test."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.environments.linux.conftest import desktop_in

from deskcrew import session
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.request import RunRequest
from support.crew import settings_in

pytestmark = [pytest.mark.anyio, pytest.mark.desktop, pytest.mark.timeout(600)]


async def unasked(folder: Path, task: str, **files: str) -> Journal:
    """The run of a small model that has no reply to give."""
    (folder / "probe").mkdir()
    desktop_in(folder / "probe").close()  # skips where there is none
    work = folder / "work"
    work.mkdir()
    for name, text in files.items():
        (work / name.replace("__", ".")).write_text(text)
    model = ScriptedModel([], profile=Profile(name="small", schema_mode="grammar", free_text="none"))
    request = RunRequest(task=task, workspace=work, model="x:y")
    return await session.run(request, settings_in(folder), model=model)


async def test_what_a_command_prints_is_put_into_a_note(tmp_path: Path) -> None:
    task = "Run `wc -l trees.txt` in a terminal. Then put what it prints into a new note with Mousepad and save it as n.txt."
    journal = await unasked(tmp_path, task, trees__txt="elm\noak\nash\n")
    outcome = journal.state.outcome
    assert outcome is not None
    assert outcome.status == "done", outcome
    assert (tmp_path / "work/n.txt").read_text().strip() == "3 trees.txt"
