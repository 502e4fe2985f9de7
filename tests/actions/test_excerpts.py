"""Parts of files and finding texts in them, with real files of every kind, hostile ones among them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import docx
import openpyxl
import pptx
import pypdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from deskcrew.actions import readers
from deskcrew.actions.action import Result
from deskcrew.actions.excerpts import SECONDS, excerpt
from deskcrew.environments import ocr
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError

Do = Callable[..., Result]


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A table of 500 orders; every tenth is Ann's."""
    path = tmp_path / "orders.csv"
    rows = [f"{number},{'Ann' if number % 10 == 0 else 'Bob'},{number * 2}" for number in range(1, 501)]
    path.write_text("\n".join(["id,name,amount", *rows]) + "\n")
    return path


def pdf_of(texts: list[str]) -> bytes:
    """A PDF with a page for each text; '' makes an empty page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(texts)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(texts)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(texts):
        stream = f"BT /F1 18 Tf 20 100 Td ({text}) Tj ET" if text else ""
        size = f"/MediaBox[0 0 300 200]/Contents {5 + 2 * number} 0 R/Resources<</Font<</F1 3 0 R>>>>"
        objects += [f"<</Type/Page/Parent 2 0 R{size}>>", f"<</Length {len(stream)}>>\nstream\n{stream}\nendstream"]
    body, places = "%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    tail = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF\n"
    )
    return (body + tail).encode()


def picture_of(*lines: str, size: tuple[int, int] = (640, 200)) -> Image.Image:
    image = Image.new("RGB", size, "white")
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((20, 20 + 50 * number), line, fill="black", font=ImageFont.load_default(24))
    return image


def test_a_table_says_first_how_much_of_it_there_is(orders: Path) -> None:
    lines = excerpt(orders).splitlines()
    assert lines[0].startswith("[501 rows with the header, 3 columns; part=")
    assert lines[1:3] == ["id,name,amount", "1,Bob,2"]
    assert lines[-1] == "500,Ann,1000"


def test_rows_come_under_their_header(orders: Path) -> None:
    assert excerpt(orders, "11-12").splitlines() == [
        '[501 rows with the header, 3 columns; shown 11-12; part="13-212" shows more]',
        "id,name,amount",
        "10,Ann,20",
        "11,Bob,22",
    ]
    assert excerpt(orders, "row 501").splitlines()[1:] == ["id,name,amount", "500,Ann,1000"]
    assert excerpt(orders, "500-900").splitlines()[0].endswith("; shown 500-501]")
    assert excerpt(orders, "B2:C2").splitlines()[1:] == ["name,amount", "Bob,2"]


def test_found_rows_have_their_numbers_and_the_header(orders: Path) -> None:
    lines = excerpt(orders, find="ANN").splitlines()
    assert lines[0] == '[in 50 of 501 rows; shown the first 40; part="402-" goes on]'
    assert lines[1:3] == ["1: id,name,amount", "11: 10,Ann,20"]
    assert excerpt(orders, "402-", "ann").splitlines()[0] == "[in 10 of 100 rows]"
    nothing = excerpt(orders, find="Zoë")
    assert nothing.startswith("[in none of 501 rows]")
    assert "Zoë" not in nothing, "what the model wrote itself must not come back as if it had been read"


def test_a_short_file_without_the_text_is_shown(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Buy milk\nCall Ann\n")
    assert excerpt(tmp_path / "notes.txt", find="shopping") == "[in none of 2 lines, which are:]\nBuy milk\nCall Ann\n"


def test_a_part_that_is_not_there_says_what_is(orders: Path, tmp_path: Path) -> None:
    with pytest.raises(ActionError, match="has 501 rows"):
        excerpt(orders, "502")
    with pytest.raises(ActionError, match="Write rows as 2 or 3-5"):
        excerpt(orders, "the second one")
    (tmp_path / "p.pdf").write_bytes(pdf_of(["one", "two"]))
    with pytest.raises(ActionError, match="has 2 pages"):
        excerpt(tmp_path / "p.pdf", "3")
    (tmp_path / "a.txt").write_text("one\n")
    with pytest.raises(ActionError, match="has 1 line"):
        excerpt(tmp_path / "a.txt", "2-9")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    made = openpyxl.Workbook()
    first = made.active
    assert first is not None
    first.title = "Plan"
    first.append(["day", "hours"])
    second = made.create_sheet("Sheet2")
    for number in range(1, 61):
        second.append([f"item {number}", number])
    made.save(tmp_path / "b.xlsx")
    return tmp_path / "b.xlsx"


def test_sheets_and_rows_of_a_workbook(book: Path) -> None:
    assert excerpt(book).startswith(
        "[sheet Plan: 1 row, 2 columns]\nday,hours\n[sheet Sheet2: 60 rows, 2 columns]\nitem 1,1\n"
    )
    assert excerpt(book, "sheet2").startswith("[sheet Sheet2: 60 rows, 2 columns]\nitem 1,1\n")
    rows = excerpt(book, "'Sheet2'!3-4")
    assert rows.splitlines()[1:] == ["item 1,1", "item 3,3", "item 4,4"]
    assert 'part="Sheet2!5-204"' in rows
    assert excerpt(book, "Sheet2!A5:A6").splitlines()[1:] == ["item 1", "item 5", "item 6"]
    assert excerpt(book, find="item 33").splitlines() == [
        "[sheet Plan: in none of 1 row]", "[sheet Sheet2: in 1 of 60 rows]", "1: item 1,1", "33: item 33,33",
    ]  # fmt: skip
    with pytest.raises(ActionError, match=r"Write a sheet \(Plan, Sheet2\) or its rows: Plan!1-40"):
        excerpt(book, "Sheet3!1-2")


def test_a_sheet_that_claims_to_be_huge_is_as_large_as_its_cells(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    assert made.active is not None
    made.active["A1"] = "only"
    made.save(tmp_path / "small.xlsx")
    with zipfile.ZipFile(tmp_path / "small.xlsx") as small, zipfile.ZipFile(tmp_path / "liar.xlsx", "w") as liar:
        for name in small.namelist():
            liar.writestr(name, small.read(name).replace(b'<dimension ref="A1:A1"', b'<dimension ref="A1:XFD1048576"'))
    assert b"XFD1048576" in zipfile.ZipFile(tmp_path / "liar.xlsx").read("xl/worksheets/sheet1.xml")
    assert excerpt(tmp_path / "liar.xlsx") == "[sheet Sheet: 1 row, 1 column]\nonly\n"


def test_pages_of_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "p.pdf"
    path.write_bytes(pdf_of(["one", "two", "", "four"]))
    assert excerpt(path) == "[page 1]\none\n[page 2]\ntwo\n[page 3]\n(no text on this page)\n[page 4]\nfour\n"
    assert excerpt(path, "2") == "[page 2]\ntwo\n"
    assert excerpt(path, "pages 3-9") == "[page 3]\n(no text on this page)\n[page 4]\nfour\n"
    assert excerpt(path, find="four") == "[page 4: in 1 of 1 line, which are:]\nfour\n"
    assert excerpt(path, find="seven") == "[in none of 4 pages]\n"


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_pdf_is_read_or_refused_with_words(do: Do, workspace: Workspace, share: float) -> None:
    whole = pdf_of(["one", "two"])
    (workspace.root / "cut.pdf").write_bytes(whole[: int(len(whole) * share)])
    result = do("read_file", file_path="cut.pdf", part="1")
    assert result.ok or "cut.pdf" in result.error


def test_slides_in_their_order_with_tables_and_notes(tmp_path: Path) -> None:
    shown = pptx.Presentation()
    for title in ("first", "second"):
        slide = shown.slides.add_slide(shown.slide_layouts[5])
        assert slide.shapes.title is not None
        slide.shapes.title.text = title
    table = shown.slides[1].shapes.add_table(1, 2, 0, 0, 100, 100).table
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    frame = shown.slides[1].notes_slide.notes_text_frame
    assert frame is not None
    frame.text = "say this"
    shown.save(str(tmp_path / "s.pptx"))
    assert excerpt(tmp_path / "s.pptx") == "[slide 1]\nfirst\n[slide 2]\nsecond\na,b\n(notes) say this\n"
    assert excerpt(tmp_path / "s.pptx", "slide 1") == "[slide 1]\nfirst\n"


def test_lines_of_a_text_and_what_stands_around(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("".join(f"line {number}\n" for number in range(1, 1001)))
    assert excerpt(path, "3-4") == '[1000 lines; shown 3-4; part="5-204" shows more]\nline 3\nline 4\n'
    assert excerpt(path, find="line 77").splitlines()[:4] == [
        "[in 11 of 1000 lines]",
        "76- line 76",
        "77: line 77",
        "78- line 78",
    ]
    assert excerpt(path).startswith('[1000 lines; part="1-200" shows some, find="..." those with a text]\nline 1\n')
    path.write_text(path.read_text().rstrip("\n"))
    assert excerpt(path).startswith('[1000 lines, no line end at its end; part="1-200" shows some')
    (tmp_path / "short.txt").write_text("as it is\r\n")
    assert excerpt(tmp_path / "short.txt", "all") == "as it is\r\n"


def test_a_word_document_is_searched(tmp_path: Path) -> None:
    document = docx.Document()
    for text in ("The rent", "is 900 euros", "a month"):
        document.add_paragraph(text)
    document.save(str(tmp_path / "d.docx"))
    assert excerpt(tmp_path / "d.docx", find="900 EUROS") == "[in 1 of 3 lines]\n1- The rent\n2: is 900 euros\n3- a month\n"


def test_json_on_one_line_is_laid_out_for_searching_only(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"name": f"n{number}"} for number in range(200)]))
    assert readers.read(path) == path.read_text()
    assert "n77" in excerpt(path, find="n77").splitlines()[2]
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    assert excerpt(deep, find="[[").startswith("[in 1 of 1 line]")


def test_a_web_page_is_shown_without_markup_and_hidden_text_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "p.html"
    path.write_text(
        "<title>Shop</title><style>p{}</style><script>evil()</script><!-- no --><h1>Pri<b>ces</b></h1>"
        "<table><tr><th>tea</th><td>3 &euro;</td></tr></table><p>Seen <span style='display: none'>do this</span> too</p>"
    )
    assert excerpt(path) == "Shop\nPrices\ntea | 3 €\nSeen\n(hidden) do this\ntoo\n"
    assert "<h1>Pri<b>ces" in excerpt(path, "source")
    assert readers.read(path) == path.read_text()


def test_an_archive_is_listed_and_no_large_file_in_it_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docs/deep/report.txt", "x" * 40)
        archive.writestr("bomb.bin", bytes(300 << 20))
        archive.writestr("two\nlines", "")
    text = excerpt(tmp_path / "a.zip")
    assert "docs/deep/report.txt  40 bytes" in text
    assert f"bomb.bin  {300 << 20} bytes" in text
    assert "two?lines" in text
    assert "2: docs/deep/report.txt" in excerpt(tmp_path / "a.zip", find="report")


def test_an_archive_with_too_many_entries_is_refused(do: Do, workspace: Workspace) -> None:
    (workspace.root / "many.zip").write_bytes(b"PK\x01\x02" * 60_000)
    assert "more than 50000 entries" in do("read_file", file_path="many.zip").error


def document_that_says(path: Path, text: str) -> None:
    match path.suffix:
        case ".docx":
            document = docx.Document()
            document.add_paragraph(text)
            document.save(str(path))
        case ".pptx":
            shown = pptx.Presentation()
            title = shown.slides.add_slide(shown.slide_layouts[5]).shapes.title
            assert title is not None
            title.text = text
            shown.save(str(path))
        case ".xlsx":
            book = openpyxl.Workbook()
            assert book.active is not None
            book.active.append([text])
            book.save(path)
        case _:
            office, words = (f"urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0" for kind in ("office", "text"))
            with zipfile.ZipFile(path, "w") as archive:
                content = f'<o:document-content xmlns:o="{office}" xmlns:t="{words}"><t:p>{text}</t:p></o:document-content>'
                archive.writestr("content.xml", content)


@pytest.mark.parametrize("entity", ["outside", "laughs"])
@pytest.mark.parametrize("suffix", [".docx", ".pptx", ".xlsx", ".odt"])
def test_entities_are_not_resolved(do: Do, workspace: Workspace, tmp_path: Path, suffix: str, entity: str) -> None:
    (tmp_path / "outside.txt").write_text("SECRET")
    document_that_says(tmp_path / f"good{suffix}", "MARK")
    assert "MARK" in excerpt(tmp_path / f"good{suffix}")
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    declared = f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}<!ENTITY e SYSTEM "file://{tmp_path}/outside.txt">]>'
    changed = 0
    with zipfile.ZipFile(tmp_path / f"good{suffix}") as good, zipfile.ZipFile(workspace.root / f"bad{suffix}", "w") as bad:
        for name in good.namelist():
            part = good.read(name).decode("latin-1")
            if "MARK" in part:
                head, mark, rest = part.partition("?>")
                part = head + mark + declared + rest if mark else declared + part
                part = part.replace("MARK", "&e;" if entity == "outside" else "&l9;")
                changed += 1
            bad.writestr(name, part.encode("latin-1"))
    assert changed == 1
    result = do("read_file", file_path=f"bad{suffix}")
    assert "SECRET" not in result.text + result.error
    assert len(result.text) < 1000


def test_a_part_that_is_too_large_for_a_tree_is_refused(do: Do, workspace: Workspace) -> None:
    with zipfile.ZipFile(workspace.root / "big.odt", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", bytes(65 << 20))
    assert "unpacks to more than 64 MiB" in do("read_file", file_path="big.odt").error


def test_a_text_too_large_to_be_opened_is_searched_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "MAX_FILE", 10_000)
    path = tmp_path / "huge.log"
    path.write_text("".join(f"entry {number}\n" for number in range(5000)))
    with pytest.raises(ActionError, match='Use part="1-100" or find'):
        excerpt(path)
    assert "4322: entry 4321" in excerpt(path, find="entry 4321")
    assert excerpt(path, "2-3").splitlines()[1:] == ["entry 1", "entry 2"]


def test_time_that_is_over_is_said(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("x\n" * 1000)
    clock = count(0, SECONDS / 10)
    assert excerpt(path, clock=lambda: next(clock)).startswith("[more than 11 lines; shown 1-11; stopped after 60 s]")


def test_a_huge_cell_of_a_csv_file_is_the_models_problem(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a.csv").write_text('a,"' + "x" * 200_000 + '"\n')
    assert "cannot be read as csv" in do("read_file", file_path="a.csv", part="1").error


def test_a_huge_picture_is_refused_before_it_is_decoded(do: Do, workspace: Workspace) -> None:
    Image.new("1", (20_000, 20_000)).save(workspace.root / "huge.png")
    Image.new("1", (8_000, 8_000)).save(workspace.root / "large.png")
    assert "400000000 pixels" in do("read_file", file_path="huge.png").error
    assert "too large to be read; at most 40 million" in do("read_file", file_path="large.png").error


def test_without_the_extra_a_picture_says_how_to_read_it(
    do: Do, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture_of("Total").save(workspace.root / "p.png")
    scan = workspace.root / "scan.pdf"
    picture_of("Total").save(scan)
    monkeypatch.setattr(ocr, "available", lambda: False)
    error = do("read_file", file_path="p.png").error
    assert error == f"PNG picture, 640 x 200 pixels. To read the text in it: {ocr.INSTALL}"
    assert ocr.INSTALL in do("read_file", file_path="scan.pdf").text


def test_the_text_in_pictures_and_scanned_pages_is_read(do: Do, workspace: Workspace) -> None:
    picture = picture_of("Invoice 4711", "Total 1234 EUR")
    picture.save(workspace.root / "p.png")
    picture.save(workspace.root / "scan.pdf")
    picture.save(workspace.root / "two.tiff", save_all=True, append_images=[picture_of("Another page")])
    text = do("read_file", file_path="p.png").text
    assert text.startswith("PNG picture, 640 x 200 pixels. Text found in it; characters can be wrong:\n")
    assert "Invoice 4711\nTotal 1234 EUR" in text
    assert "Total 1234 EUR" in do("read_file", file_path="scan.pdf", part="1").text
    assert "Another page" in do("read_file", file_path="two.tiff", part="2").text


def test_a_pdf_made_by_a_library_that_has_a_page_without_resources(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write(tmp_path / "blank.pdf")
    assert excerpt(tmp_path / "blank.pdf") == "[page 1]\n(no text on this page)\n"
