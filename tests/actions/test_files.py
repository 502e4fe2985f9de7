"""Files for real: reading every kind, writing, moving, deleting, and what must not work."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import docx
import openpyxl
import pypdf
import pytest
from PIL import Image

from deskcrew.actions import builtin, readers
from deskcrew.actions.action import Finding, Result, Scene
from deskcrew.actions.executor import execute
from deskcrew.actions.files import remove_half_written
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.beginning import Beginning
from deskcrew.environments.manifest import Manifest, ManifestEntry
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Observation

Do = Callable[..., Result]
Judge = Callable[..., Finding]


def pdf_that_says(text: str) -> bytes:
    """A minimal but correct PDF of one page."""
    stream = f"BT /F1 18 Tf 20 100 Td ({text}) Tj ET"
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(stream)}>>\nstream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    body, places = "%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    tail = f"xref\n0 6\n0000000000 65535 f \n{table}trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF\n"
    return (body + tail).encode()


@pytest.mark.parametrize(
    ("name", "content", "seen"),
    [
        ("a.txt", "grüße".encode(), "grüße"),
        ("bom.txt", b"\xef\xbb\xbfplain", "plain"),
        ("wide.txt", "wide ü".encode("utf-16"), "wide ü"),
        ("old.csv", "a;b\nö;1".encode("cp1252"), "ö;1"),
        ("x.json", b'{"a": 1}', '{"a": 1}'),
        ("x.xml", b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>', "&e;"),
        ("noending", b"text without a suffix", "without"),
        ("empty.log", b"", "(the file is empty)"),
    ],
)
def test_text_is_read_in_any_encoding(do: Do, workspace: Workspace, name: str, content: bytes, seen: str) -> None:
    (workspace.root / name).write_bytes(content)
    result = do("read_file", file_path=name)
    assert result.ok
    assert seen in result.text
    assert result.reads == (name,)
    assert "root:" not in result.text


def test_spreadsheet_shows_values_and_formulas_without_one(do: Do, workspace: Workspace) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["item", "price"])
    sheet.append(["tea, green", 3])
    sheet.append([None, "=SUM(B2:B2)"])
    book.create_sheet("Second")["A1"] = "here"
    book.save(workspace.root / "b.xlsx")
    text = do("read_file", file_path="b.xlsx").text
    assert '"tea, green",3' in text
    assert "=SUM(B2:B2)" in text
    assert "[sheet Second: 1 row, 1 column]\nhere" in text


def test_word_document_with_a_table_in_order(do: Do, workspace: Workspace) -> None:
    document = docx.Document()
    document.add_paragraph("before")
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    document.add_paragraph("after")
    document.save(str(workspace.root / "d.docx"))
    assert do("read_file", file_path="d.docx").text == "before\nleft,right\nafter\n"


def test_pdf_is_read_as_the_paper_promises(do: Do, workspace: Workspace) -> None:
    (workspace.root / "i.pdf").write_bytes(pdf_that_says("Total 1234 EUR"))
    assert "[page 1]\nTotal 1234 EUR" in do("read_file", file_path="i.pdf").text


def test_locked_pdf_says_so(do: Do, workspace: Workspace) -> None:
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret")
    writer.write(workspace.root / "locked.pdf")
    assert "password" in do("read_file", file_path="locked.pdf").error


def test_libreoffice_files(do: Do, workspace: Workspace) -> None:
    office, text, table = (f"urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0" for kind in ("office", "text", "table"))
    content = (
        f'<o:document-content xmlns:o="{office}" xmlns:text="{text}" xmlns:table="{table}"><o:body><text:h>Title</text:h>'
        '<table:table table:name="T"><table:table-row><table:table-cell><text:p>a<text:span>b</text:span></text:p>'
        '</table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row></table:table>'
        "</o:body></o:document-content>"
    )
    for name in ("t.odt", "t.ods"):
        with zipfile.ZipFile(workspace.root / name, "w") as archive:
            archive.writestr("content.xml", content)
    assert do("read_file", file_path="t.odt").text == "Title\n[table T]\nab\n"
    assert do("read_file", file_path="t.ods").text == "[sheet T: 1 row, 1 column]\nab\n"


def test_picture_says_its_size(do: Do, workspace: Workspace) -> None:
    Image.new("RGB", (30, 20)).save(workspace.root / "p.png")
    assert "30 x 20" in do("read_file", file_path="p.png").text


@pytest.mark.parametrize("suffix", sorted(readers.READERS))
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04rubbish", b"%PDF-1.7\nrubbish", os.urandom(3000)])
def test_damaged_files_are_the_models_problem(do: Do, workspace: Workspace, suffix: str, content: bytes) -> None:
    (workspace.root / f"bad{suffix}").write_bytes(content)
    result = do("read_file", file_path=f"bad{suffix}")
    assert not result.ok or suffix in (".pdf", *readers.OLD)  # other programs write text under these suffixes, too
    assert "\n" not in result.error


def test_zip_bomb_is_refused(do: Do, workspace: Workspace) -> None:
    with zipfile.ZipFile(workspace.root / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.xml", bytes(100 << 20))
    assert "unpacks to more than" in do("read_file", file_path="bomb.docx").error


def test_unknown_binary_names_what_can_be_read(do: Do, workspace: Workspace) -> None:
    (workspace.root / "prog.bin").write_bytes(b"\x7fELF\0\0\0")
    assert "pdf" in do("read_file", file_path="prog.bin").error


def test_of_a_long_file_as_much_is_read_as_can_be_shown_and_where_it_goes_on_is_said(do: Do, workspace: Workspace) -> None:
    lines = [f"line {number:04}" for number in range(1, 1001)]
    (workspace.root / "long.txt").write_text("\n".join(lines))
    read, part = list[str](), ""
    while len(read) < 1000:
        note, *shown = do("read_file", file_path="long.txt", part=part).text.splitlines()
        assert sum(map(len, shown)) < 4000
        assert shown == lines[len(read) : len(read) + len(shown)]
        read += shown
        said = re.search(r'^\[1000 lines.*; part="(\d+-\d+)" shows more', note)
        part = said[1] if said is not None else ""
    assert not part


def test_long_and_huge_files(do: Do, workspace: Workspace) -> None:
    (workspace.root / "long.txt").write_text("x" * 300_000)
    text = do("read_file", file_path="long.txt").text
    note = '[1 line; shown only the first 3800 characters of line 1; find="..." shows what stands around a text]'
    assert text.startswith(note)
    with open(workspace.root / "huge.log", "wb") as file:
        file.truncate(1 << 40)  # sparse
    assert "cannot be read whole" in do("read_file", file_path="huge.log").error


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "~/x", "a/../../x", "", "x\0y", "/dev/null", "/workspace/../x"])
def test_paths_out_of_the_workspace_are_refused_by_every_action(do: Do, path: str) -> None:
    for name, params in (
        ("read_file", {"file_path": path}),
        ("write_file", {"file_path": path, "text": "x"}),
        ("copy_file", {"source": path, "destination": "y"}),
        ("move_file", {"source": path, "destination": "y"}),
        ("make_folder", {"folder": path}),
        ("delete_file", {"path": path}),
        ("list_files", {"folder": path}),
        ("open_application", {"app_name": "Mousepad", "file": path or "../x"}),
    ):
        assert not do(name, **params).ok, name


def test_link_out_is_refused_for_reading_and_writing(do: Do, workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    (workspace.root / "link").symlink_to(tmp_path / "outside.txt")
    (workspace.root / "folder").symlink_to(tmp_path)
    for path in ("link", "folder/outside.txt", "folder/new.txt"):
        assert "leads out" in do("read_file", file_path=path).error
        assert "leads out" in do("write_file", file_path=path, text="x").error
    assert (tmp_path / "outside.txt").read_text() == "secret"
    assert not (tmp_path / "new.txt").exists()


def test_write_append_and_what_holds_afterwards(do: Do, workspace: Workspace, judge: Judge) -> None:
    before = workspace.observe()
    params = {"file_path": "sub/a.txt", "text": "één\n"}
    assert do("write_file", **params).ok
    after = workspace.observe()
    assert judge("write_file", None, params, before, after).held is True
    assert judge("write_file", None, {**params, "text": "other"}, before, after).held is False
    assert judge("write_file", None, params, before, before).held is False
    more = {"file_path": "/workspace/sub/a.txt", "text": "two\n", "append": True}
    assert do("write_file", **more).ok
    assert judge("write_file", None, more, after, workspace.observe()).held is True
    assert (workspace.root / "sub/a.txt").read_text() == "één\ntwo\n"


def test_writing_keeps_the_mode_and_refuses_formats_that_are_not_text(do: Do, workspace: Workspace) -> None:
    script = workspace.root / "run.sh"
    script.write_text("old")
    script.chmod(0o750)
    assert do("write_file", file_path="run.sh", text="new").ok
    assert script.stat().st_mode & 0o777 == 0o750
    assert "xlsx" in do("write_file", file_path="t.xlsx", text="a,b").error
    assert "folder" in do("write_file", file_path=".", text="x").error


def test_copy_move_make_and_their_postconditions(do: Do, workspace: Workspace, judge: Judge) -> None:
    do("write_file", file_path="a.txt", text="a")
    before = workspace.observe()
    assert do("make_folder", folder="d/e").ok
    assert judge("make_folder", None, {"folder": "d/e"}, before, workspace.observe()).held is True
    assert do("copy_file", source="a.txt", destination="d").text == "Copied to d/a.txt."
    assert "already exists" in do("copy_file", source="a.txt", destination="d").error
    assert "already exists" in do("move_file", source="a.txt", destination="d/a.txt").error
    assert do("move_file", source="a.txt", destination="b.txt").ok
    after = workspace.observe()
    assert judge("move_file", None, {"source": "a.txt", "destination": "b.txt"}, before, after).held is True
    assert do("copy_file", source="d", destination="d2").ok
    assert "inside" in do("move_file", source="d", destination="d/e").error
    assert [entry.path for entry in workspace.observe().files] == [
        "b.txt", "d", "d/a.txt", "d/e", "d2", "d2/a.txt", "d2/e",
    ]  # fmt: skip
    assert do("find_files", pattern="A.").text == "d/a.txt  1 bytes\nd2/a.txt  1 bytes"
    assert "d/e  (folder)" in do("list_files", folder="d").text


def test_delete_goes_to_the_trash_and_the_name_can_be_deleted_again(do: Do, workspace: Workspace, judge: Judge) -> None:
    for text in ("one", "two"):
        do("write_file", file_path="d/a.txt", text=text)
        before = workspace.observe()
        assert do("delete_file", path="d/a.txt").ok
        assert judge("delete_file", None, {"path": "d/a.txt"}, before, workspace.observe()).held is True
    trash = workspace.root / ".trash" / "d"
    assert [(trash / name).read_text() for name in ("a.txt", "a.txt.2")] == ["one", "two"]
    assert all(".trash" not in entry.path for entry in workspace.observe().files)
    assert "workspace itself" in do("delete_file", path=".").error


def test_what_the_run_itself_made_is_removed_and_leaves_no_trash(workspace: Workspace, sandbox: Sandbox) -> None:
    for name in ("own.txt", "theirs.txt"):
        (workspace.root / name).write_text(name)
    now = Manifest(tuple(ManifestEntry(name, "file", 0o644, 0) for name in ("", "own.txt", "theirs.txt")))
    start = Manifest(tuple(each for each in now.entries if each.path != "own.txt"))
    beginning = Beginning(start, now, frozenset({"own.txt", "theirs.txt"}), frozenset(), lambda _: b"")
    scene = Scene(workspace, sandbox, None, Observation(), beginning=beginning)
    for name in ("own.txt", "theirs.txt"):
        assert execute(Operation(function="delete_file", params={"path": name}), builtin(), scene).ok
    assert not (workspace.root / "own.txt").exists()
    assert [path.name for path in (workspace.root / ".trash").iterdir()] == ["theirs.txt"], "it was there before"


def test_deleting_a_link_leaves_what_it_leads_to(do: Do, workspace: Workspace) -> None:
    (workspace.root / "real.txt").write_text("x")
    (workspace.root / "link.txt").symlink_to("real.txt")
    assert do("delete_file", path="link.txt").ok
    assert (workspace.root / "real.txt").exists()
    assert not (workspace.root / "link.txt").is_symlink()


@pytest.fixture
def tiny(one_at_a_time: None, tmp_path: Path) -> Iterator[Workspace]:
    """A workspace on a disk of 64 KiB."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield Workspace(folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.fault
