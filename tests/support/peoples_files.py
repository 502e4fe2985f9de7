"""Small files as people have them, each made by a real library or program, and what in each must be shown.

Where a library cannot make something, as a content control, the file's XML is altered as the format's specification says.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import mailbox
import plistlib
import sqlite3
import subprocess
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import quote

import docx
import openpyxl
import pptx
import pypdf
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl.comments import Comment
from openpyxl.worksheet.datavalidation import DataValidation
from PIL import Image, PngImagePlugin
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

_W = nsdecls("w")


@dataclass(frozen=True, slots=True)
class Item:
    """``shown``: texts that whoever reads the file must see."""

    name: str
    file: str
    make: Callable[[], bytes]
    shown: tuple[str, ...]
    needs: str = ""
    """The program or library without which it is not made or not read."""


def _saved(thing: Any) -> bytes:
    stream = io.BytesIO()
    thing.save(stream)
    return stream.getvalue()


def _word(*blocks: str, parts: Mapping[str, tuple[str, str]] | None = None) -> bytes:
    """A document with a paragraph before and after ``blocks`` of WordprocessingML. ``parts``: more parts by name, each with
    the kind of its relationship and its XML."""
    document = docx.Document()
    document.add_paragraph("Before it")
    body: Any = document.element.body
    for block in blocks:
        body.insert(len(body) - 1, parse_xml(block))
    made = _saved(document)
    return _with_parts(made, parts) if parts else made


def _with_parts(content: bytes, parts: Mapping[str, tuple[str, str]]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "[Content_Types].xml":
                added = "".join(
                    f'<Override PartName="/word/{part}.xml" ContentType="application/vnd.openxmlformats-officedocument.'
                    f'wordprocessingml.{kind}+xml"/>'
                    for part, (kind, _) in parts.items()
                )
                data = data.replace(b"</Types>", f"{added}</Types>".encode())
            elif name == "word/_rels/document.xml.rels":
                added = "".join(
                    f'<Relationship Id="rIdX{part}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
                    f'{kind}" Target="{part}.xml"/>'
                    for part, (kind, _) in parts.items()
                )
                data = data.replace(b"</Relationships>", f"{added}</Relationships>".encode())
            new.writestr(name, data)
        for part, (_, xml) in parts.items():
            new.writestr(f"word/{part}.xml", xml)
    return target.getvalue()


def _p(inside: str) -> str:
    return f"<w:p {_W}>{inside}</w:p>"


def _r(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _inline_control() -> bytes:
    return _word(_p(f"{_r('Client: ')}<w:sdt><w:sdtContent>{_r('Ada Lovelace')}</w:sdtContent></w:sdt>"))


def _block_control() -> bytes:
    return _word(f"<w:sdt {_W}><w:sdtContent><w:p>{_r('Clause of the template')}</w:p></w:sdtContent></w:sdt>")


def _table_control() -> bytes:
    cell = f"<w:tc><w:p>{_r('%s')}</w:p></w:tc>"
    row = f"<w:tr>{cell % 'plain cell'}{cell % 'second cell'}</w:tr>"
    controlled = f"<w:sdt><w:sdtContent><w:tr>{cell % 'row of a control'}</w:tr></w:sdtContent></w:sdt>"
    inner = f"<w:tr><w:sdt><w:sdtContent>{cell % 'cell of a control'}</w:sdtContent></w:sdt></w:tr>"
    return _word(f"<w:tbl {_W}><w:tblPr/><w:tblGrid/>{row}{controlled}{inner}</w:tbl>")


def _checkbox() -> bytes:
    w14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    box = f'<w:sdt><w:sdtPr><w14:checkbox {w14}><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr>'
    return _word(_p(f"{box}<w:sdtContent>{_r('☒')}</w:sdtContent></w:sdt>{_r(' agreed')}"))


_BY = 'w:id="7" w:author="Grace Hopper" w:date="2026-01-02T00:00:00Z"'


def _inserted() -> bytes:
    return _word(_p(f"{_r('The fee is ')}<w:ins {_BY}>{_r('9,100 euros')}</w:ins>"))


def _deleted() -> bytes:
    gone = '<w:r><w:delText xml:space="preserve">8,200 euros</w:delText></w:r>'
    return _word(_p(f"{_r('The fee is ')}<w:del {_BY}>{gone}</w:del>"))


def _moved() -> bytes:
    return _word(_p(f"<w:moveTo {_BY}>{_r('a moved sentence')}</w:moveTo>"))


def _text_box() -> bytes:
    box = f'<w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent>{_p(_r("In the box"))}'
    return _word(_p(f"{_r('Outside')}<w:r>{box}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"))


def _drawn_box() -> bytes:
    """As Word writes it: the box twice, once for old programs."""
    inside = f"<w:txbxContent><w:p>{_r('Box of today')}</w:p></w:txbxContent>"
    spaces = (
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
        'xmlns:v="urn:schemas-microsoft-com:vml"'
    )
    new = f'<mc:Choice Requires="wps"><wps:txbx>{inside}</wps:txbx></mc:Choice>'
    old = f"<mc:Fallback><w:pict><v:textbox>{inside}</v:textbox></w:pict></mc:Fallback>"
    return _word(_p(f"<w:r><mc:AlternateContent {spaces}>{new}{old}</mc:AlternateContent></w:r>"))


def _simple_field() -> bytes:
    return _word(_p(f"{_r('Due on ')}<w:fldSimple w:instr=' DOCPROPERTY Due '>{_r('14 March 2031')}</w:fldSimple>"))


def _complex_field() -> bytes:
    parts = (
        '<w:fldChar w:fldCharType="begin"/>', "<w:instrText> MERGEFIELD Name </w:instrText>",
        '<w:fldChar w:fldCharType="separate"/>', "<w:t>Mary Shelley</w:t>", '<w:fldChar w:fldCharType="end"/>',
    )  # fmt: skip
    return _word(_p("".join(f"<w:r>{part}</w:r>" for part in parts)))


def _form_fields() -> bytes:
    """The fields of old forms: a box that is ticked and a list with a choice."""
    box = '<w:ffData><w:name w:val="Consent"/><w:checkBox><w:checked w:val="1"/></w:checkBox></w:ffData>'
    towns = '<w:result w:val="1"/><w:listEntry w:val="Bonn"/><w:listEntry w:val="Ghent"/>'
    choice = f'<w:ffData><w:name w:val="Town"/><w:ddList>{towns}</w:ddList></w:ffData>'
    begin = '<w:r><w:fldChar w:fldCharType="begin">%s</w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    return _word(_p(begin % box + begin % choice))


def _nested_table() -> bytes:
    document = docx.Document()
    outer = document.add_table(rows=1, cols=1).cell(0, 0)
    outer.text = "outer cell"
    outer.add_table(rows=1, cols=2).cell(0, 1).text = "inner cell"
    return _saved(document)


def _notes(kind: str) -> bytes:
    mark = f'<w:r><w:{kind}Reference w:id="2"/></w:r>'
    note = f'<w:{kind}s {_W}><w:{kind} w:id="2"><w:p>{_r(f"as the {kind} says")}</w:p></w:{kind}></w:{kind}s>'
    return _word(_p(f"{_r('A claim')}{mark}"), parts={f"{kind}s": (f"{kind}s", note)})


def commented() -> bytes:
    document = docx.Document()
    run = document.add_paragraph("A sentence with ").add_run("a doubtful word")
    document.add_comment(run, text="Is this right?", author="Alan Turing")
    return _saved(document)


def _word_link() -> bytes:
    document = docx.Document()
    link = document.part.relate_to(
        "https://example.org/terms",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink",
        is_external=True,
    )
    spaces = f'{_W} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    p: Any = document.add_paragraph("See ")._p
    p.append(parse_xml(f'<w:hyperlink {spaces} r:id="{link}">{_r("the terms")}</w:hyperlink>'))
    return _saved(document)


def _hidden_words() -> bytes:
    return _word(_p(f"<w:r><w:rPr><w:vanish/></w:rPr><w:t>not for print</w:t></w:r>{_r('seen')}"))


def _equation() -> bytes:
    m = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    return _word(_p(f"{_r('Since ')}<m:oMath {m}><m:r><m:t>a²+b²=c²</m:t></m:r></m:oMath>"))


def _numbered() -> bytes:
    document = docx.Document()
    document.add_paragraph("Pay the invoice", style="List Number")
    document.add_paragraph("Tell the bank", style="List Number")
    return _saved(document)


def _page_header() -> bytes:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Confidential draft"
    return _saved(document)


def book(fill: Callable[[Any], None]) -> bytes:
    book = openpyxl.Workbook()
    page: Any = book.active
    page.append(["Item", "Price"])
    page.append(["Pen", 3])
    page.append(["Ink", 7])
    fill(page)
    return _saved(book)


def cell_comment(page: Any) -> None:
    page["B2"].comment = Comment("Ask for a discount", "Ada")


def _cell_link(page: Any) -> None:
    page["A2"].hyperlink = "https://example.org/pen"


def _choices(page: Any) -> None:
    rule = DataValidation(type="list", formula1='"Paid,Open,Late"')
    page.add_data_validation(rule)
    rule.add("C2:C9")


def _hidden_row(page: Any) -> None:
    page.row_dimensions[3].hidden = True


def _hidden_column(page: Any) -> None:
    page.column_dimensions["B"].hidden = True


def _hidden_sheet(page: Any) -> None:
    other = page.parent.create_sheet("Margins")
    other["A1"] = "secret margin"
    other.sheet_state = "hidden"


def _very_hidden_sheet(page: Any) -> None:
    other = page.parent.create_sheet("Deep")
    other.sheet_state = "veryHidden"


def _date_cell(page: Any) -> None:
    from datetime import date

    page["C2"] = date(2031, 3, 14)


def _defined_name(page: Any) -> None:
    from openpyxl.workbook.defined_name import DefinedName

    page.parent.defined_names["TaxRate"] = DefinedName("TaxRate", attr_text="Sheet!$B$2")


def _merged(page: Any) -> None:
    page.merge_cells("A5:C5")
    page["A5"] = "a wide heading"


def _formatted(page: Any) -> None:
    formats: dict[str, tuple[object, str]] = {
        "C1": (0.175, "0.0%"), "C2": (-1234.5, '#,##0.00 "GBP";[Red]-#,##0.00 "GBP"'), "C3": (731, "0000000"),
        "C4": (datetime(2025, 3, 8, 18, 5), "d.m.yyyy h:mm"), "C5": (timedelta(hours=30, minutes=30), "[h]:mm"),
        "C6": (datetime(2025, 3, 8, 18, 5), "mmm yy, h:mm AM/PM"),
    }  # fmt: skip
    for address, (value, code) in formats.items():
        page[address] = value
        page[address].number_format = code


def _told_rule(page: Any) -> None:
    rule = DataValidation("list", formula1='"red,green"', prompt="Ask Ada before")
    rule.add("B2:B9")
    page.add_data_validation(rule)


def _header(page: Any) -> None:
    page.oddHeader.center.text = "Depot North, page &P"


def _sheet_chart(page: Any) -> None:
    from openpyxl.chart import BarChart, Reference

    chart = BarChart()
    chart.title = "Prices by item"
    chart.add_data(Reference(page, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    page.add_chart(chart, "E2")


def _formula(page: Any) -> None:
    page["B4"] = "=SUM(B2:B3)"


def _chart_sheet(page: Any) -> None:
    from openpyxl.chart import LineChart, Reference

    sheet = page.parent.create_chartsheet("Trend")
    chart = LineChart()
    chart.add_data(Reference(page, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart)


def _slides(fill: Callable[[Any, Any], None]) -> bytes:
    shown = pptx.Presentation()
    slide = shown.slides.add_slide(shown.slide_layouts[5])
    title: Any = slide.shapes.title
    title.text = "Results"
    fill(shown, slide)
    return _saved(shown)


def _slide_chart(shown: Any, slide: Any) -> None:
    data = CategoryChartData()
    data.categories = ["North", "South"]
    data.add_series("Revenue", (4321, 8765))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), data)


def _hidden_slide(shown: Any, slide: Any) -> None:
    slide._element.set("show", "0")


def _slide_link(shown: Any, slide: Any) -> None:
    box = slide.shapes.add_textbox(0, 0, Inches(2), Inches(1))
    run = box.text_frame.paragraphs[0].add_run()
    run.text = "our page"
    run.hyperlink.address = "https://example.org/plan"


def _slide_picture(shown: Any, slide: Any) -> None:
    picture = slide.shapes.add_picture(io.BytesIO(png()), 0, 0)
    picture._element.nvPicPr.cNvPr.set("descr", "A map of the site")


def _slide_group(shown: Any, slide: Any) -> None:
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(2), Inches(1)).text_frame.text = "in a group"


def _slide_notes(shown: Any, slide: Any) -> None:
    slide.notes_slide.notes_text_frame.text = "Pause here"


def _slide_comment() -> bytes:
    content = _slides(lambda shown, slide: None)
    space = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "ppt/slides/_rels/slide1.xml.rels":
                kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
                link = f'<Relationship Id="rIdC" Type="{kind}" Target="../comments/comment1.xml"/></Relationships>'
                data = data.replace(b"</Relationships>", link.encode())
            elif name == "[Content_Types].xml":
                kind = "application/vnd.openxmlformats-officedocument.presentationml.comments+xml"
                part = f'<Override PartName="/ppt/comments/comment1.xml" ContentType="{kind}"/></Types>'
                data = data.replace(b"</Types>", part.encode())
            new.writestr(name, data)
        said = '<p:cm authorId="0" idx="1"><p:pos x="0" y="0"/><p:text>Use newer numbers</p:text></p:cm>'
        new.writestr("ppt/comments/comment1.xml", f"<p:cmLst {space}>{said}</p:cmLst>")
    return target.getvalue()


def png() -> bytes:
    return _saved_as(Image.new("RGB", (40, 30), "white"), "PNG")


def _saved_as(picture: Image.Image, kind: str) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, kind)
    return stream.getvalue()


def form_pdf() -> bytes:
    """A form with a field that is filled in, a box that is ticked and a choice."""
    from pypdf.generic import ArrayObject, BooleanObject, DictionaryObject, FloatObject, NameObject, TextStringObject

    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(300, 300)
    fields, marks = ArrayObject(), ArrayObject()
    values: tuple[tuple[str, str, Any], ...] = (
        ("Surname", "/Tx", TextStringObject("Noether")),
        ("Agrees", "/Btn", NameObject("/Yes")),
        ("Country", "/Ch", TextStringObject("Belgium")),
    )
    for at, (name, kind, value) in enumerate(values):
        sides = ArrayObject([FloatObject(each) for each in (10, 10 + 40 * at, 200, 30 + 40 * at)])
        field = DictionaryObject({
            NameObject("/Type"): NameObject("/Annot"), NameObject("/Subtype"): NameObject("/Widget"),
            NameObject("/FT"): NameObject(kind), NameObject("/T"): TextStringObject(name), NameObject("/V"): value,
            NameObject("/Rect"): sides,
        })  # fmt: skip
        reference = writer._add_object(field)  # pyright: ignore[reportPrivateUsage]
        fields.append(reference)
        marks.append(reference)
    page[NameObject("/Annots")] = marks
    form = DictionaryObject({NameObject("/Fields"): fields, NameObject("/NeedAppearances"): BooleanObject(True)})
    writer._root_object[NameObject("/AcroForm")] = form  # pyright: ignore[reportPrivateUsage]
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def _noted_pdf() -> bytes:
    from pypdf.annotations import Text

    writer = pypdf.PdfWriter()
    writer.add_blank_page(300, 300)
    writer.add_annotation(0, Text(rect=(10, 10, 30, 30), text="Check this sum"))
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def _linked_pdf() -> bytes:
    from pypdf.annotations import Link

    writer = pypdf.PdfWriter()
    writer.add_blank_page(300, 300)
    writer.add_annotation(0, Link(rect=(10, 10, 30, 30), url="https://example.org/invoice"))
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def pdf_with_attachment() -> bytes:
    writer = pypdf.PdfWriter()
    writer.add_blank_page(300, 300)
    writer.add_attachment("invoice.xml", b"<total>7</total>")
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def letter(*, html: bool = False, encoding: str = "quoted-printable", attached: bool = False, plain: bool = True) -> bytes:
    message = EmailMessage()
    message["From"] = "Renée Ångström <renee@example.org>"
    message["To"] = "info@example.org"
    message["Subject"] = "Rückfrage zur Lieferung von Größe 44"
    message["Date"] = "Fri, 14 Mar 2031 09:30:00 +0100"
    if plain:
        message.set_content("Die Größe stimmt nicht.\nÄpfel = 7\n", cte=encoding)
    if html:
        page = "<html><body><p>Bitte <b>schnell</b> antworten &amp; liefern.</p></body></html>"
        if plain:
            message.add_alternative(page, subtype="html", cte=encoding)
        else:
            message.set_content(page, subtype="html", cte=encoding)
    if attached:
        message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="Übersicht März.pdf")
        message.add_attachment("a,b\n1,2\n", subtype="csv", filename="zahlen.csv")
    return message.as_bytes()


def forwarded() -> bytes:
    inner = EmailMessage()
    inner["Subject"] = "The original offer"
    inner["From"] = "seller@example.org"
    inner.set_content("We offer 12 chairs.")
    message = EmailMessage()
    message["Subject"] = "Fwd"
    message["From"] = "buyer@example.org"
    message.set_content("See below.")
    message.add_attachment(inner)
    return message.as_bytes()


def mailbox_of_letters() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        box = mailbox.mbox(f"{folder}/all.mbox")
        box.add(letter(encoding="base64", attached=True))
        box.add(forwarded())
        box.close()
        return Path(folder, "all.mbox").read_bytes()


CALENDAR = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:1@x\r\nDTSTAMP:20310101T000000Z\r\n"
    "DTSTART;TZID=Europe/Berlin:20310314T090000\r\nSUMMARY:Quarterly meeting of the supervisory board of the coop\r\n"
    " erative in the large hall\r\nDESCRIPTION:Bring the report\\, please.\\nSecond line\r\n"
    "ATTENDEE;CN=Ada;PARTSTAT=ACCEPTED:mailto:ada@exam\r\n ple.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
CARD = (
    "BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrgen Gr=C3=B6=C3=9Fe\r\n"
    "TEL:+32 2 555\r\nEND:VCARD\r\n"
)


def archived(mode: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as tape:  # pyright: ignore[reportCallIssue, reportArgumentType]
        for name, data in (("reports/march.txt", b"spring"), ("readme.md", b"hello")):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tape.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def zipped() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        opened.writestr("reports/march.txt", "spring")
    return stream.getvalue()


def _book_of_pages() -> bytes:
    """A book: chapters in the order of its spine, not of their names."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        opened.writestr("mimetype", "application/epub+zip")
        opened.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        )
        opened.writestr(
            "OEBPS/book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            "<dc:title>On Bees</dc:title></metadata><manifest>"
            '<item id="b" href="b%20one.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="b"/><itemref idref="a"/></spine></package>',
        )
        page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>%s</p></body></html>'
        opened.writestr("OEBPS/a.xhtml", page % "Second chapter: honey")
        opened.writestr("OEBPS/b one.xhtml", page % "First chapter: wax")
    return stream.getvalue()


