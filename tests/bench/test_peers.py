"""Other agents on the pages: driven by a peer that is a real program with a real browser, and by no model that thinks."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psutil
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request as Asked
from werkzeug import Response

from cli.conftest import Cli
from deskcrew.environments.browser.launch import program
from deskcrew.errors import EnvironmentFailure, ModelFailure, UsageError
from deskcrew.settings import Limits
from deskcrew_bench.miniwob.pages import Pages, folder_of_pages, names_in
from deskcrew_bench.miniwob.suite import Instructions
from deskcrew_bench.peers import suite as peers
from deskcrew_bench.peers.meter import Meter
from deskcrew_bench.suites.trial import Trial
from support.crew import settings_in

ROOT = Path(__file__).parents[2]
SMOKE = names_in(ROOT / "bench/miniwob/smoke.txt")
TASK = SMOKE[0]
KEY = "a key that only the meter knows"
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}
browser = pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of peers: one, whose environment is that of these tests."""
    made = tmp_path / "peers"
    shutil.copytree(Path(__file__).parent / "peers/tiny", made / "tiny")
    python = made / "tiny/.venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return made


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages(folder_of_pages(), SMOKE) as served:
        yield served


@pytest.fixture(scope="module")
def goals(pages: Pages, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, int], str]]:
    with Instructions(pages, tmp_path_factory.mktemp("asked")) as asked:
        yield asked.of


@pytest.fixture
def model(httpserver: HTTPServer) -> HTTPServer:
    """A server that says what a reply costs, to those who have the key."""

    def reply(request: Asked) -> Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return Response("no key", status=401)
        if json.loads(request.data)["model"] == "refused":
            return Response("the context is too small", status=400)
        return Response(json.dumps({"choices": [], "usage": USAGE}), content_type="application/json")

    httpserver.expect_request("/api/v1/chat/completions").respond_with_handler(reply)
    return httpserver


@pytest.fixture
def play(tmp_path: Path, folder: Path, pages: Pages, goals: Callable[[str, int], str], model: HTTPServer):
    async def one(how: str, seconds: float | None = None, base_url: str = "") -> Trial:
        settings = settings_in(tmp_path).model_copy(update={"limits": Limits(seconds=seconds)})
        asked = peers.Upstream(base_url or model.url_for("/api/v1"), KEY, how)
        found = peers.peer(folder, "tiny")
        by = ("local", "tiny", True, ())
        return await peers.attempt((TASK, 1), pages, goals, settings, peer=found, by=by, asked=asked)

    return one


