"""Where secrets are kept: a real encrypted file, and the system's keyring where this machine has one."""

from __future__ import annotations

import json
import os
import stat
from importlib import import_module
from pathlib import Path
from uuid import uuid4

import pytest

from deskcrew.errors import UsageError
from deskcrew.secrets.binding import Binding, Secret, checked
from deskcrew.secrets.store import PASSPHRASE, FileStore, KeyringStore, open_store, usable_keyring
from journal.test_blobs import kept_in_s3, s3
from support.canary import CANARY, VALUE, told_in
from support.crew import settings_in

__all__ = ["kept_in_s3", "s3"]
OTHER = Secret("shop", "another value", Binding(hosts=("shop.example.org",)))


def store(folder: Path, phrase: str = "open sesame") -> FileStore:
    return FileStore(folder / "secrets.json", lambda _: phrase)


def test_what_is_kept_comes_back_with_its_binding(tmp_path: Path) -> None:
    assert store(tmp_path).set(CANARY) is False
    assert store(tmp_path).set(OTHER) is False
    assert store(tmp_path).get("mail") == CANARY
    assert store(tmp_path).get("shop") == OTHER
    changed = Secret("mail", "a new value", Binding(apps=("x",)))
    assert store(tmp_path).set(changed) is True
    assert store(tmp_path).get("mail") == changed


def test_the_file_tells_nothing_and_is_its_owners(tmp_path: Path) -> None:
    store(tmp_path).set(CANARY)
    path = tmp_path / "secrets.json"
    assert told_in(path.read_bytes()) == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(os.listdir(tmp_path)) in (["secrets.json"], ["secrets.json", "secrets.lock"])


def test_listing_and_removing_need_no_passphrase(tmp_path: Path) -> None:
    store(tmp_path).set(CANARY)

    def asked(_: str) -> str:
        raise AssertionError("a passphrase was asked for")

    without = FileStore(tmp_path / "secrets.json", asked)
    assert without.list() == {"mail": CANARY.binding}
    without.remove("mail")
    assert without.list() == {}
    with pytest.raises(UsageError, match="no secret 'mail'"):
        without.remove("mail")
    with pytest.raises(UsageError, match="no secret 'mail'"):
        without.get("mail")


def test_a_wrong_passphrase_opens_nothing_and_adds_nothing(tmp_path: Path) -> None:
    store(tmp_path).set(CANARY)
    before = (tmp_path / "secrets.json").read_bytes()
    for attempt in (lambda: store(tmp_path, "guess").get("mail"), lambda: store(tmp_path, "guess").set(OTHER)):
        with pytest.raises(UsageError, match="passphrase does not open"):
            attempt()
    assert (tmp_path / "secrets.json").read_bytes() == before
    with pytest.raises(UsageError, match="empty"):
        store(tmp_path, "").get("mail")


def test_the_variable_is_read_when_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = FileStore(tmp_path / "secrets.json", lambda _: "not this one")
    monkeypatch.setenv(PASSPHRASE, "from the environment")
    opened.set(CANARY)
    monkeypatch.delenv(PASSPHRASE)
    assert store(tmp_path, "from the environment").get("mail") == CANARY


@pytest.mark.parametrize("field", ["apps", "hosts"])
def test_a_binding_that_was_widened_in_the_file_is_refused(tmp_path: Path, field: str) -> None:
    store(tmp_path).set(CANARY)
    path = tmp_path / "secrets.json"
    written = json.loads(path.read_text())
    written["secrets"]["mail"][field] = ["anything"]
    path.write_text(json.dumps(written))
    with pytest.raises(UsageError, match="was changed"):
        store(tmp_path).get("mail")


def test_a_value_under_another_name_is_refused(tmp_path: Path) -> None:
    store(tmp_path).set(CANARY)
    path = tmp_path / "secrets.json"
    written = json.loads(path.read_text())
    written["secrets"]["other"] = written["secrets"]["mail"]
    path.write_text(json.dumps(written))
    with pytest.raises(UsageError, match="was changed"):
        store(tmp_path).get("other")


