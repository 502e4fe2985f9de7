"""Rewind: back to a reply with a sentence, the workspace as it was, the old branch kept; and on from there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.environments.linux.conftest import needs_desktop

from deskcrew.engine import rewind, session
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.recorded import recorded_crew, role_kind
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts import events as e
from deskcrew.journal.branches import branch_named, branches, name_branch
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, by_role, settings_in

pytestmark = pytest.mark.anyio

TASK = "Write the greeting into hello.txt and keep a copy in copy.txt."
PLAN = {
    "subtasks": [
        {"goal": "Write the greeting into hello.txt", "role": "FileManager"},
        {"goal": "Keep a copy in copy.txt", "role": "FileManager"},
    ],
}
PROGRAM = "from pathlib import Path; Path('copy.txt').write_text(Path('hello.txt').read_text())"
CONTINUE = {"analyze": "", "verdict": "continue", "judgement": ""}


def crew(asked: list[Call]) -> ScriptedModel:
    """Greets wrongly until a person says how."""

    def file_manager(call: Call) -> Mapping[str, Any]:
        asked.append(call)
        if "Your part: Keep a copy" in call.text():
            operation: dict[str, Any] = {"function": "copy_file", "source": "hello.txt", "destination": "copy.txt"}
        else:
            text = "Moin" if "say Moin" in call.text() else "Hello"
            operation = {"function": "write_file", "file_path": "hello.txt", "text": text}
        return {"operations": [operation], "branch": "RoleTaskFinish"}

    def programmer(call: Call) -> Mapping[str, Any]:
        asked.append(call)
        return {"operations": [{"function": "run_python_code", "code": PROGRAM}], "branch": "RoleTaskFinish"}

    def planner(call: Call) -> Mapping[str, Any]:
        asked.append(call)
        return PLAN

    return by_role(Planner=planner, FileManager=file_manager, Programmer=programmer, Reviewer=CONTINUE)


async def ran(folder: Path, asked: list[Call]) -> Journal:
    work = folder / "work"
    (work / "empty").mkdir(parents=True)
    (work / "notes.bin").write_bytes(bytes(range(256)))
    (work / "notes.bin").chmod(0o640)
    (work / "link").symlink_to("notes.bin")
    request = RunRequest(task=TASK, model="scripted:none", workspace=work, desktop="none", crew="planned")
    return await session.run(request, settings_in(folder), model=crew(asked))


def again(folder: Path) -> tuple[Journal, SavePoints]:
    """The run as another process finds it."""
    journal = Store(settings_in(folder).journal).journal("last")
    return journal, SavePoints(folder / "work", journal.blob, journal.read_blob)


def reply_of(journal: Journal, role: str, place: int = 0) -> e.Event:
    found = [x for x in journal.events if isinstance(x.body, e.RoleReplied) and x.body.role == role]
    return found[place]


def tree(folder: Path) -> dict[str, object]:
    """All that a person could tell of a folder: kind, permissions, content, target."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[path.relative_to(folder).as_posix()] = (status.st_mode, status.st_mtime_ns, content)
    return found


async def test_a_sentence_repairs_a_run(tmp_path: Path) -> None:
    asked: list[Call] = []
    first = await ran(tmp_path, asked)
    assert (tmp_path / "work/copy.txt").read_text() == "Hello"
    calls = len(asked)

    journal, points = again(tmp_path)
    reply = reply_of(journal, "FileManager")
    back = rewind.to_reply(journal, reply.number + 3, points)
    assert back.reply == reply
    assert back.parent.id == reply.header.parent
    assert back.files is not None
    assert set(back.files.removed) == {"hello.txt", "copy.txt"}
    rewind.go_back(journal, back, points, say="say Moin")
    assert not (tmp_path / "work/hello.txt").exists()
    assert len(asked) == calls, "going back asks no model"
    assert journal.verify() == []

    after = await session.resume(journal.run, settings_in(tmp_path), model=crew(asked))
    assert after.state.outcome is not None
    assert (tmp_path / "work/copy.txt").read_text() == "Moin"
    assert len(asked) - calls == 2, "the planner's reply was kept"
    last = asked[calls].parts[-1]
    assert "say Moin" in last.text, "guidance is the last part of the prompt"  # type: ignore[union-attr]
    assert '"Hello"' in last.text, "with the rejected reply"  # type: ignore[union-attr]
    assert after.state.replies["FileManager"] == 1, "what a person asked for again is no step (C37)"
    assert after.verify() == []
    assert after.all[: len(first.events)] == first.events, "the old branch is as it was"
    found = branches(after)
    assert [(b.number, b.left, b.current) for b in found] == [(1, None, False), (2, back.parent.number, True)]
    assert [b.spent.calls for b in found] == [calls, 2]


