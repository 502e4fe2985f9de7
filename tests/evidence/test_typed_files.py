"""Addresses in data, tables, pictures, archives, mail, calendars, cards and repositories, and files that mean harm."""

from __future__ import annotations

import bz2
import email.message
import functools
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest
from dulwich import porcelain
from dulwich.repo import Repo
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from deskcrew.errors import ActionError
from deskcrew.evidence.places import tree
from deskcrew.evidence.places.reading import READERS, value_at
from deskcrew.evidence.places.told import ADDRESSES, told
from deskcrew.evidence.typed import Side, holds
from deskcrew.facts.contract import TypedCheck
from deskcrew.facts.observation import Observation


def test_a_writer_is_told_of_every_kind_of_file_that_can_be_read_and_only_of_those_a_task_is_about() -> None:
    suffixes = {suffix for kinds in ADDRESSES for suffix in kinds.split()}
    assert suffixes == {*READERS, ".git"}
    assert told("Tidy up", ["notes.txt", "Makefile"]) == ""
    assert told("Tidy up", ["in/Plan.DOCX", "site/.git/HEAD"]) == "\n".join(
        f"- {kinds}: {ADDRESSES[kinds]}" for kinds in (".docx .odt", ".git")
    )
    assert ".pdf" in told("把它另存为PDF文件", []), "named in any language"
    assert told("Ask the editor about jsonnets", []) == ""


def seen(folder: Path, target: str, text: str) -> bool | None:
    return holds(TypedCheck(kind="value_is", target=target, text=text), Side(folder, folder, Observation()))[0]


def said(folder: Path, target: str) -> str:
    return holds(TypedCheck(kind="value_is", target=target, text="?"), Side(folder, folder, Observation()))[1]


@pytest.mark.parametrize(
    ("kind", "text", "end", "held"),
    [
        ("file_replaced", "Ann\nZoe", "Mon Zoe\nTue Bob\nWed Zoe\n", True),
        ("file_replaced", "Ann\nZoe", "Mon Zoe\r\nTue Bob\r\nWed Zoe", True),
        ("file_replaced", "Ann\nZoe", "Mon Zoe\nTue Bob\nWed Ann\n", False),
        ("file_replaced", "Ann\nZoe", "Mon Zoe\nTue Rob\nWed Zoe\n", False),
        ("file_replaced", "Ann\nZoe", "Mon Zoe\nTue Bob\n", False),
        ("file_replaced", "Ann\n", "Mon \nTue Bob\nWed \n", True),
        ("file_replaced", "Eve\nZoe", "Mon Ann\nTue Bob\nWed Ann\n", None),
        ("file_replaced", "Ann", "Mon Ann\nTue Bob\nWed Ann\n", None),
        ("file_appended", "Thu Eve", "Mon Ann\nTue Bob\nWed Ann\nThu Eve\n", True),
        ("file_appended", "Thu Eve", "Thu Eve\nMon Ann\nTue Bob\nWed Ann\n", False),
        ("file_appended", "Thu Eve", "Mon Ann\nTue Bob\nWed Ann\nThu Eve\nFri Ann\n", False),
    ],
)
def test_a_file_that_was_edited_is_compared_with_itself_at_the_start(
    tmp_path: Path, kind: Any, text: str, end: str, held: bool | None
) -> None:
    folders = [tmp_path / name for name in ("start", "end")]
    for folder, content in zip(folders, ("Mon Ann\nTue Bob\nWed Ann\n", end), strict=True):
        folder.mkdir()
        (folder / "rota.txt").write_text(content)
    check = TypedCheck(kind=kind, target="rota.txt", text=text)
    assert holds(check, Side(folders[1], folders[0], Observation()))[0] is held
    assert holds(check, Side(folders[0], folders[0], Observation()))[0] is not True, "not at the start"
    assert holds(check, Side(folders[1], tmp_path, Observation())) == (False, "rota.txt was not there at the start")


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        ({"1.eml": "Ann", "2.eml": "Bob"}, ""),
        ({"1.eml": "Ann", "2.eml": "Rob"}, "2.eml differs"),
        ({"1.eml": "Ann"}, "2.eml is gone"),
        ({"1.eml": "Ann", "2.eml": "Bob", "3.eml": "Eve"}, "3.eml is new"),
        ({"1.eml": "Ann", "3.eml": "Bob"}, "2.eml is gone"),
    ],
)
def test_of_files_that_stay_none_is_changed_gone_new_or_called_otherwise(
    tmp_path: Path, names: dict[str, str], wrong: str
) -> None:
    for at, there in (("start", {"1.eml": "Ann", "2.eml": "Bob"}), ("end", names)):
        for name, text in there.items():
            path = tmp_path / at / "mails" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    check = TypedCheck(kind="same_as", target="mails/*.eml", text="mails/*.eml")
    held, found = holds(check, Side(tmp_path / "end", tmp_path / "start", Observation()))
    assert held is (not wrong)
    assert wrong in found


