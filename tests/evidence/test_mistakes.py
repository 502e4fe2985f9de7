"""Typical mistakes: of a file's own kind, always the same, and tried where a check says all that a file holds."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pypdf
import pytest
from PIL import Image

from deskcrew.evidence.mistakes import mistakes
from deskcrew.evidence.states import States
from evidence.test_states import saved


def bytes_of(made: Any) -> bytes:
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


def book() -> bytes:
    made = openpyxl.Workbook()
    page: Any = made.worksheets[0]
    for row in (("day", "sum"), ("2026-02-28", 2.5), ("2026-03-01", 3)):
        page.append(row)
    return bytes_of(made)


def letter() -> bytes:
    made = docx.Document()
    for text in ("Dear Ann,", "the rent is due.", "Bo"):
        made.add_paragraph(text)
    return bytes_of(made)


def pages() -> bytes:
    made, written = pypdf.PdfWriter(), io.BytesIO()
    for width in (100, 200):
        made.add_blank_page(width, 50)
    made.write(written)
    return written.getvalue()


def picture() -> bytes:
    written = io.BytesIO()
    Image.linear_gradient("L").resize((60, 40)).convert("RGB").save(written, "PNG")
    return written.getvalue()


def archive() -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as made:
        made.writestr("a.txt", "A")
        made.writestr("b.txt", "B")
    return written.getvalue()


CALENDAR = "BEGIN:VCALENDAR\r\n" + "".join(
    f"BEGIN:VEVENT\r\nDTSTART:202612{day}T090000\r\nEND:VEVENT\r\n" for day in ("30", "31")
)


@pytest.mark.parametrize(
    ("path", "now", "typical"),
    [
        ("a.csv", b"code,sum\n007,2.5\n008,-3\n", {"the last row twice", "row 2, column 1 without the zeros in front"}),
        ("a.xlsx", book(), {"Sheet: row 2, column 1 a day later", "Sheet: column 2 a row lower"}),
        ("a.txt", b"one\ntwo\n\nthree\n", {"lines 2 and 3 interchanged", "its last text broken off"}),
        ("a.docx", letter(), {"the last paragraph left out", "the paragraphs in the opposite order"}),
        ("a.pdf", pages(), {"the last page twice", "pages 1 and 2 interchanged"}),
        ("a.png", picture(), {"upside down", "with a corner in other colours"}),
        ("a.zip", archive(), {"b.txt under another name", "b.txt and a.txt with each other's content"}),
        ("a.ics", CALENDAR.encode(), {"the first entry left out", "line 3 a day later"}),
    ],
)
def test_each_kind_of_file_has_its_mistakes(path: str, now: bytes, typical: set[str]) -> None:
    made = dict(mistakes(path, now))
    assert typical <= {*made}
    assert now not in made.values()
    assert len({*made.values()}) > len(made) // 2


def test_what_a_mistake_says_is_what_is_wrong() -> None:
    made = dict(mistakes("a.csv", b"day;sum\n2026-02-28;2,50\n2026-03-02;3\n"))
    assert made["row 2, column 1 a day later"] == b"day;sum\n2026-03-01;2,50\n2026-03-02;3\n"
    assert made["row 2, column 2 without its decimals"] == b"day;sum\n2026-02-28;2\n2026-03-02;3\n"
    assert made["the rows in the opposite order"] == b"day;sum\n2026-03-02;3\n2026-02-28;2,50\n"
    assert made["column 2 a row lower"] == b"day;sum\n2026-02-28;3\n2026-03-02;2,50\n"


def test_sheets_have_their_mistakes_in_their_order() -> None:
    for name in "ABCDEFGH":  # in a set, two names would be in any order
        made = openpyxl.load_workbook(io.BytesIO(book()))
        made.create_sheet(name).append(["day"])
        assert next(mistakes("a.xlsx", bytes_of(made)))[0].startswith("Sheet: ")


def test_a_picture_that_looks_the_same_when_it_is_mirrored_is_not() -> None:
    written = io.BytesIO()
    Image.new("RGB", (20, 20), "red").save(written, "PNG")
    assert {what for what, _ in mistakes("a.png", written.getvalue())} == {"with a corner in other colours"}


def test_only_where_a_check_says_all_mistakes_are_tried_and_lines_that_were_there_are_altered(tmp_path: Path) -> None:
    blobs: dict[str, bytes] = {}
    (tmp_path / "all.csv").write_text("id,town\n2,Rome\n1,Bern\n")
    start = saved(tmp_path, blobs)
    (tmp_path / "some.csv").write_text("id,town\n1,Bern\n")
    states = States(start, saved(tmp_path, blobs), blobs.__getitem__)
    usual, exact = list(states.all()), list(states.all(exact=True))
    assert not [each for each in usual[2:] if each.kind in ("altered", "mistake")]
    assert {each.kind for each in exact[2:]} >= {"altered", "mistake", "left out"}
    assert "some.csv under another name" in {each.label for each in exact}
    assert all(each.changed == "some.csv" for each in exact[2:])
