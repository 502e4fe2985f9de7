"""Whole runs of a small model over files: what rules refuse, do and doubt in its place. Scripted, without a desktop."""

from __future__ import annotations

import itertools
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deskcrew import events as e
from deskcrew import session
from deskcrew.coaching.by_clause import clauses_of
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.request import RunRequest
from deskcrew.roles.role_kinds import heading
from support.crew import bodies, settings_in

pytestmark = pytest.mark.anyio
COSTS = "Team,April,May\nLegal,30,40\nMarketing,50,60\n"
CODE = ("Programmer",)
SMALL = Profile(name="small", schema_mode="grammar", free_text="none")
YES = {"why": "it says so", "supported": True}


def says(answer: str) -> dict[str, Any]:
    return {"answer": answer, "sources": [], "branch": "Continue", "problem": ""}


def code(*lines: str) -> dict[str, Any]:
    return {"operations": [{"function": "run_python_code", "code": "\n".join(lines)}], "branch": "RoleTaskFinish"}


def rows(expression: str) -> dict[str, Any]:
    return code("import csv", "rows = list(csv.DictReader(open('costs.csv')))", f"print({expression})")


def whose(task: str, *agents: str) -> dict[str, str]:
    """The planner's reply: the agent of each clause, the last one's from there on."""
    every = itertools.chain(agents, itertools.repeat(agents[-1]))
    numbered = enumerate(zip(clauses_of(task), every, strict=False), 1)
    return {heading(number, clause): agent for number, (clause, agent) in numbered}


async def go(folder: Path, task: str, replies: Sequence[Any], *, by: Sequence[str] = CODE, **files: str) -> Journal:
    work = folder / "work"
    work.mkdir()
    for name, text in files.items():
        (work / name.replace("__", ".")).write_text(text)
    return await play(work, task, replies, by=by)


async def play(work: Path, task: str, replies: Sequence[Any], *, by: Sequence[str] = CODE) -> Journal:
    """The run of a small model in a folder that is there; its journal lies beside that. ``by``: who its planner names."""
    model = ScriptedModel([whose(task, *by), *replies], profile=SMALL)
    request = RunRequest(task=task, workspace=work, desktop="none", model="x:y")
    return await session.run(request, settings_in(work.parent), model=model)


async def test_a_program_that_does_not_count_to_the_third_is_sent_back(tmp_path: Path) -> None:
    task = "Which amount has the third payment to Legal in paid.csv?"
    paid = "to,kind,amount\nLegal,fee,10\nLegal,fine,20\nSales,fee,25\nLegal,fee,30\n"
    reads = ("import csv", "rows = [row for row in csv.DictReader(open('paid.csv')) if row['to'] == 'Legal']")
    wrong = code(*reads, "print([row['amount'] for row in rows if row['kind'] == 'fine'].pop())")
    right = code(*reads, "print(rows[2]['amount'])")
    journal = await go(tmp_path, task, [wrong, right, says("30"), YES], paid__csv=paid)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.answer) == ("unverified", "30")
    whys = [body.verdict.why for body in bodies(journal, e.Judged) if body.verdict.kind == "repair"]
    assert any("does not count to the third" in why for why in whys), whys


async def test_a_program_that_looks_for_something_else_is_sent_back(tmp_path: Path) -> None:
    task = "How much did Marketing spend in May, according to costs.csv?"
    right = rows("next(row['May'] for row in rows if row['Team'] == 'Marketing')")
    journal = await go(tmp_path, task, [rows("rows[0]['May']"), right, says("60"), YES], costs__csv=COSTS)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.answer) == ("unverified", "60")
    assert "a model that is too small to count" in outcome.why
    assert outcome.exit_code == 3
    sent = [body.verdict.why for body in bodies(journal, e.Judged) if body.verdict.kind == "repair"]
    assert sent == ["The program does not use 'Marketing', which the part asks about."]


async def test_who_keeps_to_something_else_is_not_believed(tmp_path: Path) -> None:
    task = "How much did Marketing spend in May, according to costs.csv?"
    wrong = [rows(expression) for expression in ("rows[0]['May']", "rows[-2]['May']", "rows[0]['April']")]
    journal = await go(tmp_path, task, [*wrong, says("30")], costs__csv=COSTS)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.verified_by) == ("unverified", None)
    assert "does not use" in outcome.why


async def test_a_prompt_shows_how_a_table_in_an_archive_begins(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with zipfile.ZipFile(work / "shops.zip", "w") as archive:
        archive.writestr("oslo.csv", "product,sold\nbread,3\n")
    task = "How much bread was sold in shops.zip?"
    model = ScriptedModel([whose(task, *CODE), code("print(3)"), *[says("3")] * 2], profile=SMALL)
    request = RunRequest(task=task, workspace=work, desktop="none", model="x:y")
    await session.run(request, settings_in(tmp_path), model=model)
    assert "oslo.csv in it: product,sold | bread,3" in model.calls[1].text()


async def test_a_column_may_be_counted_instead_of_named(tmp_path: Path) -> None:
    task = "What is the total of the May column in costs.csv?"
    counted = [
        code("import csv", "rows = list(csv.reader(open('costs.csv')))[1:]", f"print(sum(int(row[{at}]) for row in rows))")
        for at in (1, 2)
    ]
    journal = await go(tmp_path, task, [*counted, says("100"), YES], costs__csv=COSTS)
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.answer) == ("unverified", "100")
    repairs = [body for body in bodies(journal, e.Judged) if body.verdict.kind == "repair"]
    assert len(repairs) == 1, "the first one added up April"


@pytest.mark.parametrize(
    "task",
    [
        "Find the serial number of the camera in devices.txt.",
        "I need the serial number of the camera from devices.txt.",
        "Ich brauche die Seriennummer der Kamera, sie steht in devices.txt.",
    ],
)
async def test_what_is_looked_up_and_put_nowhere_is_what_a_user_wants_to_be_told(tmp_path: Path, task: str) -> None:
    reads = {"operations": [{"function": "read_file", "file_path": "devices.txt", "part": ","}], "branch": "RoleTaskFinish"}
    text = "The camera was bought in 2021.\nserial number: F3116-98\n"
    journal = await go(tmp_path, task, [reads, says("."), says("F3116-98"), YES], by=("FileManager",), devices__txt=text)
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.answer) == ("unverified", "F3116-98")
    (done,) = (done for turn in journal.state.turns for done in turn.done)
    assert not done.operation.params["part"], "marks alone name no part of a file"


async def test_who_changes_something_is_not_asked_what_it_found_out(tmp_path: Path) -> None:
    copies = {
        "operations": [{"function": "copy_file", "source": "a.txt", "destination": "b.txt"}],
        "branch": "RoleTaskFinish",
    }
    reads = {"operations": [{"function": "read_file", "file_path": "a.txt"}], "branch": "Continue"}
    journal = await go(tmp_path, "Bitte a.txt nach b.txt duplizieren.", [reads, copies], by=("FileManager",), a__txt="x")
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.answer) == ("unverified", "")