@pytest.mark.parametrize(
    ("wanted", "text", "held"),
    [
        ("348", "13480", False),
        ("348", "1348", False),
        ("348", "3480", False),
        ("348", "13480, and 348", True),
        ("348", "348.00", True),
        ("348", "348 EUR", True),
        ("348", "EUR348", True),
        ("2026-03-0", "2026-03-01", False),
        ("June 3", "June 30", False),
        ("Total: 348 EUR", "Total:  348\nEUR", True),
        ("a1b", "3a1b4", True),
        ("", "anything", True),
    ],
)
def test_a_number_in_a_text_is_a_whole_one(tmp_path: Path, wanted: str, text: str, held: bool) -> None:
    (tmp_path / "a.txt").write_text(text)
    side = Side(tmp_path, tmp_path, Observation())
    assert holds(TypedCheck(kind="file_contains", target="a.txt", text=wanted), side)[0] is held
    assert holds(TypedCheck(kind="file_lacks", target="a.txt", text=wanted), side)[0] is not held


DATA = '{"items": [{"name": "tea", "price": 3.0, "in": true}, {"a.b": 1, "2": null}], "tags": ["x", "y"]}'
TABLE = "name,sum\nann,3\nbob,4\n"
MARKED = "<list><item id='7'>tea</item><item>rope</item></list>"
EVENT = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Tea\\, with\r\n  Ann\r\nDTSTART;TZID=Europe/Berlin:20260301T150000\r\n"
    'DURATION:PT1H30M\r\nATTENDEE;CN="Ann: B":mailto:ann@example.org\r\nBEGIN:VALARM\r\nDESCRIPTION:Ring\r\nEND:VALARM\r\n'
    "END:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Fair\r\nDTSTART;VALUE=DATE:20260302\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
CARDS = (
    "BEGIN:VCARD\nVERSION:3.0\nFN:Ann Lee\nitem1.EMAIL;TYPE=work:ann@example.org\nTEL:+4930123456\nBDAY:19800102\n"
    "END:VCARD\n"
    "BEGIN:VCARD\nFN:Bob\nEND:VCARD\n"
)
MBOX = (
    "From a@b Sun Mar  1 10:00:00 2026\nSubject: One\n\nbody\n\n"
    "From a@b Sun Mar  1 11:00:00 2026\nSubject: Two\n\nFrom here\n"
)