def _notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Sales\n", "of the year"]},
        {
            "cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["print(6 * 7)"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["42\n"]}],
        },
    ]  # fmt: skip
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        made = sqlite3.connect(f"{folder}/x.db")
        made.execute("CREATE TABLE people (name TEXT)")
        made.execute("INSERT INTO people VALUES ('Emmy')")
        made.commit()
        made.close()
        return Path(folder, "x.db").read_bytes()


def converted(source: str, content: bytes, target: str) -> bytes:
    """What LibreOffice makes of a file: old formats are made by a real program."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"x.{source}").write_bytes(content)
        subprocess.run(
            ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", target,
             "--outdir", folder, f"{folder}/x.{source}"],
            check=True, capture_output=True,
        )  # fmt: skip
        made = Path(folder, f"x.{target}")
        if not made.exists():
            pytest.skip(f"LibreOffice has no part here that writes .{target}")
        return made.read_bytes()


def _by_office(source: str, make: Callable[[], bytes], target: str) -> Callable[[], bytes]:
    return lambda: converted(source, make(), target)


def _text_document() -> bytes:
    document = docx.Document()
    document.add_paragraph("Minutes of the meeting")
    document.add_table(rows=1, cols=1).cell(0, 0).text = "cell of minutes"
    return _saved(document)


def _drawing() -> bytes:
    words = '<text x="10" y="50">Plan of the garden</text>'
    page = f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">{words}</svg>'
    return converted("svg", page.encode(), "odg")


def _odt_rich() -> bytes:
    """A LibreOffice text with a comment, a footnote and a text box, made from a Word file that has them."""
    document = docx.Document()
    run = document.add_paragraph("A sentence with ").add_run("a word")
    document.add_comment(run, text="Please check", author="Ada")
    return converted("docx", _saved(document), "odt")


def _ods_hidden() -> bytes:
    def fill(page: Any) -> None:
        _hidden_row(page)
        cell_comment(page)
        _hidden_sheet(page)
        _told_rule(page)

    return converted("xlsx", book(fill), "ods")


def _parquet() -> bytes:
    import pyarrow  # pyright: ignore
    import pyarrow.parquet  # pyright: ignore

    stream = io.BytesIO()
    untyped: Any = pyarrow
    untyped.parquet.write_table(untyped.table({"town": ["Ghent", "Bonn"], "people": [1, 2]}), stream)
    return stream.getvalue()


def seven() -> bytes:
    import py7zr  # pyright: ignore

    stream = io.BytesIO()
    untyped: Any = py7zr
    with untyped.SevenZipFile(stream, "w") as opened:
        opened.writestr("spring", "reports/march.txt")
    return stream.getvalue()


def _apple() -> bytes:
    message = letter()
    return f"{len(message)}\n".encode() + message + b"<plist/>"


def _page_in_one_file() -> bytes:
    message = EmailMessage()
    message["From"] = "<Saved by Blink>"
    message["Subject"] = "Bridge"
    message.set_content("<p>The bridge is <b>closed</b></p>", subtype="html", cte="base64")
    message.add_related(b"GIF89a", maintype="image", subtype="gif")
    return message.as_bytes()


OLD_CALENDAR = (
    "BEGIN:VCALENDAR\r\nVERSION:1.0\r\nSUMMARY;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:"
    "Zahnarzt M=C3=BChl=\r\n wegen Krone\r\nEND:VCALENDAR\r\n"
)


def _retyped(content: bytes, was: str, now: str) -> bytes:
    """An office document with another type, as templates have."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(was.encode(), now.encode()) if name == "[Content_Types].xml" else data)
    return target.getvalue()


