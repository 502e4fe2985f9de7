"""Whole runs of a small model that has something written down or changed in a file, without a desktop."""

from __future__ import annotations

from pathlib import Path

import docx
import pytest

from deskcrew.journal.journal import Journal
from support.crew import done
from test_small_model import YES, code, go, play, says

pytestmark = pytest.mark.anyio
BILLS = "number,paid\nB-101,yes\nB-102,no\nB-103,no\n"
CONTACTS = ("Plumber: Mr Vogel, 0221 443210", "Dentist: Dr Irina Lang, 0221 998877", "School: Ms Otto, 0221 551122")


async def with_contacts(folder: Path, task: str, *replies: object) -> Journal:
    work = folder / "work"
    work.mkdir()
    document = docx.Document()
    for line in CONTACTS:
        document.add_paragraph(line)
    document.save(str(work / "contacts.docx"))
    return await play(work, task, replies, by=("FileManager",))


async def test_a_note_that_copies_the_whole_document_is_not_believed(tmp_path: Path) -> None:
    task = "Take the name of the dentist from contacts.docx and write it into name.txt."
    writes = {"function": "write_file", "file_path": "name.txt", "text": "\n".join(CONTACTS)}
    reads = {"operations": [{"function": "read_file", "file_path": "contacts.docx"}], "branch": "RoleTaskFinish"}
    journal = await with_contacts(tmp_path, task, reads, {"operations": [writes], "branch": "RoleTaskFinish"})
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, "not only what was asked for" in outcome.why) == ("unverified", True)


async def test_what_a_program_wrote_and_did_not_print_is_the_answer(tmp_path: Path) -> None:
    task = "Which bills in bills.csv have not been paid? Write their numbers into unpaid.txt, one on each line."
    lines = (
        "import csv",
        "rows = csv.DictReader(open('bills.csv'))",
        "found = [row['number'] for row in rows if row['paid'] == 'no']",
        "f = open('unpaid.txt', 'w')",
        "n = f.write('\\n'.join(found))",
        "f.close()",
    )
    journal = await go(tmp_path, task, [code(*lines), says("B-102\nB-103"), YES], bills__csv=BILLS)
    outcome = journal.state.outcome
    assert outcome is not None
    assert outcome.answer.split() == ["B-102", "B-103"]
    assert (outcome.status, "one on each line" in outcome.why) == ("unverified", True), "whose lines these are no rule knows"


async def test_a_name_that_is_to_come_in_is_not_missing(tmp_path: Path) -> None:
    task = "In letter.txt replace every Monday with Thursday and save the file."
    change = code("t = open('letter.txt').read()", "n = open('letter.txt', 'w').write(t.replace('Monday', 'Thursday'))")
    journal = await go(tmp_path, task, [change], letter__txt="On Monday we meet.\nMonday is fine.\n")
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    assert done(journal) == ["run_python_code"]


async def test_a_change_of_something_else_is_not_done(tmp_path: Path) -> None:
    task = "In letter.txt replace every Monday with Thursday and save the file."
    change = code("t = open('letter.txt').read()", "n = open('letter.txt', 'w').write('Thursday')")
    journal = await go(tmp_path, task, [change] * 8, letter__txt="On Monday we meet.\nMonday is fine.\n")
    assert journal.state.outcome is not None
    assert journal.state.outcome.status != "done"


async def test_a_file_to_be_made_is_not_missing(tmp_path: Path) -> None:
    task = "List the numbers of all bills in bills.csv that are not paid in open.txt, one per line."
    lines = (
        "import csv",
        "rows = csv.DictReader(open('bills.csv'))",
        "f = open('open.txt', 'w')",
        "n = f.write('\\n'.join(row['number'] for row in rows if row['paid'] == 'no'))",
        "f.close()",
    )
    journal = await go(tmp_path, task, [code(*lines), says("B-102\nB-103"), YES], bills__csv=BILLS)
    assert (tmp_path / "work/open.txt").read_text() == "B-102\nB-103"
    assert journal.state.outcome is not None
    assert journal.state.outcome.reason != "infeasible"
