"""Alterations: small, of the file's own kind, always the same, and of looks only where they alone changed."""

from __future__ import annotations

import io
import re
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH
from openpyxl.styles import Font
from PIL import Image

from deskcrew.evidence.altering import DAMAGED, GARBAGE, altered, altered_text
from deskcrew.evidence.mistakes import mistakes
from deskcrew.evidence.places.reading import READERS
from deskcrew.evidence.rewriting import rewritten
from deskcrew.evidence.typed import Side, holds
from deskcrew.facts.contract import Strength, TypedCheck
from deskcrew.facts.observation import Observation


def saved(document: Any) -> bytes:
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def letter_of(*, bold: bool = False, centred: bool = False, style: str = "Normal") -> bytes:
    made: Any = docx.Document()
    made.add_paragraph("Dear Ann,")
    line = made.add_paragraph(style=style)
    line.add_run("the rent is ")
    line.add_run("due").bold = bold or None
    line.alignment = WD_ALIGN_PARAGRAPH.CENTER if centred else None
    return saved(made)


def book_of(*, bold: bool = False, number_format: str = "General") -> bytes:
    made = openpyxl.Workbook()
    page: Any = made.worksheets[0]
    page.append(("tea", 3))
    page["A1"].font = Font(bold=bold)
    page["B1"].number_format = number_format
    return saved(made)


def picture_of(width: int, height: int, kind: str = "PNG") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (width, height)).save(written, kind)
    return written.getvalue()