def _with_part(kind: str, name: str, content_type: str, content: bytes) -> bytes:
    """A Word document that refers to one more part."""
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    document: Any = docx.Document()
    document.add_paragraph("Before it")
    document.part.relate_to(
        Part(PackURI(f"/word/{name}"), content_type, content, document.part.package), f"{_RELATED}/{kind}"
    )
    return _saved(document)


_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CHART = (
    '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:title><a:t>Water level</a:t></c:title>'
    "<c:cat><c:v>Midsummer</c:v></c:cat></c:chart>"
)


def _layout_text(_: Any, slide: Any) -> None:
    box = slide.shapes.add_textbox(0, 0, Inches(1), Inches(1))
    box.text_frame.text = "Registered charity"
    slide.slide_layout.shapes._spTree.append(box._element)


def _template_book() -> bytes:
    made = openpyxl.Workbook()
    made.template = True
    sheet: Any = made.active
    sheet.append(["Rate", 7])
    return _saved(made)


def _captioned_png() -> bytes:
    texts = PngImagePlugin.PngInfo()
    texts.add_itxt("Description", "Sketch of the plot")
    stream = io.BytesIO()
    Image.new("RGB", (40, 30), "white").save(stream, "PNG", pnginfo=texts)
    return stream.getvalue()


def _captioned_photo() -> bytes:
    exif = Image.Exif()
    exif[0x010E] = "At the thresher"
    exif[0x9C9C] = "The barn is sold".encode("utf-16-le")
    exif.get_ifd(0x8769)[0x9286] = b"ASCII\0\0\0Slide 44"
    stream = io.BytesIO()
    packet = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><r>Free to print</r></x:xmpmeta>'
    Image.new("RGB", (40, 30), "white").save(stream, "JPEG", exif=exif, xmp=packet)
    caption = "Trophy of the cyclists"
    iptc = b"\x1c\x02\x78" + len(caption).to_bytes(2, "big") + caption.encode()
    block = b"Photoshop 3.0\0" + b"8BIM\x04\x04\0\0" + len(iptc).to_bytes(4, "big") + iptc + b"\0" * (len(iptc) % 2)
    made = stream.getvalue()
    return made[:2] + b"\xff\xed" + (len(block) + 2).to_bytes(2, "big") + block + made[2:]


