"""Blobs elsewhere than in the journal's database: there before what names them, gone with the run, and missed loudly."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from deskcrew.errors import JournalError
from deskcrew.facts.events import HumanSaid, Observed
from deskcrew.journal.blobs import blobs_at
from deskcrew.journal.exporting import export
from deskcrew.journal.importing import read_export
from deskcrew.journal.journal import REMEMBERED, Journal
from deskcrew.journal.removing import remove
from deskcrew.journal.store import Store
from support.bodies import started

KEEP = b"a picture" * 1000


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The address of a server that speaks S3."""
    pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


@dataclass(frozen=True)
class Kept:
    """A journal and where its blobs are."""

    path: Path
    blobs: str

    def store(self) -> Store:
        return Store(self.path, blobs=self.blobs)


@pytest.fixture
def kept_in_s3(s3: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A place in a bucket of its own."""
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    bucket = f"s3://blobs-{uuid4().hex}"
    fsspec.filesystem("s3").mkdir(bucket)
    return f"{bucket}/deskcrew"


@pytest.fixture(params=["folder", "memory", pytest.param("s3", marks=pytest.mark.deep)])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    path = tmp_path / "data" / "journal.db"
    if request.param == "folder":
        return Kept(path, str(tmp_path / "blobs"))
    if request.param == "memory":
        pytest.importorskip("fsspec")
        return Kept(path, f"memory://blobs-{uuid4().hex}")
    return Kept(path, request.getfixturevalue("kept_in_s3"))


def observed(journal: Journal, blob: str) -> None:
    journal.append(Observed(observation=blob))


def in_database(store: Store) -> int:
    with store.database.reading() as connection:
        return connection.exec_driver_sql("SELECT count(*) FROM blobs").scalar_one()


def test_they_are_kept_read_verified_exported_and_imported(kept: Kept, tmp_path: Path) -> None:
    store = kept.store()
    journal = store.create(started(), run="r")
    digest = journal.blob(KEEP)
    assert journal.blob(KEEP) == digest == hashlib.sha256(KEEP).hexdigest()
    observed(journal, digest)
    journal.close()
    assert in_database(store) == 0
    again = kept.store()
    assert again.journal("r").read_blob(digest) == KEEP
    assert again.reading("r").read_blob(digest) == KEEP
    assert again.verified("r").blobs == 1
    assert export(again.journal("r"), tmp_path / "r.zip").blobs == 1
    elsewhere = Store(tmp_path / "elsewhere" / "journal.db")
    read_export(tmp_path / "r.zip", elsewhere)
    assert elsewhere.journal("r").read_blob(digest) == KEEP


def test_they_go_with_the_last_run_that_names_them_and_so_does_what_no_event_named(kept: Kept) -> None:
    store = kept.store()
    shared = ""
    for run in ("one", "two"):
        journal = store.create(started(), run=run)
        shared = journal.blob(KEEP)
        observed(journal, shared)
        observed(journal, journal.blob(f"of {run} alone"))
        journal.blob(f"what the process of {run} died over")
        journal.commit()
    assert remove(store, ["one"]).blobs == 3
    assert store.journal("two").verify() == []
    assert store.journal("two").read_blob(shared) == KEEP
    assert remove(store, ["two"]).blobs == 2
    with store.database.reading() as connection:
        assert store.database.blobs.sizes(connection) == {}


def test_one_that_was_lost_or_changed_is_said_to_be(kept: Kept) -> None:
    store = kept.store()
    journal = store.create(started(), run="r")
    digest = journal.blob(KEEP)
    observed(journal, digest)
    journal.commit()
    blobs = store.database.blobs
    with store.database.writing() as connection:
        blobs.remove(connection, [digest])
    assert [digest[:12] in problem for problem in journal.verify()] == [True]
    with pytest.raises(JournalError, match="lost a blob"):
        kept.store().journal("r").read_blob(digest)


def test_what_a_journal_has_hashed_is_not_read_again_and_only_so_much_is_remembered(kept: Kept) -> None:
    store = kept.store()
    journal = store.create(started(), run="r")
    digests = [journal.blob(bytes([number]) * (REMEMBERED // 4)) for number in range(6)]
    for digest in digests:
        observed(journal, digest)
    journal.commit()
    reader = store.journal("r")
    assert reader.read_blob(digests[5])[0] == 5
    with store.database.writing() as connection:
        store.database.blobs.remove(connection, digests)

    assert [journal.read_blob(digest)[0] for digest in digests[2:]] == [2, 3, 4, 5]
    assert reader.read_blob(digests[5])[0] == 5
    for each, digest in ((journal, digests[1]), (reader, digests[4]), (kept.store().journal("r"), digests[5])):
        with pytest.raises(JournalError, match="lost a blob"):
            each.read_blob(digest)


def test_a_store_that_is_away_stops_a_run_which_goes_on_later(tmp_path: Path) -> None:
    folder = tmp_path / "blobs"
    store = Store(tmp_path / "journal.db", blobs=str(folder))
    journal = store.create(started(), run="r")
    digest = journal.blob(KEEP)
    observed(journal, digest)
    folder.write_text("in its place")
    with pytest.raises(JournalError, match="cannot be used") as raised:
        journal.commit()
    assert "resume" in raised.value.hint
    assert len(store.journal("r").events) == 1, "nothing names what is not there"
    folder.unlink()
    journal.append(HumanSaid(kind="guide"))
    journal.commit()
    assert store.journal("r").read_blob(digest) == KEEP
    assert store.journal("r").verify() == []


def test_an_s3_server_that_is_away_is_an_error_for_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_tcp_port: int
) -> None:
    pytest.importorskip("s3fs").S3FileSystem.clear_instance_cache()  # it would go on with another test's server
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_tcp_port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    journal = Store(tmp_path / "journal.db", blobs="s3://nowhere/blobs").create(started(), run="r")
    observed(journal, journal.blob(KEEP))
    with pytest.raises(JournalError, match="s3://nowhere/blobs cannot be used"):
        journal.commit()


@pytest.mark.deep
def test_a_bucket_is_never_made(kept_in_s3: str, tmp_path: Path) -> None:
    journal = Store(tmp_path / "journal.db", blobs="s3://no-such-bucket/blobs").create(started(), run="r")
    observed(journal, journal.blob(KEEP))
    with pytest.raises(JournalError, match="cannot be used"):
        journal.commit()


def test_a_store_of_no_kind_that_is_known_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(JournalError, match="cannot be used"):
        blobs_at("nosuchstore://x")