@pytest.mark.parametrize(
    ("name", "content", "address", "value", "old", "new"),
    [
        ("a.json", DATA, "items[0].price", "3", "3.0", "3.1"),
        ("a.json", DATA, "items[0].in", "true", "true", "false"),
        ("a.json", DATA, 'items[1]["a.b"]', "1", '"a.b": 1', '"a.b": 2'),
        ("a.json", DATA, "items[1][2]", "null", "null", "0"),
        ("a.json", DATA, "items.length", "2", '"items": [', '"items": [1, '),
        ("a.json", DATA, "tags", '["x", "y"]', '"x", "y"', '"y", "x"'),
        ("a.yaml", "server: {port: 80}\n", "server.port", "80", "80", "81"),
        ("a.toml", '[server]\nname = "x"\n', "server.name", "x", '"x"', '"y"'),
        ("a.xml", MARKED, "//item[1]/@id", "7", "'7'", "'8'"),
        ("a.xml", MARKED, "count(//item)", "2", "<item>rope</item>", ""),
        ("a.html", "<h1>Hi</h1>", "//h1", "Hi", "Hi", "Ho"),
        ("a.csv", TABLE, "rows", "3", "bob,4\n", ""),
        ("a.csv", TABLE, "columns", "2", "sum", "sum,x"),
        ("a.csv", TABLE, "header", "name\nsum", "sum", "all"),
        ("a.csv", TABLE, "B2", "3.0", "3", "4"),
        ("a.csv", TABLE, "column[name]", "ann\nbob", "bob", "bo"),
        ("a.ics", EVENT, "events", "2", "Fair", "Fair\r\nEND:VEVENT\r\nBEGIN:VEVENT"),
        ("a.ics", EVENT, "event[1].summary", "Tea, with Ann", "Tea", "Te"),
        ("a.ics", EVENT, "event[1].start", "2026-03-01 15:00", "150000", "150100"),
        ("a.ics", EVENT, "event[1].end", "2026-03-01T16:30:00", "1H30M", "1H"),
        ("a.ics", EVENT, "event[1].description", "", "BEGIN:VALARM", "DESCRIPTION:x\r\nBEGIN:VALARM"),
        ("a.ics", EVENT, "event[1].attendees", "ann@example.org", "ann@", "bob@"),
        ("a.ics", EVENT, "event[Fair].end", "2026-03-03", "20260302", "20260303"),
        ("a.vcf", CARDS, "cards", "2", "FN:Bob", "FN:Bob\nEND:VCARD\nBEGIN:VCARD"),
        ("a.vcf", CARDS, "card[1].name", "Ann Lee", "Lee", "Li"),
        ("a.vcf", CARDS, "card[Ann Lee].email", "ann@example.org", "ann@", "anne@"),
        ("a.vcf", CARDS, "card[1].phone", "+4930123456", "+4930", "4930"),
        ("a.vcf", CARDS, "card[1].birthday", "1980-01-02", "19800102", "19800103"),
        ("a.mbox", MBOX, "count", "2", "\n\nFrom a@b", "\nFrom a@b"),
        ("a.mbox", MBOX, "letter[2].subject", "Two", "Two", "Three"),
    ],
)
def test_texts_of_a_kind(tmp_path: Path, name: str, content: str, address: str, value: str, old: str, new: str) -> None:
    (tmp_path / name).write_bytes(content.encode())
    assert seen(tmp_path, f"{name}#{address}", value) is True, said(tmp_path, f"{name}#{address}")
    assert old in content
    (tmp_path / name).write_bytes(content.replace(old, new).encode())
    assert seen(tmp_path, f"{name}#{address}", value) is False


def drawn(width: int, height: int, mode: str = "RGB", kind: str = "PNG", orientation: int = 1) -> bytes:
    image = Image.new(mode, (width, height))
    exif = Image.Exif()
    exif[0x0112] = orientation
    written = io.BytesIO()
    image.save(written, kind, exif=exif)
    return written.getvalue()


@pytest.mark.parametrize(
    ("address", "value", "wrong"),
    [
        ("width", "40", drawn(39, 30)),
        ("height", "30", drawn(40, 31)),
        ("size", "40x30", drawn(40, 30, orientation=6)),
        ("format", "PNG", drawn(40, 30, kind="JPEG")),
        ("mode", "RGB", drawn(40, 30, mode="L")),
    ],
)
def test_pictures(tmp_path: Path, address: str, value: str, wrong: bytes) -> None:
    (tmp_path / "a.png").write_bytes(drawn(40, 30))
    assert seen(tmp_path, f"a.png#{address}", value) is True, said(tmp_path, f"a.png#{address}")
    (tmp_path / "a.png").write_bytes(wrong)
    assert seen(tmp_path, f"a.png#{address}", value) is False


def test_a_picture_is_as_wide_as_it_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(drawn(40, 30, kind="JPEG", orientation=6))
    assert seen(tmp_path, "a.jpg#size", "30x40") is True


