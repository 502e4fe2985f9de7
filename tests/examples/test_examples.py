"""What stands in ``examples/`` works as it stands there."""

from __future__ import annotations

import ast
import inspect
import json
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from deskcrew.actions.allowed import Allowed
from deskcrew.engine import session
from deskcrew.engine.request import RunRequest, action_sources
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Settings
from deskcrew.ways_in.cli import main
from support.crew import offered

EXAMPLES = Path(__file__).parents[2] / "examples"
LIBRARY = EXAMPLES / "library"
PLAN = {"subtasks": [{"goal": "translate note.txt", "role": "Translator"}], "question": ""}
WRITE = {
    "operations": [{"function": "write_file", "file_path": "notiz.txt", "text": "Guten Morgen"}],
    "branch": "RoleTaskFinish",
}


def test_a_task_from_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("DESKCREW_CREW")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(LIBRARY / "script.py"), run_name="__main__")
    said = capsys.readouterr()
    assert ended.value.code == 0, said.err
    assert "run_finished" in said.out
    assert "done, verified by checks" in said.out


def test_an_action_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("DESKCREW_CREW")
    runpy.run_path(str(LIBRARY / "own_action.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "done, verified by checks, which also rejected 3 deliberately spoiled copies; every requirement" in said
    assert "created: rate.txt" in said


async def test_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells one after the other in one name space and one event loop, as a notebook's kernel runs them."""
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("DESKCREW_CREW")
    cells = json.loads((LIBRARY / "notebook.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    last: list[Any] = []
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        *lines, value = ast.parse("".join(cell["source"])).body
        assert isinstance(value, ast.Expr)
        code = compile(ast.Module(lines, []), "notebook", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if inspect.iscoroutine(begun := eval(code, names)):
            await begun
        last.append(eval(compile(ast.Expression(value.value), "notebook", "eval"), names))
    assert last[0][0] == "done"
    assert last[1] == (names["result"].run, "hello")


TESTS = {name: made for name, made in runpy.run_path(str(LIBRARY / "test_chore.py")).items() if name.startswith("test_")}


@pytest.mark.parametrize("name", TESTS)
def test_a_test_of_ones_own(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKCREW_CREW")
    TESTS[name](tmp_path)


@pytest.mark.deep
def test_a_test_of_ones_own_is_found_by_pytest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKCREW_CREW")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(LIBRARY / "test_chore.py")]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "2 passed" in ended.stdout, ended.stdout


def test_a_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("DESKCREW_CREW")
    service = runpy.run_path(str(LIBRARY / "service.py"))
    replies = runpy.run_path(str(LIBRARY / "script.py"))["REPLIES"]
    service["do"].__globals__["model"] = ScriptedModel(replies)
    with TestClient(service["app"]) as client:
        wanted = {"task": 'Write "hello" into hello.txt.', "require": ["file_contains hello.txt hello"]}
        answered = client.post("/tasks", json=wanted)
        assert (answered.status_code, answered.json()["outcome"]) == (200, "done")
        assert answered.json()["files"]["created"] == ["hello.txt"]
        refused = client.post("/tasks", json={"task": " "})
        assert (refused.status_code, refused.json()["detail"].partition(".")[0]) == (422, "The task is empty")


def test_the_script_that_is_documented(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (EXAMPLES.parent / "docs/how-to/scripted-models.md").read_text()
    (tmp_path / "replies.json").write_text(text.split("```json\n")[1].split("```")[0])
    (command,) = (line.strip() for line in text.splitlines() if line.startswith("    deskcrew run") and "scripted:" in line)
    monkeypatch.delenv("DESKCREW_CREW")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main((*shlex.split(command)[1:], "--data", str(tmp_path / "data"), "--json"))
    said = capsys.readouterr()
    assert ended.value.code == 0, said.err
    assert json.loads(said.out)["outcome"] == "done"


@pytest.mark.anyio
@pytest.mark.parametrize(("crew", "folders"), [("planned", ("roles",)), ("translating", ("roles", "crews"))])
async def test_a_role_file_is_all_that_a_new_agent_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crew: str, folders: tuple[str, ...]
) -> None:
    for folder in folders:
        shutil.copytree(EXAMPLES / folder, tmp_path / ".deskcrew" / folder)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "note.txt").write_text("Good morning")
    request = RunRequest(
        task="Translate note.txt into German as notiz.txt.",
        crew=crew,
        desktop="none",
        attachments=(tmp_path / "note.txt",),
    )
    settings: Any = Settings(data=tmp_path / "data")
    model = ScriptedModel([PLAN, WRITE])
    journal = await session.run(request, settings, model=model)
    outcome = journal.state.outcome
    assert outcome is not None
    assert outcome.status == "unverified", "that the file is there says nothing of the translation"
    assert [call.role for call in model.calls] == ["Planner", "Translator"]
    assert "Translator: Translates text" in model.calls[0].text()
    assert "write_file" in offered(journal, "Translator")[0]


@pytest.mark.anyio
async def test_an_action_file_is_all_that_a_new_action_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES / "actions", tmp_path / ".deskcrew" / "actions")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "note.txt").write_text("Good morning, Ann")
    settings = Settings(data=tmp_path / "data", config=tmp_path / "config")
    (source,) = action_sources(settings)
    Allowed(settings.config).add(source.digest, source.file)
    task = "Replace Ann by Bob in note.txt."
    request = RunRequest(task, desktop="none", attachments=(tmp_path / "note.txt",), crew="planned")
    plan = {"subtasks": [{"goal": "replace Ann by Bob in note.txt", "role": "FileManager"}], "question": ""}
    wrong = {"function": "replace_text", "file_path": "note.txt", "old": "o", "new": "O"}
    right = {"function": "replace_text", "file_path": "note.txt", "old": "Ann", "new": "Bob"}
    replies = [{"operations": [each], "branch": "RoleTaskFinish"} for each in (wrong, right)]
    model = ScriptedModel([plan, *replies])
    journal = await session.run(request, settings, model=model)
    assert (Path(journal.state.started.workspace) / "note.txt").read_text() == "Good morning, Bob"  # type: ignore[union-attr]
    assert "occurs 3 times in note.txt" in model.calls[2].text(), "what an action says of a mistake, the model reads"
    assert "Replace one text in a text file by another one" in model.calls[0].text()


def test_the_action_that_is_documented_is_the_example() -> None:
    text = (EXAMPLES.parent / "docs/how-to/add-an-action.md").read_text()
    assert (EXAMPLES / "actions/replace_text.py").read_text() == text.split("```python\n")[1].split("```")[0]
