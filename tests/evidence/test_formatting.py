"""What differs in the formatting of documents, which their text does not show."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import docx
import pptx
import pytest
from docx.shared import Pt, RGBColor
from pptx.util import Inches

from deskcrew.evidence.formatting import differences
from support.peoples_files import converted


def saved(thing: Any) -> bytes:
    stream = io.BytesIO()
    thing.save(stream)
    return stream.getvalue()


def letter(*, formatted: bool = False) -> bytes:
    document = docx.Document()
    heading = document.add_paragraph("Offer")
    for number in range(5):
        document.add_paragraph(f"Paragraph {number} is as the others are.")
    paragraph = document.add_paragraph("Pay within ")
    run: Any = paragraph.add_run("ten days")
    paragraph.add_run(" please.")
    if formatted:
        heading.style = "Heading 1"
        run.bold, run.font.size, run.font.color.rgb = True, Pt(20), RGBColor(255, 0, 0)
    return saved(document)


def slides(*, formatted: bool = False) -> bytes:
    shown: Any = pptx.Presentation()
    box = shown.slides.add_slide(shown.slide_layouts[6]).shapes.add_textbox(0, 0, Inches(2), Inches(1))
    run = box.text_frame.paragraphs[0].add_run()
    run.text = "Revenue doubled"
    if formatted:
        run.font.italic, box.left = True, Inches(1)
    return saved(shown)


def test_words_that_became_bold_are_told_with_their_text() -> None:
    told = differences(Path("a.docx"), letter(), letter(formatted=True))
    assert '"ten days" bold yes, size 20.0, colour #FF0000' in told
    assert '+"Offer": style Heading 1' in told
    assert "Paragraph 3" not in told


def test_a_new_document_is_told_only_where_it_is_formatted_otherwise_than_most_of_it() -> None:
    told = differences(Path("a.docx"), b"", letter(formatted=True))
    assert "ten days" in told
    assert "Paragraph 3" not in told


def test_a_document_that_is_formatted_as_before_is_not_told() -> None:
    assert differences(Path("a.docx"), letter(formatted=True), letter(formatted=True)) == ""
    assert differences(Path("a.txt"), b"a", b"b") == ""


def test_slides_are_told_by_their_words_and_places() -> None:
    told = differences(Path("a.pptx"), slides(), slides(formatted=True))
    assert '"Revenue doubled": italic yes' in told
    assert "at 2.5 x 0.0 cm" in told


@pytest.mark.deep
def test_a_libreoffice_text_is_told_as_a_word_document() -> None:
    before, now = (converted("docx", each, "odt") for each in (letter(), letter(formatted=True)))
    assert '"ten days" bold yes' in differences(Path("a.odt"), before, now)
