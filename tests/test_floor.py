"""Whole runs whose proof is too weak: a check that any file of the right kind would pass is no evidence of what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from test_proof import asked, python, ran

pytestmark = pytest.mark.anyio

MADE = {
    "a picture": ("new.png", "from PIL import Image; Image.new('RGB', (30, 20), 'red').save('new.png')"),
    "a page": (
        "new.pdf",
        "from PIL import Image; Image.new('RGB', (300, 200), 'red').save('new.pdf')",
    ),
    "slides": (
        "new.pptx",
        "from pptx import Presentation; p = Presentation();"
        " s = p.slides.add_slide(p.slide_layouts[5]); s.shapes.title.text = 'Fees of 2031'; p.save('new.pptx')",
    ),
    "a container that nobody here reads": ("new.bin", "open('new.bin', 'wb').write(b'BOX1' + bytes(range(256)) * 9)"),
    "a table": ("new.db", "import sqlite3; d = sqlite3.connect('new.db'); d.execute('create table fees (x)'); d.commit()"),
}
KINDS = {"new.png": b"\x89PNG", "new.pdf": b"%PDF", "new.pptx": b"PK", "new.bin": b"BOX1", "new.db": b"SQLite"}
LOOKING = {
    "new.png": "from PIL import Image\ndef looks(file):\n    return Image.open(file).size == (30, 20)",
    "new.pdf": "import pypdf\ndef looks(file):\n    return len(pypdf.PdfReader(file).pages[0].images) == 1",
    "new.pptx": (
        "from pptx import Presentation\ndef looks(file):\n"
        "    return 'Fees of 2031' in [s.text_frame.text for s in Presentation(file).slides[0].shapes]"
    ),
    "new.bin": "def looks(file):\n    return file.read_bytes() == b'BOX1' + bytes(range(256)) * 9",
    "new.db": (
        "import sqlite3\ndef looks(file):\n    d = sqlite3.connect(f'file:{file}?immutable=1', uri=True)\n"
        "    return [*d.execute('select name from sqlite_master')] == [('fees',)]"
    ),
}
PROBE = """
NO_INPUT = [1]
{looks}
def requirement_1(start, end):
    file = end / {path!r}
    return file.exists() and looks(file), 'looked for'
"""


def wanting(path: str) -> dict[str, Any]:
    return {"requirements": [{"parts": [1], "says": "it shows what is asked for", "seen_by": "probe", "files": [path]}]}


BOTH = wanting("b.bin")
BOTH["requirements"][0]["files"] = ["a.txt", "b.bin"]
EVERY = {
    "code": "NO_INPUT = [1]\ndef requirement_1(start, end):\n    names = [f'{n:02}.txt' for n in range(60)]\n"
    "    return all((end / n).read_text() == 'box ' + n for n in names), 'all'"
}


async def made(folder: Path, path: str, code: str, *looks: str, **roles: Any) -> tuple[Any, Any, Any]:
    codes = [{"code": PROBE.format(looks=each, path=path)} for each in looks]
    given: Mapping[str, Any] = {"ContractWriter": [wanting(path)], "Verifier": codes, **roles}
    return await ran(
        folder, python(code), *[python("print(1)")] * 4, task="Make what was ordered", files={"a.txt": "a"}, **given
    )


@pytest.mark.first_case
@pytest.mark.parametrize(("path", "code"), MADE.values(), ids=MADE)
async def test_a_file_of_the_right_kind_is_no_evidence_of_its_content(tmp_path: Path, path: str, code: str) -> None:
    lax = f"def looks(file):\n    return file.read_bytes().startswith({KINDS[path]!r})"
    outcome, _, calls = await made(tmp_path, path, code, *[lax] * 9)
    assert outcome.status == "unverified", outcome.why
    assert f"it noticed no part that was altered in {path}" in outcome.why
    assert f"it noticed no part that was altered in {path}" in asked(calls, "Verifier")[1].text(), "its writer is told"


@pytest.mark.parametrize(("path", "code"), MADE.values(), ids=MADE)
async def test_a_check_that_looks_at_a_part_is_evidence(tmp_path: Path, path: str, code: str) -> None:
    outcome, _, calls = await made(tmp_path, path, code, LOOKING[path])
    assert outcome.status == "done", outcome.why
    assert len(asked(calls, "Verifier")) == 1
    assert "part damaged" in outcome.strength.words


async def test_a_file_that_only_moved_needs_no_alteration_of_its_content(tmp_path: Path) -> None:
    lax = "def looks(file):\n    return not (file.parent / 'a.txt').exists() and file.read_bytes()[:1] == b'a'"
    outcome, _, _ = await made(tmp_path, "b.bin", "import os; os.rename('a.txt', 'b.bin')", lax, ContractWriter=[BOTH])
    assert outcome.status == "done", outcome.why


async def test_of_many_files_those_that_were_altered_stand_for_all(tmp_path: Path) -> None:
    names = [f"{number:02}.txt" for number in range(60)]
    code = f"for name in {names}: open(name, 'w').write('box ' + name)"
    outcome, _, _ = await made(tmp_path, "??.txt", code, Verifier=[EVERY])
    assert outcome.status == "done", outcome.why