def left_over(of: Path) -> list[str]:
    """Processes that were told of something in a folder and are there still, some seconds from now."""
    ends = time.monotonic() + 5
    while True:
        lines = [" ".join(each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"])]
        found = [line for line in lines if str(of) in line]
        if not found or time.monotonic() > ends:
            return found
        time.sleep(0.1)


@browser
@pytest.mark.anyio
@pytest.mark.deep
async def test_the_page_rewards_a_real_click_and_the_peer_is_ended(play, tmp_path: Path) -> None:
    began = time.monotonic()
    trial = await play("click")
    assert (trial.right, trial.success, trial.said) == (True, True, "reward 1")
    assert (trial.outcome, trial.crew, trial.crashed, trial.timed_out) == ("stopped", "tiny", False, False)
    assert (trial.calls, trial.input, trial.output, trial.cached, trial.decisions) == (1, 100, 10, 40, (100,))
    assert 0 < trial.seconds < time.monotonic() - began
    assert left_over(tmp_path / "data") == [], "what it had started is gone as well"


@browser
@pytest.mark.anyio
@pytest.mark.deep
async def test_what_a_peer_says_of_itself_counts_for_nothing(play) -> None:
    trial = await play("boast")
    assert (trial.outcome, trial.right, trial.success, trial.false) == ("done", False, False, True)
    assert trial.said == "the page's task was not over"
    assert trial.answer, "it is kept"


@browser
@pytest.mark.anyio
@pytest.mark.deep
async def test_the_clock_ends_a_peer_and_all_it_started(play, tmp_path: Path) -> None:
    trial = await play("sleep", seconds=3.0)
    assert (trial.timed_out, trial.success, trial.outcome, trial.reason) == (True, False, "failed", "bound:seconds")
    assert trial.seconds >= 3
    assert trial.calls == 1, "what was answered before is counted"
    assert left_over(tmp_path / "data") == []


@browser
@pytest.mark.anyio
@pytest.mark.deep
async def test_a_peer_that_breaks_down_has_failed(play) -> None:
    trial = await play("refused")
    assert (trial.crashed, trial.success, trial.timed_out, trial.calls, trial.input) == (True, False, False, 0, 0)
    assert "the model said 400" in trial.why
    assert "the context is too small" in trial.why


@pytest.mark.deep
@pytest.mark.anyio
async def test_a_peer_that_does_not_come_to_its_page_is_no_trial(play) -> None:
    with pytest.raises(EnvironmentFailure, match="its library is not there") as raised:
        await play("broken")
    assert "peer.log" in raised.value.hint


@browser
@pytest.mark.anyio
@pytest.mark.deep
async def test_without_the_models_server_there_is_no_trial(play) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    with pytest.raises(ModelFailure, match="has gone"):
        await play("click", base_url=nobody)


@pytest.mark.deep
@browser
def test_a_series_goes_on_and_stands_beside_others(
    tmp_path: Path, folder: Path, model: HTTPServer, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKCREW_API_KEY", KEY)
    kept = tmp_path / "kept.jsonl"
    options = ("--peers", str(folder), "--tasks", str(ROOT / "bench/miniwob/smoke.txt"), "--data", str(tmp_path / "data"))
    options = ("bench", "peer", "tiny", *options, "--model", f"{model.url_for('/api/v1')}#click", "--only", TASK, "--json")
    first = cli(*options, "--jsonl", str(kept))
    assert first.code == 0, first.err
    again = cli(*options, "--jsonl", str(kept), "--seeds", "1,2")
    assert again.code == 0, again.err
    runs = [each["run"] for each in again.json["trials"]]
    assert (runs[0], len(runs)) == (first.json["trials"][0]["run"], 2), "what was done is not done again"
    assert again.json["totals"]["success"]["share"] == 1
    assert len(kept.read_text().splitlines()) == 2

    idle = tmp_path / "idle.jsonl"
    lines = [json.loads(line) | {"crew": "solo", "reason": "bound:seconds"} for line in kept.read_text().splitlines()]
    idle.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    table = cli("bench", "compare", "--systems", str(kept), str(idle))
    row = next(line for line in table.out.splitlines() if line.strip().startswith("idle"))
    assert row.split()[:8] == ["idle", "2", "100%", "2", "0", "100.0", "10.0", "1.0"]
    assert row.split()[9:] == ["1.00"], "of one task there is no interval"


def test_who_is_not_there_is_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UsageError, match="no peer 'other'") as raised:
        peers.peer(folder, "other")
    assert "tiny" in raised.value.hint
    shutil.rmtree(folder / "tiny/.venv")
    with pytest.raises(UsageError, match="no environment yet") as raised:
        peers.peer(folder, "tiny")
    assert raised.value.hint.endswith("setup.sh tiny")


@pytest.mark.anyio
async def test_a_model_without_an_address_is_refused() -> None:
    with pytest.raises(UsageError, match="anthropic:x"):
        await peers.upstream("anthropic:x", None)


PEERS = sorted(script.parent for script in (ROOT / "bench/peers").glob("*/run.py"))


@pytest.mark.parametrize("folder", PEERS, ids=lambda folder: folder.name)
def test_a_peer_is_pinned_and_has_nothing_of_ours(folder: Path) -> None:
    entries = re.split(r"\n(?=\w)", (folder / "requirements.lock").read_text().strip())
    assert len(entries) > 20
    assert [each for each in entries if not re.match(r"[\w.\[\],-]+==\S+", each) or "--hash=sha256:" not in each] == []
    assert not re.search(r"^\s*(import|from) deskcrew", (folder / "run.py").read_text(), re.MULTILINE)


# -- counting


def asked(address: str, body: dict[str, object]) -> tuple[int, bytes]:
    try:
        with urlopen(Request(f"{address}/chat/completions", json.dumps(body).encode())) as answer:
            return answer.status, answer.read()
    except HTTPError as error:
        return error.code, error.read()


def test_replies_are_counted_as_the_server_says(model: HTTPServer) -> None:
    with Meter(model.url_for("/api/v1"), KEY) as meter:
        assert json.loads(asked(meter.address, {"model": "x"})[1])["usage"] == USAGE
        assert asked(meter.address, {"model": "refused"}) == (400, b"the context is too small")
        assert asked(meter.address, {"model": "x", "stream": True})[0] == 400, "its cost would not be known"
        assert asked(meter.address, {"model": "x"})[0] == 200
    assert (meter.count.inputs, meter.count.output, meter.count.cached) == ([100, 100], 20, 80)
    assert meter.count.refused == ["the context is too small"]


def test_a_reply_that_does_not_say_what_it_cost_is_known_as_such(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_json({"choices": []})
    with Meter(httpserver.url_for("/v1"), "") as meter:
        asked(meter.address, {"model": "x"})
    assert (meter.count.untold, meter.count.inputs) == (1, [])


def test_who_hangs_up_ends_the_models_work() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        with Meter(f"http://127.0.0.1:{server.getsockname()[1]}/v1", "") as meter:
            host, port = meter.address.removeprefix("http://").removesuffix("/v1").split(":")
            client = socket.create_connection((host, int(port)))
            client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
            connection, _ = server.accept()
            with connection:
                connection.settimeout(10)
                while b"{}" not in connection.recv(65536):
                    pass
                client.close()
                assert connection.recv(1) == b"", "the server is told"
    assert meter.count.inputs == []
