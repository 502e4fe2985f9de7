"""Files that are too large to be read at every observation: worked on, gone back over, continued and verified."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import rewind, session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments.approved_files import of_look
from deskcrew.environments.workspace import MAX_DIGEST
from deskcrew.facts import events as e
from deskcrew.facts.observation import FileEntry, ShownFile
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, by_role, done, settings_in

pytestmark = pytest.mark.anyio

STOPS: dict[str, Any] = {"operations": [], "branch": "Interrupt", "problem": "done with it"}
MOVE = {"function": "move_file", "source": "video.bin", "destination": "film.bin"}
COPY = {"function": "copy_file", "source": "film.bin", "destination": "copy.bin"}
DELETE = {"function": "delete_file", "path": "film.bin"}
CHORE = (MOVE, COPY, DELETE)


class Killed(BaseException):
    """Stands for the end of the process: nothing in the engine catches it."""


@pytest.fixture
def digest(tmp_path: Path) -> str:
    """A real file of 65 MiB in the workspace, and its digest."""
    work = tmp_path / "work"
    work.mkdir()
    block = os.urandom(1 << 20)
    with (work / "video.bin").open("wb") as file:
        for _ in range((MAX_DIGEST >> 20) + 1):
            file.write(block)
    return digest_of(work / "video.bin")


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def crew(*operations: dict[str, Any]) -> ScriptedModel:
    waiting = [{"operations": [each], "branch": "Continue"} for each in operations]
    return by_role(
        Planner={"subtasks": [{"goal": "tidy up", "role": "FileManager"}]},
        FileManager=lambda _: waiting.pop(0) if waiting else STOPS,
        TaskScheduler={},
        Reviewer={"analyze": "", "verdict": "continue", "judgement": ""},
    )


async def _yes(_: OperationQuestion) -> Approval:
    return Approval(allowed=True)


HUMAN = PythonResponder(operation=_yes)


async def ran(folder: Path, *operations: dict[str, Any], watch: Any = None) -> Journal:
    request = RunRequest(
        task="Tidy up.", model="scripted:", workspace=folder / "work", mode="passive", desktop="none", crew="planned"
    )
    return await session.run(request, settings_in(folder), model=crew(*operations), human=HUMAN, watch=watch)


async def test_a_run_moves_copies_and_deletes_it(tmp_path: Path, digest: str) -> None:
    journal = await ran(tmp_path, *CHORE)
    assert [body.error for body in bodies(journal, e.ActionFinished)] == [""] * 3
    assert done(journal) == ["move_file", "copy_file", "delete_file"]
    assert digest_of(tmp_path / "work/copy.bin") == digest
    assert not (tmp_path / "work/film.bin").exists()
    bound = [file for body in bodies(journal, e.OperationApproved) if body.bound for file in body.bound.files]
    assert any(file.mtime_ns > 10**18 for file in bound if file.kind == "file"), "the time is kept to the nanosecond"
    assert journal.verify() == []
    assert (await replay(Store.of(settings_in(tmp_path)).journal(journal.run))).equal


async def test_a_killed_run_is_continued(tmp_path: Path, digest: str) -> None:
    def watch(event: e.Event, journal: Journal) -> None:
        if isinstance(event.body, e.ActionStarted) and event.body.operation.function == "copy_file":
            raise Killed

    with pytest.raises(Killed):
        await ran(tmp_path, *CHORE, watch=watch)
    journal = await session.resume("last", settings_in(tmp_path), model=crew(COPY, DELETE), human=HUMAN)
    assert digest_of(tmp_path / "work/copy.bin") == digest
    assert sorted(os.listdir(tmp_path / "work")) == [".trash", "copy.bin"]
    assert journal.verify() == []


async def test_it_comes_back_and_the_run_goes_on_from_there(tmp_path: Path, digest: str) -> None:
    first = await ran(tmp_path, *CHORE)
    work, settings = tmp_path / "work", settings_in(tmp_path)
    journal = Store.of(settings).journal(first.run)
    points = session.points_of(work, journal)
    rewind.go_back(journal, rewind.to_start(journal, points), points)
    assert digest_of(work / "video.bin") == digest
    assert not (work / "copy.bin").exists()
    after = await session.resume(first.run, settings, model=crew(MOVE, COPY), human=HUMAN)
    assert digest_of(work / "copy.bin") == digest_of(work / "film.bin") == digest
    assert after.verify() == []


def test_an_approved_folder_is_another_one_once_a_big_file_in_it_was_written_again() -> None:
    def folder(time: int) -> ShownFile:
        entries = (
            FileEntry(path="films", kind="folder"),
            FileEntry(path="films/a.bin", kind="file", size=1 << 30, mtime_ns=time),
        )
        return of_look("films", {entry.path: entry for entry in entries})

    assert folder(10**18) == folder(10**18) != folder(10**18 + 1)
