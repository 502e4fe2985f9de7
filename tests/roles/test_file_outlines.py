"""The workspace's files as prompts list them."""

from __future__ import annotations

import tarfile
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from openpyxl import Workbook

from deskcrew.actions import readers
from deskcrew.engine.roles.file_outlines import FileOutlines, unpacked_in
from deskcrew.engine.roles.role_kinds import KINDS
from deskcrew.facts import events as e
from deskcrew.facts.observation import FileEntry, Observation
from deskcrew.journal.fold import RunState
from support.bodies import started


@pytest.mark.parametrize(
    ("inside", "there", "folder"),
    [
        (["a.csv", "b.csv"], ["x/a.csv", "x/b.csv", "x.zip"], "x"),
        (["a.csv", "b.csv"], ["a.csv", "b.csv"], ""),
        (["x/a.csv", "x/y/b.csv"], ["x/a.csv", "x/y/b.csv"], ""),
        (["x/a.csv", "b.csv"], ["k/x/a.csv", "k/b.csv"], "k"),
        (["a.csv", "b.csv"], ["w/a.csv", "x/a.csv", "x/b.csv"], "x"),
        (["a.csv", "b.csv"], ["x/a.csv", "y/b.csv"], None),
        (["a.csv"], ["xa.csv"], None),
        ([], ["a.csv"], None),
    ],
)
def test_where_an_archive_was_unpacked(inside: list[str], there: list[str], folder: str | None) -> None:
    assert unpacked_in(inside, [FileEntry(path=path, kind="file", size=1) for path in there]) == folder


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("one\ntwo\n", "- a.txt: one | two"),
        ("one\ntwo", "- a.txt: one | two (no line end at its end)"),
        ("long " * 500, "... (no line end at its end)"),
        ("", "- a.txt"),
    ],
)
def test_a_text_whose_last_line_does_not_end_is_told_from_one_whose_does(text: str, told: str) -> None:
    state = RunState()
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started("Copy a.txt.")))

    def text_of(path: str) -> str:
        state.files_read[path] = e.FileRead(path=path, text="digest")
        return text

    now = Observation(files=(FileEntry(path="a.txt", kind="file", size=len(text), digest="digest"),))
    heads = FileOutlines()
    first = heads.told(now, state, text_of, seen="relevant")
    assert first.endswith(told)
    assert heads.told(now, state, text_of, seen="relevant") == first, "also as it is kept"


def test_of_a_file_that_was_changed_all_is_told_as_far_as_there_is_room() -> None:
    state = RunState()
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started("Add a line to a.txt.")))
    text = "".join(f"line {number}\n" for number in range(1, 10))

    def text_of(path: str) -> str:
        state.files_read[path] = e.FileRead(path=path, text="digest")
        return text

    paths = ("a.txt", "b/c.csv", "x.md")
    now = Observation(files=tuple(FileEntry(path=path, kind="file", size=63, digest="digest") for path in paths))
    heads = FileOutlines()
    built = heads.told(now, state, text_of, seen="relevant", reading=2000)
    assert built == "- a.txt: line 1 | line 2 | line 3 | line 4 | ... 5 more lines\n- b/c.csv\n- x.md"
    told = heads.told(now, state, text_of, seen="relevant", reading=2000, whole=("a.txt", "b/c.csv", "gone.txt"))
    all_of_it = " | ".join(text.splitlines())
    assert told == f"- a.txt: {all_of_it}\n- b/c.csv: {all_of_it}\n- x.md"
    text = "long " * 2000
    assert len(heads.told(now, state, text_of, seen="relevant", reading=2000, whole=("a.txt",))) < 2100


def test_where_the_task_names_no_file_a_model_that_reads_is_shown_how_all_of_them_begin() -> None:
    state = RunState()
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started("Propose lessons about spreadsheets.")))

    def text_of(path: str) -> str:
        state.files_read[path] = e.FileRead(path=path, text="digest")
        return f"{path} begins so\n"

    paths = [f"{number}.csv" for number in range(40)]
    now = Observation(files=tuple(FileEntry(path=path, kind="file", size=63, digest="digest") for path in paths))
    told = FileOutlines().told(now, state, text_of, seen="relevant", reading=6000).splitlines()
    assert told[0] == "- 0.csv: 0.csv begins so"
    assert told[29] == "- 29.csv: 29.csv begins so"
    assert told[30:] == ["- and 10 more"]
    assert FileOutlines().told(now, state, text_of, seen="relevant").splitlines()[0] == "- 0.csv", (
        "a small model's prompt stays small"
    )


def archived(folder: Path) -> None:
    """A zip archive, one of tape, and a message, each with a table and a workbook in it."""
    book = Workbook()
    book.worksheets[0].append(["town", "fee"])
    book.save(folder / "fees.xlsx")
    (folder / "people.csv").write_text("name,town\nBo,Bath\n")
    with zipfile.ZipFile(folder / "all.zip", "w") as zipped, tarfile.open(folder / "all.tar.gz", "w:gz") as tape:
        for name in ("fees.xlsx", "people.csv"):
            zipped.write(folder / name, f"old/{name}")
            tape.add(folder / name, name)
    letter = EmailMessage()
    letter["From"], letter["Subject"] = "a@b.example", "Fees"
    letter.set_content("See what is attached.")
    for name in ("fees.xlsx", "people.csv"):
        content = (folder / name).read_bytes()
        letter.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    (folder / "all.eml").write_bytes(letter.as_bytes())


@pytest.mark.parametrize(("name", "under"), [("all.zip", "old/"), ("all.tar.gz", ""), ("all.eml", "")])
def test_of_what_is_in_an_archive_or_attached_the_outline_is_told_too(tmp_path: Path, name: str, under: str) -> None:
    archived(tmp_path)
    state = RunState()
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started(f"Who in {name} lives where?")))

    def text_of(path: str) -> str:
        file, mark, inside = path.partition(readers.MEMBER)
        text = readers.member(tmp_path / file, inside) if mark else readers.read(tmp_path / file)
        state.files_read[path] = e.FileRead(path=path, text="digest")
        return text

    now = Observation(files=(FileEntry(path=name, kind="file", size=1, digest="digest"),))
    told = FileOutlines().told(now, state, text_of, seen="relevant", reading=3000)
    assert f"{under}people.csv in it: name,town | Bo,Bath" in told
    assert f"{under}fees.xlsx in it: sheet 'Sheet': town,fee" in told


def test_whoever_says_what_must_hold_is_told_how_tables_that_the_task_names_are_laid_out_and_no_others(
    tmp_path: Path,
) -> None:
    texts = {"fees.csv": "town,fee\nBath,3\n", "other.csv": "a,b\n", "rules.txt": "No fee in Bath.\n"}
    state = RunState()
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started("Sum fees.csv as rules.txt says.")))

    def text_of(path: str) -> str:
        state.files_read[path] = e.FileRead(path=path, text="digest")
        return texts[path]

    now = Observation(files=tuple(FileEntry(path=path, kind="file", size=9, digest="digest") for path in texts))
    assert KINDS["contract"].sees_files == "tables"
    told = FileOutlines().told(now, state, text_of, seen="tables", reading=12_000)
    assert told == "- fees.csv: town,fee | Bath,3\n- other.csv\n- rules.txt"
    assert FileOutlines().told(now, state, text_of, seen="names") == "- fees.csv\n- other.csv\n- rules.txt"
