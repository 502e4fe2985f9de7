"""The network of sandboxes by host, for real: what programs inside reach through the guard's proxy, and that it is all."""

from __future__ import annotations

import contextlib
import datetime
import gc
import re
import shutil
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.actions.sandbox import Completed, Sandbox, SandboxLimits
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.virtual import start_virtual
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import EnvironmentFailure
from deskcrew.guard.proxy import Proxy
from support.needed import skip_without
from support.waiting import until

Reported = list[tuple[str, int, bool, str]]
curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def resolve(host: str, port: int) -> Sequence[str]:
    return ("10.1.2.3",) if host == "lan.example.org" else ("127.0.0.1",)


@pytest.fixture
def server(httpserver: HTTPServer) -> HTTPServer:
    def told(request: Request) -> Response:
        return Response(f"{request.method} {request.path} for {request.headers['Host']}")

    httpserver.expect_request(re.compile("^/seen")).respond_with_handler(told)
    httpserver.expect_request("/moved").respond_with_data("", status=302, headers={"Location": "http://evil.net/"})
    return httpserver


@pytest.fixture
def reported() -> Reported:
    return []


@pytest.fixture
def proxy(server: HTTPServer, reported: Reported) -> Iterator[Proxy]:
    hosts = [f"shop.example.org:{server.port}", f"127.0.0.1:{server.port}", "lan.example.org"]
    with Proxy(hosts, resolve=resolve, report=lambda *told: reported.append(told)) as made:
        yield made


@pytest.fixture
def sandbox(workspace: Workspace, proxy: Proxy) -> Iterator[Sandbox]:
    with Sandbox(workspace.root, proxy=proxy) as made:
        yield made


def sh(sandbox: Sandbox, command: str, **more: SandboxLimits) -> Completed:
    return sandbox.run(["/bin/sh", "-c", command], **more)  # type: ignore[arg-type]


def python(sandbox: Sandbox, code: str) -> Completed:
    return sandbox.run([str(sandbox.python), "-I", "-S", "-c", code])


def test_python_reaches_the_allowed_host_and_no_other(sandbox: Sandbox, server: HTTPServer, reported: Reported) -> None:
    fetch = "import urllib.request as u; print(u.urlopen('{}', timeout=10).read().decode())"
    done = python(sandbox, fetch.format(f"http://shop.example.org:{server.port}/seen"))
    assert done.stdout == f"GET /seen for shop.example.org:{server.port}\n", done.stderr
    for url in ("http://evil.net/", f"http://shop.example.org:{server.port}/moved", "http://lan.example.org/"):
        assert "HTTP Error 403" in python(sandbox, fetch.format(url)).stderr
    assert "Tunnel connection failed: 403" in python(sandbox, fetch.format("https://evil.net/")).stderr
    assert [(host, allowed) for host, _, allowed, _ in reported] == [
        ("shop.example.org", True),
        ("evil.net", False),
        ("shop.example.org", True),
        ("evil.net", False),
        ("lan.example.org", False),
        ("evil.net", False),
    ]


@curl
def test_curl_reaches_the_allowed_host_and_says_why_no_other(sandbox: Sandbox, server: HTTPServer) -> None:
    done = sh(sandbox, f"curl -sS http://shop.example.org:{server.port}/seen")
    assert done.stdout == f"GET /seen for shop.example.org:{server.port}"
    assert "evil.net:80 is not allowed; allowed are: shop.example.org" in sh(sandbox, "curl -sS http://evil.net/").stdout
    assert "403" in sh(sandbox, "curl -sS https://8.8.8.8/").stderr
    assert "403" in sh(sandbox, "curl -sS -p -x $http_proxy telnet://shop.example.org:22").stderr


def certificate(folder: Path, name: str) -> ssl.SSLContext:
    """A server's side of TLS; ``folder/ca.pem`` is what the other side believes."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    built = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "ca.pem").write_bytes(built.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "key.pem").write_bytes(secret)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.pem", folder / "key.pem")
    (folder / "key.pem").unlink()
    return context


def test_tls_is_between_the_program_and_the_host(workspace: Workspace) -> None:
    with HTTPServer("127.0.0.1", 0, ssl_context=certificate(workspace.root, "shop.example.org")) as server:
        server.expect_request("/seen").respond_with_data("sealed")
        hosts = [f"shop.example.org:{server.port}", f"other.example.org:{server.port}", f"127.0.0.1:{server.port}"]
        with Proxy(hosts, resolve=resolve) as proxy, Sandbox(workspace.root, proxy=proxy) as sandbox:
            code = (
                "import ssl, sys, urllib.request as u\n"
                "trust = ssl.create_default_context(cafile='ca.pem')\n"
                f"print(u.urlopen('https://%s:{server.port}/seen', timeout=10, context=trust).read().decode())"
            )
            assert python(sandbox, code % "shop.example.org").stdout == "sealed\n"
            assert "CERTIFICATE_VERIFY_FAILED" in python(sandbox, code % "other.example.org").stderr


def test_past_the_door_there_is_nothing(sandbox: Sandbox, server: HTTPServer, reported: Reported) -> None:
    code = f"""
import socket
def attempt(name, act):
    try:
        print(name, "reached", act())
    except OSError as error:
        print(name, type(error).__name__)
