"""Files as people have them: what is in each is shown to whoever reads it, and to whoever checks it."""

from __future__ import annotations

import importlib.util
import io
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from deskcrew.actions import readers
from deskcrew.actions.excerpts import excerpt
from deskcrew.actions.outlines import outline
from support.peoples_files import (
    ITEMS,
    Item,
    archived,
    book,
    cell_comment,
    commented,
    letter,
    mailbox_of_letters,
    packed_diagram,
    pdf_with_attachment,
    seven,
    zipped,
)

RENDERED = (".html",)
"""Of these checks examine the source."""


def items(*, deep: bool) -> list[object]:
    return [pytest.param(item, id=item.name) for item in ITEMS if (item.needs == "soffice") is deep]


def shows_everything(item: Item, tmp_path: Path) -> None:
    if item.needs and shutil.which(item.needs) is None and importlib.util.find_spec(item.needs) is None:
        pytest.skip(f"{item.needs} is not installed")
    path = tmp_path / item.file
    path.write_bytes(item.make())
    shown = excerpt(path)
    assert [text for text in item.shown if text not in shown] == []
    if path.suffix not in RENDERED:
        checked = readers.read(path)
        assert [text for text in item.shown if text not in checked] == []


@pytest.mark.parametrize("item", items(deep=False))
def test_what_is_in_a_file_is_shown(item: Item, tmp_path: Path) -> None:
    shows_everything(item, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("item", items(deep=True))
def test_what_is_in_a_file_of_a_program_is_shown(item: Item, tmp_path: Path) -> None:
    shows_everything(item, tmp_path)


def test_a_part_says_how_many_notes_it_does_not_show(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(book(cell_comment))
    assert "[1 note beside the text" in excerpt(path, "1-2")
    assert "Ask for a discount" in excerpt(path, find="discount")


def test_more_notes_than_are_shown_are_counted(tmp_path: Path) -> None:
    def many(page: Any) -> None:
        for number in range(1, 61):
            page.cell(number, 5).hyperlink = f"https://example.org/{number}"

    path = tmp_path / "a.xlsx"
    path.write_bytes(book(many))
    assert "[not shown: 20 links]" in excerpt(path)


def test_notes_stand_before_the_end_of_a_text_that_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "MAX_TEXT", 20)
    path = tmp_path / "a.docx"
    path.write_bytes(commented())
    text = readers.read(path)
    assert "Is this right?" in text
    assert text.rpartition("\n")[2].startswith("[cut here")


def test_an_outline_shows_the_beginning_of_a_document_and_then_its_notes(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(commented())
    assert outline(str(path), readers.read(path), 500).startswith(
        "A sentence with a doubtful word || beside the text: [comment"
    )


def test_the_source_of_a_mail_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(letter())
    assert "=C3=B6" in excerpt(path, "source")


def test_a_file_that_is_no_mail_is_shown_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_text("only words\n")
    assert excerpt(path) == "only words\n"


def test_a_program_is_not_taken_for_a_log(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"\x7fELF\x02\x01\x01\0\0\0\x03\0words")
    with pytest.raises(readers.ActionError):
        readers.read(path)


def _zip_in_zip(*, deep: int) -> bytes:
    inner = zipped()
    for _ in range(deep):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as opened:
            opened.writestr("inner.zip", inner)
        inner = stream.getvalue()
    return inner


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("a.zip", zipped, "[in reports/march.txt] spring"),
        ("a.sb3", zipped, "[in reports/march.txt] spring"),
        ("b.zip", lambda: _zip_in_zip(deep=1), "[in inner.zip] [in reports/march.txt] spring"),
        ("a.tar.gz", lambda: archived("w:gz"), "[in reports/march.txt] spring"),
        ("a.7z", seven, "[in reports/march.txt] spring"),
        ("a.eml", lambda: letter(attached=True), "[in zahlen.csv] 1,2"),
        ("a.mbox", mailbox_of_letters, "[in zahlen.csv] 1,2"),
        ("a.pdf", pdf_with_attachment, "[in invoice.xml] <total>7</total>"),
    ],
)
def test_the_small_files_in_a_file_are_shown_with_it(
    name: str, content: Callable[[], bytes], shown: str, tmp_path: Path
) -> None:
    if name.endswith(".7z"):
        pytest.importorskip("py7zr")
    path = tmp_path / name
    path.write_bytes(content())
    assert shown in excerpt(path)


def test_archives_far_within_archives_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(_zip_in_zip(deep=2))
    assert "inner.zip" in excerpt(path)
    assert "spring" not in excerpt(path)


def test_a_damaged_file_in_an_archive_does_not_hide_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("a.docx", b"no document")
        opened.writestr("b.txt", "still there")
    assert "[in b.txt] still there" in excerpt(path)


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("a.json", rb'{"school": "K\u00f6penick", "line": "a\u000ab"}', '{"school": "Köpenick", "line": "a\\u000ab"}'),
        ("a.mm", b'<map><node TEXT="L&#xfc;beck &#60;b"/></map>', '<map><node TEXT="Lübeck &#60;b"/></map>'),
        ("a.svg", b"<svg><text>Stand: <tspan>one cake</tspan></text></svg>", "(text) Stand: one cake"),
        ("a.ldif", b"cn: Ada\ndescription:: R3LDvMOf\n ZQ==", "description: Grüße"),
        ("a.drawio", packed_diagram(), '(diagram) <mxCell value="Weigh the parcel"/>'),
    ],
)
def test_what_is_written_for_programs_is_shown_as_it_reads_and_as_it_stands(
    name: str, content: bytes, shown: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert shown in excerpt(path)
    assert excerpt(path, "source").strip() == content.decode()
    assert readers.read(path) == content.decode()


def test_a_formula_without_a_value_in_a_cell_with_a_format_is_read(tmp_path: Path) -> None:
    """As libraries write it: whoever opens the file works it out."""
    path, book = tmp_path / "a.xlsx", openpyxl.Workbook()
    assert book.active is not None
    book.active.append([131, "=A1*2"])
    for cell in book.active[1]:
        cell.number_format = "#,##0.00 €"
    book.save(path)
    told = readers.read(path)
    assert "131,=A1*2" in told
    assert "[shown in Sheet as #,##0.00 €] A1 131.00 €" in told


def test_headers_of_a_message_that_are_not_shown_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_text(
        "From: ada@x.org\nIn-Reply-To: <1@x.org>\nReferences: <1@x.org>\nMIME-Version: 1.0\nSubject: Hi\n\nYes.\n"
    )
    assert "[not shown: 2 headers, in-reply-to, references]" in readers.read(path)