@pytest.mark.parametrize("content", ["", "{}", "not json", '{"version":2,"salt":"","check":"","cost":32768}'])
def test_a_file_that_is_none_is_an_error_for_a_person(tmp_path: Path, content: str) -> None:
    (tmp_path / "secrets.json").write_text(content)
    with pytest.raises(UsageError):
        store(tmp_path).list()


@pytest.mark.parametrize(
    ("name", "value", "apps", "hosts"),
    [
        ("mail", VALUE, (), ()),
        ("mail", "abc", ("a",), ()),
        ("mail", "    ", ("a",), ()),
        ("mail", "two\nlines", ("a",), ()),
        ("mail", "x" * 5000, ("a",), ()),
        ("mail", VALUE, ("*",), ()),
        ("mail", VALUE, ("",), ()),
        ("mail", VALUE, (), ("https://example.org/",)),
        ("mail", VALUE, (), ("*",)),
        (":bindings", VALUE, ("a",), ()),
        ("a}} {{b", VALUE, ("a",), ()),
    ],
)
def test_what_cannot_be_kept(name: str, value: str, apps: tuple[str, ...], hosts: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as refused:
        checked(name, value, apps, hosts)
    assert value not in str(refused.value)


def test_a_value_is_in_no_repr() -> None:
    assert told_in(repr(CANARY).encode()) == []


@pytest.mark.skipif(usable_keyring() is None, reason="this machine has no keyring that can be used")
def test_the_systems_keyring() -> None:
    backend = usable_keyring()
    assert backend is not None
    kept, name = KeyringStore(backend), f"test-{os.getpid()}"
    secret = Secret(name, VALUE, CANARY.binding)
    try:
        kept.set(secret)
        assert kept.get(name) == secret
        assert kept.list()[name] == secret.binding
    finally:
        kept.remove(name)
    assert name not in kept.list()


@pytest.mark.skipif(usable_keyring() is not None, reason="this machine has a keyring that can be used")
def test_without_a_keyring_it_is_the_file(tmp_path: Path) -> None:
    assert isinstance(open_store(settings_in(tmp_path), lambda _: "x"), FileStore)


def test_nodes_of_a_fleet_have_one_file_at_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec")
    address = f"memory://secrets-{uuid4().hex}/secrets.json"
    one, other = (settings_in(tmp_path / name).model_copy(update={"secrets": address}) for name in ("one", "other"))
    assert open_store(other, ask).list() == {}
    with pytest.raises(UsageError, match="no secret 'mail'"):
        open_store(other, ask).remove("mail")
    open_store(one, ask).set(CANARY)
    assert open_store(other, ask).get("mail") == CANARY
    assert told_in(import_module("fsspec").filesystem("memory").cat_file(address)) == []
    assert open_store(other.of("ann@example.org"), ask).list() == {}, "it is the machine's"
    open_store(one.of("ann@example.org"), ask).set(OTHER)
    assert open_store(other.of("ann@example.org"), ask).get("shop") == OTHER
    assert set(open_store(other, ask).list()) == {"mail"}
    open_store(other, ask).remove("mail")
    assert open_store(one, ask).list() == {}
    assert [path for path in tmp_path.rglob("*") if "secrets" in path.name] == []


@pytest.mark.deep
def test_a_bucket_that_is_not_there_is_told_and_not_made(kept_in_s3: str, tmp_path: Path) -> None:
    kept = FileStore(f"{kept_in_s3}/secrets.json", ask)
    kept.set(CANARY)
    assert FileStore(f"{kept_in_s3}/secrets.json", ask).get("mail") == CANARY
    with pytest.raises(UsageError, match=r"secrets in s3://gone/secrets\.json cannot be used"):
        FileStore("s3://gone/secrets.json", ask).set(CANARY)
    with pytest.raises(UsageError, match="not known"):
        FileStore("gone://x/secrets.json", ask)


def ask(_: str) -> str:
    return "open sesame"
