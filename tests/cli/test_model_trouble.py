"""A model's server in trouble, seen from the command line: waited for in the open, stopped at any time, never done twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from deskcrew.facts import events as e
from deskcrew.journal.store import Store
from support.crew import bodies
from support.waiting import LATEST

pytestmark = pytest.mark.usefixtures("words_only")

START = "import sys; from deskcrew.ways_in.cli import main; main(sys.argv[1:])"
APPEND = {"function": "write_file", "file_path": "log.txt", "text": "once\n", "append": True}
REPLIES: list[dict[str, Any]] = [
    {"operations": [APPEND], "branch": "Continue"},
    {"operations": [], "branch": "Interrupt", "problem": "enough"},
]
Trouble = Callable[[BaseHTTPRequestHandler, int], bool]
"""Answers the nth request with trouble; False: it is answered as it should be."""


class Server:
    """A Chat Completions server whose replies are those of a crew of one. ``trouble``: what comes instead."""

    def __init__(self, trouble: Trouble) -> None:
        self.requests: list[str] = []
        waiting = [*REPLIES]

        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler) -> None:
                asked = handler.rfile.read(int(handler.headers["Content-Length"]))
                self.requests.append(asked.decode())
                if trouble(handler, len(self.requests)):
                    return
                message = {"role": "assistant", "content": json.dumps(waiting.pop(0))}
                choice = {"index": 0, "finish_reason": "stop", "message": message}
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                body = {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "m",
                    "choices": [choice],
                    "usage": usage,
                }
                send(handler, 200, body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def model(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1#m"

    def end(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def send(handler: BaseHTTPRequestHandler, status: int, body: dict[str, Any], **headers: str) -> bool:
    handler.send_response(status)
    for name, value in ({"Content-Type": "application/json"} | headers).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(json.dumps(body).encode())
    return True


@pytest.fixture(autouse=True)
def plain(own_settings: Path) -> None:
    """Such a model is asked for no contract."""
    (folder := own_settings / "config/deskcrew").mkdir(parents=True, exist_ok=True)
    (folder / "models.toml").write_text(
        '[[profile]]\nname = "m"\nmatch = ["http://127.*"]\noutput = "native"\ncontracts = false\nfreely = true\n'
    )


@pytest.fixture
def serve() -> Iterator[Callable[[Trouble], Server]]:
    servers: list[Server] = []

    def start(trouble: Trouble) -> Server:
        servers.append(Server(trouble))
        return servers[-1]

    yield start
    for server in servers:
        server.end()


def command(folder: Path, model: str, *more: str) -> list[str]:
    (folder / "work").mkdir(exist_ok=True)
    where = ["--workspace", str(folder / "work"), "--data", str(folder / "data"), "--desktop", "none", "--crew", "solo"]
    return [sys.executable, "-c", START, "run", "Do it.", *where, "--model", model, *more]


def test_it_is_waited_for_in_the_open_and_nothing_is_done_or_charged_twice(
    tmp_path: Path, serve: Callable[[Trouble], Server]
) -> None:
    def trouble(handler: BaseHTTPRequestHandler, number: int) -> bool:
        if number in (1, 3):
            return send(handler, 500, {"error": {"message": "overloaded"}})
        if number == 4:
            return send(handler, 429, {"error": {"message": "slow down"}}, Retry_After="2")
        if number == 5:  # what was executed before is not executed again
            handler.connection.close()
            return True
        return False

    server = serve(trouble)
    ended = subprocess.run(
        command(tmp_path, server.model),
        capture_output=True,
        text=True,
        timeout=LATEST,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert f"{server.model} answers 500; trying again in 1 s." in ended.stdout
    assert f"{server.model} limits your rate (429); trying again in 2 s." in ended.stdout
    assert (tmp_path / "work/log.txt").read_text() == "once\n"
    journal = Store(tmp_path / "data/journal.db").journal("last")
    replied = bodies(journal, e.RoleReplied)
    assert [body.retries for body in replied] == [1, 3]
    assert (journal.state.spent.input, journal.state.spent.output) == (200, 20)


def test_waiting_ends_at_a_signal(tmp_path: Path, serve: Callable[[Trouble], Server]) -> None:
    server = serve(lambda handler, _: send(handler, 429, {"error": {"message": "slow down"}}, Retry_After="300"))
    process = subprocess.Popen(
        command(tmp_path, server.model, "--json"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        until = time.monotonic() + LATEST
        while not server.requests:
            assert time.monotonic() < until
            time.sleep(0.05)
        time.sleep(0.5)
        assert process.poll() is None, "it waits"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=LATEST)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert (process.returncode, json.loads(out)["outcome"]) == (6, "stopped")
    assert len(server.requests) == 1


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("status", "remedy"), [(401, "key"), (404, "Check the model's name"), (400, "the message says why")]
)
def test_what_does_not_pass_ends_the_run_at_once(
    tmp_path: Path, serve: Callable[[Trouble], Server], status: int, remedy: str
) -> None:
    server = serve(lambda handler, _: send(handler, status, {"error": {"message": "no"}}))
    ended = subprocess.run(
        command(tmp_path, server.model, "--json"), capture_output=True, timeout=LATEST, stdin=subprocess.DEVNULL, check=False
    )
    told = json.loads(ended.stdout)
    assert (ended.returncode, told["outcome"], told["reason"]) == (4, "failed", "model")
    assert remedy in told["why"]
    assert len(server.requests) == 1


def test_no_longer_than_the_run_may_take(tmp_path: Path, serve: Callable[[Trouble], Server]) -> None:
    server = serve(lambda handler, _: send(handler, 429, {"error": {"message": "slow down"}}, Retry_After="60"))
    ended = subprocess.run(
        command(tmp_path, server.model, "--json", "--limit", "seconds=20"),
        capture_output=True,
        timeout=LATEST,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    told = json.loads(ended.stdout)
    assert (ended.returncode, told["reason"], len(server.requests)) == (4, "model", 1)
    assert told["seconds"] < 20
    assert "slow down. The provider limits your rate" in told["why"]
