"""Nodes of a fleet speak with machines that have a certificate of its authority, and with no others."""

from __future__ import annotations

import shutil
import socket
import ssl
import threading
from pathlib import Path

import pytest

from deskcrew.errors import UsageError
from deskcrew.ways_in.fleet.encryption import AUTHORITY, encrypted


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "head"))
    monkeypatch.delenv("RAY_USE_TLS", raising=False)
    for name in ("head", "joins", "stranger"):
        (tmp_path / name).mkdir()


def greeted(address: tuple[str, int], authority: Path, own: Path | None = None) -> bool:
    """Whether a server with a certificate of this authority speaks with somebody who has that certificate."""
    context = ssl.create_default_context(cafile=str(authority))
    context.set_alpn_protocols(["h2"])  # as gRPC wants
    if own is not None:
        context.load_cert_chain(own)
    try:
        with (
            socket.create_connection(address, timeout=10) as connected,
            context.wrap_socket(connected, server_hostname=address[0]) as spoken,
        ):
            spoken.settimeout(1)
            spoken.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")  # how HTTP/2 begins
            return spoken.recv(1) != b""
    except TimeoutError:
        return True  # waits for more
    except OSError:
        return False


def served(told: dict[str, str]) -> tuple[socket.socket, threading.Thread]:
    """A server as Ray's are: both sides show a certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=told["RAY_TLS_CA_CERT"])
    context.load_cert_chain(told["RAY_TLS_SERVER_CERT"], told["RAY_TLS_SERVER_KEY"])
    context.verify_mode = ssl.CERT_REQUIRED
    listening = socket.create_server(("127.0.0.2", 0))

    def answer() -> None:
        while True:
            try:
                connected, _ = listening.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(connected, server_side=True) as spoken:
                    spoken.recv(100)
                    spoken.sendall(b"!")
            except OSError:
                connected.close()

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    return listening, thread


def test_machines_of_a_fleet_speak_with_each_other_and_with_no_stranger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = encrypted(join=False)
    monkeypatch.setenv("HOME", str(tmp_path / "joins"))
    with pytest.raises(UsageError, match="does not have the fleet's certificate authority") as none:
        encrypted(join=True)
    assert AUTHORITY in none.value.hint
    (tmp_path / "joins" / ".ray").mkdir()
    authority = tmp_path / "joins" / ".ray" / AUTHORITY
    shutil.copy(head["RAY_TLS_CA_CERT"], authority)
    joined = encrypted(join=True)
    assert joined["RAY_TLS_SERVER_CERT"] != head["RAY_TLS_SERVER_CERT"]
    monkeypatch.setenv("HOME", str(tmp_path / "stranger"))
    stranger = encrypted(join=False)

    listening, thread = served(head)
    try:
        address = listening.getsockname()
        assert greeted(address, authority, Path(joined["RAY_TLS_SERVER_CERT"]))
        assert not greeted(address, authority, Path(stranger["RAY_TLS_SERVER_CERT"])), "it has a certificate of another's"
        assert not greeted(address, authority), "it has none"
        assert not greeted(address, Path(stranger["RAY_TLS_CA_CERT"]), Path(joined["RAY_TLS_SERVER_CERT"]))
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(10)
    for name in ("RAY_TLS_CA_CERT", "RAY_TLS_SERVER_CERT"):
        assert Path(head[name]).stat().st_mode & 0o777 == 0o600


def test_a_certificate_is_made_once_and_anew_for_another_authority() -> None:
    told = encrypted(join=False)
    authority, own = Path(told["RAY_TLS_CA_CERT"]), Path(told["RAY_TLS_SERVER_CERT"])
    first = own.read_bytes()
    assert encrypted(join=True) == told
    assert own.read_bytes() == first
    own.write_text("not one")
    encrypted(join=True)
    second = own.read_bytes()
    assert second not in (first, b"not one")
    authority.unlink()
    encrypted(join=False)
    assert own.read_bytes() not in (first, second)
    authority.write_text("broken")
    with pytest.raises(UsageError, match="cannot be read"):
        encrypted(join=True)


@pytest.mark.parametrize("said", ["0", "1"])
def test_ones_own_settings_are_left_alone(said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAY_USE_TLS", said)
    assert encrypted(join=False) == {}
    assert not (tmp_path / "head" / ".ray").exists()