async def test_everything_comes_back_and_going_back_can_be_undone(tmp_path: Path) -> None:
    await ran(tmp_path, [])
    work = tmp_path / "work"
    journal, points = again(tmp_path)
    before_first = journal.event(reply_of(journal, "Planner").number)
    (work / "empty").rmdir()
    (work / "notes.bin").unlink()
    (work / "link").unlink()
    (work / "link").mkdir()
    (work / "link/new.txt").write_text("the user's own")
    now = tree(work)

    back = rewind.to_reply(journal, before_first.number, points)
    rewind.go_back(journal, back, points)
    assert sorted(tree(work)) == ["empty", "link", "notes.bin"]
    assert (work / "link").is_symlink()
    assert (work / "notes.bin").read_bytes() == bytes(range(256))
    assert (work / "notes.bin").stat().st_mode & 0o777 == 0o640

    journal, points = again(tmp_path)
    rewind.go_back(journal, rewind.to_left(journal, points), points)
    assert tree(work) == now
    assert journal.state.outcome is not None, "the first branch had ended"
    assert journal.verify() == []
    assert [b.current for b in branches(journal)] == [True, False]


async def test_another_role_goes_on(tmp_path: Path) -> None:
    asked: list[Call] = []
    await ran(tmp_path, asked)
    journal, points = again(tmp_path)
    second = reply_of(journal, "FileManager", 1)
    back = rewind.to_reply(journal, second.number, points)
    rewind.go_back(journal, back, points, say="with a program", switch="Programmer")
    calls = len(asked)
    after = await session.resume(journal.run, settings_in(tmp_path), model=crew(asked))
    assert [call.role for call in asked[calls:]] == ["Programmer"]
    assert "with a program" in asked[calls].text()
    assert "copy_file" not in asked[calls].text(), "another role's reply is none of its business"
    assert (tmp_path / "work/copy.txt").read_text() == "Hello"
    assert [body.role for body in bodies(after, e.ActionStarted)] == ["FileManager", "Programmer"]


async def test_the_planner_can_be_asked_instead(tmp_path: Path) -> None:
    asked: list[Call] = []
    await ran(tmp_path, asked)
    journal, points = again(tmp_path)
    back = rewind.to_reply(journal, reply_of(journal, "FileManager").number, points)
    rewind.go_back(journal, back, points, say="say Moin", switch="Planner")
    calls = len(asked)
    after = await session.resume(journal.run, settings_in(tmp_path), model=crew(asked))
    assert asked[calls].role == "Planner"
    assert "say Moin" in asked[calls].text()
    assert not any("say Moin" in call.text() for call in asked[calls + 1 :]), "those after it hear of it by its plan alone"
    assert after.state.outcome is not None


async def test_files_can_be_left_alone(tmp_path: Path) -> None:
    await ran(tmp_path, [])
    journal, points = again(tmp_path)
    now = tree(tmp_path / "work")
    back = rewind.to_reply(journal, reply_of(journal, "Planner").number, points, keep_files=True)
    assert back.files is None
    rewind.go_back(journal, back, points)
    assert tree(tmp_path / "work") == now


async def test_a_process_that_dies_while_files_are_brought_back_leaves_it_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Call] = []
    await ran(tmp_path, asked)
    journal, points = again(tmp_path)
    back = rewind.to_reply(journal, reply_of(journal, "FileManager").number, points)
    with monkeypatch.context() as patch:
        patch.setattr(rewind, "finish", lambda *_: None)  # the end of the process: the event is on disk, no file is moved
        rewind.go_back(journal, back, points, say="say Moin")
    assert (tmp_path / "work/copy.txt").exists()
    after = await session.resume(journal.run, settings_in(tmp_path), model=crew(asked))
    assert (tmp_path / "work/copy.txt").read_text() == "Moin"
    assert after.verify() == []


async def test_what_the_user_did_after_going_back_is_kept(tmp_path: Path) -> None:
    await ran(tmp_path, [])
    journal, points = again(tmp_path)
    back = rewind.to_reply(journal, reply_of(journal, "FileManager").number, points)
    rewind.go_back(journal, back, points)
    (tmp_path / "work/mine.txt").write_text("written before going on")
    await session.resume(journal.run, settings_in(tmp_path), model=crew([]))
    assert (tmp_path / "work/mine.txt").read_text() == "written before going on"


