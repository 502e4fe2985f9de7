"""Who is told: a webhook on loopback, and a notification service on a real session bus of its own."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusAddress, MessageType, new_method_call, new_method_return
from jeepney.io.blocking import open_dbus_connection
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.errors import UsageError
from deskcrew.schedules import notifying
from deskcrew.schedules.notifying import Ending, notify, post, tell
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.settings import NotifySettings

ENDING = Ending(schedule="0a1b", task="Add it up.", run="1125-1", outcome="done", answer="42 <b>euros</b>", why="")


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
        ([500, 500, 500, 500], 3, "it answers 500 (tried 3 times)"),
        ([404], 1, "it answers 404"),
        ([302], 1, "it answers 302"),
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
