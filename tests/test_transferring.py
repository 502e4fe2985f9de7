"""Moving and copying by rule: what follows from a part's words, and where a model is asked instead."""

from __future__ import annotations

import pytest

from deskcrew.errors import ActionError
from deskcrew.observation import FileEntry, Observation
from deskcrew.review.demands import checks_of_task
from deskcrew.steps.transferring import transfers, unasked
from deskcrew.steps.unpacking import unpacking

FILES = ("a.xlsx", "b.xlsx", "c.csv", "d.pdf", "e.pdf", "minutes.txt", "two.txt", "photo.jpg")
NOW = Observation(files=(*(FileEntry(path=p, kind="file") for p in FILES), FileEntry(path="old", kind="folder")))
TEXTS = {"minutes.txt": "Held on 24 December 2025 in room 4.", "two.txt": "From 3 May 2025 to 4 May 2025."}


def read(path: str) -> str:
    if path not in TEXTS:
        raise ActionError("not text")
    return TEXTS[path]


def done(part: str) -> list[str]:
    return [" ".join((each.function, *map(str, each.params.values()))) for each in transfers(part, NOW, read)]


@pytest.mark.parametrize(
    ("part", "operations"),
    [
        (
            "Please make a folder called sorted and move all the Excel files into it. Everything else stays where it is.",
            ["make_folder sorted", "move_file a.xlsx sorted/a.xlsx", "move_file b.xlsx sorted/b.xlsx"],
        ),
        (
            "Create a directory named safe, then copy every PDF file there. Do not touch anything else.",
            ["make_folder safe", "copy_file d.pdf safe/d.pdf", "copy_file e.pdf safe/e.pdf"],
        ),
        (
            "Copy every text file into a new folder called texts.",
            ["make_folder texts", "copy_file minutes.txt texts/minutes.txt", "copy_file two.txt texts/two.txt"],
        ),
        ("Move c.csv into the folder old.", ["move_file c.csv old/c.csv"]),
        ("Put a.xlsx and d.pdf into the folder old", ["move_file a.xlsx old/a.xlsx", "move_file d.pdf old/d.pdf"]),
        ("Rename c.csv to data.csv.", ["move_file c.csv data.csv"]),
        ("Make a copy of d.pdf called d2.pdf", ["copy_file d.pdf d2.pdf"]),
        (
            "Rename minutes.txt to minutes-YYYY-MM-DD.txt, with the date of the meeting that stands in it.",
            ["move_file minutes.txt minutes-2025-12-24.txt"],
        ),
        ("Copy minutes.txt to old/YYYYMMDD.txt using the date in it", ["copy_file minutes.txt old/20251224.txt"]),
    ],
)
def test_what_is_said_beyond_doubt_is_done_without_a_model(part: str, operations: list[str]) -> None:
    assert done(part) == operations


@pytest.mark.parametrize(
    "part",
    [
        "Move c.csv to the folder old and rename it to x.csv",
        "Copy all PDF files into the folder old, newest first",
        "Move the PDF files older than 2020 into a folder called x",
        "Move all the pdf files to a folder called pdfs and all the csv files to a folder called tables",
        "Move all PDF files and the photo of the sea into a new folder called mixed",
        "Rename two.txt to YYYY-MM-DD.txt, with the date that stands in it",  # which of the two?
        "Rename d.pdf to YYYY-MM-DD.pdf, with the date that stands in it",
        "Rename c.csv to d.pdf",  # it would be lost
        "Move none.csv into the folder old",
        "Delete c.csv",
        "Make a folder called new",
        "Convert c.csv to data.json",
    ],
)
def test_where_any_word_is_left_over_a_model_is_asked(part: str) -> None:
    assert done(part) == []


@pytest.mark.parametrize(
    ("part", "into"),
    [
        ("Unpack scans.zip into a new folder called inbox.", "inbox"),
        ("please unzip the archive scans.zip to the folder inbox-2025", "inbox-2025"),
        ("Extract everything from scans.zip into the folder full", None),  # what is there could be lost
        ("Unpack none.zip into a folder called inbox", None),
        ("Extract the largest file of scans.zip into a folder called inbox", None),
        ("Unpack scans.zip", None),
    ],
)
def test_an_archive_is_unpacked_into_the_folder_that_is_named(part: str, into: str | None) -> None:
    files = (FileEntry(path="scans.zip", kind="file"), FileEntry(path="full/a.txt", kind="file"))
    now = Observation(files=(*files, FileEntry(path="full", kind="folder")))
    made = unpacking(part, now)
    assert (made is None) if into is None else (made is not None and f"'scans.zip', '{into}'" in made.params["code"])


def test_a_name_that_ends_as_another_one_does_not_hide_it() -> None:
    now = Observation(files=tuple(FileEntry(path=path, kind="file") for path in ("eta.xml", "zeta.xml")))
    assert len(transfers("Copy every XML file into a new folder called old", now, read)) == 3


def test_what_nobody_asked_for_in_a_new_folder_is_seen() -> None:
    checks = checks_of_task("Copy every PDF file into a new folder called pdfs.", NOW)
    copied = [FileEntry(path=f"pdfs/{name}", kind="file") for name in ("d.pdf", "e.pdf")]
    now = NOW.model_copy(update={"files": (*NOW.files, FileEntry(path="pdfs", kind="folder"), *copied)})
    assert unasked(checks, NOW, now) == ""
    more = now.model_copy(update={"files": (*now.files, FileEntry(path="pdfs/c.csv", kind="file"))})
    assert unasked(checks, NOW, more) == "pdfs/c.csv should not be there"


@pytest.mark.parametrize(
    ("part", "moved"),
    [
        ('Move all PDF files whose names begin with "inv" into a new folder called bills', {"inv-1.pdf", "inv-2.pdf"}),
        ("Move every file that starts with 'inv' into the folder bills", {"inv-1.pdf", "inv-2.pdf", "inventory.csv"}),
        ('Put the files with "plan" in their names into a folder called bills', {"plan.csv", "old-plan.pdf"}),
        ('Move all PDF files whose names end with "plan" into the folder bills', {"old-plan.pdf"}),
        ('Move all PDF files whose names begin with "inv" and that are new into the folder bills', set()),
        ("Move all PDF files whose names are short into the folder bills", set()),
    ],
)
def test_files_with_something_in_their_names_are_moved(part: str, moved: set[str]) -> None:
    there = ("inv-1.pdf", "inv-2.pdf", "inventory.csv", "plan.csv", "old-plan.pdf")
    now = Observation(files=tuple(FileEntry(path=path, kind="file") for path in there))
    assert {op.params["source"] for op in transfers(part, now, read) if "source" in op.params} == moved
