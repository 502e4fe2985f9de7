"""The guard's proxy over real sockets: who gets through, what is refused, what it costs, what it leaves behind."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import anyio.to_thread
import psutil
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest, prepare, request_of
from deskcrew.errors import UsageError
from deskcrew.guard.again import policy_of
from deskcrew.guard.hosts import HostRule, Hosts, normal
from deskcrew.guard.policy import Policy
from deskcrew.guard.proxy import Idle, Proxy, ProxyBounds
from deskcrew.guard.rules import Rule
from deskcrew.journal.journal import Journal
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in
from support.scripts import ScriptRanOut
from support.waiting import LATEST

NAMES = {
    "inner.example.org": ("127.0.0.1",),
    "meta.example.org": ("169.254.169.254",),
    "lan.example.org": ("10.1.2.3", "::ffff:10.1.2.3"),
    "mapped.example.org": ("::ffff:127.0.0.1",),
    "gone.example.org": (),
}
"""Where names lead that are allowed; all others lead to the server of the test."""


class Reach:
    """A proxy with a listening socket of its own, and what it reported."""

    def __init__(self, hosts: Sequence[str], **more: object) -> None:
        self.reported: list[tuple[str, int, bool, str]] = []
        self.asked: list[str] = []
        self.proxy = Proxy(
            hosts,
            report=lambda *told: self.reported.append(told),
            resolve=self.resolve,
            **more,  # type: ignore[arg-type]
        )
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = listener.getsockname()[1]
        self.attached = self.proxy.attach(listener)

    def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return NAMES.get(host, ("127.0.0.1",))

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def say(self, data: bytes | str) -> bytes:
        """All that comes back for these bytes."""
        with closing(self.connect()) as program:
            program.sendall(data.encode() if isinstance(data, str) else data)
            return heard(program)

    def get(self, url: str, host: str = "", extra: str = "") -> bytes:
        authority = host or re.sub(r"^http://([^/]*).*", r"\1", url)
        return self.say(f"GET {url} HTTP/1.1\r\nHost: {authority}\r\n{extra}\r\n")


def heard(program: socket.socket) -> bytes:
    got = b""
    while data := program.recv(65536):
        got += data
    return got


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


@pytest.fixture
def make() -> Iterator[Callable[..., Reach]]:
    made: list[Reach] = []

    def one(*hosts: str, **more: object) -> Reach:
        made.append(Reach(hosts, **more))
        return made[-1]

    yield one
    for each in made:
        each.proxy.close()


@pytest.fixture
def server(httpserver: HTTPServer) -> HTTPServer:
    def told(request: Request) -> Response:
        body = request.get_data()
        return Response(f"{request.method} {request.full_path} {request.headers['Host']} {body.decode()}")

    httpserver.expect_request(re.compile("^/seen")).respond_with_handler(told)
    return httpserver


@pytest.fixture
def reach(make: Callable[..., Reach], server: HTTPServer) -> Reach:
    """One name is allowed, at the port of a real server, whose address is allowed too."""
    return make(f"shop.example.org:{server.port}", f"127.0.0.1:{server.port}", "*.example.org")


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server that gives back in capitals what it is sent."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    while data := connection.recv(65536):
                        connection.sendall(data.upper())

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


# -- who gets through


def test_a_request_to_an_allowed_host_arrives_as_the_program_meant_it(reach: Reach, server: HTTPServer) -> None:
    answer = reach.get(f"http://shop.example.org:{server.port}/seen?a=b")
    assert status(answer) == 200
    assert f"GET /seen?a=b shop.example.org:{server.port}".encode() in answer
    assert reach.reported == [("shop.example.org", server.port, True, f"shop.example.org:{server.port}")]


@pytest.mark.parametrize(
    "extra", ["Content-Length: 4\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"]
)
def test_bodies_go_on_in_either_form(reach: Reach, server: HTTPServer, extra: str) -> None:
    place = f"shop.example.org:{server.port}"
    answer = reach.say(f"POST http://{place}/seen HTTP/1.1\r\nHost: {place}\r\n{extra}")
    assert status(answer) == 200
    assert f"POST /seen? {place} body".encode() in answer


def test_a_program_that_waits_to_be_told_to_go_on_is_told(reach: Reach, server: HTTPServer) -> None:
    place = f"shop.example.org:{server.port}"
    with closing(reach.connect()) as program:
        head = f"POST http://{place}/seen HTTP/1.1\r\nHost: {place}\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"
        program.sendall(head.encode())
        assert program.recv(1000).startswith(b"HTTP/1.1 100 ")
        program.sendall(b"body")
        assert b"body" in heard(program)


def test_a_long_answer_arrives_whole_though_it_is_taken_slowly(reach: Reach, server: HTTPServer) -> None:
    server.expect_request("/long").respond_with_data(b"x" * 3_000_000)
    with closing(reach.connect()) as program:
        place = f"shop.example.org:{server.port}"
        program.sendall(f"GET http://{place}/long HTTP/1.0\r\nHost: {place}\r\n\r\n".encode())
        time.sleep(1.5)
        assert len(heard(program).split(b"\r\n\r\n", 1)[1]) == 3_000_000


def test_a_tunnel_carries_bytes_both_ways_until_both_have_said_all(make: Callable[..., Reach], echo: int) -> None:
    reach = make(f"shop.example.org:{echo}", f"127.0.0.1:{echo}")
    with closing(reach.connect()) as program:
        # The first bytes come with the request, as eager programs send them.
        program.sendall(f"CONNECT shop.example.org:{echo} HTTP/1.1\r\nHost: shop.example.org:{echo}\r\n\r\nearly ".encode())
        got = b""
        while b"EARLY " not in got:
            got += program.recv(1000)
        program.sendall(b"and late" * 50_000)
        program.shutdown(socket.SHUT_WR)
        got += heard(program)
    assert status(got) == 200
    assert got.count(b"AND LATE") == 50_000


def test_an_answer_that_moves_on_to_another_host_is_not_followed(reach: Reach, server: HTTPServer) -> None:
    server.expect_request("/moved").respond_with_data("", status=302, headers={"Location": "http://evil.net/"})
    answer = reach.get(f"http://shop.example.org:{server.port}/moved")
    assert status(answer) == 302
    assert b"http://evil.net/" in answer
    assert status(reach.get("http://evil.net/")) == 403
    assert reach.asked == ["shop.example.org"]


def test_fifty_at_once(reach: Reach, server: HTTPServer) -> None:
    with ThreadPoolExecutor(50) as pool:
        urls = [f"http://shop.example.org:{server.port}/seen?n={n}" for n in range(50)]
        answers = list(pool.map(reach.get, urls))
    assert [f"n={n} ".encode() in answer for n, answer in enumerate(answers)] == [True] * 50


def test_a_host_can_be_allowed_later(reach: Reach, server: HTTPServer) -> None:
    url = f"http://new.example.net:{server.port}/seen"
    assert status(reach.get(url)) == 403
    reach.proxy.allow(f"new.example.net:{server.port}")
    assert status(reach.get(url)) == 200


def test_what_a_person_approved_counts_only_as_a_name_in_full(make: Callable[..., Reach]) -> None:
    proxy = make("a.example").proxy
    proxy.approved(["shop.example.org", "*", "*.org", "127.0.0.1", "10.0.0.1", "localhost", "printer.local", "no host", ""])
    assert [rule.text for rule in proxy.hosts.rules] == ["a.example", "shop.example.org"]


# -- who does not


@pytest.mark.parametrize(
    "target",
    [
        "evil.net:443",
        "shop.example.org:22",
        "shop.example.org:8080",
        "127.0.0.1:80",
        "[::1]:443",
        "8.8.8.8:443",
        "example.org:443",
    ],
)
def test_a_tunnel_elsewhere_is_refused_before_its_name_is_resolved(reach: Reach, target: str) -> None:
    answer = reach.say(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n")
    assert status(answer) == 403
    assert b"is not allowed" in answer
    assert reach.asked == []
    assert [allowed for _, _, allowed, _ in reach.reported] == [False]


@pytest.mark.parametrize("name", ["inner", "meta", "lan", "mapped"])
def test_an_allowed_name_that_leads_inside_is_refused(reach: Reach, name: str) -> None:
    for request in (f"GET http://{name}.example.org/ HTTP/1.0\r\n\r\n", f"CONNECT {name}.example.org:443 HTTP/1.0\r\n\r\n"):
        answer = reach.say(request)
        assert status(answer) == 403
        assert b"it leads to" in answer
    assert [(allowed, "it leads to" in why) for _, _, allowed, why in reach.reported] == [(False, True)] * 2


def test_a_name_without_an_address_is_refused(reach: Reach) -> None:
    assert b"it has no address" in reach.get("http://gone.example.org/")


def test_a_name_that_changes_its_mind_gains_nothing(
    make: Callable[..., Reach], server: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([["203.0.113.9"], ["127.0.0.1"]])
    monkeypatch.setattr(Reach, "resolve", lambda self, host, port: next(answers))  # pyright: ignore[reportUnknownLambdaType]
    reach = make(f"shop.example.org:{server.port}")
    # 203.0.113.0/24 is for documents: refused. Each request is checked by its own answer.
    assert status(reach.get(f"http://shop.example.org:{server.port}/seen")) == 403
    assert status(reach.get(f"http://shop.example.org:{server.port}/seen")) == 403
    assert server.log == []


@pytest.mark.parametrize("number", ["2130706433", "127.1", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "①②⑦.0.0.1"])
def test_numbers_that_some_take_for_an_address_are_no_hosts(make: Callable[..., Reach], number: str) -> None:
    reach = make("*")
    assert status(reach.say(f"GET http://{number}/ HTTP/1.0\r\n\r\n")) in {400, 403}
    assert reach.asked == []


# -- requests that can be read in two ways


@pytest.mark.parametrize(
    ("line", "headers"),
    [
        ("GET http://shop.example.org:{port}/seen", "Host: evil.net"),
        ("GET http://shop.example.org:{port}/seen", "Host: shop.example.org"),
        ("GET http://shop.example.org:{port}/seen", "Host: shop.example.org:{port}\r\nHost: evil.net"),
        ("CONNECT shop.example.org:{port}", "Host: evil.net:{port}"),
        ("GET http://shop.example.org:{port}@evil.net/seen", "Host: evil.net"),
        ("GET http://evil.net\\@shop.example.org:{port}/seen", "Host: shop.example.org:{port}"),
        ("GET http://shop.example.org:{port}#@evil.net/seen", "Host: evil.net"),
        ("GET https://shop.example.org:{port}/seen", "Host: shop.example.org:{port}"),
        ("GET ftp://shop.example.org:{port}/seen", "Host: shop.example.org:{port}"),
        ("GET /seen", "Host: shop.example.org:{port}"),
        ("OPTIONS *", "Host: shop.example.org:{port}"),
        ("CONNECT http://shop.example.org:{port}", "Host: shop.example.org:{port}"),
        ("CONNECT shop.example.org", "Host: shop.example.org"),
        ("TRACE http://shop.example.org:{port}/seen", "Host: shop.example.org:{port}"),
        (
            "POST http://shop.example.org:{port}/seen",
            "Host: shop.example.org:{port}\r\nContent-Length: 1\r\nContent-Length: 2",
        ),
        (
            "POST http://shop.example.org:{port}/seen",
            "Host: shop.example.org:{port}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
        ),
        (
            "POST http://shop.example.org:{port}/seen",
            "Host: shop.example.org:{port}\r\nTransfer-Encoding: chunked, identity",
        ),
        ("GET http://shop.example.org:{port}/seen", "Host: shop.example.org:{port}\r\n Folded: yes\r\nBad Name: 1"),
        ("GET http://shop.example.org:{port}/ seen", "Host: shop.example.org:{port}"),
    ],
)
def test_what_could_be_read_in_two_ways_reaches_nobody(reach: Reach, server: HTTPServer, line: str, headers: str) -> None:
    request = f"{line} HTTP/1.1\r\n{headers}\r\n\r\n0\r\n\r\n".replace("{port}", str(server.port))
    assert 400 <= status(reach.say(request)) < 502
    assert server.log == []


def test_a_second_request_behind_the_first_reaches_nobody(reach: Reach, server: HTTPServer) -> None:
    place = f"shop.example.org:{server.port}"
    head = f"GET http://{place}/seen HTTP/1.1\r\nHost: {place}\r\n"
    answer = reach.say(f"{head}\r\nGET http://evil.net/seen HTTP/1.1\r\nHost: evil.net\r\n\r\n")
    assert answer.count(b"HTTP/1.1 ") == 1
    reach.say(f"{head}Content-Length: 0\r\nContent-Length: 0\r\n\r\n{head}X: smuggled\r\n\r\n")
    assert [request.headers.get("X") for request, _ in server.log] == [None, None]


def test_headers_of_one_connection_do_not_go_on(reach: Reach, server: HTTPServer) -> None:
    extra = "Connection: keep-alive, X-Mine, Upgrade\r\nX-Mine: 1\r\nUpgrade: websocket\r\n"
    extra += "Proxy-Authorization: x\r\nX-Kept: 1\r\n"
    assert status(reach.get(f"http://shop.example.org:{server.port}/seen", extra=extra)) == 200
    headers = server.log[0][0].headers
    assert headers["X-Kept"] == "1"
    assert not {"X-Mine", "Upgrade", "Proxy-Authorization"} & set(headers.keys())


# -- what it may be made to spend


def test_headers_without_end_are_refused(reach: Reach, server: HTTPServer) -> None:
    assert status(reach.get(f"http://shop.example.org:{server.port}/seen", extra=f"X: {'x' * 200_000}\r\n")) == 431


def test_a_request_that_trickles_in_is_given_up(make: Callable[..., Reach]) -> None:
    reach = make("shop.example.org", bounds=ProxyBounds(head_seconds=0.3))
    with closing(reach.connect()) as program:
        program.sendall(b"GET http://shop.example.org/ HT")
        assert status(heard(program)) == 408


def test_a_tunnel_that_nobody_uses_is_given_up(make: Callable[..., Reach], echo: int) -> None:
    reach = make(f"shop.example.org:{echo}", f"127.0.0.1:{echo}", bounds=ProxyBounds(idle=0.3))
    assert status(reach.say(f"CONNECT shop.example.org:{echo} HTTP/1.0\r\n\r\n")) == 200


@pytest.mark.anyio
async def test_a_byte_that_comes_as_the_time_is_over_comes_too_late() -> None:
    async def waiting() -> None:
        async with asyncio.timeout(0.01) as timeout:
            try:
                await asyncio.sleep(10)
            finally:
                Idle(timeout, 10).again()

    with pytest.raises(TimeoutError):
        await waiting()


def test_more_connections_than_allowed_are_cut(make: Callable[..., Reach]) -> None:
    reach = make("shop.example.org", bounds=ProxyBounds(connections=2))
    with closing(reach.connect()) as one, closing(reach.connect()) as two:
        for each in (one, two):
            each.sendall(b"GET ")
        with closing(reach.connect()) as three:
            assert three.recv(1) == b""


def test_half_a_body_and_half_an_answer_end_the_connection(reach: Reach, server: HTTPServer) -> None:
    place = f"shop.example.org:{server.port}"
    with closing(reach.connect()) as program:
        program.sendall(f"POST http://{place}/seen HTTP/1.1\r\nHost: {place}\r\nContent-Length: 9\r\n\r\nhalf".encode())
        program.shutdown(socket.SHUT_WR)
        assert status(heard(program)) in {0, 400, 502}


def test_a_host_that_does_not_answer_is_told_apart_from_one_that_is_not_allowed(make: Callable[..., Reach]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    reach = make(f"shop.example.org:{port}", f"127.0.0.1:{port}")
    assert status(reach.get(f"http://shop.example.org:{port}/")) == 502


def _of_proxies(others: set[threading.Thread]) -> list[threading.Thread]:
    """Threads of proxies that were begun since; a browser that tests share has one of its own."""
    return [t for t in threading.enumerate() if t not in others and t.name.startswith("deskcrew-proxy")]


def test_nothing_is_left_after_the_end(server: HTTPServer, echo: int) -> None:
    before, others = psutil.Process().num_fds(), set(threading.enumerate())
    reach = Reach([f"shop.example.org:{echo}", f"127.0.0.1:{echo}"])
    with closing(reach.connect()) as tunnel, closing(reach.connect()) as waiting:
        tunnel.sendall(f"CONNECT shop.example.org:{echo} HTTP/1.0\r\n\r\n".encode())
        assert tunnel.recv(1000)
        waiting.sendall(b"GET ")
        reach.attached.close()
        reach.attached.close()
        assert tunnel.recv(1) == b""
        with pytest.raises(ConnectionRefusedError):
            reach.connect()
    reach.proxy.close()
    reach.proxy.close()
    deadline = time.monotonic() + LATEST
    while psutil.Process().num_fds() > before or _of_proxies(others):
        assert time.monotonic() < deadline, (os.listdir("/proc/self/fd"), threading.enumerate())
        time.sleep(0.02)


# -- rules


@pytest.mark.parametrize(
    ("rule", "host", "port", "fits"),
    [
        ("example.org", "example.org", 443, True),
        ("Example.ORG.", "example.org", 80, True),
        ("example.org", "example.org", 8443, False),
        ("example.org:8443", "example.org", 8443, True),
        ("example.org:8443", "example.org", 443, False),
        ("*.example.org", "a.b.example.org", 443, True),
        ("*.example.org", "example.org", 443, False),
        ("*.example.org", "evilexample.org", 443, False),
        ("example.org", "example.org.evil.net", 443, False),
        ("*", "anything.at.all", 443, True),
        ("*", "8.8.8.8", 443, False),
        ("8.8.8.8", "8.8.8.8", 443, True),
        ("[2001:DB8::0:7]:81", "2001:db8::7", 81, True),
        ("::1", "::1", 80, True),
        ("bücher.example", "xn--bcher-kva.example", 443, True),
    ],
)
def test_what_a_rule_is_about(rule: str, host: str, port: int, fits: bool) -> None:
    assert HostRule.parse(rule).fits(host, port) is fits


@pytest.mark.parametrize(
    "text", ["", "http://example.org", "a b", "example.org:0", "example.org:x", "a/b", "1.2.3", "a..b", "[::1", "*.8.8"]
)
def test_what_is_no_host_is_said(text: str) -> None:
    with pytest.raises(UsageError, match="is not a host"):
        HostRule.parse(text)


def test_what_a_policy_denies_stays_denied_unless_a_rule_says_more_closely() -> None:
    hosts = Hosts(["*.example.org", "shop.example.org"], denied=["*", "bank.example.org"])
    assert [
        hosts.rule(name, 443) is not None for name in ("a.example.org", "shop.example.org", "bank.example.org", "x.net")
    ] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "64:ff9b:1::1",
    ],
)
def test_addresses_of_the_surroundings_need_a_rule_of_their_own(address: str) -> None:
    hosts = Hosts(["shop.example.org", "8.8.8.8"])
    rule = hosts.rules[0]
    assert hosts.why_not(address, 443, rule)
    hosts.allow(f"[{normal(address)}]")
    assert not hosts.why_not(address, 443, rule)
    assert hosts.why_not(address, 631, rule)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_of_the_wide_network_need_none(address: str) -> None:
    hosts = Hosts(["shop.example.org"])
    assert hosts.why_not(address, 443, hosts.rules[0]) == ""


def test_an_own_address_is_this_machine_whatever_network_it_is_of(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        address = "8.8.4.4"

    monkeypatch.setattr(psutil, "net_if_addrs", lambda: {"eth0": [Entry]})
    hosts = Hosts(["shop.example.org"])
    assert "this machine" in hosts.why_not("8.8.4.4", 443, hosts.rules[0])


def test_localhost_is_this_machine_only_where_it_is_named() -> None:
    hosts = Hosts(["localhost:8000", "shop.example.org:8000"])
    assert not hosts.why_not("127.0.0.1", 8000, hosts.rules[0])
    assert hosts.why_not("127.0.0.1", 8000, hosts.rules[1])


# -- in a run


def test_a_run_has_a_proxy_where_hosts_are_named_and_the_network_is_not_open() -> None:
    request, policy = RunRequest(task="x", hosts=("*.example.org",), crew="planned"), Policy.default()
    assert session.proxy_of(RunRequest(task="x", crew="planned"), policy) is None
    assert session.proxy_of(replace(request, network=True), policy) is None
    bank = Rule(name="bank", effect="deny", host=("bank.example.org",), app=("firefox",))
    denying = policy.model_copy(update={"rules": (*policy.rules, bank)})
    proxy = session.proxy_of(request, denying)
    assert proxy is not None
    with proxy:
        assert proxy.hosts.rule("shop.example.org", 443)
        assert not proxy.hosts.rule("bank.example.org", 443)


def test_hosts_cannot_be_named_where_there_is_no_sandbox(tmp_path: Path) -> None:
    request = RunRequest(task="x", hosts=("example.org",), unsafe_host=True, crew="planned")
    with pytest.raises(UsageError, match="Without a sandbox"):
        prepare(request, settings_in(tmp_path))


@pytest.mark.anyio
async def test_a_run_and_its_resumption_go_to_the_hosts_of_flag_and_policy(tmp_path: Path, server: HTTPServer) -> None:
    """An address can be named, so that nothing has to be resolved."""
    settings = settings_in(tmp_path)
    settings.config.mkdir()
    (settings.config / "policy.toml").write_text('hosts = ["docs.example.org"]\n')
    places = [f"http://127.0.0.1:{server.port}/seen", "http://evil.net/"]
    fetch = "import sys, urllib.request as u\nfor place in sys.argv[1:]: print(u.urlopen(place, timeout=10).read())"
    seen: list[tuple[str, ...]] = []

    request = RunRequest(task="Fetch it.", crew="solo", desktop="none", hosts=(f"127.0.0.1:{server.port}",))
    model = ScriptedModel(iter([]))
    with pytest.raises(ScriptRanOut):
        await session.run(request, settings, model=model, watch=lambda event, journal: seen.append(asked(journal)))
    assert seen[0] == (f"127.0.0.1:{server.port}", "docs.example.org")

    policy = Policy.default()
    async with session.parts(request, settings, tmp_path, model, lambda _: None, policy) as (_, sandbox, _):
        argv = [str(sandbox.python), "-I", "-S", "-c", fetch, *places]
        done = await anyio.to_thread.run_sync(sandbox.run, argv)
    assert f"GET /seen? 127.0.0.1:{server.port}" in done.stdout
    assert "HTTP Error 403" in done.stderr


def asked(journal: Journal) -> tuple[str, ...]:
    """The hosts that a resumption of this run would begin with; the guard's policy knows all of them."""
    request = request_of(journal)
    known = policy_of(journal, journal.state.started).hosts
    assert {"127.0.0.1", "docs.example.org"} <= set(known)
    return request.hosts