async def test_there_is_no_way_back_before_the_first_reply_or_to_where_the_run_stands(tmp_path: Path) -> None:
    await ran(tmp_path, [])
    journal, points = again(tmp_path)
    with pytest.raises(UsageError, match="No role had replied"):
        rewind.to_reply(journal, 1, points)
    with pytest.raises(UsageError, match="events 1 to"):
        rewind.to_reply(journal, 999, points)
    with pytest.raises(UsageError, match="never rewound"):
        rewind.to_left(journal, points)
    with pytest.raises(UsageError, match="already on branch 1"):
        rewind.to_branch(journal, branches(journal)[0], points)
    with pytest.raises(ConfigError, match="cannot be switched to"):
        role_kind(recorded_crew(journal), "Reader")


async def test_a_run_that_has_ended_is_not_resumed_and_only_one_process_is_at_a_run(tmp_path: Path) -> None:
    await ran(tmp_path, [])
    journal, points = again(tmp_path)
    with pytest.raises(UsageError, match="has ended"):
        await session.resume(journal.run, settings_in(tmp_path), model=crew([]))
    rewind.go_back(journal, rewind.to_reply(journal, reply_of(journal, "Planner").number, points), points)
    with journal.claimed(), pytest.raises(UsageError, match="another process"):
        await session.resume(journal.run, settings_in(tmp_path), model=crew([]))


async def test_branches_are_named_and_hidden(tmp_path: Path) -> None:
    await ran(tmp_path, [])
    journal, points = again(tmp_path)
    rewind.go_back(journal, rewind.to_reply(journal, reply_of(journal, "Planner").number, points), points)
    name_branch(journal, branch_named(journal, "2"), label="second try")
    name_branch(journal, branch_named(journal, "1"), hidden=True)
    found = branches(again(tmp_path)[0])
    assert [(b.label, b.hidden) for b in found] == [("", True), ("second try", False)]
    assert branch_named(journal, "second try").number == 2
    for wrong in ("second try", "3"):
        with pytest.raises(UsageError):
            name_branch(journal, branch_named(journal, "1"), label=wrong)
    with pytest.raises(UsageError, match="no branch"):
        branch_named(journal, "7")


def test_a_rewind_inside_a_rewind_begins_a_branch_of_the_branch(tmp_path: Path) -> None:
    journal = Store(tmp_path / "j.db").create(
        e.RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="none")
    )
    asked = [journal.append(e.RoleCalled(role="Planner")) for _ in range(3)]
    journal.branch_at(asked[1], e.Rewound(role="Planner", left=journal.events[-1].id))
    asked.append(journal.append(e.RoleCalled(role="Planner")))
    journal.branch_at(asked[3], e.Rewound(role="Planner", left=journal.events[-1].id, undo=True))
    journal.branch_at(asked[0], e.Rewound(role="Planner", left=journal.events[-1].id))
    journal.commit()
    found = branches(Store(tmp_path / "j.db").journal("last"))
    assert [[x.number for x in b.events] for b in found] == [[1, 2, 3, 4], [5, 6, 7], [8]]
    assert [b.left for b in found] == [None, 3, 2]
    assert journal.verify() == []


@pytest.mark.deep
@pytest.mark.desktop
async def test_text_that_was_in_a_window_and_in_no_file_is_typed_again(tmp_path: Path) -> None:
    """The desktop of a run that goes on is a new one: the program is started again, and what stood in it is put back."""
    needs_desktop()
    opens = {"operations": [{"function": "open_application", "app_name": "Text Editor (Mousepad)"}], "branch": "Continue"}
    types = {"operations": [{"function": "keyboard_input", "keys": "Dear Ada,\nall is well.", "control": ""}]}
    stops = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    request = RunRequest(task="Type a letter.", model="scripted:none", workspace=tmp_path / "work", crew="solo")
    model = ScriptedModel([opens, types | {"branch": "Continue"}, stops])
    await session.run(request, settings_in(tmp_path), model=model)

    journal, points = again(tmp_path)
    back = rewind.to_reply(journal, reply_of(journal, "Worker", 2).number, points)
    assert not any("not saved" in line for line in back.lost), back.lost
    rewind.go_back(journal, back, points, say="Go on.")
    after = ScriptedModel([stops])
    resumed = await session.resume(journal.run, settings_in(tmp_path), model=after)
    assert "all is well." in after.calls[0].text("volatile")
    told = bodies(resumed, e.RunResumed)[0]
    assert told.reopened == ("Text Editor (Mousepad)",)
    assert told.lost == ()

    journal, points = again(tmp_path)
    early = rewind.to_reply(journal, reply_of(journal, "Worker", 0).number, points)
    assert early.lost == (), "nothing was open then"
