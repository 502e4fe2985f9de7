"""Who is told: a webhook and a topic on loopback, and a notification service on a real session bus of its own."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from email.header import decode_header, make_header
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusAddress, MessageType, new_method_call, new_method_return
from jeepney.io.blocking import open_dbus_connection
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.engine import attempts, notifying
from deskcrew.engine.human.questions import Accepted, Approval, OperationQuestion, ReplyQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.notifying import News, notify, post, publish, tell
from deskcrew.engine.replay.live import LiveRequest
from deskcrew.engine.request import RunRequest, usable_skill
from deskcrew.engine.workshop.trying import chosen, request_for, try_skill
from deskcrew.errors import UsageError
from deskcrew.models.scripted import ScriptedModel
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.settings import NotifySettings
from support.crew import settings_in
from support.required import usual

ENDING = News(schedule="0a1b", task="Add it up.", run="1125-1", outcome="done", answer="42 <b>euros</b>", why="")


class Hook:
    """A webhook that answers with these codes, one after the other, and then with 204."""

    def __init__(self, server: HTTPServer) -> None:
        self.taken: list[Request] = []
        self.codes: list[int] = []
        server.expect_request("/hook").respond_with_handler(self._take)
        self.address = server.url_for("/hook")

    def _take(self, request: Request) -> Response:
        request.get_data(cache=True)
        self.taken.append(request)
        code = self.codes.pop(0) if self.codes else 204
        return Response(status=code, headers={"Location": "/elsewhere"} if code == 302 else {})


@pytest.fixture
def hook(httpserver: HTTPServer) -> Iterator[Hook]:
    yield Hook(httpserver)
    httpserver.clear()


def nothing(name: str) -> Secret:
    raise UsageError(f"There is no secret {name!r}.")


@pytest.mark.anyio
async def test_a_webhook_is_sent_how_it_ended(hook: Hook) -> None:
    assert await post(ENDING, NotifySettings(webhook=hook.address), nothing) == ""
    assert hook.taken[0].json == {
        "schedule": "0a1b", "task": "Add it up.", "file": "", "run": "1125-1",
        "outcome": "done", "answer": "42 <b>euros</b>", "why": "",
    }  # fmt: skip
    assert "Authorization" not in hook.taken[0].headers


@pytest.mark.anyio
async def test_a_secret_goes_along_to_the_host_that_it_is_bound_to_alone(hook: Hook) -> None:
    settings = NotifySettings(webhook=hook.address, secret="hook")
    here = hook.address.removeprefix("http://").removesuffix("/hook")
    for hosts, told in (((here,), ""), (("hooks.example.org",), "may not go to")):
        wrong = await post(ENDING, settings, lambda name, hosts=hosts: Secret(name, "s3cret-value", Binding((), hosts)))
        assert told in wrong
        assert "s3cret" not in wrong
    assert [request.headers["Authorization"] for request in hook.taken] == ["Bearer s3cret-value"]
    assert "There is no secret" in await post(ENDING, settings, nothing)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("codes", "asked", "told"),
    [
        ([503, 429], 3, ""),
        ([500, 500, 500, 500], 3, "it answered 500 (tried 3 times)"),
        ([404], 1, "it answered 404"),
        ([302], 1, "it answered 302"),
    ],
)
async def test_it_is_tried_a_few_times_and_no_more(hook: Hook, codes: list[int], asked: int, told: str) -> None:
    hook.codes = codes
    assert await post(ENDING, NotifySettings(webhook=hook.address), nothing, wait=0) == told
    assert len(hook.taken) == asked


@pytest.mark.anyio
async def test_a_webhook_that_is_not_there_is_said_and_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifying, "WAIT", 0)
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    said: list[str] = []
    await tell(ENDING, NotifySettings(webhook="http://127.0.0.1:9/"), nothing, said.append)
    assert len(said) == 1
    assert said[0].startswith("The webhook was not notified: ")


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A session bus of this test alone."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address=unix:path={tmp_path}/bus"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        address = daemon.stdout.readline().strip()
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address
        daemon.terminate()


def test_a_session_is_shown_a_notification_without_markup(bus: str) -> None:
    shown: list[Any] = []
    driver = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
    with open_dbus_connection(bus) as service:
        asked = new_method_call(driver, "RequestName", "su", ("org.freedesktop.Notifications", 0))
        service.send_and_get_reply(asked)

        def serve() -> None:
            while not shown:
                message = service.receive(timeout=20)
                if message.header.message_type is MessageType.method_call:
                    shown.append(message.body)
                    service.send(new_method_return(message, "u", (1,)))

        thread = threading.Thread(target=serve)
        thread.start()
        assert notify(ENDING) == ""
        thread.join()
    assert shown[0][3:5] == ("Deskcrew: Add it up.", "done: 42 &lt;b&gt;euros&lt;/b&gt;")


def test_a_session_without_such_a_service_is_said(bus: str) -> None:
    assert "org.freedesktop.Notifications" in notify(ENDING)


def test_without_a_session_nobody_is_shown_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    assert notify(ENDING) == ""


class Topic:
    """A topic as ntfy has it: takes text, and a title in a header."""

    def __init__(self, server: HTTPServer) -> None:
        self.taken: list[tuple[str, str]] = []
        self.keys: list[str | None] = []
        server.expect_request("/mine", method="POST").respond_with_handler(self._take)
        self.address = server.url_for("/mine")

    def _take(self, request: Request) -> Response:
        title = str(make_header(decode_header(request.headers["Title"])))
        self.taken.append((title, request.get_data().decode()))
        self.keys.append(request.headers.get("Authorization"))
        return Response(status=200)


@pytest.fixture
def topic(httpserver: HTTPServer) -> Topic:
    return Topic(httpserver)


@pytest.mark.anyio
@pytest.mark.parametrize("task", ["Add it up.", "Fünf Tabellen zählen: 数える, " + "x" * 90])
async def test_a_topic_is_sent_text_with_a_title(topic: Topic, task: str) -> None:
    news = News(task=task, run="1125-1", outcome="done", answer="42 € <b>")
    assert await publish(news, NotifySettings(ntfy=topic.address), nothing) == ""
    assert topic.taken == [(f"Deskcrew: {task[:100]}", "done: 42 € <b>")]


@pytest.mark.anyio
async def test_a_topic_gets_the_secret_that_is_bound_to_it_alone(topic: Topic) -> None:
    settings = NotifySettings(ntfy=topic.address, secret="hook")
    here = topic.address.removeprefix("http://").removesuffix("/mine")
    for hosts in ((here,), ("hooks.example.org",)):
        assert (
            await publish(ENDING, settings, lambda name, hosts=hosts: Secret(name, "s3cret-value", Binding((), hosts))) == ""
        )
    assert topic.keys == ["Bearer s3cret-value", None]


def asking(tmp_path: Path) -> tuple[RunRequest, ScriptedModel]:
    """A run that asks before it writes."""
    plan = {"subtasks": [{"goal": "write it", "role": "FileManager"}]}
    writes = {"operations": [{"function": "write_file", "file_path": "a.txt", "text": "one"}], "branch": "RoleTaskFinish"}
    task = 'Write "one" into a.txt.'
    request = RunRequest(task, model="scripted:x", desktop="none", mode="active", required=usual(task), crew="planned")
    return request, ScriptedModel([plan, writes])


def yes() -> PythonResponder:
    async def accepts(question: ReplyQuestion) -> Accepted:
        return Accepted()

    async def allows(question: OperationQuestion) -> Approval:
        return Approval(allowed=True)

    return PythonResponder(reply=accepts, operation=allows)


@pytest.mark.anyio
async def test_a_run_tells_when_it_asks_and_when_it_has_ended(
    tmp_path: Path, hook: Hook, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    told = NotifySettings(runs=True, webhook=hook.address, ntfy=topic.address)
    settings = settings_in(tmp_path).model_copy(update={"notify": told})
    request, model = asking(tmp_path)
    journal = await attempts.run(request, settings, model=model, human=yes())
    assert journal.state.outcome is not None
    news = [News.model_validate(request.json) for request in hook.taken]
    assert {each.task for each in news} == {request.task}
    assert {each.run for each in news} == {journal.run}
    ended = [each for each in news if each.outcome != "asks"]
    assert [each.outcome for each in ended] == [journal.state.outcome.status]
    assert any("FileManager" in each.why for each in news if each.outcome == "asks")
    assert sorted(text for _, text in topic.taken) == sorted(each.words for each in news)


@pytest.mark.anyio
async def test_a_push_that_fails_is_said_once_and_is_nothing_to_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setattr(notifying, "TRIES", 1)
    told = NotifySettings(runs=True, webhook="http://127.0.0.1:9/", ntfy="http://127.0.0.1:9/x")
    request, model = asking(tmp_path)
    said: list[str] = []
    settings = settings_in(tmp_path).model_copy(update={"notify": told})
    journal = await attempts.run(request, settings, model=model, human=yes(), notice=said.append)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    wrong = sorted(text.partition(":")[0] for text in said if "was not notified" in text)
    assert wrong == ["The topic was not notified", "The webhook was not notified"]


@pytest.mark.anyio
async def test_off_unless_it_is_set(tmp_path: Path, hook: Hook) -> None:
    request, model = asking(tmp_path)
    settings = settings_in(tmp_path).model_copy(update={"notify": NotifySettings(webhook=hook.address)})
    await attempts.run(request, settings, model=model, human=yes())
    assert hook.taken == []


@pytest.mark.anyio
async def test_a_skill_that_is_used_tells_as_any_run_does(
    tmp_path: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    told = NotifySettings(runs=True, webhook=hook.address)
    settings = settings_in(tmp_path).model_copy(update={"notify": told})
    work = tmp_path / "work"
    work.mkdir()
    (work / "may.csv").write_text("Name,Amount\nAda,3\nBo,20\n")
    skill = usable_skill("sort-table", settings)
    values = chosen(skill, ["source=may.csv", "column=Amount", "result=sorted.csv"])
    request = request_for(skill, settings, values)
    done = await try_skill(skill, values, LiveRequest(replace(request, workspace=work)), settings)
    (news,) = [News.model_validate(request.json) for request in hook.taken]
    assert (news.run, news.outcome, news.task) == (done.live.journal.run, "done", request.task)


@pytest.mark.anyio
@pytest.mark.parametrize("program", [False, True], ids=["by an action", "by a program"])
async def test_a_push_says_which_file_would_be_lost_and_how_to_answer(
    tmp_path: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch, program: bool
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    told = NotifySettings(runs=True, webhook=hook.address)
    settings = settings_in(tmp_path).model_copy(update={"notify": told})
    work = tmp_path / "work"
    work.mkdir()
    (work / "report.txt").write_text("What was found out this year. " * 12)
    role, does = "FileManager", {"function": "write_file", "file_path": "report.txt", "text": "SECRET CONTENT " * 99}
    if program:
        code = "open('report.txt', 'w').write('SECRET CONTENT ' * 99)"
        role, does = "Programmer", {"function": "run_python_code", "code": code}
    plan = {"subtasks": [{"goal": "write it", "role": role}]}
    model = ScriptedModel([plan, {"operations": [does], "intention": "to tidy up", "branch": "RoleTaskFinish"}])
    request = RunRequest(
        "Tidy up.", model="scripted:x", desktop="none", mode="passive", required=usual("Tidy up."), crew="planned"
    )
    questions: list[OperationQuestion] = []

    def allows(question: OperationQuestion) -> Approval:
        questions.append(question)
        return Approval(allowed=True)

    human = PythonResponder(reply=lambda question: Accepted(), operation=allows)
    journal = await attempts.run(replace(request, workspace=work), settings, model=model, human=human)
    asked = [
        News.model_validate(request.json).why for request in hook.taken if request.json and request.json["outcome"] == "asks"
    ]
    (why,) = [each for each in asked if str(does["function"]) in each]
    assert "report.txt (overwritten, 360 bytes)" in why
    assert why.endswith(f"Answer: deskcrew answer {journal.run} yes|no")
    assert "SECRET" not in why
    assert len(why) < 600
    (question,) = questions
    assert question.intention == ("" if program else "to tidy up"), "the reason is the role's, never the engine's words"
    assert ("It has run" in question.told) == program
