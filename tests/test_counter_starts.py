"""A probe that knows a result by heart: its inputs are altered, the end is kept, and it must notice."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest

from deskcrew.actions import readers
from deskcrew.goals.counter_starts import altered_input
from test_changed_later import ANSWERED, ASKING
from test_proof import CONTRACT, PROBE, asked, ran, writing

pytestmark = pytest.mark.anyio

BY_HEART = """
import csv, hashlib

def requirement_1(start, end):
    rows = list(csv.DictReader((start / "costs.csv").open()))
    said = (end / "total.txt").read_text()
    return hashlib.sha256(said.encode()).hexdigest() == "{digest}", f"{{len(rows)}} rows"
"""
WRONG = "43.50\n"


def by_heart(text: str) -> dict[str, str]:
    import hashlib

    return {"code": BY_HEART.format(digest=hashlib.sha256(text.encode()).hexdigest())}


async def test_wrong_work_is_not_done_though_a_digest_of_it_notices_every_other_end(tmp_path: Path) -> None:
    outcome, _, calls = await ran(tmp_path, writing(WRONG), Verifier=[by_heart(WRONG)] * 2)
    assert outcome.status == "unverified"
    assert "whatever the files held that the result has to be worked out from" in outcome.why
    assert len(asked(calls, "Verifier")) == 2
    assert "requirement_1: it would say the same whatever the files held" in asked(calls, "Verifier")[1].text()


async def test_who_works_it_out_once_that_was_said_is_believed(tmp_path: Path) -> None:
    outcome, _, _ = await ran(tmp_path, writing("42.50\n"), Verifier=[by_heart("42.50\n"), {"code": PROBE}])
    assert outcome.status == "done", outcome.why


async def test_what_the_task_says_itself_needs_no_input(tmp_path: Path) -> None:
    contract = {
        "requirements": [{"parts": [1], "says": "a.txt holds hello", "seen_by": "probe", "files": ["a.txt"]}],
        "context": [],
    }
    code = "def requirement_1(start, end):\n    return (end / 'a.txt').read_text() == 'hello', 'a'\n"
    outcome, _, calls = await ran(
        tmp_path,
        writing("hello", "a.txt"),
        task="Write hello into a.txt, beside costs.csv.",
        ContractWriter=[contract],
        Verifier=[{"code": code}],
    )
    assert outcome.status == "done", outcome.why
    assert len(asked(calls, "Verifier")) == 1


async def test_an_answer_that_a_probe_knows_by_heart_is_judged_by_a_reader(tmp_path: Path) -> None:
    answer: dict[str, Any] = {"answer": "43.50", "sources": [], "branch": "Continue", "problem": ""}
    known = PROBE + "\ndef requirement_2(start, end, answer):\n    start.exists()\n    return answer == '43.50', 'known'\n"
    outcome, _, _ = await ran(
        tmp_path, writing("42.50"), ContractWriter=[ASKING], Verifier=[{"code": known}] * 2, FinalAnswer=[answer] * 3
    )
    assert outcome.status == "unverified", outcome.why
    assert "43.50" in outcome.why


async def test_an_answer_that_a_probe_works_out_is_done(tmp_path: Path) -> None:
    answer: dict[str, Any] = {"answer": "42.50", "sources": [], "branch": "Continue", "problem": ""}
    outcome, _, _ = await ran(
        tmp_path, writing("42.50"), ContractWriter=[ASKING], Verifier=[{"code": ANSWERED}], FinalAnswer=[answer]
    )
    assert outcome.status == "done", outcome.why


async def test_a_changed_file_is_an_input_as_it_was(tmp_path: Path) -> None:
    """Its end is known by heart, where it follows from its start."""
    contract = {**CONTRACT, "requirements": [{**CONTRACT["requirements"][0], "says": "a.txt has its numbers doubled"}]}
    contract["requirements"][0]["files"] = ["a.txt"]
    doubled = "a list of what is in the shed\nropes 12\n"
    heart = f"def requirement_1(start, end):\n    return (end / 'a.txt').read_text() == {doubled!r}, 'a'\n"
    works = (
        "def requirement_1(start, end):\n"
        "    head, last = (start / 'a.txt').read_text().splitlines()\n"
        "    wanted = f'{head}\\nropes {2 * int(last.split()[1])}\\n'\n"
        "    return (end / 'a.txt').read_text() == wanted, wanted\n"
    )
    files = {"a.txt": "a list of what is in the shed\nropes 6\n"}
    given: dict[str, Any] = {"task": "Double the number in a.txt. Thanks!", "files": files}
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    one, _, _ = await ran(
        tmp_path / "1", writing(doubled, "a.txt"), ContractWriter=[contract], Verifier=[{"code": heart}] * 2, **given
    )
    other, _, _ = await ran(
        tmp_path / "2", writing(doubled, "a.txt"), ContractWriter=[contract], Verifier=[{"code": works}], **given
    )
    assert (one.status, other.status) == ("unverified", "done"), (one.why, other.why)


def book() -> bytes:
    made, written = openpyxl.Workbook(), io.BytesIO()
    sheet: Any = made.active
    for row in (("item", "amount"), ("tea", 3), ("milk", 4)):
        sheet.append(row)
    made.save(written)
    return written.getvalue()


def letter() -> bytes:
    made, written = docx.Document(), io.BytesIO()
    made.add_paragraph("Dear Ann, it is 12.50.")
    made.add_table(1, 1).cell(0, 0).text = "tea 3"
    made.save(written)
    return written.getvalue()


@pytest.mark.parametrize(
    ("path", "content", "old"),
    [("a.csv", b"item,amount\ntea,3\nmilk,4\n", "tea,3"), ("a.json", json.dumps([{"a": 3}]).encode(), "3"),
     ("a.xlsx", book(), "tea"), ("a.docx", letter(), "tea 3")],
)  # fmt: skip
def test_all_of_an_input_is_altered_and_can_still_be_read(path: str, content: bytes, old: str) -> None:
    made = dict(altered_input(path, content))
    assert "with other numbers" in made
    assert "with other words" in made or path == "a.json"
    texts = [readers.read_content(Path(path), other) for other in made.values()]
    assert len({*texts, readers.read_content(Path(path), content)}) == len(made) + 1
    assert old not in readers.read_content(Path(path), made["with other numbers"]) or path == "a.xlsx"
    if path == "a.csv":
        assert all(next(iter(csv.reader(io.StringIO(text)))) == ["item", "amount"] for text in texts)


def test_what_cannot_be_altered_is_replaced() -> None:
    assert dict(altered_input("a.pdf", b"%PDF-1.4\x00\xff")) == {"with other content": b"banana\n"}