def zipped(**files: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return written.getvalue()


def taped(**files: str) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as tape:
        for name, text in files.items():
            info = tarfile.TarInfo(name.replace("__", "."))
            info.size = len(text)
            tape.addfile(info, io.BytesIO(text.encode()))
    return written.getvalue()


def _same(content: bytes) -> bytes:
    return content


@pytest.mark.parametrize(
    ("name", "made", "packed"),
    [
        ("a.zip", zipped, _same),
        ("a.tar", taped, _same),
        ("a.tar.gz", taped, gzip.compress),
        ("a.tar.bz2", taped, bz2.compress),
        ("a.tar.xz", taped, lzma.compress),
    ],
)
def test_archives(tmp_path: Path, name: str, made: Callable[..., bytes], packed: Callable[[bytes], bytes]) -> None:
    (tmp_path / name).write_bytes(packed(made(b__txt="two", a__txt="one")))
    checks = (("names", "a.txt\nb.txt"), ("files", "2"), ("entry[b.txt].text", "two"), ("entry[a.txt].size", "3"))
    for address, value in checks:
        assert seen(tmp_path, f"{name}#{address}", value) is True, said(tmp_path, f"{name}#{address}")
    (tmp_path / name).write_bytes(packed(made(b__txt="too", a__txt="ones", c__txt="")))
    for address, value in checks:
        assert seen(tmp_path, f"{name}#{address}", value) is False
    assert seen(tmp_path, f"{name}#entry[d.txt].text", "x") is None


def letter(**other: str) -> bytes:
    made = email.message.EmailMessage()
    told = {"Subject": "Tea für zwei", "From": "Ann <ann@example.org>", "To": "bob@example.org", **other}
    for name, value in {"Date": "Sun, 01 Mar 2026 10:00:00 +0100", **told}.items():
        if name not in ("body", "file"):
            made[name] = value
    made.set_content(other.get("body", "See you\n"))
    made.add_attachment(other.get("file", "a,b\n"), subtype="csv", filename="list.csv")
    return bytes(made)


@pytest.mark.parametrize(
    ("address", "value", "wrong"),
    [
        ("subject", "Tea für zwei", letter(Subject="Tea for zwei")),
        ("from", "Ann <ann@example.org>", letter(From="Anne <ann@example.org>")),
        ("to", "bob@example.org", letter(To="bob@example.com")),
        ("header[To]", "bob@example.org", letter(To="bob@example.com")),
        ("date", "2026-03-01T09:00:00Z", letter(Date="Sun, 01 Mar 2026 10:00:01 +0100")),
        ("body", "See you", letter(body="See me\n")),
        ("attachments", "list.csv", b"Subject: x\n\nhi"),
        ("attachment[list.csv].text", "a,b", letter(file="a,c\n")),
    ],
)
def test_mail(tmp_path: Path, address: str, value: str, wrong: bytes) -> None:
    (tmp_path / "a.eml").write_bytes(letter())
    assert seen(tmp_path, f"a.eml#{address}", value) is True, said(tmp_path, f"a.eml#{address}")
    (tmp_path / "a.eml").write_bytes(wrong)
    assert seen(tmp_path, f"a.eml#{address}", value) is False


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    repo = Repo.init(str(folder), default_branch=b"main")
    for number, name in enumerate(("a.txt", "b.txt")):
        (folder / name).write_text(name)
        porcelain.add(repo, [str(folder / name)])
        who = b"Ann <ann@example.org>"
        porcelain.commit(repo, message=f"Add {name}".encode(), author=who, committer=who, commit_timestamp=number)
    repo.close()
    return tmp_path


GIT: list[tuple[str, str, Callable[[Path], object]]] = [
    ("branch", "main", lambda p: (p / ".git/HEAD").write_text("ref: refs/heads/other\n")),
    ("commits", "2", lambda p: (p / ".git/refs/heads/main").unlink()),
    ("message", "Add b.txt", lambda p: _commit(p, b"More")),
    ("tracked", "a.txt\nb.txt", lambda p: _commit(p, b"More")),
    ("clean", "true", lambda p: (p / "a.txt").write_text("changed")),
    ("clean", "true", lambda p: (p / "new.txt").write_text("new")),
    ("clean", "true", lambda p: (p / "b.txt").unlink()),
    ("changed", "", lambda p: (p / "b.txt").unlink()),
    ("branches", "main", lambda p: porcelain.branch_create(str(p), "other")),
    ("tags", "", lambda p: porcelain.tag_create(str(p), "v1")),
]


def _commit(folder: Path, message: bytes) -> None:
    (folder / "c.txt").write_text("c")
    porcelain.add(str(folder), [str(folder / "c.txt")])
    porcelain.commit(str(folder), message=message, author=b"A <a@b>", committer=b"A <a@b>")


@pytest.mark.parametrize(("address", "value", "change"), GIT, ids=[f"{each[0]}-{n}" for n, each in enumerate(GIT)])
def test_repositories(project: Path, address: str, value: str, change: Callable[[Path], object]) -> None:
    assert seen(project, f"project#git.{address}", value) is True, said(project, f"project#git.{address}")
    change(project / "project")
    assert seen(project, f"project#git.{address}", value) is False


def test_what_git_ignores_is_no_change_and_packed_objects_are_read(project: Path) -> None:
    folder = project / "project"
    (folder / ".gitignore").write_text("*.log\nbuild/\n")
    porcelain.add(str(folder), [str(folder / ".gitignore")])
    porcelain.commit(str(folder), message=b"Ignore", author=b"A <a@b>", committer=b"A <a@b>")
    (folder / "a.log").write_text("x")
    (folder / "build").mkdir()
    (folder / "build/out").write_text("x")
    porcelain.repack(str(folder))
    assert seen(project, "project#git.clean", "true") is True, said(project, "project#git.changed")
    assert seen(project, "project#git.commits", "3") is True


def test_nothing_that_a_repository_names_is_run_or_followed(project: Path, tmp_path: Path) -> None:
    folder, mark = project / "project", tmp_path / "mark"
    hook = folder / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    (folder / ".git/config").write_text(f'[core]\n\tfsmonitor = "touch {mark}"\n[filter "x"]\n\tclean = touch {mark}\n')
    (folder / ".gitattributes").write_text("* filter=x\n")
    assert seen(project, "project#git.clean", "true") is False
    assert seen(project, "project#git.branch", "main") is True
    assert not mark.exists()
    (folder / ".git/objects/info").mkdir(exist_ok=True)
    (folder / ".git/objects/info/alternates").write_text("/elsewhere\n")
    assert "elsewhere" in said(project, "project#git.branch")
    assert seen(project, "project#git.branch", "main") is None
    (project / "other").mkdir()
    (project / "other/.git").write_text(f"gitdir: {folder}/.git\n")
    assert seen(project, "other#git.branch", "main") is None


@pytest.mark.parametrize("name", ["HEAD", "index", "refs/heads/main"])
def test_a_damaged_repository_cannot_be_looked_at(project: Path, name: str) -> None:
    (project / "project/.git" / name).write_bytes(b"\xff\x00nonsense" * 9)
    assert seen(project, "project#git.clean", "true") is not True


@functools.cache
def _bomb() -> bytes:
    return zipped(big="\0" * (80 << 20))


def _huge_tape() -> bytes:
    written = io.BytesIO()
    with gzip.GzipFile(fileobj=written, mode="wb", compresslevel=1) as file:
        info = tarfile.TarInfo("big")
        info.size = 300 << 20
        file.write(info.tobuf())
        for _ in range(300):
            file.write(bytes(1 << 20))
    return written.getvalue()


def _many() -> bytes:
    document: Any = docx.Document()
    body = document.element.body
    first = document.add_paragraph("x")._p
    for _ in range(tree.MOST + 5):
        body.append(first.__copy__())
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def _within(part: str, text: str, template: Any) -> bytes:
    """An office document with one part replaced."""
    source, written = io.BytesIO(), io.BytesIO()
    template.save(source)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, text if name == part else old.read(name))
    return written.getvalue()


