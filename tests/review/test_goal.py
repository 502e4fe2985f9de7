"""Checks: what a task's words oblige to, and what holds in files as they are."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from deskcrew.actions import readers
from deskcrew.journal.fold import RunState
from deskcrew.observation import FileEntry, Observation
from deskcrew.review.demands import checks_of_files, checks_of_writing
from deskcrew.review.goal import NO_RESULT, World, evaluate, unmet
from deskcrew.verdict import RESULT, Check, CheckResult

EMPTY = Observation()


def judged(folder: Path, check: Check) -> CheckResult:
    def cell(path: str, address: str) -> str | None:
        return readers.cell(folder / path, address)

    world = World(before=EMPTY, now=EMPTY, read=lambda path: (folder / path).read_text(), cell=cell)
    return evaluate((check,), RunState(), world)[0]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    book = openpyxl.Workbook()
    book.worksheets[0].append(("total", 1234.50, "=1+1"))
    book.create_sheet("Other").append((True,))
    book.save(tmp_path / "book.xlsx")
    return tmp_path


@pytest.mark.parametrize(
    ("target", "text", "holds", "found"),
    [
        ("book.xlsx!B1", "1,234.5", True, "1234.5"),
        ("book.xlsx!B1", "1234", False, "1234.5"),
        ("book.xlsx!Other!A1", "true", True, "TRUE"),
        ("book.xlsx!D9", "", True, ""),
        ("book.xlsx!C1", "2", None, "its value cannot be looked at"),
        ("book.xlsx!Third!A1", "2", False, "There is no sheet 'Third'; there are: Sheet, Other."),
        ("book.xlsx!", "2", False, "'' is no cell; write it as B2 or Sheet2!B2."),
        ("book.xlsx!B1", RESULT, None, NO_RESULT),
    ],
)
def test_cell_equals(book: Path, target: str, text: str, holds: bool | None, found: str) -> None:
    result = judged(book, Check(kind="cell_equals", target=target, text=text))
    assert (result.holds, result.found) == (holds, found)


def test_what_does_not_hold_is_said_with_what_was_found(book: Path) -> None:
    result = judged(book, Check(kind="cell_equals", target="book.xlsx!B1", text="7"))
    assert unmet([result]) == ["cell book.xlsx!B1 is '7': no (1234.5)"]


def test_a_sentence_or_a_part_after_a_semicolon_obliges_by_itself() -> None:
    task = 'Write "x" into a.txt; write "y" into b.txt. Do not touch c.txt! Then make d.txt, as in e.g. old.txt.'
    there = Observation(files=(FileEntry(path="old.txt", kind="file"),))
    assert [check.target for check in checks_of_files(task, there)] == ["a.txt", "b.txt", "d.txt"]
    assert [(check.target, check.text) for check in checks_of_writing(task, there)] == [("a.txt", "x"), ("b.txt", "y")]