def archive_of(**files: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return written.getvalue()


def mail_of(subject: str, text: str) -> bytes:
    made = EmailMessage()
    made["Subject"], made["From"], made["To"] = subject, "me@example.org", "bob@example.org"
    made["Date"] = "Sun, 01 Mar 2026 10:00:00 +0100"
    made.set_content(text)
    return bytes(made)


EVENT = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:7@x\nDTSTAMP:20260101T000000Z\nSUMMARY:Tea\nEND:VEVENT\nEND:VCALENDAR\n"
CASES: list[tuple[str, bytes | None, bytes, list[str], str, str]] = [
    ("a.docx", letter_of(), letter_of(bold=True), ["paragraph 2 with the bold that it had"], "text[due].bold", "true"),
    (
        "a.docx", letter_of(), letter_of(centred=True),
        ["paragraph 2 with the alignment that it had"], "paragraph[2].align", "center",
    ),
    (
        "a.docx", letter_of(), letter_of(style="Quote"),
        ["paragraph 2 with the style that it had"], "paragraph[2].style", "Quote",
    ),
    ("a.xlsx", book_of(), book_of(bold=True), ["Sheet!A1 with the font that it had"], "A1.bold", "true"),
    (
        "a.xlsx", book_of(), book_of(number_format="0.00"),
        ["Sheet!B1 with the number format that it had"], "B1.format", "0.00",
    ),
    (
        "a.png", picture_of(40, 40), picture_of(20, 20),
        ["other content", "one row of pixels less"], "size", "20x20",
    ),
    (
        "a.zip", archive_of(a="1"), archive_of(a="1", b="2"),
        ["b left out", "b with other content"], "entry[b].text", "2",
    ),
    ("a.eml", None, mail_of("Tea", "..."), ["line 1 with another letter", "line 1 left out"], "subject", "Tea"),
    ("a.ics", None, EVENT.encode(), ["line 5 with another letter", "line 5 left out"], "event[1].summary", "Tea"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "before", "now", "names", "address", "value"), CASES)
def test_what_changed_is_altered_and_a_check_of_it_notices(
    tmp_path: Path, path: str, before: bytes | None, now: bytes, names: list[str], address: str, value: str
) -> None:
    made = dict(altered(path, before, now))
    assert [name for name in made if name in names] == names
    check = TypedCheck(kind="value_is", target=f"{path}#{address}", text=value)

    def held(content: bytes) -> bool | None:
        (tmp_path / path).write_bytes(content)
        return holds(check, Side(tmp_path, tmp_path, Observation()))[0]

    assert held(now) is True
    assert all(held(made[name]) is not True for name in names)


@pytest.mark.parametrize(
    ("path", "now"),
    [("a.docx", letter_of(bold=True, centred=True)), ("a.xlsx", book_of(bold=True)), ("a.png", picture_of(9, 9))],
)
def test_looks_of_what_is_new_are_left_alone(path: str, now: bytes) -> None:
    names = [name for name, _ in altered(path, None, now) if not name.startswith(DAMAGED)]
    assert names
    assert not any("that it had" in name or "pixels" in name for name in names)


def test_what_programs_write_for_themselves_is_left_alone() -> None:
    said = b"".join(content for name, content in altered("a.eml", None, mail_of("Tea", "At five")) if "left out" not in name)
    assert said.count(b"me@example.org") == said.count(b"10:00:00") > 0
    events = [content.decode() for _, content in altered("a.ics", None, EVENT.encode())]
    assert all("UID:7@x\nDTSTAMP:20260101T000000Z\n" in event for event in events)


@pytest.mark.parametrize("path", ["a.docx", "a.xlsx", "a.zip", "a.png", "a.pdf"])
def test_what_is_damaged_is_replaced_as_a_whole(path: str) -> None:
    now = b"\xff\xfe\x00nothing"
    assert list(altered(path, b"\xff\xfeold", now)) == [("other content", GARBAGE), ("damaged: cut in half", now[:5])]


def unpacked(book: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def at(book: bytes, *addresses: str) -> list[str]:
    return [READERS[".xlsx"](book, address) for address in addresses]


def locked() -> bytes:
    """An archive that asks for a password."""
    content = bytearray(archive_of(**{"a.txt": "A", "b.txt": "B"}))
    for begins, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(begins)
        while at >= 0:
            content[at + flags] |= 1
            at = content.find(begins, at + 1)
    return bytes(content)


def broken_letter() -> bytes:
    """A document whose text is no XML."""
    parts = {name: part.decode() for name, part in unpacked(letter_of()).items() if not name.endswith((".jpeg", ".bin"))}
    return archive_of(**parts | {"word/document.xml": "<w:document"})


@pytest.mark.parametrize(("path", "now"), [("a.zip", locked()), ("a.docx", broken_letter())])
def test_what_cannot_be_taken_apart_is_replaced_as_a_whole(path: str, now: bytes) -> None:
    assert [name for name, _ in altered(path, None, now)] == ["other content", "damaged: cut in half"]
    assert list(mistakes(path, now)) == []


def summed() -> bytes:
    """Three numbers and their sum, which was calculated; doubled beside, by formulas of which only the first is written."""
    made = openpyxl.Workbook()
    page: Any = made.worksheets[0]
    for number in (1, 2, 3):
        page.append((number, number * 2))
    page["A4"] = 6
    parts = unpacked(saved(made))
    shared = 't="shared" si="0"'
    for cell, formula in (
        ('r="A4"', "<f>SUM(A1:A3)</f>"),
        ('r="B1"', f'<f {shared} ref="B1:B3">A1*2</f>'),
        ('r="B2"', f"<f {shared}/>"),
        ('r="B3"', f"<f {shared}/>"),
    ):
        before, there, after = parts[SHEET].decode().partition(f"<c {cell}")
        assert there
        parts[SHEET] = (before + there + after.replace("<v>", f"{formula}<v>", 1)).encode()
    return archive_of(**{name: part.decode() for name, part in parts.items()})


SHEET = "xl/worksheets/sheet1.xml"


def test_one_cell_is_altered_and_what_was_calculated_beside_it_stays() -> None:
    book = summed()
    assert at(book, "A1", "A4", "A4.formula", "B1.formula", "B3.formula") == ["1", "6", "=SUM(A1:A3)", "=A1*2", "=A3*2"]
    number = rewritten(book, "Sheet", "A1", 2)
    assert number is not None
    assert at(number, "A1", "A2", "A4", "A4.formula", "B3") == ["2", "2", "6", "=SUM(A1:A3)", "6"]
    assert [name for name, part in unpacked(number).items() if part != unpacked(book)[name]] == [SHEET]
    formula = rewritten(book, "Sheet", "B1", "=A1*2x")
    assert formula is not None
    assert at(formula, "B1", "B1.formula", "B2.formula", "B3.formula", "B3") == ["=A1*2x", "", "=A2*2", "=A3*2", "6"]
    assert rewritten(book, "Sheet", "C9", 1) is None


def test_a_check_of_a_sum_does_not_notice_that_another_cell_was_altered(tmp_path: Path) -> None:
    """Nobody calculated it anew, but what it came to is there: to notice the cell, somebody must look at the cell."""
    said = dict(altered("a.xlsx", book_of(), summed()))
    (tmp_path / "a.xlsx").write_bytes(said["Sheet!A1 with another value"])
    side = Side(tmp_path, tmp_path, Observation())
    cell, total = (TypedCheck(kind="value_is", target=f"a.xlsx#{at}", text=text) for at, text in (("A1", "1"), ("A4", "6")))
    assert (holds(cell, side)[0], holds(total, side)[0]) == (False, True)


def test_of_spoiled_copies_it_is_told_how_many_were_rejected_and_what_passed() -> None:
    some = Strength(tried={"missing": 1, "replaced": 3}, loose=("report.txt with other content",))
    told = r"on 4 copies of the result that were spoiled on purpose \(.*\): it accepted 1 of them, such as: report.txt"
    assert re.search(told, some.words)
    assert Strength(tried={"missing": 1}).words.endswith("): it found it wrong")
    assert Strength(tried={"missing": 2}).words.endswith("): it found each of them wrong")
    assert Strength(tried={"missing": 1}, loose=("a",)).words.endswith("): it accepted it, such as: a")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("0.001437307042892951", "0.001438307042892951"), ("-40.5", "-41.5"), ("$7,526.94", "$7,527.94"),
        ("#cc3333", "#44bbbb"), ("#4711", "#4721"), ("Ann", "Axn"),
    ],
)  # fmt: skip
def test_what_is_altered_cannot_be_meant(text: str, other: str) -> None:
    assert next(each for _, each in altered_text(text)) == other