_TENFOLD = "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefghi", "bcdefghij", strict=True))
LAUGHS = f'<!DOCTYPE l [<!ENTITY a "ha">{_TENFOLD}]><l>&j;</l>'
OUTSIDE = '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><l>&x;</l>'


@pytest.mark.parametrize(
    ("target", "content"),
    [
        ("a.zip#entry[big].text", _bomb),
        ("a.docx#headings", _bomb),
        ("a.xlsx#sheets", _bomb),
        ("a.odt#headings", _bomb),
        ("a.tar.gz#names", _huge_tape),
        ("a.tar.xz#names", lzma.compress(taped(a="x"))[:90]),
        ("a.docx#paragraphs", _many),
        ("a.docx#paragraphs", _within("word/document.xml", LAUGHS, docx.Document())),
        ("a.docx#paragraphs", _within("word/document.xml", "<a>" * 10_000, docx.Document())),
        ("a.xlsx#B2.bold", _within("xl/workbook.xml", OUTSIDE, openpyxl.Workbook())),
        ("a.xml#//l/x", LAUGHS.encode()),
        ("a.xml#//a", b"<a>" * 100_000),
        ("a.json#a", b"[" * 200_000),
        ("a.yaml#a", b"a: [1, &x {b: *x"),
        ("a.yaml#a", b"a: !!python/object/apply:os.system [ls]"),
        ("a.pdf#pages", b"%PDF-1.7\nnothing"),
        ("a.png#width", b"\x89PNG\r\n\x1a\nnothing"),
        ("a.png#width", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"),
        ("a.eml#subject", b"Subject: " + b"(" * 100_000 + b"\n\nx"),
        ("a.eml#subject", b"nothing like a letter"),
        ("a.ics#events", b"nothing"),
        ("a.vcf#cards", b""),
        ("a.mbox#count", b"nothing"),
        ("a.txt#line", b"text"),
        ("a.csv#Sheet1!B2", b"a,b"),
    ],
)
def test_what_is_damaged_or_means_harm_cannot_be_looked_at(
    tmp_path: Path, target: str, content: bytes | Callable[[], bytes]
) -> None:
    (tmp_path / target.partition("#")[0]).write_bytes(content() if callable(content) else content)
    assert seen(tmp_path, target, "?") is None
    assert said(tmp_path, target)


def test_no_entity_is_read_from_the_machine(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(OUTSIDE)
    assert "root" not in said(tmp_path, "a.xml#//l")


def test_names_that_lead_out_of_an_archive_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(**{"/etc/passwd": "mine", "../up": "too"}))
    assert seen(tmp_path, "a.zip#entry[/etc/passwd].text", "mine") is True
    assert seen(tmp_path, "a.zip#names", "../up\n/etc/passwd") is True
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip"}


@given(suffix=st.sampled_from(sorted(READERS)), content=st.binary(max_size=300), address=st.text(min_size=1, max_size=30))
def test_no_content_and_no_address_breaks_a_look(tmp_path: Path, suffix: str, content: bytes, address: str) -> None:
    (tmp_path / f"a{suffix}").write_bytes(content)
    with suppress(ActionError):
        assert isinstance(value_at(tmp_path / f"a{suffix}", address), str)


KINDS = ("docx", "xlsx", "zip", "tar", "png", "eml")


@given(at=st.integers(0, 10_000), byte=st.integers(0, 255), which=st.sampled_from(KINDS))
def test_a_file_with_one_byte_altered_never_breaks_a_look(tmp_path: Path, at: int, byte: int, which: str) -> None:
    made, address = _whole(which)
    data = bytearray(made)
    data[at % len(data)] = byte
    (tmp_path / f"a.{which}").write_bytes(bytes(data))
    assert seen(tmp_path, f"a.{which}#{address}", "x") in (None, False)


def _whole(which: str) -> tuple[bytes, str]:
    written = io.BytesIO()
    match which:
        case "docx":
            docx.Document().save(written)
            return written.getvalue(), "headings"
        case "xlsx":
            openpyxl.Workbook().save(written)
            return written.getvalue(), "A1.bold"
        case "zip":
            return zipped(a="one"), "entry[a].text"
        case "tar":
            return taped(a="one"), "entry[a].text"
        case "png":
            return drawn(4, 3), "size"
        case _:
            return letter(), "subject"


@given(
    st.recursive(st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=5)
)
def test_every_value_of_a_list_is_at_its_address(value: Any) -> None:
    address, at = "a", value
    while isinstance(at, list):
        address, at = f"{address}[{len(at) - 1}]", at[-1]
    read = READERS[".json"](json.dumps({"a": value}).encode(), address)
    assert read == (at if isinstance(at, str) else json.dumps(at))


def test_a_file_that_several_states_share_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reading(path: Path, address: str) -> str:
        read.append(address)
        return value_at(path, address)

    monkeypatch.setattr("deskcrew.evidence.places.reading.value_at", reading)
    values: dict[tuple[int, int, str, str], str | ActionError] = {}
    (tmp_path / "kept").write_text(TABLE)
    for state, check, wanted in (("1", "B2", True), ("2", "B2", True), ("1", "rows.x", None), ("2", "rows.x", None)):
        folder = tmp_path / state
        folder.mkdir(exist_ok=True)
        (folder / "a.csv").unlink(missing_ok=True)
        (folder / "a.csv").hardlink_to(tmp_path / "kept")
        side = Side(folder, folder, Observation(), values=values)
        assert holds(TypedCheck(kind="value_is", target=f"a.csv#{check}", text="3"), side)[0] is wanted
    assert read == ["B2", "rows.x"]