@pytest.mark.machine
def test_full_disk_is_said_and_the_old_file_is_whole(tiny: Workspace) -> None:
    with Sandbox(tiny.root) as sandbox:

        def do(**params: object) -> Result:
            scene = Scene(tiny, sandbox, None, tiny.observe())
            return execute(Operation(function="write_file", params=dict(params)), builtin(), scene)

        assert do(file_path="a.txt", text="old").ok
        result = do(file_path="a.txt", text="x" * 200_000)
        assert not result.ok
        assert "disk is full" in result.error
        assert (tiny.root / "a.txt").read_text() == "old"
        assert [entry.path for entry in tiny.observe().files] == ["a.txt"]


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """This process can write no file of more bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.fault
@pytest.mark.parametrize("source", ["large.bin", "folder"])
def test_a_copy_that_is_cut_short_leaves_nothing(do: Do, workspace: Workspace, source: str) -> None:
    (workspace.root / "folder").mkdir()
    (workspace.root / "folder/small.txt").write_text("small")
    for name in ("large.bin", "folder/large.bin"):
        (workspace.root / name).write_bytes(b"x" * 200_000)
    before = sorted(workspace.root.rglob("*"))
    with no_file_above(1 << 16):
        result = do("copy_file", source=source, destination="copy")
    assert not result.ok
    assert "too large" in result.error
    assert sorted(workspace.root.rglob("*")) == before


def test_a_copy_keeps_content_and_mode(do: Do, workspace: Workspace) -> None:
    source = workspace.root / "a.sh"
    source.write_text("echo a")
    source.chmod(0o750)
    assert do("copy_file", source="a.sh", destination="b.sh").ok
    made = workspace.root / "b.sh"
    assert (made.read_text(), made.stat().st_mode & 0o7777) == ("echo a", 0o750)


@pytest.mark.parametrize("destination", ["copy", "into"])
def test_what_a_killed_process_had_copied_in_part_is_removed(workspace: Workspace, destination: str) -> None:
    (workspace.root / "into").mkdir()
    half = workspace.root / ("into" if destination == "into" else ".") / f".deskcrew-{'0' * 32}.part"
    half.mkdir()
    (half / "a.txt").write_text("half")
    (workspace.root / ".deskcrew-mine.part").write_text("mine")
    remove_half_written(workspace, Operation(function="copy_file", params={"source": "a", "destination": destination}))
    assert not half.exists()
    assert (workspace.root / ".deskcrew-mine.part").exists()


def test_remarks_of_the_parser_on_a_damaged_pdf_are_not_printed() -> None:
    lines = (
        "from deskcrew.actions.documents import opened_pdf",
        "try: opened_pdf(b'hi')",
        "except Exception as e: print(type(e))",
    )
    code = "\n".join(lines)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Pdf" in ran.stdout
    assert ran.stderr == ""
