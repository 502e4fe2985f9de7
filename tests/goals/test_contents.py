"""What changed files, filled-in texts and names with stand-ins must be like."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import openpyxl
import pytest

from deskcrew.actions import readers
from deskcrew.english import dates
from deskcrew.english.stand_ins import ANY, filled, fillings
from deskcrew.errors import ActionError
from deskcrew.events import Operation, RunStarted
from deskcrew.goals import contents
from deskcrew.goals.contents import row_has, wrong
from deskcrew.goals.goal import World, evaluate
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Collected, Done, Turn
from deskcrew.observation import FileEntry, Observation
from deskcrew.verdict import CAPITALS, FROM, IN_ORDER, LACKS, LACKS_LINE, NEW, RESULT, ROW, SMALL, Check


@pytest.mark.parametrize(
    ("text", "mark", "right"),
    [
        ("apples\nBananas\ncherries\n", IN_ORDER, True),
        ("name\nzoe\nbob\nann\n", IN_ORDER, True),
        ("9 eggs\n10 pears\n100 plums\n", IN_ORDER, True),
        ("b\na\nc\n", IN_ORDER, False),
        ("", IN_ORDER, False),
        ("ÄPFEL, 2 KG\n", CAPITALS, True),
        ("ÄPFEL, 2 kg\n", CAPITALS, False),
        ("", CAPITALS, False),
        ("all small 1\n", SMALL, True),
        ("Not all\n", SMALL, False),
        ("Old Town\nnew road\n", f"{LACKS}old", True),
        ("an old town\n", f"{LACKS}old", False),
        ("older\n", f"{LACKS}old", True),
        ("- milk chocolate\n", f"{LACKS_LINE}milk", True),
        ("bread\n- Milk\n", f"{LACKS_LINE}milk", False),
    ],
)
def test_a_changed_text_is_as_it_has_to_be(text: str, mark: str, right: bool) -> None:
    assert (wrong(text, mark) == "") is right


@pytest.mark.parametrize(
    ("item", "value", "right"),
    [
        ("green tea", "12", True),
        ("green tea", "12.00", True),
        ("Green Tea", "€1,234.50", True),
        ("black tea", "12", False),
        ("tea, green", "12", True),
        ("black tea", "13", False),
    ],
)
def test_a_row_of_a_table_has_a_value(item: str, value: str, right: bool) -> None:
    table = '[Sheet1]\nitem,stock,price\ngreen tea,12,1234.5\nblack tea,3,"2,5"\n'
    assert (row_has(table, item, value) == "") is right


@pytest.mark.parametrize(
    ("pattern", "path", "values"),
    [
        ("visit-????-??-??.docx", "visit-2024-03-07.docx", ("2024", "03", "07")),
        ("visit-????-??-??.docx", "visit-YYYY-MM-DD.docx", None),
        ("visit-????-??-??.docx", "visit-2024-3-7.docx", None),
        ("bill-*.pdf", "bill-Brandt & Co.pdf", ("Brandt & Co",)),
        ("bill-*.pdf", "bills/bill-x.pdf", None),
        ("pics/*", "pics/may/one.png", ("may/one.png",)),
        ("a.b", "axb", None),
    ],
)
def test_a_name_fits_a_pattern(pattern: str, path: str, values: tuple[str, ...] | None) -> None:
    assert filled(pattern, path) == values


@pytest.mark.parametrize(
    ("pattern", "text", "values"),
    [
        (f"It cost {ANY} euros.", "In all: it cost  1,234 euros.\n", [("1234",)]),
        (f"It cost {ANY} euros.", "It cost N euros.", []),
        (f"Dear {ANY},", "Dear [name],", []),
        (f"Dear {ANY},", "Dear Ms Brandt,", [("ms brandt",)]),
        (f"{ANY} of {ANY}", "3 of 7", [("3", "7")]),
        (f"It cost {ANY} euros.", "It was free.", []),
    ],
)
def test_what_stands_in_place_of_a_stand_in(pattern: str, text: str, values: list[tuple[str, ...]]) -> None:
    assert fillings(pattern, text) == values


@pytest.mark.parametrize(
    ("text", "numbers", "there"),
    [
        ("on 7 March 2024", ("2024", "03", "07"), True),
        ("March 7th, 2024", ("07", "03", "2024"), True),
        ("am 07.03.2024", ("2024", "03", "07"), True),
        ("2024-03-07", ("24", "03", "07"), True),
        ("on 7 March (plan for 2024)", ("20240307",), True),
        ("on 8 March 2024, item 7", ("2024", "03", "07"), False),
        ("invoice 12 of 2024", ("2024",), True),
        ("invoice 12 of 2024", ("2025",), False),
    ],
)
def test_a_date_is_the_same_however_it_is_written(text: str, numbers: tuple[str, ...], there: bool) -> None:
    assert dates.shown_in(text, numbers) is there


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


@pytest.mark.parametrize(
    ("name", "holds"),
    [("visit-2024-03-07.txt", True), ("visit-2024-03-08.txt", None), ("visit-YYYY-MM-DD.txt", False), ("visit.txt", False)],
)
def test_a_renamed_file_bears_a_date_that_it_speaks_of(tmp_path: Path, name: str, holds: bool | None) -> None:
    desk = Desk(tmp_path, "Rename doc.txt to visit-YYYY-MM-DD.txt.", doc="We came on 7 March 2024.")
    (tmp_path / "doc.txt").rename(tmp_path / name)
    assert desk.holds(Check(kind="same_as", target="visit-????-??-??.txt", text="doc.txt")) is holds


def test_a_name_with_a_date_that_the_crew_made_up_is_not_called_right(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Save the notes of plan.txt as note-YYYY-MM-DD.txt.", plan="No date here.")
    desk.did("write_file", "note-2024-03-07.txt", "Written on 7 March 2024.")
    assert desk.holds(Check(kind="file_exists", target="note-????-??-??.txt")) is None


def test_a_stand_in_is_replaced_by_what_was_read_and_by_nothing_else(tmp_path: Path) -> None:
    check = Check(kind="file_contains", target="out.txt", text=f"It cost {ANY} euros.", origin="evidence")
    for value, wanted in (("415", True), ("416", None), ("N", False)):
        desk = Desk(tmp_path, "Look the price up in list.txt.", list="lamp 415\nchair 90\n")
        desk.read("list.txt")
        desk.did("write_file", "out.txt", f"It cost {value} euros.\n")
        assert desk.holds(check) is wanted


def test_a_result_that_nobody_worked_out_is_not_called_right(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Write the total of list.txt.", list="1\n2\n")
    desk.did("write_file", "out.txt", "We sold 3 pears")
    assert desk.holds(Check(kind="file_contains", target="out.txt", text=f"We sold {RESULT} pears")) is None


def test_what_changed_must_also_be_as_it_was_wanted(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Sort the lines of a.txt.", a="b\na\n")
    check = Check(kind="changed_since_start", target="a.txt", text=IN_ORDER)
    assert desk.holds(check) is False
    desk.did("write_file", "a.txt", "b\na\nc\n")
    assert desk.holds(check) is False
    desk.did("write_file", "a.txt", "a\nb\n")
    assert desk.holds(check) is True


def test_what_is_new_in_a_folder_and_the_folder_itself(tmp_path: Path) -> None:
    (tmp_path / "pics").mkdir()
    (tmp_path / "pics/old.txt").write_text("x")
    desk = Desk(tmp_path, "Unpack it.")
    new, folder = Check(kind="file_exists", target="pics/*", text=NEW), Check(kind="file_exists", target="bills/")
    assert (desk.holds(new), desk.holds(folder)) == (False, False)
    (tmp_path / "pics/new.txt").write_text("x")
    (tmp_path / "bills").mkdir()
    assert (desk.holds(new), desk.holds(folder)) == (True, True)


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
    row = Check(kind="cell_equals", target=f"stock.xlsx!{ROW}tea", text="4.0")
    number = Check(kind="file_contains", target="stock.xlsx", text="45")
    text = Check(kind="file_contains", target="letter.docx", text="Best wishes")
    assert [desk.holds(check) for check in (row, number, text)] == [False, True, False]
    letter.add_paragraph("Best wishes")
    letter.save(str(tmp_path / "letter.docx"))
    book.worksheets[0]["B1"] = 4
    book.save(tmp_path / "stock.xlsx")
    assert [desk.holds(check) for check in (row, number, text)] == [True, True, True]


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
        ("Remove the line about two", "one\n", ""),
        ('Add the line "new" at the end and change "one" to "1"', "1\ntwo\nnew\n", ""),
        ('Add "Ann\'s" at the end', "one\ntwo\nAnn’s\n", ""),
    ],
)
def test_what_else_differs_than_was_said(order: str, now: str, wrong: str) -> None:
    found = contents.other(order, "one\ntwo\n", now)
    assert found is not None
    assert wrong in found
    assert bool(wrong) is bool(found)


def test_where_nobody_can_say_what_it_should_be() -> None:
    assert contents.other("Remove the line about cheese", "one\ntwo\n", "one\n") is None