def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect(("8.8.8.8", 53))
attempt("wide", lambda: socket.create_connection(("8.8.8.8", 443), 3))
attempt("ours", lambda: socket.create_connection(("127.0.0.1", {server.port}), 3))
attempt("six", lambda: socket.create_connection(("2606:4700::1111", 443), 3))
attempt("udp", udp)
attempt("name", lambda: socket.getaddrinfo("shop.example.org", 80))
attempt("own", lambda: socket.create_server(("127.0.0.1", 8000)) and "itself")
"""
    assert python(sandbox, code).stdout.splitlines() == [
        "wide OSError",
        "ours ConnectionRefusedError",
        "six OSError",
        "udp OSError",
        "name gaierror",
        "own reached itself",
    ]
    assert reported == []


def test_programs_have_no_hold_of_the_door(sandbox: Sandbox) -> None:
    """Neither the wire nor the listening socket is theirs: nobody else can answer, and nothing can be handed to us."""
    code = "import os; print([os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd') if int(n) > 2])"
    assert "socket:" not in python(sandbox, code).stdout
    taken = "import socket; socket.create_server(('127.0.0.1', 3128))"
    assert "Address already in use" in python(sandbox, taken).stderr
    assert sh(sandbox, "ls /proc/*/exe 2>/dev/null | wc -l; ps -e 2>/dev/null | grep -c python").stdout.endswith("0\n")


def test_a_program_is_what_it_would_be_without_a_door(sandbox: Sandbox, workspace: Workspace) -> None:
    asked = "trap; ulimit -a; id; umask; grep Sig /proc/self/status; yes | head -1; cat; exit 7"
    with Sandbox(workspace.root) as plain:
        there, here = (each.run(["/bin/sh", "-c", asked], stdin="given") for each in (plain, sandbox))
    assert (here.stdout, here.stderr, here.exit_code) == (there.stdout, there.stderr, 7)


def test_keys_of_this_machine_are_not_shown_with_its_certificates(sandbox: Sandbox) -> None:
    assert "private" not in sh(sandbox, "ls /etc/ssl /etc/pki /etc/pki/tls 2>/dev/null").stdout
    if Path("/etc/ssl/certs/ca-certificates.crt").exists():
        assert sh(sandbox, "test -s /etc/ssl/certs/ca-certificates.crt").exit_code == 0


def test_without_hosts_there_is_no_door(workspace: Workspace, proxy: Proxy) -> None:
    with Sandbox(workspace.root) as sandbox:
        assert "proxy" not in sh(sandbox, "env").stdout.lower()
    with Sandbox(workspace.root, proxy=proxy) as sandbox:
        assert "proxy" not in sandbox.run(["/usr/bin/env"], network=True).stdout.lower()


def test_nothing_is_left_after_a_program_ends_or_is_killed(sandbox: Sandbox, server: HTTPServer) -> None:
    place = f"http://shop.example.org:{server.port}/seen"
    sh(sandbox, "true")
    before = psutil.Process().num_fds(), threading.active_count()
    hold = (
        f"import socket, time; s = socket.create_connection(('127.0.0.1', 3128)); s.sendall(b'GET {place}'); time.sleep(60)"
    )
    done = sandbox.run([str(sandbox.python), "-I", "-S", "-c", hold], limits=SandboxLimits(seconds=1))
    assert done.timed_out
    assert sandbox.run(["/no/such/program"]).exit_code == 127
    assert until(lambda: (psutil.Process().num_fds(), threading.active_count()) <= before)


def test_closing_the_sandbox_while_its_door_opens_is_no_error(workspace: Workspace, proxy: Proxy) -> None:
    for delay in (0.0, 0.01, 0.02, 0.04):
        sandbox = Sandbox(workspace.root, proxy=proxy)
        timer = threading.Timer(delay, sandbox.close)
        timer.start()
        with contextlib.suppress(EnvironmentFailure):  # it had been closed before it began
            assert sandbox.run(["/bin/sleep", "30"]).killed_by == "close"
        timer.join()


# -- the virtual desktop


@pytest.fixture
def desktop(workspace: Workspace, proxy: Proxy) -> Iterator[LinuxDesktop]:
    try:
        started = start_virtual(workspace.root, proxy=proxy)
    except EnvironmentFailure as failure:
        skip_without(failure)
    with contextlib.closing(started):
        yield started


@curl
@pytest.mark.desktop
def test_programs_on_the_virtual_desktop_reach_the_allowed_host_only(
    desktop: LinuxDesktop, workspace: Workspace, server: HTTPServer, reported: Reported
) -> None:
    urls = (f"http://shop.example.org:{server.port}/seen", "http://evil.net/", f"http://127.0.0.1:{server.port + 1}/")
    script = "; ".join(f"curl -sS {url} >>out.txt 2>&1; echo >>out.txt" for url in urls)
    direct = f"curl -sS --noproxy '*' http://127.0.0.1:{server.port}/seen >>out.txt 2>&1; echo end >>out.txt"
    desktop.session.start(["/bin/sh", "-c", f"{script}; {direct}"])
    out = workspace.root / "out.txt"
    assert until(lambda: out.exists() and "end" in out.read_text())
    lines = out.read_text().splitlines()
    assert lines[0] == f"GET /seen for shop.example.org:{server.port}"
    assert "evil.net:80 is not allowed" in lines[1]
    assert f"127.0.0.1:{server.port + 1} is not allowed" in out.read_text()
    assert "Failed to connect" in lines[-2]
    assert [allowed for _, _, allowed, _ in reported] == [True, False, False]


@pytest.mark.desktop
def test_the_desktop_takes_its_door_along(workspace: Workspace, proxy: Proxy) -> None:
    gc.collect()  # else what earlier tests left open may be closed in between
    before = psutil.Process().num_fds()
    try:
        desktop = start_virtual(workspace.root, proxy=proxy)
    except EnvironmentFailure as failure:
        skip_without(failure)
    desktop.close()
    desktop.close()
    assert psutil.Process().num_fds() == before
    with socket.create_server(("127.0.0.1", 0)) as listener:  # the proxy itself goes on
        attached = proxy.attach(socket.socket(fileno=listener.detach()))
    attached.close()
