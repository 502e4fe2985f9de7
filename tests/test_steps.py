"""Rules of the steps: whom a planner is offered, what of files is read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions import readers
from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import Crew, load_crew, within_reach
from deskcrew.engine.roles.role import BUILTIN, load_roles
from deskcrew.facts import events as e
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in


def crew() -> Crew:
    return load_crew("planned", (CREWS,), load_roles((BUILTIN,)))


def test_agents_that_could_do_nothing_are_not_offered() -> None:
    whole = crew()
    files = within_reach(whole, {"read_file", "run_python_code"})
    assert set(files.pool) == {"FileManager", "Programmer", "Worker"}
    assert within_reach(whole, set()).pool == whole.pool, "an empty pool would be no crew"


@pytest.mark.anyio
async def test_a_prompt_shows_files_as_they_are_and_reads_only_those_that_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "given.txt").write_text("given at first\n")
    read: list[str] = []
    original = readers.read
    monkeypatch.setattr(readers, "read", lambda path: read.append(path.name) or original(path))

    def write(file: str, text: str, branch: str = "Continue") -> dict[str, Any]:
        return {"operations": [{"function": "write_file", "file_path": file, "text": text}], "branch": branch}

    replies = [
        {"subtasks": [{"goal": "write", "role": "FileManager"}]},
        write("other.txt", "1"),
        write("other.txt", "2"),
        write("given.txt", "given anew\n"),
        write("other.txt", "3"),
        write("end.txt", "END", "RoleTaskFinish"),
    ]
    model = ScriptedModel(replies)
    request = RunRequest(
        task='Look at given.txt and write "END" into end.txt.', workspace=work, desktop="none", model="x:y", crew="planned"
    )
    journal = await session.run(request, settings_in(tmp_path), model=model)
    shown = [
        call.text().rpartition("given.txt: ")[2].partition("\n")[0] for call in model.calls if call.role == "FileManager"
    ]
    assert shown == ["given at first"] * 3 + ["given anew"] * 2
    assert read.count("given.txt") == 2
    assert [body.path for body in bodies(journal, e.FileRead)].count("given.txt") == 2


@pytest.mark.anyio
@pytest.mark.parametrize("there", [(), ("notes.txt",)])
async def test_a_file_may_be_read_by_the_reply_that_makes_it(tmp_path: Path, there: tuple[str, ...]) -> None:
    """Also where the workspace is empty, and so nothing could be read before."""
    (tmp_path / "w").mkdir()
    for name in there:
        (tmp_path / "w" / name).write_text("old\n")
    makes = {"function": "run_python_code", "code": "open('sum.txt', 'w').write('42')"}
    reads = {"function": "read_file", "file_path": "sum.txt"}
    moves = {"function": "move_file", "source": "sum.txt", "destination": "total.txt"}
    model = ScriptedModel(
        [
            {"operations": [makes, reads, moves], "branch": "Continue"},
            {"operations": [{"function": "read_file", "file_path": "missing.txt"}], "branch": "Continue"},
            {"operations": [], "branch": "Interrupt", "problem": "enough"},
        ]
    )
    request = RunRequest(task="Work it out.", model="scripted:", workspace=tmp_path / "w", crew="solo", desktop="none")
    journal = await session.run(request, settings_in(tmp_path), model=model)
    finished = bodies(journal, e.ActionFinished)
    assert [(body.operation.function, body.ok) for body in finished[:3]] == [
        ("run_python_code", True),
        ("read_file", True),
        ("move_file", True),
    ]
    assert (tmp_path / "w/total.txt").read_text() == "42"
    assert "There is no 'missing.txt' in the workspace" in finished[3].error
