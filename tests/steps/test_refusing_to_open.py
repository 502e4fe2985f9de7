"""What is to be opened and is nowhere."""

from __future__ import annotations

import pytest

from deskcrew.observation import FileEntry, Observation
from deskcrew.steps.refusing import missing_to_open


def look(*paths: str) -> Observation:
    return Observation(files=tuple(FileEntry(path=path, kind="file", size=1) for path in paths))


@pytest.mark.parametrize(
    ("task", "missing"),
    [
        ("Open the attachment fare.pdf in the Document Viewer and tell me the fare.", "fare.pdf"),
        ("I need the total. It is in the sheet costs-2025.xlsx, so open that one and give me the total.", "costs-2025.xlsx"),
        ("In the spreadsheet, open 'budget.xlsx', set B2 to 5 and save.", "budget.xlsx"),
        ("Please show me scan.pdf in the viewer. Which date is on it?", "scan.pdf"),
        ("Which heading does page 3 of guide.pdf have? Use the viewer.", "guide.pdf"),
        ("Could you have a look at map.pdf? How many pages has it?", "map.pdf"),
    ],
)
def test_a_file_that_is_nowhere(task: str, missing: str) -> None:
    assert missing_to_open(task, look("a.txt", "plants.xlsx")) == f"{missing} is not in the workspace."


@pytest.mark.parametrize(
    "task",
    [
        "Open notes.txt in the editor and write hello.",
        "Open the editor, write hello and save it as letter.txt",
        "Open a.txt and copy it to b.docx",
        "Open plants.xlsx, save it as plants.ods, then open plants.ods",
        "If report.pdf is there, open report.pdf",
        "Open Plants.ods and tell me the height of the fern.",
        "Open a new file report.pdf",
        "Tell me when report.pdf was changed if you can open report.pdf.",
        "See whether you can open report.pdf.",
        'Type "open x.pdf" into the editor.',
    ],
)
def test_what_is_there_may_be_meant_or_is_made_is_not_missing(task: str) -> None:
    assert missing_to_open(task, look("a.txt", "plants.xlsx")) == ""


def test_an_archive_may_hold_it() -> None:
    assert missing_to_open("Open fare.pdf and tell me the fare.", look("post.zip")) == ""
