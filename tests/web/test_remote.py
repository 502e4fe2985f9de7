"""A server that other machines can reach: an address, a token, a certificate; over real sockets, in a real browser."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
import stat
import time
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from deskcrew.ways_in.cli import main
from support.crew import settings_in
from web.browsing import browsing, serving
from web.test_undoing import wrote

pytestmark = pytest.mark.timeout(300)
TOKEN = "a-token-that-is-long-enough-for-this"


def port() -> int:
    """One that is free just now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Signed by itself, for 127.0.0.1."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "desk")])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = made.add_extension(names, critical=False).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    (tmp_path / "c.pem").write_bytes(signed.public_bytes(pem))
    plain = serialization.NoEncryption()
    (tmp_path / "k.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return tmp_path / "c.pem", tmp_path / "k.pem"


@pytest.mark.deep
def test_over_tls_with_a_token_and_under_its_own_name_only(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    number = port()
    origin = f"https://127.0.0.1:{number}"
    options = ["--host", "0.0.0.0", "--port", str(number), "--origin", origin, "--token", TOKEN]
    options += ["--certificate", str(certificate[0]), "--key", str(certificate[1])]
    trusted = ssl.create_default_context(cafile=str(certificate[0]))
    with serving(tmp_path, *options) as link:
        assert link.startswith(f"{origin}/enter?token=")
        with httpx.Client(base_url=origin, verify=trusted, trust_env=False) as client:
            assert client.get("/").status_code == 401
            assert client.get("/", headers={"host": f"localhost:{number}"}).status_code == 421
            other = client.post("/enter", data={"token": TOKEN}, headers={"origin": "https://evil.example"})
            assert other.status_code == 403
            wrong = client.post("/enter", data={"token": TOKEN[:-1]}, headers={"origin": origin})
            assert wrong.status_code == 401
            assert "is wrong" in wrong.text
            assert client.get("/").status_code == 401
            right = client.post("/enter", data={"token": TOKEN}, headers={"origin": origin})
            assert right.status_code == 200
            assert "secure" in right.headers["set-cookie"].lower()
            assert client.get("/").status_code == 200
        with pytest.raises(httpx.TransportError), httpx.Client(trust_env=False) as plain:
            plain.get(f"http://127.0.0.1:{number}/")
        with browsing() as browser, browser.new_context(ignore_https_errors=True) as context:
            page = context.new_page()
            page.goto(f"{origin}/start")
            page.get_by_label("Token").fill("not this one, but as long as one")
            page.get_by_role("button", name="Sign in").click()
            expect(page.locator(".note")).to_contain_text("is wrong")
            page.get_by_label("Token").fill(TOKEN)
            page.get_by_role("button", name="Sign in").click()
            expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_visible()
            (cookie,) = (each for each in context.cookies() if each["name"].startswith("deskcrew-"))
            assert cookie["httpOnly"]
            assert cookie["secure"]
            assert cookie["sameSite"] == "Strict"


@pytest.mark.deep
def test_the_link_is_opened_where_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whatever opens addresses on this machine: here a program that writes down what it was given."""
    programs = tmp_path / "bin"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text(
        f'#!/bin/sh\necho "$1" > "{tmp_path}/opened.part" && mv "{tmp_path}/opened.part" "{tmp_path}/opened"\n'
    )
    opener.chmod(opener.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    with serving(tmp_path, "--port", "0", "--open") as link, httpx.Client(trust_env=False) as client:
        assert client.get(link.partition("/enter")[0]).status_code == 401
        while not (tmp_path / "opened").exists():
            time.sleep(0.05)
        assert (tmp_path / "opened").read_text().strip() == link


def test_the_link_leads_to_a_run(tmp_path: Path) -> None:
    run = wrote(settings_in(tmp_path), tmp_path, "a.txt")
    with serving(tmp_path, "--port", "0", "--run", "last") as link:
        assert run in link


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--host", "0.0.0.0"), "needs a token"),
        (("--host", "0.0.0.0", "--token", TOKEN), "has to know its own address"),
        (("--token", "short"), "too short"),
    ],
)
@pytest.mark.timeout(60)  # what was started would go on
def test_what_would_be_open_to_others_is_not_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(("serve", "--data", str(tmp_path / "data"), *options))
    assert ended.value.code
    assert words in " ".join(capsys.readouterr().err.split())
