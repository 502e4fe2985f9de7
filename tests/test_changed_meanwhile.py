"""A person changes a file while a run is at work: that is theirs, whatever becomes of what the run did."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient

from deskcrew.engine import rewind, session
from deskcrew.engine.human.questions import Accepted, ReplyQuestion, Response
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments.save_point import SavePoints
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.learning.skills.lexicon import shipped
from deskcrew.learning.skills.trials import Trials
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.ways_in.cli import main
from deskcrew.ways_in.report.advice import advice
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.app import create_app
from support.crew import bodies, settings_in

SMALL = Profile(name="small", schema_mode="grammar", free_text="short", freely=False)
TASK = "I want sales.csv in order, the biggest amounts first."
TABLE = "Region,Amount\nNorth,120\nSouth,80\nWest,200\n"
WITH = TABLE + "East,90\n"


def append(file: Path) -> None:
    """Another process adds a line."""
    code = "import pathlib, sys; file = pathlib.Path(sys.argv[1]); file.write_text(file.read_text() + 'East,90\\n')"
    subprocess.run([sys.executable, "-c", code, str(file)], check=True)


def laid_out(folder: Path) -> Path:
    work = folder / "work"
    work.mkdir()
    (work / "sales.csv").write_text(TABLE)
    return work


async def sorting(folder: Path, *, at: type[e.Body] | None = None, always: bool = False) -> tuple[Journal, Path]:
    """A small model's run that asks whether it may sort a table. Somebody adds a line to that while it asks, each time with
    ``always``, or, with ``at``, at the first event of that type."""
    work, left = laid_out(folder), [1]

    async def answer(question: ReplyQuestion) -> Response:
        if at is None and (left or always):
            left.clear()
            append(work / "sales.csv")
        return Accepted()

    def watch(event: e.Event, journal: Journal) -> None:
        if at is not None and isinstance(event.body, at) and left:
            left.clear()
            append(work / "sales.csv")

    model = ScriptedModel([{"order": "descending"}], profile=SMALL)
    request = RunRequest(task=TASK, model="scripted:", workspace=work, desktop="none", crew="solo", mode="passive")
    human = PythonResponder(reply=answer)
    return await session.run(request, settings_in(folder), model=model, human=human, watch=watch), work


def points_of(journal: Journal, work: Path) -> SavePoints:
    return SavePoints(work, journal.blob, journal.read_blob)


def undo(folder: Path, journal: Journal, work: Path) -> rewind.Return:
    store = Store.of(settings_in(folder))
    journal = store.journal(journal.run)
    points = points_of(journal, work)
    back = rewind.leaving(journal, rewind.to_start(journal, points), points, store)
    rewind.go_back(journal, back, points)
    return back


@pytest.mark.anyio
async def test_what_changed_while_it_asked_is_what_is_worked_on(tmp_path: Path) -> None:
    journal, work = await sorting(tmp_path)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert (work / "sales sorted.csv").read_text() == "Region,Amount\nWest,200\nNorth,120\nEast,90\nSouth,80\n"
    again = await replay(journal)
    assert again.equal, again.difference
    assert undo(tmp_path, journal, work).kept == (), "it is not put back anyway: the work began with it"
    assert {path.name: path.read_text() for path in work.iterdir()} == {"sales.csv": WITH}


@pytest.mark.anyio
async def test_what_changes_each_time_that_it_is_shown_is_not_asked_about_for_ever(tmp_path: Path) -> None:
    journal, _ = await sorting(tmp_path, always=True)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason) == ("unverified", "unconfirmed"), outcome
    assert outcome.why.startswith("sales.csv has changed since this was shown to you, again and again")


@pytest.mark.anyio
@pytest.mark.parametrize("at", [e.OperationApproved, e.ActionFinished])
async def test_what_changed_under_it_is_named_first_and_it_is_to_be_done_again(tmp_path: Path, at: type[e.Body]) -> None:
    journal, work = await sorting(tmp_path, at=at)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.exit_code) == ("failed", "changed", 4), outcome
    assert outcome.why.startswith("changed by somebody else while the run was at work: sales.csv, ")
    assert "Run it again" in outcome.why
    assert not any(word in outcome.why for word in ("skill", "expected", "although")), "nothing is wrong with the skill"
    (skill,) = (each for each in shipped() if each.name == "sort-table")
    assert Trials(settings_in(tmp_path).data).of(skill.digest) == (), "and it does not count against it"
    told = advice(journal.run, journal.events)
    assert told is not None
    assert told.steps[0].command == f"deskcrew run '{TASK}' --workspace {work}"
    assert not any("--model" in step.command or "larger" in step.words for step in told.steps)
    assert undo(tmp_path, journal, work).kept == ("sales.csv",)
    assert {path.name: path.read_text() for path in work.iterdir()} == {"sales.csv": WITH}


def writes(name: str, text: str, branch: str = "Continue") -> dict[str, Any]:
    params = {"function": "write_file", "file_path": name, "text": text, "append": False}
    return {"operations": [params], "branch": branch}


@pytest.mark.anyio
async def test_a_model_that_thinks_for_long_leaves_a_person_their_own(tmp_path: Path) -> None:
    """Nobody asked: the person works while a model is called. Of a file that the run wrote itself it is the run's."""
    work = laid_out(tmp_path)

    def thinks(call: Call) -> Any:
        append(work / "sales.csv")
        return writes("deep/second.txt", "two", "RoleTaskFinish")

    model = ScriptedModel([writes("first.txt", "one"), thinks])
    request = RunRequest(task="Write two files.", model="scripted:", workspace=work, desktop="none", crew="solo")
    journal = await session.run(request, settings_in(tmp_path), model=model)
    assert (work / "deep/second.txt").read_text() == "two"
    assert journal.state.outcome is not None
    assert "although nothing asks" not in journal.state.outcome.why, "the run did not change it"
    second = bodies(journal, e.RoleReplied)[1]
    number = next(event.number for event in journal.events if event.body == second)
    back = rewind.to_reply(journal, number, points_of(journal, work))
    assert back.kept == ("sales.csv",)
    assert back.files is not None
    assert "sales.csv" not in back.files.work
    rewind.go_back(journal, back, points_of(journal, work), say="Again.")
    assert sorted(path.name for path in work.iterdir()) == ["first.txt", "sales.csv"]
    assert (work / "sales.csv").read_text() == WITH
    assert undo(tmp_path, journal, work).kept == ("sales.csv",)
    assert {path.name: path.read_text() for path in work.iterdir()} == {"sales.csv": WITH}


