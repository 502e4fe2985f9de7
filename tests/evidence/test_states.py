"""States with one change undone: a repository is one thing, whatever git writes for itself."""

from __future__ import annotations

import hashlib
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from dulwich import porcelain
from dulwich.repo import Repo

from deskcrew.environments.manifest import Manifest, ManifestEntry
from deskcrew.evidence.changes import changes_told
from deskcrew.evidence.proof import by_checks, weigh
from deskcrew.evidence.states import State, States, unit_of
from deskcrew.evidence.typed import Side
from deskcrew.facts.contract import Contract, Requirement, TypedCheck
from deskcrew.facts.observation import Observation


def saved(folder: Path, blobs: dict[str, bytes]) -> Manifest:
    entries = [ManifestEntry("", "folder", 0o755, 0)]
    for path in sorted(folder.rglob("*"), key=lambda path: str(path.relative_to(folder))):
        name = str(path.relative_to(folder))
        if path.is_dir():
            entries.append(ManifestEntry(name, "folder", 0o755, 0))
            continue
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        blobs[digest] = content
        entries.append(ManifestEntry(name, "file", 0o644, 0, len(content), "", digest))
    return Manifest(tuple(entries))


def committed(folder: Path, files: Mapping[str, str], message: str) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)
        porcelain.add(str(folder), [str(folder / name)])
    porcelain.commit(str(folder), message=message.encode(), author=b"A <a@b>", committer=b"A <a@b>")


def test_what_git_keeps_is_one_thing() -> None:
    assert unit_of("a/.git/objects/ab/cd") == unit_of("a/.git/HEAD") == unit_of("a/.git") == "a/.git"
    assert unit_of("a/b.txt") == "a/b.txt"
    assert unit_of("a/.gitignore") == "a/.gitignore"


def test_a_commit_is_proven_by_typed_checks_and_is_not_without_them(tmp_path: Path) -> None:
    folder = tmp_path / "work/project"
    folder.mkdir(parents=True)
    Repo.init(str(folder), default_branch=b"main").close()
    committed(folder, {"a.txt": "one\n"}, "First")
    (folder / "b.txt").write_text("two\n")
    blobs: dict[str, bytes] = {}
    start = saved(folder.parent, blobs)
    committed(folder, {"b.txt": "two\n"}, "Add b")
    states = States(start, saved(folder.parent, blobs), blobs.__getitem__)
    assert states.units() == ("project/.git",)
    every: list[State] = list(states.all())
    assert [state.label for state in every] == ["end", "start", "project/.git as it was"]
    (tmp_path / "states").mkdir()
    places = states.lay_out(every, tmp_path / "states")

    def proven(*checks: tuple[str, str]) -> bool:
        typed = tuple(TypedCheck(kind="value_is", target=f"project#git.{name}", text=text) for name, text in checks)
        wanted = Requirement(id="1", says="b.txt is committed", seen_by="checks", checks=typed)
        rows = [{"1": by_checks(wanted, Side(place, places[1], Observation()))} for place in places]
        return weigh(Contract(requirements=(wanted,)), every, rows).complete

    assert proven(("message", "Add b"), ("clean", "true"), ("tracked", "a.txt\nb.txt"))
    assert not proven(("branch", "main"))
    assert not proven(("message", "Add a"))


def test_a_verifier_is_not_told_of_what_was_put_into_the_trash(tmp_path: Path) -> None:
    blobs: dict[str, bytes] = {}
    start = saved(tmp_path, blobs)
    (tmp_path / ".trash").mkdir()
    (tmp_path / ".trash" / "made by mistake.txt").write_text("x")
    (tmp_path / "kept.txt").write_text("y")
    told = changes_told(States(start, saved(tmp_path, blobs), blobs.__getitem__))
    assert told.startswith("kept.txt (new")
    assert "mistake" not in told


def test_a_verifier_is_told_every_table_of_a_database_and_which_rows_changed(tmp_path: Path) -> None:
    blobs: dict[str, bytes] = {}
    with closing(sqlite3.connect(tmp_path / "shop.db", isolation_level=None)) as database:
        database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, paid INTEGER)")
        database.executemany("INSERT INTO orders (paid) VALUES (?)", [(0,)] * 5000)
        database.execute("CREATE TABLE guests (name TEXT)")
        start = saved(tmp_path, blobs)
        database.execute("UPDATE orders SET paid = 1 WHERE id = 4321")
        end = saved(tmp_path, blobs)
    told = changes_told(States(start, end, blobs.__getitem__))
    assert "shop.db (changed; " in told
    assert 'orders,5000,"id INTEGER PRIMARY KEY, paid INTEGER" | guests,0,name TEXT' in told
    assert "table 'guests': name" in told, "though the table before it has thousands of rows"
    assert (
        "shop.db (its rows, start -> end): table orders: 0 added, 0 removed, 1 changed of 5000 rows\n~ 4321,0 -> 4321,1"
        in told
    )
    assert "at the start" not in told


