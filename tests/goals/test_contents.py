"""What changed files, filled-in texts and names with stand-ins must be like."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import openpyxl
import pytest

from deskcrew.actions import readers
from deskcrew.errors import ActionError
from deskcrew.events import Operation, RunStarted
from deskcrew.goals import contents
from deskcrew.goals.contents import wrong
from deskcrew.goals.from_orders import checks_of_task
from deskcrew.goals.goal import World, evaluate
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Collected, Done, Turn
from deskcrew.observation import FileEntry, Observation
from deskcrew.verdict import FROM, LACKS, LACKS_LINE, Check, Edit


@pytest.mark.parametrize(
    ("text", "mark", "right"),
    [
        ("Old Town\nnew road\n", f"{LACKS}old", True),
        ("an old town\n", f"{LACKS}old", False),
        ("older\n", f"{LACKS}old", True),
        ("- milk chocolate\n", f"{LACKS_LINE}milk", True),
        ("bread\n- Milk\n", f"{LACKS_LINE}milk", False),
    ],
)
def test_a_changed_text_is_as_it_has_to_be(text: str, mark: str, right: bool) -> None:
    assert (wrong(text, mark) == "") is right


def look(folder: Path) -> Observation:
    paths = sorted(path for path in folder.rglob("*"))
    return Observation(
        files=tuple(
            FileEntry(
                path=str(path.relative_to(folder)),
                kind="file" if path.is_file() else "folder",
                size=path.stat().st_size,
                digest=path.read_bytes().hex() if path.is_file() else None,
            )
            for path in paths
        )
    )


class Desk:
    """A folder before and after, and what was done in between."""

    def __init__(self, folder: Path, task: str, **files: str) -> None:
        self.folder = folder
        for name, text in files.items():
            (folder / f"{name}.txt").write_text(text)
        self.before = look(folder)
        self.state = RunState(started=RunStarted(task=task, crew="", model="", mode="", workspace="", desktop="none"))

    def did(self, function: str, path: str, text: str, **params: str) -> None:
        """An operation that wrote ``text`` itself."""
        (self.folder / path).write_text(text)
        number = len(self.state.turns) + 1
        done = Done(
            Operation(function=function, params=params or {"text": text}), True, "", "e", number=number, files=(path,)
        )
        self.state.turns.append(Turn(number=number, role="Solo", subtask="1", reply={}, done=[done]))

    def read(self, path: str) -> str:
        number = len(self.state.turns) + 1
        text = (self.folder / path).read_text()
        done = Done(
            Operation(function="read_file", params={"file_path": path}), True, text, "e", number=number, reads=(path,)
        )
        self.state.turns.append(Turn(number=number, role="Solo", subtask="1", reply={}, done=[done]))
        self.state.collected.append(Collected("e", number, "Solo", "1", "content", text, (path,)))
        return text

    def holds(self, check: Check) -> bool | None:
        def read(path: str) -> str:
            if not (self.folder / path).exists():
                raise ActionError("there is none")
            return readers.read(self.folder / path)

        world = World(before=self.before, now=look(self.folder), read=read, cell=lambda *_: None)
        return evaluate((check,), self.state, world)[0].holds


def test_a_folder_that_was_made_is_there(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Make it.")
    assert desk.holds(Check(kind="file_exists", target="bills/")) is False
    (tmp_path / "bills").mkdir()
    assert desk.holds(Check(kind="file_exists", target="bills/")) is True


def test_all_of_an_archive_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("in/one.txt", "1")
        archive.writestr("two.txt", "22")
    desk = Desk(tmp_path, "Unpack two.zip.")
    check = Check(kind="file_exists", target="*", text=f"{FROM}two.zip")
    assert desk.holds(check) is False
    (tmp_path / "one.txt").write_text("1")
    (tmp_path / "two.txt").write_text("2")
    assert desk.holds(check) is False
    (tmp_path / "two.txt").write_text("22")
    assert desk.holds(check) is True


def test_office_files_are_read_as_such(tmp_path: Path) -> None:
    letter, book = docx.Document(), openpyxl.Workbook()
    letter.add_paragraph("Dear Ann,")
    letter.save(str(tmp_path / "letter.docx"))
    book.worksheets[0].append(("tea", 3, 45))
    book.save(tmp_path / "stock.xlsx")
    desk = Desk(tmp_path, "Change them.")
    number = Check(kind="file_contains", target="stock.xlsx", text="45")
    text = Check(kind="file_contains", target="letter.docx", text="Best wishes")
    assert [desk.holds(check) for check in (number, text)] == [True, False]
    letter.add_paragraph("Best wishes")
    letter.save(str(tmp_path / "letter.docx"))
    assert [desk.holds(check) for check in (number, text)] == [True, True]


def edits(order: str) -> tuple[Edit, ...]:
    """What a task's words allow to be changed in a file that is there."""
    there = Observation(files=(FileEntry(path="a.txt", kind="file", size=8, digest="a"),))
    checks = checks_of_task(f"Open a.txt. {order}.", there)
    return next((check.edits for check in checks if check.edits), ())


@pytest.mark.parametrize(
    ("order", "now", "wrong"),
    [
        ('Add the line "new" at the end', "one\ntwo\nnew\n", ""),
        ('Add the line "new" at the end', "one\n\ntwo\nnew", ""),
        ('Add "new" at the end', "one\ntwo new\n", ""),
        ('Add the line "new" at the end', "one\ntwonew\n", "'twonew' should not be there"),
        ('Add the line "new" at the end', "new\none\ntwo\n", "another order"),
        ('Add the line "new" at the end', "one\ntwo\nnew\nnew\n", "'new' should not be there"),
        ('Add "new"', "one\nnew\ntwo\n", ""),
        ('Add "new"', "one\nnew\n", "'two' is not there"),
        ('Replace "two" with "2"', "one\n2\n", ""),
        ('Replace "two" with "2"', "1\n2\n", "'1' should not be there"),
        ('Remove the line "two"', "one\n", ""),
        ('Add the line "new" at the end and change "one" to "1"', "1\ntwo\nnew\n", ""),
        ('Add "Ann\'s" at the end', "one\ntwo\nAnn’s\n", ""),
    ],
)
def test_what_else_differs_than_was_said(order: str, now: str, wrong: str) -> None:
    found = contents.other(edits(order), "one\ntwo\n", now)
    assert found is not None
    assert wrong in found
    assert bool(wrong) is bool(found)


def test_where_nobody_can_say_what_it_should_be() -> None:
    for order in ("Remove the line about two", 'Remove the line "cheese"'):
        assert contents.other(edits(order), "one\ntwo\n", "one\n") is None
