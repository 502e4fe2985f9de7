"""`deskcrew secret`, called as a user calls it."""

from __future__ import annotations

import io
import json
import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.secrets import store
from support.canary import VALUE, told_in

PHRASE = "open sesame"


@pytest.fixture(autouse=True)
def only_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the keyring of whoever runs the tests: nothing of theirs is touched."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv(store.PASSPHRASE, PHRASE)


Called = Callable[..., str]


@pytest.fixture
def called(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Called:
    """Calls the command with a value piped into it, and returns what it says on both streams."""

    def call(folder: Path, *words: str, value: str = "", code: int = 0) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(value.encode())))
        done = cli("secret", *words, "--data", str(folder))
        said = done.out + done.err
        assert done.code == code, said
        assert told_in(said.encode()) == []
        return said

    return call


def test_set_list_remove(called: Called, tmp_path: Path) -> None:
    said = called(tmp_path, "set", "mail", "--app", "thunderbird", "--host", "Mail.example.org", value=f"{VALUE}\n")
    assert "Kept mail for app thunderbird, host mail.example.org" in said
    assert store.FileStore(tmp_path / "secrets.json", lambda _: "").get("mail").value == VALUE
    listed = json.loads(called(tmp_path, "list", "--json"))
    assert listed["secrets"] == [{"name": "mail", "apps": ["thunderbird"], "hosts": ["mail.example.org"]}]
    assert "thunderbird" in called(tmp_path, "list")
    again = json.loads(called(tmp_path, "set", "mail", "--app", "evolution", "--json", value="another value"))
    assert again == {"name": "mail", "apps": ["evolution"], "hosts": [], "replaced": True}
    assert json.loads(called(tmp_path, "remove", "mail", "--json")) == {"name": "mail", "removed": True}
    assert "No secrets yet" in called(tmp_path, "list")
    assert told_in(b"".join(path.read_bytes() for path in tmp_path.iterdir())) == []


@pytest.mark.parametrize(
    ("words", "value", "told"),
    [
        (("set", "mail"), VALUE, "must be bound"),
        (("set", "mail", "--app", "*"), VALUE, "every window"),
        (("set", "mail", "--app", "a"), "abc", "too short"),
        (("set", "mail", "--app", "a"), "", "is empty"),
        (("set", "mail", "--app", "a"), "two\nlines", "line breaks"),
        (("set", "no name", "--app", "a"), VALUE, "cannot be the name"),
        (("remove", "mail"), "", "no secret 'mail'"),
    ],
)
def test_what_is_refused(called: Called, tmp_path: Path, words: tuple[str, ...], value: str, told: str) -> None:
    assert told in called(tmp_path, *words, value=value, code=2)
    assert not (tmp_path / "secrets.json").exists()


def test_no_argument_takes_a_value(called: Called, tmp_path: Path) -> None:
    called(tmp_path, "set", "mail", "value-in-argv", "--app", "a", code=2)


def test_a_wrong_passphrase_is_said(called: Called, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called(tmp_path, "set", "mail", "--app", "a", value=VALUE)
    monkeypatch.setenv(store.PASSPHRASE, "guess")
    assert "The passphrase does not open" in called(tmp_path, "set", "shop", "--app", "a", value=VALUE, code=2)


def test_at_a_terminal_the_value_is_asked_for_and_not_shown(tmp_path: Path) -> None:
    command = [
        "-c",
        "from deskcrew.ways_in.cli import main; main()",
        "secret",
        "set",
        "mail",
        "--app",
        "a",
        "--data",
        str(tmp_path),
    ]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, *command])
    shown, asked = b"", False
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other end was closed
            break
        if not piece:
            break
        shown += piece
        if not asked and b"Value of mail:" in shown:
            asked = True
            os.write(terminal, VALUE.encode() + b"\n")
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0, shown
    assert asked
    assert told_in(shown) == []
    assert store.FileStore(tmp_path / "secrets.json", lambda _: "").get("mail").value == VALUE


def test_a_run_with_an_unknown_secret_does_not_begin(cli: Cli, tmp_path: Path) -> None:
    done = cli("run", "Log in", "--secret", "mail", "--data", str(tmp_path))
    assert done.code == 2
    assert "There is no secret 'mail'" in done.err
    assert not (tmp_path / "journal.db").exists()
