"""What was there before the run is lost only where somebody says so, however it is taken away and in however many steps.

Looked at from outside: what is on the disk when the run is over. Nobody is there to ask.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.evidence.required import required_contract
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in

pytestmark = pytest.mark.anyio
LETTER = "\n".join(f"Line {number} of the letter to aunt Mary about the garden and its pears" for number in range(64))
FILES = {"letter.txt": LETTER, "report.csv": "item,price\npear,3\napple,4\nplum,5\ntotal,11\n", "total.txt": "41\n"}


def write(path: str, text: str, **more: Any) -> dict[str, Any]:
    return {"function": "write_file", "file_path": path, "text": text, **more}


def delete(path: str) -> dict[str, Any]:
    return {"function": "delete_file", "path": path}


def move(source: str, destination: str) -> dict[str, Any]:
    return {"function": "move_file", "source": source, "destination": destination}


def shell(command: str) -> dict[str, Any]:
    return {"function": "run_shell", "command": command}


def python(code: str) -> dict[str, Any]:
    return {"function": "run_python_code", "code": code}


async def ran(folder: Path, task: str, *operations: dict[str, Any], require: tuple[str, ...] = ()) -> Journal:
    """A run of one agent that wants these operations, one after the other, whatever becomes of them."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    for name, text in FILES.items():
        (work / name).write_text(text)
    left = list(operations)

    def reply(_: Call) -> dict[str, Any]:
        if left:
            return {"operations": [left.pop(0)], "branch": "Continue"}
        return {"operations": [], "branch": "RoleTaskFinish"}

    request = RunRequest(
        task=task, workspace=work, desktop="none", crew="solo", model="scripted:x", required=required_contract(require)
    )
    journal = await session.run(request, settings_in(folder), model=ScriptedModel([reply] * 40))
    assert (await replay(journal)).difference is None
    return journal


def halving() -> list[str]:
    lines = LETTER.splitlines()
    return ["\n".join(lines[: 64 >> step]) for step in range(1, 7)]


LOSING = {
    "replaced": [write("letter.txt", "Nothing of that.\n")],
    "emptied": [write("letter.txt", "")],
    "removed": [delete("letter.txt")],
    "moved, and then removed": [move("letter.txt", "old.txt"), delete("old.txt")],
    "moved by a program, and then removed": [shell("mv letter.txt old.txt"), shell("rm old.txt")],
    "moved into the trash": [shell("mkdir -p .trash && mv letter.txt .trash/")],
    "halved again and again": [write("letter.txt", text) for text in halving()],
    "halved by a program": [python("p='letter.txt';s=open(p).read();open(p,'w').write(s[:len(s)//2])")] * 6,
    "halved by both": [
        write("letter.txt", halving()[0]),
        *[shell("head -c $(($(stat -c %s letter.txt) / 2)) letter.txt > x; cat x > letter.txt; rm x")] * 3,
    ],
}


@pytest.mark.parametrize("operations", LOSING.values(), ids=LOSING)
async def test_what_nobody_ordered_to_go_is_not_lost(tmp_path: Path, operations: list[dict[str, Any]]) -> None:
    journal = await ran(tmp_path, "Say how many files there are.", *operations)
    left = [path.read_text() for path in (tmp_path / "work").glob("*.txt")]
    assert any(len(text) >= len(LETTER) / 2 - 1 and text[:40] == LETTER[:40] for text in left), left
    denied = bodies(journal, e.OperationDenied)
    assert denied
    assert {body.risk for body in denied} == {"destroy"}
    assert "letter.txt" in denied[0].why or "old.txt" in denied[0].why


EDITS = {
    "Correct the total in report.csv": [write("report.csv", FILES["report.csv"].replace("11", "12"))],
    "Set total.txt to 42": [write("total.txt", "42\n")],
    "Write 42 into total.txt with a program": [shell("echo 42 > total.txt")],
    "Append a line to letter.txt": [write("letter.txt", "Yours, Tom\n", append=True)],
    "Keep only the total in report.csv": [write("report.csv", "item,price\ntotal,11\n")],
    "Correct a word in the letter": [write("letter.txt", LETTER.replace("pears", "plums"))],
    "Make a draft and throw it away": [write("draft.txt", "A draft"), write("draft.txt", "Other"), delete("draft.txt")],
    "Make one with a program": [shell("echo draft > draft.txt"), shell("echo x > draft.txt"), delete("draft.txt")],
    "Tidy up": [move("letter.txt", "old/letter.txt"), move("report.csv", "old/report.csv")],
}


@pytest.mark.parametrize("task", EDITS)
async def test_ordinary_work_is_not_asked_about(tmp_path: Path, task: str) -> None:
    journal = await ran(tmp_path, task, *EDITS[task])
    assert bodies(journal, e.OperationDenied) == []
    assert len(bodies(journal, e.ActionFinished)) == len(EDITS[task])


@pytest.mark.parametrize(("required", "left"), [("file_exists total.txt", "41\n"), ("file_contains total.txt 50", "50\n")])
async def test_that_a_file_is_to_exist_does_not_say_that_it_changes(tmp_path: Path, required: str, left: str) -> None:
    journal = await ran(tmp_path, "Set the total to 50.", write("total.txt", "50\n"), require=(required,))
    assert (tmp_path / "work/total.txt").read_text() == left
    assert len(bodies(journal, e.OperationDenied)) == (left == "41\n")


async def test_a_workbook_is_not_emptied_sheet_by_sheet(tmp_path: Path) -> None:
    """The form of a workbook, which stays, is far more than its text."""
    (tmp_path / "work").mkdir()
    book, names = openpyxl.Workbook(), [f"Quarter {number}" for number in range(6)]
    for name in names:
        sheet = book.create_sheet(name)
        for row in range(30):
            sheet.append([f"{name} entry {row}", f"customer{row} of {name}", row * 1000 + 117])
    book.save(tmp_path / "work" / "book.xlsx")
    empty = "import openpyxl\nb=openpyxl.load_workbook('book.xlsx')\ns=b[%r]\ns.delete_rows(1,100)\nb.save('book.xlsx')"
    journal = await ran(tmp_path, "Say how many sheets there are.", *(python(empty % name) for name in names))
    rows = [sheet.max_row for sheet in openpyxl.load_workbook(tmp_path / "work" / "book.xlsx")]
    assert rows.count(30) >= 3, rows
    assert any("book.xlsx" in body.why for body in bodies(journal, e.OperationDenied))