def packed_diagram() -> bytes:
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(quote('<mxCell value="Weigh the parcel"/>').encode()) + packer.flush()
    return f'<mxfile><diagram name="Shipping">{base64.b64encode(packed).decode()}</diagram></mxfile>'.encode()


_RUBY = f"<w:r><w:ruby><w:rt>{_r('こうみんかん')}</w:rt><w:rubyBase>{_r('公民館')}</w:rubyBase></w:ruby></w:r>"
_SHAPE = '<v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textpath string="GIANT PUMPKIN"/></v:shape>'
_ART = f"<w:r><w:pict>{_SHAPE}</w:pict></w:r>"
_FIELD = '<w:r><w:instrText xml:space="preserve"> HYPERLINK "mailto:plan@example.org" </w:instrText></w:r>'

JAPANESE = "注文番号 1234 は三月に発送します。ご確認ください。\n"
CHINESE = "订单编号 1234 将于三月发货，请您确认。\n"

ITEMS = (
    Item("Word: paragraph", "a.docx", lambda: _word(_p(_r("plain words"))), ("plain words",)),
    Item("Word: content control in a line", "b.docx", _inline_control, ("Client: Ada Lovelace",)),
    Item("Word: content control around paragraphs", "c.docx", _block_control, ("Clause of the template",)),
    Item("Word: content controls in a table", "d.docx", _table_control, ("row of a control", "cell of a control")),
    Item("Word: ticked box", "e.docx", _checkbox, ("☒ agreed",)),
    Item("Word: tracked insertion", "f.docx", _inserted, ("The fee is 9,100 euros", "Grace Hopper")),
    Item("Word: tracked deletion", "g.docx", _deleted, ("8,200 euros", "Grace Hopper")),
    Item("Word: tracked move", "h.docx", _moved, ("a moved sentence",)),
    Item("Word: text box", "i.docx", _text_box, ("Outside", "In the box")),
    Item("Word: text box as drawn today", "j.docx", _drawn_box, ("Box of today",)),
    Item("Word: simple field", "k.docx", _simple_field, ("Due on 14 March 2031",)),
    Item("Word: field", "l.docx", _complex_field, ("Mary Shelley",)),
    Item("Word: fields of old forms", "m.docx", _form_fields, ("Consent", "Ghent")),
    Item("Word: table in a table", "n.docx", _nested_table, ("outer cell", "inner cell")),
    Item("Word: footnote", "o.docx", lambda: _notes("footnote"), ("as the footnote says",)),
    Item("Word: endnote", "p.docx", lambda: _notes("endnote"), ("as the endnote says",)),
    Item("Word: comment", "q.docx", commented, ("Is this right?", "Alan Turing", "doubtful word")),
    Item("Word: link's target", "r.docx", _word_link, ("the terms", "https://example.org/terms")),
    Item("Word: hidden words", "s.docx", _hidden_words, ("not for print", "hidden")),
    Item("Word: equation", "t.docx", _equation, ("a²+b²=c²",)),
    Item("Word: list", "u.docx", _numbered, ("Pay the invoice", "Tell the bank")),
    Item("Word: header", "v.docx", _page_header, ("Confidential draft",)),
    Item("Excel: cells", "a.xlsx", lambda: book(lambda page: None), ("Pen,3",)),
    Item("Excel: formula", "b.xlsx", lambda: book(_formula), ("=SUM(B2:B3)",)),
    Item("Excel: comment", "c.xlsx", lambda: book(cell_comment), ("B2", "Ask for a discount", "Ada")),
    Item("Excel: link", "d.xlsx", lambda: book(_cell_link), ("https://example.org/pen",)),
    Item("Excel: list of values", "e.xlsx", lambda: book(_choices), ("Paid,Open,Late", "C2:C9")),
    Item("Excel: hidden row", "f.xlsx", lambda: book(_hidden_row), ("Ink,7", "hidden", "3")),
    Item("Excel: hidden column", "g.xlsx", lambda: book(_hidden_column), ("Ink,7", "hidden", "B")),
    Item("Excel: hidden sheet", "h.xlsx", lambda: book(_hidden_sheet), ("secret margin", "hidden")),
    Item("Excel: sheet hidden from the menu", "i.xlsx", lambda: book(_very_hidden_sheet), ("Deep", "hidden")),
    Item("Excel: date", "j.xlsx", lambda: book(_date_cell), ("2031-03-14",)),
    Item("Excel: name", "k.xlsx", lambda: book(_defined_name), ("TaxRate", "$B$2")),
    Item("Excel: merged cells", "l.xlsx", lambda: book(_merged), ("a wide heading", "A5:C5")),
    Item("Excel: chart", "m.xlsx", lambda: book(_sheet_chart), ("Prices by item",)),
    Item("Excel: sheet that is a chart", "n.xlsx", lambda: book(_chart_sheet), ("Trend",)),
    Item("PowerPoint: title", "a.pptx", lambda: _slides(lambda shown, slide: None), ("Results",)),
    Item("PowerPoint: chart's numbers", "b.pptx", lambda: _slides(_slide_chart), ("4321", "8765", "North", "Revenue")),
    Item("Word: template", "a.dotx",
         lambda: _retyped(_word(_p(_r("Dear guild"))), "document.main+xml", "template.main+xml"), ("Dear guild",)),
    Item("Word: template with macros", "a.dotm",
         lambda: _retyped(_word(_p(_r("Dear guild"))), "openxmlformats-officedocument.wordprocessingml.document.main",
                          "ms-word.template.macroEnabledTemplate.main"), ("Dear guild",)),
    Item("Word: reading of a word", "ruby.docx", lambda: _word(_p(_RUBY)), ("公民館", "こうみんかん")),
    Item("Word: WordArt", "art.docx", lambda: _word(_p(_ART)), ("GIANT PUMPKIN",)),
    Item("Word: link as a field", "field.docx", lambda: _word(_p(_FIELD)), ("mailto:plan@example.org",)),
    Item("Word: chart", "chart.docx", lambda: _with_part("chart", "charts/chart1.xml", "application/xml", _CHART.encode()),
         ("Water level", "Midsummer")),
    Item("Word: web page in it", "chunk.docx",
         lambda: _with_part("aFChunk", "chunk.html", "text/html", b"<p>laid in <b>strips</b></p>"), ("laid in strips",)),
    Item("Excel: template", "a.xltx", _template_book, ("Rate,7",)),
    Item("PowerPoint: template", "a.potx",
         lambda: _retyped(_slides(_slide_notes), "presentation.main+xml", "template.main+xml"), ("Pause here",)),
    Item("PowerPoint: text of the layout", "layout.pptx", lambda: _slides(_layout_text), ("Registered charity",)),
    Item("property list: binary", "a.plist", lambda: plistlib.dumps({"Gürtel": [7]}, fmt=plistlib.FMT_BINARY),
         ("<key>Gürtel</key>", "<integer>7</integer>")),
    Item("picture: texts of a PNG", "texts.png", _captioned_png, ("Sketch of the plot",)),
    Item("picture: EXIF, IPTC and XMP", "photo.jpg", _captioned_photo,
         ("At the thresher", "The barn is sold", "Slide 44", "Trophy of the cyclists", "Free to print")),
    Item("Excel: number formats", "r.xlsx", lambda: book(_formatted),
         ("C1 17.5%", "C2 -1,234.50 GBP", "C3 0000731", "C4 8.3.2025 18:05", "C5 30:30", "C6 Mar 25, 6:05 PM")),
    Item("Excel: what is said of a rule", "s.xlsx", lambda: book(_told_rule), ("red,green", "Ask Ada before")),
    Item("Excel: header", "t.xlsx", lambda: book(_header), ("[header of Sheet] Depot North, page",)),
    Item("PowerPoint: hidden slide", "c.pptx", lambda: _slides(_hidden_slide), ("Results", "hidden")),
    Item("PowerPoint: link", "d.pptx", lambda: _slides(_slide_link), ("our page", "https://example.org/plan")),
    Item("PowerPoint: picture's description", "e.pptx", lambda: _slides(_slide_picture), ("A map of the site",)),
    Item("PowerPoint: group", "f.pptx", lambda: _slides(_slide_group), ("in a group",)),
    Item("PowerPoint: notes", "g.pptx", lambda: _slides(_slide_notes), ("Pause here",)),
    Item("PowerPoint: comment", "h.pptx", _slide_comment, ("Use newer numbers",)),
    Item("PDF: form", "a.pdf", form_pdf, ("Surname", "Noether", "Agrees", "Yes", "Belgium")),
    Item("PDF: note", "b.pdf", _noted_pdf, ("Check this sum",)),
    Item("PDF: link", "c.pdf", _linked_pdf, ("https://example.org/invoice",)),
    Item("PDF: attachment", "d.pdf", pdf_with_attachment, ("invoice.xml",)),
    Item("mail: encoded headers", "a.eml", letter, ("Rückfrage zur Lieferung von Größe 44", "Renée Ångström")),
    Item("mail: quoted-printable", "b.eml", letter, ("Die Größe stimmt nicht.", "Äpfel = 7")),
    Item("mail: base64", "c.eml", lambda: letter(encoding="base64"), ("Die Größe stimmt nicht.",)),
    Item("mail: HTML alone", "d.eml", lambda: letter(html=True, plain=False), ("Bitte schnell antworten & liefern.",)),
    Item("mail: attachments", "e.eml", lambda: letter(attached=True), ("Übersicht März.pdf", "zahlen.csv")),
    Item("mail: forwarded", "f.eml", forwarded, ("The original offer", "We offer 12 chairs.")),
    Item("mailbox", "a.mbox", mailbox_of_letters, ("Die Größe stimmt nicht.", "We offer 12 chairs.")),
    Item("mail: saved by Apple Mail", "a.emlx", _apple, ("Die Größe stimmt nicht.",)),
    Item("mail: saved by Outlook", "a.msg", (Path(__file__).parent / "outlook.msg").read_bytes,
         ("Wasserfleck im Treppenhaus", "es seit Mittwoch aus der Decke.", "gs@mieter.example", "deckenfotos.txt"),
         "oxmsg"),
    Item("web page: saved as one file", "a.mht", _page_in_one_file, ("The bridge is closed",)),
    Item("calendar: of an old phone", "a.vcs", OLD_CALENDAR.encode, ("Zahnarzt Mühl wegen Krone",)),
    Item("calendar: folded line", "a.ics", CALENDAR.encode,
         ("board of the cooperative in the large hall", "ada@example.org")),
    Item("calendar: escapes", "b.ics", CALENDAR.encode, ("Bring the report, please.",)),
    Item("contact card", "a.vcf", CARD.encode, ("Jürgen Größe",)),
    Item("text: Shift-JIS", "a.txt", lambda: JAPANESE.encode("shift_jis"), ("三月に発送します",)),
    Item("text: GBK", "b.txt", lambda: CHINESE.encode("gbk"), ("三月发货",)),
    Item("text: Windows-1252", "c.txt", lambda: "Grüße für 5 €".encode("cp1252"), ("Grüße für 5 €",)),
    Item("text: Windows-1251", "d.txt", lambda: "Счёт на оплату, Москва".encode("cp1251"), ("Счёт на оплату",)),
    Item("text: of DOS", "dos.txt", lambda: "Läuft nach Büroschluß, schöne Grüße".encode("cp850"),
         ("Läuft nach Büroschluß, schöne Grüße", "cp850 by its letters")),
    Item("text: of an old Macintosh", "mac.txt", lambda: "Café in Zürich: für Gäste bestellen".encode("mac_roman"),
         ("Café in Zürich: für Gäste bestellen", "mac_roman by its letters")),
    Item("text: Windows-1252 with its signs", "h.txt", lambda: "don’t – l’œuvre, „gut“ à 5 €—ok".encode("cp1252"),
         ("don’t – l’œuvre, „gut“ à 5 €—ok",)),
    Item("text: UTF-16", "e.txt", lambda: "wide ü".encode("utf-16"), ("wide ü",)),
    Item("text: UTF-16 without a mark", "f.txt", lambda: "wide words here\n".encode("utf-16-le"), ("wide words here",)),
    Item("text: log with NUL bytes", "a.log", lambda: b"\0" * 300 + b"10:31 disk full\n",
         ("10:31 disk full", "300 NUL bytes")),
    Item("text: fixed width", "g.txt", lambda: b"NAME      TOWN\nAda       Bonn\n", ("Ada       Bonn",)),
    Item("text: ini", "a.ini", lambda: b"[server]\nport = 80\n", ("port = 80",)),
    Item("table: csv", "a.csv", lambda: b"a;b\n1;2\n", ("1;2",)),
    Item("table: tsv in GBK", "a.tsv", lambda: "姓名\t城市\n王伟\t北京\n".encode("gbk"), ("王伟\t北京",)),
    Item("web page: its own encoding", "a.html", lambda: '<meta charset="gb2312"><p>你好</p>'.encode("gbk"), ("你好",)),
    Item("web page: link", "b.html", lambda: b'<p><a href="https://example.org/x">here</a></p>', ("https://example.org/x",)),
    Item("notebook", "a.ipynb", _notebook, ("of the year", "print(6 * 7)", "42")),
    Item("archive: zip", "a.zip", zipped, ("reports/march.txt",)),
    Item("archive: with a suffix of its own", "a.kmz", zipped, ("reports/march.txt",)),
    Item("archive: tar", "a.tar", lambda: archived("w"), ("reports/march.txt",)),
    Item("archive: tar.gz", "a.tar.gz", lambda: archived("w:gz"), ("reports/march.txt",)),
    Item("archive: tar.bz2", "a.tar.bz2", lambda: archived("w:bz2"), ("reports/march.txt",)),
    Item("archive: tar.xz", "a.tar.xz", lambda: archived("w:xz"), ("reports/march.txt",)),
    Item("archive: gz", "a.log.gz", lambda: gzip.compress(b"10:31 disk full\n"), ("10:31 disk full",)),
    Item("archive: 7z", "a.7z", seven, ("reports/march.txt",), "py7zr"),
    Item("book", "a.epub", _book_of_pages, ("On Bees", "First chapter: wax", "Second chapter: honey")),
    Item("database", "a.db", _database, ("people", "Emmy")),
    Item("columns: parquet", "a.parquet", _parquet, ("town", "Ghent"), "pyarrow"),
    Item("LibreOffice: text", "a.odt", _by_office("docx", _text_document, "odt"),
         ("Minutes of the", "cell of minutes"), "soffice"),
    Item("LibreOffice: comment", "b.odt", _odt_rich, ("Please check", "comment"), "soffice"),
    Item("LibreOffice: sheets", "a.ods", _ods_hidden, ("Pen,3", "Ask for a discount", "hidden", "Ask Ada before"),
         "soffice"),
    Item("LibreOffice: slides", "a.odp", _by_office("pptx", lambda: _slides(_slide_notes), "odp"),
         ("Results", "Pause here"), "soffice"),
    Item("LibreOffice: drawing", "a.odg", _drawing, ("Plan of the garden",), "soffice"),
    Item("old Word", "a.doc", _by_office("docx", _text_document, "doc"), ("Minutes of the", "cell of minutes"), "soffice"),
    Item("old Excel", "a.xls", _by_office("xlsx", lambda: book(_hidden_sheet), "xls"),
         ("Pen,3", "secret margin"), "soffice"),
    Item("old PowerPoint", "a.ppt", _by_office("pptx", lambda: _slides(_slide_notes), "ppt"),
         ("Results", "Pause here"), "soffice"),
    Item("rich text", "a.rtf", _by_office("docx", _text_document, "rtf"), ("Minutes of the", "cell of minutes"), "soffice"),
)  # fmt: skip
