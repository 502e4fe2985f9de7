"""An approval is for what was shown: whatever changes while the question is open, another thing is neither pressed nor run.

Looked at from outside: what the page's server was asked for, and what is on the disk.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in
from support.sampling import sampled

pytestmark = pytest.mark.anyio
ENOUGH = {"operations": [], "branch": "NeedHumanHelp", "problem": "enough"}
PAGE = """<title>Files</title><button id=b onclick="fetch('/pressed?' + encodeURIComponent(b.textContent))">Delete</button>
<script>fetch('/wait').then(() => { %s; fetch('/changed') })</script>"""


class Asked:
    """A person who says yes, after ``meanwhile`` has happened, ``yes`` times; then is gone."""

    def __init__(self, meanwhile: Any, yes: int = 1) -> None:
        self.questions: list[OperationQuestion] = []
        self.meanwhile, self.yes = meanwhile, yes

    async def __call__(self, question: OperationQuestion) -> Approval | None:
        self.questions.append(question)
        if len(self.questions) == 1:
            await self.meanwhile()
        return Approval(allowed=True) if len(self.questions) <= self.yes else None


async def run(folder: Path, asked: Asked, *replies: Any, policy: str = "", **request_: Any) -> Any:
    if policy:
        (folder / "policy.toml").write_text(policy)
        request_["policy"] = folder / "policy.toml"
    request = RunRequest(
        task="Tidy up.", model="scripted:x", workspace=folder / "work", crew="solo", mode="passive", **request_
    )
    model = ScriptedModel([*replies, *[ENOUGH] * 12])
    return await session.run(request, settings_in(folder), model=model, human=PythonResponder(operation=asked))


def press(call: Call) -> dict[str, Any]:
    found = re.search(r'^(\S+) button "', call.text("volatile"), flags=re.MULTILINE)
    assert found
    return {"operations": [{"function": "click_input", "control": found.group(1)}], "branch": "Continue"}


ASKED = '[[rules]]\nname = "asked"\neffect = "ask"\naction = ["click_input", "delete_file", "write_file", "run_shell"]\n'


class Page:
    """A page that changes itself when it is told to."""

    def __init__(self, server: HTTPServer, change: str) -> None:
        import threading

        self.go, self.done, self.pressed = threading.Event(), threading.Event(), list[str]()
        self.server = server
        server.expect_request("/files").respond_with_data(PAGE % change, content_type="text/html")

        def wait(_: Any) -> Any:
            from werkzeug import Response

            self.go.wait(60)
            return Response("")

        def changed(_: Any) -> Any:
            from werkzeug import Response

            self.done.set()
            return Response("")

        def pressed(request: Any) -> Any:
            from werkzeug import Response

            self.pressed.append(request.query_string.decode())
            return Response("")

        server.expect_request("/wait").respond_with_handler(wait)
        server.expect_request("/changed").respond_with_handler(changed)
        server.expect_request("/pressed").respond_with_handler(pressed)

    async def change(self) -> None:
        import anyio.to_thread

        self.go.set()
        await anyio.to_thread.run_sync(lambda: self.done.wait(60))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}/files"


@pytest.mark.desktop
@pytest.mark.skipif(program() is None, reason="no Chromium is installed")
@pytest.mark.parametrize(
    ("change", "says"),
    sampled(
        [
            ("b.textContent = 'Pay now'", "'Pay now'"),
            ("b.setAttribute('role', 'link')", "link"),
            ("document.title = 'Bank'", "'Bank'"),
            ("history.pushState(0, '', '/bank')", "/bank"),
        ],
        1,
    ),
)
async def test_what_a_page_became_is_not_pressed(tmp_path: Path, change: str, says: str) -> None:
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        page = Page(server, change)
        asked = Asked(page.change)
        journal = await run(tmp_path, asked, press, desktop="browser", url=page.url, policy=ASKED)
        assert page.pressed == []
    first, second = asked.questions
    assert first.changed == ()
    assert first.bound.target is not None
    assert (first.bound.target.role, first.bound.target.name, first.bound.target.page) == ("button", "Delete", page.url)
    assert says in " ".join(second.changed)
    assert [body.by for body in bodies(journal, e.OperationDenied)] == ["nobody"]
    assert (await replay(journal)).difference is None


@pytest.mark.deep
@pytest.mark.desktop
@pytest.mark.skipif(program() is None, reason="no Chromium is installed")
async def test_who_says_yes_to_what_it_became_has_that_pressed(tmp_path: Path) -> None:
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        page = Page(server, "b.textContent = 'Archive'")
        asked = Asked(page.change, yes=2)
        journal = await run(tmp_path, asked, press, desktop="browser", url=page.url, policy=ASKED)
        assert page.pressed == ["Archive"]
    (approved,) = [body for body in bodies(journal, e.OperationApproved) if body.by == "human"]
    assert approved.bound is not None
    assert approved.bound.target is not None
    assert approved.bound.target.name == "Archive"
    assert (await replay(journal)).difference is None


def doing(**operation: Any) -> dict[str, Any]:
    return {"operations": [operation], "branch": "Continue"}


@pytest.mark.parametrize(
    "operation",
    [
        {"function": "delete_file", "path": "notes.txt"},
        {"function": "write_file", "file_path": "notes.txt", "text": "new"},
        {"function": "run_shell", "command": "sh notes.txt"},
        {"function": "run_shell", "command": "cat other && sh './notes.txt'"},
    ],
)
async def test_a_file_that_was_changed_meanwhile(tmp_path: Path, operation: dict[str, Any]) -> None:
    work = tmp_path / "work"
    work.mkdir()
    notes = work / "notes.txt"
    notes.write_text("echo shown > made\n")

    async def change() -> None:
        notes.write_text("echo other > made\n")

    asked = Asked(change)
    journal = await run(tmp_path, asked, doing(**operation), desktop="none", policy=ASKED)
    assert notes.read_text() == "echo other > made\n"
    assert not (work / "made").exists()
    first, second = asked.questions
    (file,) = first.bound.files
    assert (file.path, file.size, len(file.digest)) == ("notes.txt", 18, 64)
    assert second.changed == ("notes.txt has other content",)
    assert bodies(journal, e.ActionStarted) == []
    assert (await replay(journal)).difference is None


async def test_a_file_that_was_not_there(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()

    async def change() -> None:
        (work / "new.txt").write_text("mine")

    asked = Asked(change)
    await run(
        tmp_path, asked, doing(function="write_file", file_path="new.txt", text="theirs"), desktop="none", policy=ASKED
    )
    assert (work / "new.txt").read_text() == "mine"
    assert asked.questions[1].changed == ("new.txt was not there, and is now",)


@pytest.mark.parametrize(
    ("second", "asks"),
    [
        ({"function": "write_file", "file_path": "a.txt", "text": "other"}, 1),
        ({"function": "write_file", "file_path": "b.txt", "text": "other"}, 2),
        ({"function": "delete_file", "path": "a.txt"}, 2),
    ],
)
async def test_a_wider_approval_covers_the_same_thing_alone(tmp_path: Path, second: dict[str, Any], asks: int) -> None:
    questions: list[OperationQuestion] = []

    async def person(question: OperationQuestion) -> Approval:
        questions.append(question)
        return Approval(allowed=True, scope="run")

    first = doing(function="write_file", file_path="a.txt", text="x")
    request = RunRequest(
        task="Tidy up.", model="scripted:x", workspace=tmp_path / "work", crew="solo", mode="passive", desktop="none",
        policy=tmp_path / "policy.toml",
    )  # fmt: skip
    (tmp_path / "policy.toml").write_text(ASKED)
    model = ScriptedModel([first, doing(**second), *[ENOUGH] * 12])
    await session.run(request, settings_in(tmp_path), model=model, human=PythonResponder(operation=person))
    assert len(questions) == asks
