"""Manifests: canonical bytes, nothing that leads out, and what differs between two of them in words."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.environments.manifest import Manifest, ManifestEntry, RestoreChanges, changes, printable
from deskcrew.errors import JournalError

ROOT = ManifestEntry("", "folder", 0o755, 1)
A, B, C = "a" * 64, "b" * 64, "c" * 64


def manifest(*entries: ManifestEntry) -> Manifest:
    return Manifest(tuple(sorted((ROOT, *entries))))


def file(path: str, digest: str = A, **fields: object) -> ManifestEntry:
    return ManifestEntry(path, "file", 0o644, 1, 1, digest=digest)._replace(**fields)


def large(path: str, **fields: object) -> ManifestEntry:
    return ManifestEntry(path, "file", 0o644, 1, 10**9, kept=False)._replace(**fields)


def folder(path: str, **fields: object) -> ManifestEntry:
    return ManifestEntry(path, "folder", 0o755, 1)._replace(**fields)


NAMES = st.binary(min_size=1, max_size=6).filter(
    lambda name: not {0, ord("/")} & set(name) and name not in (b".", b"..", b".git")
)


@given(st.sets(NAMES, max_size=6), NAMES)
def test_any_name_survives_and_the_same_state_has_the_same_bytes(names: set[bytes], target: bytes) -> None:
    paths = [name.decode("utf-8", "surrogateescape") for name in names]
    link = ManifestEntry("\U0001f600", "link", 0, -5, target=target.decode("utf-8", "surrogateescape"))
    one = manifest(*(file(path) for path in paths if path != link.path), link)
    again = Manifest.from_bytes(one.to_bytes())
    assert again == one
    assert again.to_bytes() == one.to_bytes()
    assert all(name in {entry.path.encode("utf-8", "surrogateescape") for entry in again.entries} for name in names)


@pytest.mark.parametrize(
    "row",
    [
        ["../x", "file", 0o644, 1, 1, "", A, True],
        ["/etc/x", "file", 0o644, 1, 1, "", A, True],
        ["d/../../x", "file", 0o644, 1, 1, "", A, True],
        ["missing/x", "file", 0o644, 1, 1, "", A, True],
        [".git", "folder", 0o755, 1, 0, "", "", True],
        [".git/config", "file", 0o644, 1, 1, "", A, True],
        ["a\0b", "file", 0o644, 1, 1, "", A, True],
        ["\ud800", "file", 0o644, 1, 1, "", A, True],
        ["x", "file", 0o4755, 1, 1, "", A, True],
        ["x", "file", 0o644, 1, 1, "", "../../x", True],
        ["x", "file", 0o644, 1, 1, "", "", True],
        ["x", "file", "0644", 1, 1, "", A, True],
        ["x", "device", 0o644, 1, 1, "", "", False],
        ["x", "file"],
        [5, "file", 0o644, 1, 1, "", A, True],
        "x",
    ],
)  # fmt: skip
def test_what_we_would_not_write_is_not_read(row: object) -> None:
    root = list(ROOT)
    Manifest.from_bytes(json.dumps([1, [root, ["x", "file", 0o644, 1, 1, "", A, True]]]).encode())
    with pytest.raises(JournalError):
        Manifest.from_bytes(json.dumps([1, [root, row]]).encode())


@pytest.mark.parametrize("data", [b"", b"{}", b"[1,[]]", b"\xff", b"[2,[]]", b"[" * 100_000, b"null"])
def test_bytes_that_are_no_manifest(data: bytes) -> None:
    with pytest.raises(JournalError):
        Manifest.from_bytes(data)


def test_a_path_twice_is_refused() -> None:
    with pytest.raises(JournalError):
        Manifest.from_bytes(Manifest((ROOT, file("x"), file("x"))).to_bytes())


def test_what_differs() -> None:
    then = manifest(
        file("same"), file("changed"), file("gone"), file("mode"), file("touched"), folder("d"), file("d/in"),
        ManifestEntry("link", "link", 0, 1, target="x"), file("was file"), folder("was folder"),
    )  # fmt: skip
    now = manifest(
        file("same"), file("changed", B), file("mode", mode=0o600), file("touched", mtime_ns=2), file("new", C),
        ManifestEntry("link", "link", 0, 1, target="y"), folder("was file"), file("was file/x", C), file("was folder"),
        folder("e"),
    )  # fmt: skip
    found = changes(now, then)
    assert found == RestoreChanges(
        written=("changed", "d/in", "gone", "was file"),
        made=("d", "was folder"),
        links=("link",),
        modes=("mode",),
        times=("touched",),
        removed=("e", "new", "was file/x"),
    )
    assert found.summary() == (
        "writes 4 files (changed, d/in, gone, ...); makes 2 folders (d, was folder); sets 1 link (link); "
        "removes 3 paths (e, new, was file/x); sets permissions of 1 path (mode)"
    )
    assert changes(then, then) == RestoreChanges()
    assert RestoreChanges().summary() == "changes nothing"
    assert RestoreChanges(times=("", "touched")).summary() == (
        "changes only the times of 2 paths (the workspace itself, touched)"
    )


def test_a_file_that_gets_its_old_name_is_told_as_that() -> None:
    then = manifest(file("old.txt", B), file("changed"), file("empty", size=0), file("twice", C))
    now = manifest(file("new.txt", B), file("changed", C), file("full", C), file("void", size=0))
    found = changes(now, then)
    assert found.written == ("changed", "empty", "old.txt", "twice"), "it is restored as any other"
    assert found.renamed == (("full", "twice"), ("new.txt", "old.txt"))
    assert found.summary() == (
        "renames 2 files (full to twice, new.txt to old.txt); writes 2 files (changed, empty); removes 1 path (void)"
    )


def test_what_was_not_kept_is_left_alone_and_named() -> None:
    closed = folder("closed", kept=False)
    then = manifest(large("as it was"), large("changed"), large("gone"), closed, file("overwritten"), file("way"))
    now = manifest(
        large("as it was"), large("changed", size=10**9 + 1), folder("closed"), file("closed/unknown"),
        folder("new"), large("new/moved"), file("new/small"), large("overwritten"), folder("way"), large("way/big"),
        ManifestEntry("pipe", "other", 0o600, 1, kept=False),
    )  # fmt: skip
    found = changes(now, then)
    assert found.cannot == ("changed", "gone")
    assert found.left == ("new/moved",)
    assert found.lost == ("overwritten", "way/big")
    assert found.removed == ("new/small", "pipe", "way/big")
    assert found.written == ("overwritten", "way")
    assert len(found.regrets()) == 5
    assert "gone is not brought back" in found.summary()
    assert found.regrets(most=1)[1:] == ("4 more of this kind",)


def test_text_for_people_can_be_printed() -> None:
    odd = "new\nline\x1b[31m\udcff"
    assert printable(odd) == "new\\nline\\x1b[31m\\udcff"
    assert printable("Übung 1.txt") == "Übung 1.txt"
    summary = changes(manifest(), manifest(file(odd))).summary()
    assert summary.isprintable()
    assert summary.encode()
    assert manifest(large(odd)).unsaved == (printable(odd),)


def test_a_state_with_some_paths_as_they_are_now() -> None:
    def listed(**files: str) -> Manifest:
        """``files``: contents by path, with __ for /; an empty one is a folder."""
        entries = [ManifestEntry("", "folder", 0o755, 0)]
        for name, text in files.items():
            path = name.replace("__", "/")
            digest = hashlib.sha256(text.encode()).hexdigest()
            file = ManifestEntry(path, "file", 0o644, 0, len(text), digest=digest)
            entries.append(file if text else ManifestEntry(path, "folder", 0o755, 0))
        return Manifest(tuple(sorted(entries)))

    then = listed(a="1", b="1", c="", c__x="1", d="", d__x="1", e="1")
    now = listed(a="2", c="2", d="", d__x="2", e="", e__new="2", f="", f__new="2")
    kept = then.keeping({"a", "b", "c", "e/new", "f/new"}, now)
    assert kept == Manifest.from_bytes(kept.to_bytes()), "it can be read again"
    assert kept == listed(a="2", c="2", d="", d__x="1", e="", e__new="2", f="", f__new="2")
