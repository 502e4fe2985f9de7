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
from deskcrew.evidence.counter_starts import altered_input
from deskcrew.facts.verdict import Outcome
from test_changed_later import ANSWERED, ASKING
from test_proof import CONTRACT, COSTS, PROBE, asked, python, ran, writing

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
    told = asked(calls, "Verifier")[1].text()
    assert "requirement_1: it would say the same whatever the files held" in told
    assert (
        "(not noticed: costs.csv with other numbers; costs.csv without every other line; costs.csv with other words)" in told
    )


async def test_who_works_it_out_once_that_was_said_is_believed(tmp_path: Path) -> None:
    outcome, _, _ = await ran(tmp_path, writing("42.50\n"), Verifier=[by_heart("42.50\n"), {"code": PROBE}])
    assert outcome.status == "done", outcome.why


HERE = "Add up all the amounts that are here, into total.txt. Thanks!"
UNNAMED: dict[str, Any] = {
    "requirements": [{"parts": [1], "says": "total.txt holds the sum", "seen_by": "probe", "files": ["total.txt"]}],
    "context": [2],
}
TYPED = "def requirement_1(start, end):\n    return (end / 'total.txt').read_text().strip() == '43.50', 'known'\n"
GIT = {"sub/.git/HEAD": "ref: refs/heads/main\n", "sub/a.txt": "rope\n"}


@pytest.mark.parametrize("files", [{}, GIT], ids=["alone", "beside a repository"])
async def test_the_inputs_need_not_be_named(tmp_path: Path, files: dict[str, str]) -> None:
    """Wrong work, and a probe with its result typed in; then right work, and one that works it out."""
    outcomes: list[Outcome] = []
    for text, code in (("43.50", TYPED), ("42.50", PROBE)):
        folder = tmp_path / text
        folder.mkdir()
        given: dict[str, Any] = {"task": HERE, "files": {"costs.csv": COSTS, **files}, "ContractWriter": [UNNAMED]}
        outcome, _, _ = await ran(folder, writing(text), Verifier=[{"code": code}] * 2, **given)
        outcomes.append(outcome)
    wrong, right = outcomes
    assert (wrong.status, right.status) == ("unverified", "done"), (wrong.why, right.why)
    assert "whatever the files held" in wrong.why


async def test_a_repository_below_the_top_leaves_no_file_out(tmp_path: Path) -> None:
    outcome, _, _ = await ran(tmp_path, writing(WRONG), files={"costs.csv": COSTS, **GIT}, Verifier=[by_heart(WRONG)] * 2)
    assert outcome.status == "unverified", outcome.why


async def test_a_probe_that_reads_what_git_keeps_is_believed(tmp_path: Path) -> None:
    contract = {**UNNAMED, "requirements": [{**UNNAMED["requirements"][0], "files": ["ids.txt"]}]}
    files = {"sub/.git/HEAD": "0123abc\n", "sub/a.txt": "rope\n"}
    code = (
        "def requirement_1(start, end):\n"
        "    head = (start / 'sub' / '.git' / 'HEAD').read_text().strip()\n"
        "    return (end / 'ids.txt').read_text() == head, head\n"
    )
    given: dict[str, Any] = {"task": "Which commit is it? Into ids.txt.", "files": files, "ContractWriter": [contract]}
    outcome, _, _ = await ran(tmp_path, writing("0123abc", "ids.txt"), Verifier=[{"code": code}], **given)
    assert outcome.status == "done", outcome.why


SQUARES = "1 1\n2 4\n3 9\n"
NO_FILES = (
    "def requirement_1(start, end):\n"
    "    return (end / 'total.txt').read_text() == ''.join(f'{n} {n * n}\\n' for n in (1, 2, 3)), 'squares'\n"
)


@pytest.mark.parametrize(
    ("work", "code", "status"),
    [
        (writing(SQUARES), NO_FILES, "unverified"),
        (writing(SQUARES), f"NO_INPUT = [1]\n{NO_FILES}", "done"),
        (python(f"open('costs.csv').read()\nopen('total.txt', 'w').write({SQUARES!r})"), f"NO_INPUT = [1]\n{NO_FILES}",
         "unverified"),
    ],
    ids=["not said", "said", "said, but a file was read"],
)  # fmt: skip
async def test_what_rests_on_no_file_is_said_to_and_believed_where_none_was_read(
    tmp_path: Path, work: dict[str, Any], code: str, status: str
) -> None:
    task = "Write the squares of the first three numbers into total.txt. Thanks!"
    outcome, _, _ = await ran(tmp_path, work, task=task, ContractWriter=[UNNAMED], Verifier=[{"code": code}] * 2)
    assert outcome.status == status, outcome.why


async def test_a_program_is_tried_by_running_it(tmp_path: Path) -> None:
    contract = {**UNNAMED, "requirements": [{**UNNAMED["requirements"][0], "files": ["double.py"]}]}
    made = "import sys\nprint(int(sys.argv[1]) * 2 + 0)\n"
    code = (
        "import subprocess, sys\n"
        "def requirement_1(start, end):\n"
        "    run = [sys.executable, str(end / 'double.py')]\n"
        "    said = [subprocess.run([*run, n], capture_output=True, text=True).stdout.strip() for n in ('3', '21')]\n"
        "    return said == ['6', '42'], str(said)\n"
    )
    given: dict[str, Any] = {"task": "Make a program double.py. Thanks!", "ContractWriter": [contract]}
    outcome, _, _ = await ran(tmp_path, writing(made, "double.py"), Verifier=[{"code": code}] * 2, **given)
    assert "whatever the files held" not in outcome.why


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