def test_what_programs_make_while_they_work_is_no_change(tmp_path: Path) -> None:
    blobs: dict[str, bytes] = {}
    (tmp_path / "sub").mkdir()
    start = saved(tmp_path, blobs)
    for name in ("a.xlsx", ".~lock.a.xlsx#", "sub/.~lock.b.xlsx#"):
        (tmp_path / name).write_text(name)
    end = saved(tmp_path, blobs)
    assert States(start, end, blobs.__getitem__).changes() == ("a.xlsx",)
    assert States(end, start, blobs.__getitem__).changes() == ("a.xlsx",)


def test_copies_have_the_modes_and_links_of_the_workspace(tmp_path: Path) -> None:
    blobs = {"one": b"#!/bin/sh\n"}
    entries = (
        ManifestEntry("bin", "folder", 0o750, 0),
        ManifestEntry("bin/plain.sh", "file", 0o644, 0, 10, "", "one"),
        ManifestEntry("bin/run.sh", "file", 0o755, 0, 10, "", "one"),
        ManifestEntry("latest", "link", 0o777, 0, target="bin/run.sh"),
        ManifestEntry("bin/of-the-sandbox", "link", 0o777, 0, target="/workspace/bin/run.sh"),
        ManifestEntry("out", "link", 0o777, 0, target="/etc/hostname"),
    )
    states = States(Manifest(()), Manifest(entries), blobs.__getitem__)
    end, *_ = states.lay_out([next(states.all())], tmp_path)
    modes = {path: (end / path).stat().st_mode & 0o777 for path in ("bin", "bin/plain.sh", "bin/run.sh")}
    assert modes == {"bin": 0o750, "bin/plain.sh": 0o644, "bin/run.sh": 0o755}
    assert (end / "latest").resolve() == (end / "bin/of-the-sandbox").resolve() == (end / "bin/run.sh").resolve()
    assert not (end / "out").exists()


def test_a_new_file_is_altered_where_it_differs_from_the_one_that_it_was_made_from() -> None:
    """Of a long new file three places were altered, none of which an edit had touched."""
    old = "".join(f"line {number} of the handbook\n" for number in range(60))
    new = (
        old.replace("line 7 of", "line 7, revised, of").replace("line 41 of the handbook\n", "").replace("line 50", "row 50")
    )
    blobs = {"old": old.encode(), "new": new.encode(), "other": b"something else\n" * 9}
    start = (
        ManifestEntry("a.txt", "file", 0o644, 0, len(old), "", "old"),
        ManifestEntry("b.txt", "file", 0o644, 0, 9, "", "other"),
    )
    states = States(
        Manifest(start), Manifest((*start, ManifestEntry("c.txt", "file", 0o644, 0, len(new), "", "new"))), blobs.__getitem__
    )
    assert states.older("c.txt") == "a.txt"
    made = [state for state in states.all() if state.content is not None]
    undone = [state.content.decode() for state in made if state.kind == "undone" and state.content is not None]
    assert [set(old.splitlines()) ^ set(text.splitlines()) for text in undone] == [
        {"line 41 of the handbook", "line 50 of the handbook", "row 50 of the handbook"},
        {"line 7 of the handbook", "line 7, revised, of the handbook", "line 50 of the handbook", "row 50 of the handbook"},
        {"line 7 of the handbook", "line 7, revised, of the handbook", "line 41 of the handbook"},
    ]
    assert all("revised" in state.line or "row 50" in state.line for state in made if state.kind == "altered")
    told = changes_told(states)
    assert "c.txt (made from a.txt; what differs, - there and + here)" in told
    assert "+line 7, revised, of the handbook" in told


def test_a_large_text_is_altered_too_and_each_changed_file_in_turn() -> None:
    large = b"number 12345 of many\n" * 300_000
    blobs = {"large": large, "small": b"one 1\ntwo 2\n"}
    entries = [ManifestEntry("large.txt", "file", 0o644, 0, len(large), "", "large")]
    entries += [ManifestEntry(f"n{number:02}.txt", "file", 0o644, 0, 12, "", "small") for number in range(30)]
    states = States(Manifest(()), Manifest(tuple(entries)), blobs.__getitem__)
    made = [state for state in states.all() if state.content is not None]
    assert {state.changed for state in made} == {entry.path for entry in entries}
    assert {state.kind for state in made if state.changed == "large.txt"} <= {"altered", "left out"}


def test_of_an_archive_that_changed_it_is_told_what_changed_in_it_and_of_another_what_is_in_it(tmp_path: Path) -> None:
    def zipped(name: str, **texts: str) -> None:
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for each, text in texts.items():
                archive.writestr(f"{each}.txt", text)

    blobs: dict[str, bytes] = {}
    zipped("old.zip", names="Ann")
    zipped("a.zip", kept="as it was", fee="3", gone="left")
    start = saved(tmp_path, blobs)
    zipped("a.zip", kept="as it was", fee="4", new="came")
    told = changes_told(States(start, saved(tmp_path, blobs), blobs.__getitem__)).split("\n")
    assert [line for line in told if "//" in line] == [
        "a.zip//fee.txt (in it): 4",
        "a.zip//fee.txt (in it at the start): 3",
        "a.zip//new.txt (in it): came",
        "a.zip//gone.txt (in it at the start): left",
        "old.zip//names.txt (in it): Ann",
    ]
