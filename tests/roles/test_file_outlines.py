"""The workspace's files as prompts list them."""

from __future__ import annotations

import tarfile
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from deskcrew.actions import readers
from deskcrew.engine.roles.file_outlines import FileOutlines, unpacked_in
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
    first = heads.told(now, state, text_of)
    assert first.endswith(told)
    assert heads.told(now, state, text_of) == first, "also as it is kept"


def listed(task: str, texts: dict[str, str], **more: Any) -> str:
    """What a prompt lists of a folder with these texts."""
    state = RunState()
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started(task)))

    def text_of(path: str) -> str:
        state.files_read[path] = e.FileRead(path=path, text="digest")
        return texts[path]

    there = {path: text for path, text in texts.items() if readers.MEMBER not in path}
    files = (FileEntry(path=path, kind="file", size=len(text), digest="digest") for path, text in there.items())
    return FileOutlines().told(Observation(files=tuple(files)), state, text_of, **more)


def test_a_model_that_reads_is_shown_small_files_whole_and_of_others_how_they_begin() -> None:
    lines = "".join(f"line {number}\n" for number in range(1, 10))
    texts = {"a.txt": lines, "b/c.csv": "x,y\n\n1,2", "long.txt": "long\n" * 2000, "none.txt": ""}
    whole = "\n".join(f"  {line}" for line in lines.splitlines())
    told = listed("Add a line to a.txt.", texts, reading=2000)
    assert told == (
        f"- a.txt, whole:\n{whole}\n- b/c.csv (no line end at its end), whole:\n  x,y\n\n  1,2\n"
        "- long.txt: long | long | long | long | ... 1996 more lines\n- none.txt"
    )
    small = listed("Add a line to a.txt.", texts)
    assert small == "- a.txt: line 1 | line 2 | line 3 | line 4 | ... 5 more lines\n- b/c.csv\n- long.txt\n- none.txt", (
        "a small model's prompt stays small"
    )


def test_small_messages_and_what_is_in_them_are_shown_whole() -> None:
    texts = {"a.eml": "From: Ann\n" * 9, "b.eml": "See below\n", "b.eml!": "rules.txt\n", "b.eml!rules.txt": "one\n" * 9}
    texts |= {"a.eml!": ""}
    texts = {path.replace("!", readers.MEMBER): text for path, text in texts.items()}
    told = listed("File the papers.", texts, reading=3000)
    assert "- a.eml, whole:\n  From: Ann\n" in told
    assert "- b.eml, whole:\n  See below\n" in told
    assert told.count("  one") == 9


def test_what_the_task_names_is_shown_before_what_is_smaller_and_no_more_than_is_read() -> None:
    texts = {"big.txt": "big big big\n" * 150, **{f"{number}.csv": f"{number},1,2,3\n" * 100 for number in range(4)}}
    told = listed("Sort big.txt.", texts, reading=3000)
    assert "- big.txt, whole:" in told
    assert "- 0.csv: 0,1,2,3 | 0,1,2,3 | 0,1,2,3 | 0,1,2,3 | ... 96 more lines" in told, "there is no room for all of it"
    assert "- 0.csv, whole:" in listed("Sort all.", texts, reading=3000)
    assert len(listed("Sort big.txt.", texts | {"big.txt": "long " * 2000}, reading=3000, whole=("big.txt",))) < 3300


def test_of_many_files_the_first_are_shown_and_the_others_counted() -> None:
    told = listed("Propose lessons.", {f"{number}.csv": f"{number} begins so\n" for number in range(40)}, reading=6000)
    assert told.splitlines()[:2] == ["- 0.csv, whole:", "  0 begins so"]
    assert told.splitlines()[-3:] == ["- 29.csv, whole:", "  29 begins so", "- and 10 more"]


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
    outlines = FileOutlines()
    told = outlines.told(now, state, text_of)
    known = dict(state.files_read)
    assert outlines.told(now, state, text_of) == told
    assert all(state.files_read[path] is each for path, each in known.items()), "nothing is read again"
    there = [FileEntry(path=f"x/{each}", kind="file", size=1) for each in readers.members(readers.read(tmp_path / name))]
    if there:
        unpacked = outlines.told(now.model_copy(update={"files": (*now.files, *there)}), state, text_of)
        assert "unpacked already: its files are in x" in unpacked
    assert f"{under}people.csv in it: name,town | Bo,Bath" in told
    assert f"{under}fees.xlsx in it: sheet 'Sheet': town,fee" in told


def test_a_part_of_what_a_model_reads_at_once_is_a_smaller_budget_and_no_part_are_names_alone() -> None:
    texts = {"fees.csv": "town,fee\nBath,3\n", "letter.html": "No fee in Bath.\n", "long.txt": "long\n" * 400}
    whole = "- fees.csv, whole:\n  town,fee\n  Bath,3\n- letter.html, whole:\n  No fee in Bath.\n"
    assert listed("Pay.", texts, reading=12_000).startswith(f"{whole}- long.txt, whole:\n")
    assert listed("Pay.", texts, reading=12_000, part=0.1) == (
        f"{whole}- long.txt: long | long | long | long | ... 396 more lines"
    )
    assert listed("Sum fees.csv.", texts, reading=12_000, part=0) == "- fees.csv\n- letter.html\n- long.txt"


def test_what_another_part_of_a_prompt_shows_is_not_shown_again() -> None:
    texts = {"fees.csv": "town,fee\nBath,3\n", "rules.txt": "No fee in Bath.\n"}
    for task in ("Pay.", "Pay as rules.txt says."):
        told = listed(task, texts, reading=12_000, elsewhere=("rules.txt",))
        assert told == "- fees.csv, whole:\n  town,fee\n  Bath,3\n- rules.txt"