def test_undo_and_a_preview_name_it_in_the_terminal_and_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    journal, work = anyio.run(partial(sorting, tmp_path, at=e.OperationApproved))
    access, origin = Access(b"k" * 32), "http://127.0.0.1:8700"
    app = create_app(settings_in(tmp_path), access, [origin], folder=tmp_path / "sockets")
    with TestClient(app, base_url=origin) as person:
        person.get("/enter", params={"token": access.link()})
        page = person.get(f"/runs/{journal.run}/undo").text
        assert "sales.csv" in page.partition("Left as they are")[2].partition("</section>")[0]
        assert "sales.csv" not in page.partition("Left as they are")[0].partition('id="files"')[2]
    with pytest.raises(SystemExit) as ended:
        main(("undo", journal.run, "--yes", "--data", str(tmp_path / "data")))
    printed = capsys.readouterr().out
    assert ended.value.code in (0, None)
    assert "Files: removes 1 path (sales sorted.csv)" in printed
    assert "Changed since then, but not by this run, and left as it is: sales.csv. --all restores them, too." in printed
    assert (work / "sales.csv").read_text() == WITH


@pytest.mark.anyio
async def test_undo_takes_away_copies_that_a_follow_up_got_and_no_file_that_lay_there(tmp_path: Path) -> None:
    first, work = await sorting(tmp_path)
    (other := tmp_path / "june.csv").write_text("Region,Amount\nEast,9\n")
    task = "Put june.csv and sales.csv together into all.csv"
    request = RunRequest(
        task, model="scripted:", workspace=work, desktop="none", crew="solo", follows=first.run, mode="passive",
        attachments=(other, work / "sales.csv"),
    )  # fmt: skip
    human = PythonResponder(reply=lambda _: Accepted())
    journal = await session.run(request, settings_in(tmp_path), model=ScriptedModel([], profile=SMALL), human=human)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    undo(tmp_path, journal, work)
    assert {path.name for path in work.iterdir()} == {"sales.csv", "sales sorted.csv"}
    journal = Store.of(settings_in(tmp_path)).journal(journal.run)
    rewind.go_back(journal, rewind.to_left(journal, points_of(journal, work)), points_of(journal, work))
    assert {path.name for path in work.iterdir()} == {"sales.csv", "sales sorted.csv", "june.csv", "all.csv"}
