"""Addresses in texts, workbooks, presentations and PDFs: each holds of the right file, and not of one slightly wrong."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pypdf
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Pt, RGBColor
from openpyxl.chart import BarChart, PieChart, Reference
from openpyxl.styles import Alignment, Font, PatternFill
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from deskcrew.evidence.typed import Side, holds
from deskcrew.facts.contract import TypedCheck
from deskcrew.facts.observation import Observation

Change = Callable[[Any], object]


def seen(folder: Path, target: str, text: str, kind: str = "value_is") -> bool | None:
    check = TypedCheck.model_validate({"kind": kind, "target": target, "text": text})
    return holds(check, Side(folder, folder, Observation()))[0]


def said(folder: Path, target: str) -> str:
    return holds(TypedCheck(kind="value_is", target=target, text="?"), Side(folder, folder, Observation()))[1]


def report() -> Any:
    made: Any = docx.Document()
    made.add_heading("Annual report", 0)
    made.add_heading("Sales", 1)
    line = made.add_paragraph("We sold ")
    line.add_run("many").bold = True
    line.add_run(" lamps.")
    last = made.add_paragraph("Signed by Ann")
    last.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    run = last.runs[0]
    run.italic, run.underline, run.font.size, run.font.name = True, True, Pt(14), "Arial"
    run.font.color.rgb = RGBColor(255, 0, 0)
    made.add_heading("Costs", 2)
    made.add_paragraph("rope", style="List Bullet")
    table = made.add_table(2, 3)
    for number, text in enumerate(("item", "price", "date", "lamp", "19.50", "2026-03-01")):
        table.cell(number // 3, number % 3).text = text
    table.cell(0, 0).paragraphs[0].runs[0].bold = True
    made.core_properties.title = "Report 2026"
    return made


WORD: list[tuple[str, str, Change]] = [
    ("headings", "0 Annual report\n1 Sales\n2 Costs", lambda d: d.add_heading("More", 1)),
    ("heading[2]", "Sales", lambda d: d.paragraphs[1].add_run("!")),
    ("heading[Sales].level", "1", lambda d: setattr(d.paragraphs[1], "style", "Heading 2")),
    ("paragraphs", "6", lambda d: d.add_paragraph("x")),
    ("paragraph[3]", "We sold many lamps.", lambda d: d.paragraphs[2].add_run("x")),
    ("paragraph[3].bold", "mixed", lambda d: setattr(d.paragraphs[2].runs[1], "bold", False)),
    ("paragraph[-1].style", "List Bullet", lambda d: setattr(d.paragraphs[-1], "style", "List Number")),
    ("paragraph[Signed].align", "right", lambda d: setattr(d.paragraphs[3], "alignment", None)),
    ("paragraph[Signed by Ann].italic", "true", lambda d: setattr(d.paragraphs[3].runs[0], "italic", False)),
    ("paragraph[4].underline", "true", lambda d: setattr(d.paragraphs[3].runs[0], "underline", None)),
    ("paragraph[4].size", "14", lambda d: setattr(d.paragraphs[3].runs[0].font, "size", Pt(13))),
    ("paragraph[4].font", "Arial", lambda d: setattr(d.paragraphs[3].runs[0].font, "name", "Times")),
    ("paragraph[4].color", "#FF0000", lambda d: setattr(d.paragraphs[3].runs[0].font.color, "rgb", RGBColor(254, 0, 0))),
    ("text[many].bold", "true", lambda d: setattr(d.paragraphs[2].runs[1], "bold", None)),
    ("text[lamp].count", "2", lambda d: d.add_paragraph("lamp")),
    ("text[lamps].bold", "false", lambda d: setattr(d.paragraphs[2].runs[2], "bold", True)),
    ("tables", "1", lambda d: d.add_table(1, 1)),
    ("table[1].B2", "19.5", lambda d: setattr(d.tables[0].cell(1, 1), "text", "19.51")),
    ("table[1].C2", "2026-03-01", lambda d: setattr(d.tables[0].cell(1, 2), "text", "2026-03-02")),
    ("table[1].A1.bold", "true", lambda d: setattr(d.tables[0].cell(0, 0), "text", "item")),
    ("table[1].rows", "2", lambda d: setattr(d.tables[0].add_row().cells[0], "text", "x")),
    ("table[1].columns", "3", lambda d: setattr(d.tables[0].add_column(Pt(9)).cells[0], "text", "x")),
    ("table[1].row[2]", "lamp,19.50,2026-03-01", lambda d: setattr(d.tables[0].cell(1, 0), "text", "x")),
    ("table[1].column[price]", "19.50", lambda d: setattr(d.tables[0].cell(1, 1), "text", "x")),
    ("title", "Report 2026", lambda d: setattr(d.core_properties, "title", "Report")),
]


@pytest.mark.parametrize(("address", "value", "change"), WORD, ids=[address for address, *_ in WORD])
def test_word(tmp_path: Path, address: str, value: str, change: Change) -> None:
    document = report()
    document.save(str(tmp_path / "report.docx"))
    assert seen(tmp_path, f"report.docx#{address}", value) is True, said(tmp_path, f"report.docx#{address}")
    change(document)
    document.save(str(tmp_path / "report.docx"))
    assert seen(tmp_path, f"report.docx#{address}", value) is False


def test_a_look_comes_from_styles_too_and_a_bold_style_in_a_bold_one_is_plain(tmp_path: Path) -> None:
    document: Any = docx.Document()
    document.add_heading("Head ", 1).add_run("strong", style="Strong")
    document.save(str(tmp_path / "a.docx"))
    assert seen(tmp_path, "a.docx#text[Head].bold", "true") is True
    assert seen(tmp_path, "a.docx#text[strong].bold", "false") is True


_CONTENT = """<?xml version="1.0"?><office:document-content
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"><office:automatic-styles>
 <style:style style:name="P1" style:family="paragraph" style:parent-style-name="Text_20_body">
 <style:paragraph-properties fo:text-align="center"/></style:style>
 <style:style style:name="T1" style:family="text">
 <style:text-properties fo:font-weight="bold" fo:font-size="14pt"/></style:style>
 <style:style style:name="ce1" style:family="table-cell"><style:table-cell-properties fo:background-color="#ffff00"/>
 <style:text-properties fo:font-weight="bold" fo:color="#ff0000"/></style:style>
 </office:automatic-styles><office:body>%s</office:body></office:document-content>"""


def open_document(path: Path, body: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("content.xml", _CONTENT % body)


_ODT = """<office:text><text:h text:outline-level="1">Sales</text:h><text:p text:style-name="P1">We
<text:span text:style-name="T1">really</text:span> sold<text:s text:c="2"/>lamps</text:p>
<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>
<table:table-cell><text:p>7</text:p></table:table-cell></table:table-row></table:table></office:text>"""


@pytest.mark.parametrize(
    ("address", "value", "old", "new"),
    [
        ("headings", "1 Sales", 'level="1"', 'level="2"'),
        ("paragraphs", "2", "<table:table>", "<text:p>x</text:p><table:table>"),
        ("paragraph[2]", "We really sold lamps", "lamps", "lamp"),
        ("paragraph[We].style", "Text body", 'style-name="P1"', 'style-name="P2"'),
        ("paragraph[2].align", "center", 'style-name="P1"', 'style-name="P2"'),
        ("text[really].bold", "true", "T1", "T2"),
        ("text[really].size", "14", "T1", "T2"),
        ("text[sold].bold", "false", "</text:span> sold", " sold</text:span>"),
        ("table[1].B1", "7", ">7<", ">8<"),
    ],
)
def test_opendocument(tmp_path: Path, address: str, value: str, old: str, new: str) -> None:
    open_document(tmp_path / "a.odt", _ODT)
    assert seen(tmp_path, f"a.odt#{address}", value) is True, said(tmp_path, f"a.odt#{address}")
    open_document(tmp_path / "a.odt", _ODT.replace(old, new))
    assert seen(tmp_path, f"a.odt#{address}", value) is False


_ODS = """<office:spreadsheet><table:table table:name="First"><table:table-row>
<table:table-cell office:value-type="string" table:style-name="ce1"><text:p>Name</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="12.5" table:formula="of:=SUM([.A1:.B1];[$Other.C3])"/>
</table:table-row><table:table-row table:number-rows-repeated="1048000">
<table:table-cell table:number-columns-repeated="16384"/>
</table:table-row></table:table><table:table table:name="Other 2"><table:table-row>
<table:table-cell office:value-type="date" office:date-value="2026-03-01"/></table:table-row></table:table>
</office:spreadsheet>"""


@pytest.mark.parametrize(
    ("address", "value", "old", "new"),
    [
        ("sheets", "First\nOther 2", "Other 2", "Other"),
        ("A1", "Name", "Name", "Nome"),
        ("B1", "12.50", "12.5", "12.6"),
        ("B1.formula", "=SUM(A1:B1;Other!C3)", "C3", "C4"),
        ("A1.bold", "true", "ce1", "ce2"),
        ("A1.colour", "#FF0000", "ce1", "ce2"),
        ("A1.fill", "#FFFF00", "ce1", "ce2"),
        ("First!rows", "1", ">Name<", "/>"),
        ("'Other 2'!A1", "2026-03-01", "03-01", "03-02"),
    ],
)
def test_an_open_workbook(tmp_path: Path, address: str, value: str, old: str, new: str) -> None:
    open_document(tmp_path / "a.ods", _ODS)
    assert seen(tmp_path, f"a.ods#{address}", value) is True, said(tmp_path, f"a.ods#{address}")
    if new != "/>":
        open_document(tmp_path / "a.ods", _ODS.replace(old, new))
        assert seen(tmp_path, f"a.ods#{address}", value) is False


def workbook() -> Any:
    made = openpyxl.Workbook()
    page: Any = made.worksheets[0]
    page.title = "Sales"
    for row in (("Month", "Sum"), ("May", 12.5), ("June", 7), ("All", "=SUM(B2:B3)")):
        page.append(row)
    page["A1"].font = Font(bold=True, italic=True, underline="single", name="Arial", size=14, color="FF0000")
    page["A1"].fill = PatternFill("solid", fgColor="FFFF00")
    page["A1"].alignment = Alignment(horizontal="center", wrap_text=True)
    page["B2"].number_format = "0.00"
    page["B3"].hyperlink = "http://example.org/"
    page.merge_cells("D1:E2")
    page.freeze_panes, page.auto_filter.ref = "A2", "A1:B3"
    chart = BarChart()
    chart.title = "Sales by month"
    chart.add_data(Reference(page, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    page.add_chart(chart, "G1")
    other: Any = made.create_sheet("Notes 2")
    other["A1"] = "hello"
    other.sheet_state = "hidden"
    return made


def _set(cell: str, name: str, value: object) -> Change:
    return lambda book: setattr(book.worksheets[0][cell], name, value)


EXCEL: list[tuple[str, str, Change]] = [
    ("sheets", "Sales\nNotes 2", lambda b: b.create_sheet("More")),
    ("B2", "12.50", _set("B2", "value", 12.51)),
    ("Sales!B2.value", "12.5", _set("B2", "value", 12)),
    ("sheet[Sales].B2", "12.5", _set("B2", "value", 12)),
    ("'Notes 2'!A1", "hello", lambda b: setattr(b["Notes 2"]["A1"], "value", "hallo")),
    ("Sales!B4.formula", "=SUM(B2:B3)", _set("B4", "value", "=SUM(B1:B3)")),
    ("B2.formula", "", _set("B2", "value", "=12.5")),
    ("B2.format", "0.00", _set("B2", "number_format", "0.0")),
    ("A1.bold", "true", _set("A1", "font", Font(bold=False))),
    ("A1.italic", "true", _set("A1", "font", Font(bold=True))),
    ("A1.underline", "true", _set("A1", "font", Font(bold=True))),
    ("A1.size", "14", _set("A1", "font", Font(size=13))),
    ("A1.colour", "#FF0000", _set("A1", "font", Font(color="FE0000"))),
    ("A1.fill", "#FFFF00", _set("A1", "fill", PatternFill())),
    ("A1.align", "center", _set("A1", "alignment", Alignment(horizontal="left"))),
    ("A1.wrap", "true", _set("A1", "alignment", Alignment())),
    ("B3.link", "http://example.org/", _set("B3", "hyperlink", "http://example.com/")),
    ("Z99.bold", "false", _set("Z99", "font", Font(bold=True))),
    ("charts", "bar Sales by month", lambda b: b.worksheets[0].add_chart(PieChart(), "A9")),
    ("Sales!chart[1].title", "Sales by month", lambda b: setattr(b.worksheets[0]._charts[0], "title", "Sales")),
    ("Sales!merged", "D1:E2", lambda b: b.worksheets[0].unmerge_cells("D1:E2")),
    ("Sales!frozen", "A2", lambda b: setattr(b.worksheets[0], "freeze_panes", None)),
    ("Sales!filter", "A1:B3", lambda b: setattr(b.worksheets[0].auto_filter, "ref", "A1:B2")),
    ("Sales!header", "Month\nSum", _set("B1", "value", "Total")),
    ("Sales!row[2]", "May,12.5", _set("A2", "value", "Mai")),
    ("Sales!A2:B3", "May,12.5\nJune,7", _set("A3", "value", "Juni")),
    ("Sales!column[Month]", "May\nJune\nAll", _set("A3", "value", "Juni")),
    ("Notes 2!hidden", "true", lambda b: setattr(b["Notes 2"], "sheet_state", "visible")),
]


@pytest.mark.parametrize(("address", "value", "change"), EXCEL, ids=[address for address, *_ in EXCEL])
def test_excel(tmp_path: Path, address: str, value: str, change: Change) -> None:
    book = workbook()
    book.save(tmp_path / "a.xlsx")
    assert seen(tmp_path, f"a.xlsx#{address}", value) is True, said(tmp_path, f"a.xlsx#{address}")
    book = workbook()
    change(book)
    book.save(tmp_path / "a.xlsx")
    assert seen(tmp_path, f"a.xlsx#{address}", value) is False


def test_a_formula_that_nobody_calculated_has_no_value(tmp_path: Path) -> None:
    workbook().save(tmp_path / "a.xlsx")
    assert seen(tmp_path, "a.xlsx#B4", "19.5") is None
    assert "No program has calculated" in said(tmp_path, "a.xlsx#B4")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(b"</f><v/>", b"</f><v>19.5</v>").replace(b"</f><v></v>", b"</f><v>19.5</v>")
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert seen(tmp_path, "a.xlsx#B4", "19.5") is True
    assert seen(tmp_path, "a.xlsx#B4", "19.4") is False


def deck() -> Any:
    made: Any = pptx.Presentation()
    for title, text in (("Welcome", "Hello all"), ("Plan", "Buy rope")):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, text
    slide.notes_slide.notes_text_frame.text = "Do not forget"
    table = slide.shapes.add_table(1, 2, 0, 0, 99, 99).table
    table.cell(0, 1).text = "7"
    return made


SLIDES: list[tuple[str, str, Change]] = [
    ("slides", "2", lambda d: d.slides.add_slide(d.slide_layouts[0])),
    ("titles", "Welcome\nPlan", lambda d: setattr(d.slides[1].shapes.title, "text", "Plans")),
    ("slide[2].title", "Plan", lambda d: setattr(d.slides[1].shapes.title, "text", "Plans")),
    ("slide[Welcome].text", "Welcome\nHello all", lambda d: setattr(d.slides[0].placeholders[1], "text", "Hello")),
    ("slide[2].notes", "Do not forget", lambda d: setattr(d.slides[1].notes_slide.notes_text_frame, "text", "Forget")),
    ("slide[2].table[1].B1", "7", lambda d: setattr(d.slides[1].shapes[2].table.cell(0, 1), "text", "8")),
]


@pytest.mark.parametrize(("address", "value", "change"), SLIDES, ids=[address for address, *_ in SLIDES])
def test_slides(tmp_path: Path, address: str, value: str, change: Change) -> None:
    made = deck()
    made.save(str(tmp_path / "a.pptx"))
    assert seen(tmp_path, f"a.pptx#{address}", value) is True, said(tmp_path, f"a.pptx#{address}")
    change(made)
    made.save(str(tmp_path / "a.pptx"))
    assert seen(tmp_path, f"a.pptx#{address}", value) is False


def paper(*texts: str, title: str = "Paper", turned: int = 0) -> bytes:
    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")}
        | {NameObject("/BaseFont"): NameObject("/Helvetica")}
    )
    for text in texts:
        page = writer.add_blank_page(595, 842)
        page.rotate(turned)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
    writer.add_metadata({"/Title": title})
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


@pytest.mark.parametrize(
    ("address", "value", "wrong"),
    [
        ("pages", "2", paper("One", "Two", "Three")),
        ("title", "Paper", paper("One", "Two", title="Papers")),
        ("page[2].text", "Two", paper("One", "Too")),
        ("text", "One Two", paper("Two", "One")),
        ("page[1].width", "210", paper("One", "Two", turned=90)),
        ("page[1].rotation", "0", paper("One", "Two", turned=180)),
    ],
)
def test_pdf(tmp_path: Path, address: str, value: str, wrong: bytes) -> None:
    (tmp_path / "a.pdf").write_bytes(paper("One", "Two"))
    assert seen(tmp_path, f"a.pdf#{address}", value) is True, said(tmp_path, f"a.pdf#{address}")
    (tmp_path / "a.pdf").write_bytes(wrong)
    assert seen(tmp_path, f"a.pdf#{address}", value) is False


def test_a_text_is_looked_for_at_an_address(tmp_path: Path) -> None:
    report().save(str(tmp_path / "report.docx"))
    assert seen(tmp_path, "report.docx#headings", "2 Costs", "file_contains") is True
    assert seen(tmp_path, "report.docx#headings", "lamps", "file_contains") is False
    assert seen(tmp_path, "report.docx#paragraph[3]", "ropes", "file_lacks") is True
    assert seen(tmp_path, "report.docx#paragraph[3]", "lamps", "file_lacks") is False
    assert seen(tmp_path, "other.docx#headings", "Costs", "file_contains") is False


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("report.docx#", "followed by an address"),
        ("report.docx#headngs", "the document has no 'headngs'; it has: headings, heading, paragraphs"),
        ("report.docx#paragraph", "Which paragraph? Write [1] for the first; there are 6"),
        ("report.docx#paragraph[0]", "There is no paragraph 0; there are 6, counted from 1"),
        ("report.docx#paragraph[7]", "There is no paragraph 7"),
        ("report.docx#paragraph[Nothing]", "No paragraph is called 'Nothing'"),
        ("report.docx#paragraph[3].blod", "a paragraph has no 'blod'; it has: style, align, bold"),
        ("report.docx#paragraphs.bold", "has no .bold"),
        ("report.docx#heading[1][2]", "a heading has no [2]"),
        ("report.docx#paragraph[", "is not an address"),
        ("report.docx#..", "is not an address"),
        ("report.docx#text[ropes].bold", "'ropes' is nowhere"),
        ("report.docx#table[1]", "the table has no value of its own"),
        ("report.docx#table[1].D9", "it is ''"),
        ("a.xlsx#Third!A1", "There is no sheet 'Third'; there are: Sales, Notes 2."),
        ("a.xlsx#Sales", "has no 'Sales'"),
        ("a.xlsx#A0", "has no 'A0'"),
        ("a.xlsx#Sales!", "has no value of its own"),
    ],
)
def test_a_wrong_address_says_what_there_is(tmp_path: Path, target: str, why: str) -> None:
    report().save(str(tmp_path / "report.docx"))
    workbook().save(tmp_path / "a.xlsx")
    assert why in said(tmp_path, target)
    assert seen(tmp_path, target, "?") is (False if why == "it is ''" else None)
