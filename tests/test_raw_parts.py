"""Whole runs in which only a part that a document's text leaves out tells right work from wrong."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import pytest
from pypdf import PdfWriter

from deskcrew.evidence import raw_parts
from deskcrew.evidence.caller import raw_parts as parts_of
from test_proof import asked, python, ran

pytestmark = pytest.mark.anyio

NOTE_IN_PDF = """
from pypdf import PdfWriter
from pypdf.annotations import Text
w = PdfWriter(); w.add_blank_page(200, 200)
w.add_annotation(0, Text(text={text!r}, rect=(10, 10, 50, 50)))
w.write('out.pdf')
"""
NOTE_IN_WORD = """
import docx, zipfile, shutil
docx.Document().save('plain.docx')
with zipfile.ZipFile('plain.docx') as old, zipfile.ZipFile('out.docx', 'w') as new:
    for each in old.infolist():
        new.writestr(each, old.read(each))
    comment = '<w:comment w:author="Ann"><w:t>{text}</w:t></w:comment>'
    new.writestr('word/comments.xml', f'<w:comments xmlns:w="urn:w">{comment}</w:comments>')
import os; os.remove('plain.docx')
"""
MADE = {"out.pdf": NOTE_IN_PDF, "out.docx": NOTE_IN_WORD}
PROBE = """
def requirement_1(start, end):
    file = end / {path!r}
    if not file.exists():
        return False, 'not there'
    parts = raw_parts(file)
    return any('Approved by Ann' in part for part in parts.values()), f'{{len(parts)}} parts'
"""


@pytest.mark.first_case
@pytest.mark.parametrize("path", MADE)
@pytest.mark.parametrize(("text", "status"), [("Approved by Ann", "done"), ("Approved by Bob", "failed")])
async def test_only_a_part_that_its_text_leaves_out_tells_right_from_wrong(
    tmp_path: Path, path: str, text: str, status: str
) -> None:
    says = "it has the note 'Approved by Ann'"
    contract = {"requirements": [{"parts": [1], "says": says, "seen_by": "probe", "files": [path]}]}
    outcome, _, calls = await ran(
        tmp_path,
        *[python(MADE[path].replace("{text!r}", repr(text)).replace("{text}", text))] * 5,
        task="Make what was ordered",
        files={"a.txt": "a"},
        ContractWriter=[contract] * 2,
        Verifier=[{"code": PROBE.format(path=path)}] * 9,
    )
    assert outcome.status == status, outcome.why
    told = asked(calls, "Verifier")[0].text("volatile")
    assert text in told, "whoever writes the check is told of it"
    assert "its text does not show" in told


def changed(before: bytes, **parts: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(before)) as old, zipfile.ZipFile(written, "w") as new:
        for each in old.namelist():
            new.writestr(each, parts.get(each.replace("/", "_").replace(".", "_"), old.read(each)))
    return written.getvalue()


def letter() -> bytes:
    made = docx.Document()
    made.add_paragraph("Dear Ann,")
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


def test_what_was_tracked_is_told() -> None:
    now = zipfile.ZipFile(io.BytesIO(letter())).read("word/document.xml").decode()
    tracked = "<w:p><w:del w:author='Bo'><w:r><w:delText>old price 12</w:delText></w:r></w:del></w:p><w:sectPr"
    told = raw_parts.told(letter(), changed(letter(), word_document_xml=now.replace("<w:sectPr", tracked, 1)), "Dear Ann,")
    assert told.startswith("+ word/document.xml: ")
    assert all(each in told for each in ("old price 12", "<del>", "<del author='Bo'>")), told
    assert raw_parts.told(letter(), letter(), "Dear Ann,") == ""


def test_of_a_pdf_what_it_says_of_itself_is_told() -> None:
    made: list[bytes] = []
    for author in ("Ann", "Bo"):
        writer = PdfWriter()
        writer.add_blank_page(9, 9)
        writer.add_metadata({"/Author": author})
        written = io.BytesIO()
        writer.write(written)
        made.append(written.getvalue())
    assert raw_parts.told(made[0], made[1], "") == "- objects: /Author: 'Ann'\n+ objects: /Author: 'Bo'"
    assert "0x" not in str(parts_of(io.BytesIO(made[0]))), "the same each time"


def test_what_is_damaged_tells_nothing() -> None:
    assert raw_parts.told(letter(), b"PK\x03\x04 cut", "") == ""
    assert raw_parts.told(b"", b"%PDF-1.4 cut", "") == ""
