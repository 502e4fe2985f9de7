"""That a file is there, or is another than before, never makes a run done: whoever writes "banana" has done no chore."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew import session
from deskcrew.human.questions import Approval, OperationQuestion
from deskcrew.human.responder import PythonResponder
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.request import RunRequest
from deskcrew.verdict import Outcome
from support.crew import by_role, settings_in

FILES = {
    "letter.txt": "Dear Ann,\nthe parcel came on Monday.\nIt was broken.\nBye, Tom\n",
    "list.txt": "pear\napple\npear\nfig\n",
    "people.csv": "name,city\nAnn,Rome\nBob,Oslo\n",
    "invoices/a.txt": "due 2020-01-01, overdue\n",
    "invoices/b.txt": "due 2030-01-01\n",
}
CHORES = {
    "Translate letter.txt into French and save it as lettre.txt": "lettre.txt",
    "Summarise letter.txt in one sentence in summary.txt": "summary.txt",
    "Sort the lines of list.txt into sorted.txt": "sorted.txt",
    "Convert people.csv to JSON as people.json": "people.json",
    "Remove duplicates from list.txt and write the result to unique.txt": "unique.txt",
    "Extract the sender's name from letter.txt into name.txt": "name.txt",
    "Write a Python program fib.py that prints the first ten Fibonacci numbers": "fib.py",
    "Make a backup of letter.txt": "letter.bak",
    "Make a copy of letter.txt called copy.txt": "copy.txt",
    "Count the words in letter.txt and put the number into count.txt": "count.txt",
    "Write a haiku about rain into haiku.txt": "haiku.txt",
    "Create an HTML page index.html with a heading and a list of the fruits in list.txt": "index.html",
    "Fix the spelling mistakes in letter.txt": "letter.txt",
    "Append the date of delivery to letter.txt": "letter.txt",
    "Create report.txt": "report.txt",
    "Save the cities as cities.txt": "cities.txt",
    "Schreibe eine Zusammenfassung von letter.txt in kurz.txt": "kurz.txt",
    "Traduis letter.txt en anglais dans traduction.txt": "traduction.txt",
    "把 letter.txt 翻译成中文,保存为 zh.txt": "zh.txt",
}


def writing(path: str, text: str) -> dict[str, Any]:
    return {"operations": [{"function": "write_file", "file_path": path, "text": text}], "branch": "RoleTaskFinish"}


async def yes(_: OperationQuestion) -> Approval:
    return Approval(allowed=True)


async def outcome(tmp_path: Path, task: str, *replies: dict[str, Any]) -> Outcome:
    """How a run of one agent ends that replies so, and then says that it is finished. Whoever is asked says yes."""
    for name, text in FILES.items():
        path = tmp_path / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    request = RunRequest(
        task=task, workspace=tmp_path / "work", desktop="none", crew="solo", model="scripted:none", mode="passive"
    )
    finished: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}
    model = ScriptedModel([*replies, *[finished] * 8])
    journal = await session.run(request, settings_in(tmp_path), model=model, human=PythonResponder(operation=yes))
    assert journal.state.outcome is not None
    return journal.state.outcome


@pytest.mark.parametrize(("task", "path"), CHORES.items(), ids=CHORES)
async def test_a_banana_does_no_chore(tmp_path: Path, task: str, path: str) -> None:
    assert (await outcome(tmp_path, task, writing(path, "banana"))).status != "done"
    assert (tmp_path / "work" / path).read_text() == "banana"


async def test_something_in_a_folder_does_not_show_that_the_right_files_were_moved(tmp_path: Path) -> None:
    moves = [{"function": "move_file", "source": f"invoices/{n}.txt", "destination": f"late/{n}.txt"} for n in "ab"]
    reply = {"operations": moves, "branch": "RoleTaskFinish"}
    assert (await outcome(tmp_path, "Move the overdue invoices to the folder late", reply)).status == "unverified"


async def test_a_file_that_is_gone_was_not_changed(tmp_path: Path) -> None:
    reply = {"operations": [{"function": "delete_file", "path": "letter.txt"}], "branch": "RoleTaskFinish"}
    assert (await outcome(tmp_path, "Fix the spelling mistakes in letter.txt", reply)).status == "failed"
    assert not (tmp_path / "work" / "letter.txt").exists()


async def test_an_edit_of_a_file_that_is_moved_as_well_is_not_forgotten(tmp_path: Path) -> None:
    moved = {"function": "move_file", "source": "letter.txt", "destination": "sent.txt"}
    reply = {"operations": [moved], "branch": "RoleTaskFinish"}
    task = 'Add the line "Received." to letter.txt, then rename letter.txt to sent.txt'
    assert (await outcome(tmp_path, task, reply)).status != "done"


@pytest.mark.parametrize(
    ("task", "reply"),
    [
        ("Make the folder archive", {"function": "make_folder", "folder": "archive"}),
        ("Make an empty file flag.txt", {"function": "write_file", "file_path": "flag.txt", "text": ""}),
        ("Copy letter.txt to copy.txt", {"function": "copy_file", "source": "letter.txt", "destination": "copy.txt"}),
        ('Write "hello" into greeting.txt', {"function": "write_file", "file_path": "greeting.txt", "text": "hello"}),
    ],
)
async def test_what_can_be_seen_whole_is_done(tmp_path: Path, task: str, reply: dict[str, Any]) -> None:
    """Without which the others would hold of an engine that never says done."""
    ended = await outcome(tmp_path, task, {"operations": [reply], "branch": "RoleTaskFinish"})
    assert (ended.status, ended.verified_by) == ("done", "rules")


async def test_what_a_program_worked_out_otherwise_than_it_should_is_not_done(tmp_path: Path) -> None:
    """Its result stands in the file, and nobody has judged it: the rows that do not count were counted."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work/spent.csv").write_text("who,amount,status\nAnn,3,ok\nAnn,4,refunded\nBo,5,ok\n")
    lines = (
        "import csv, json",
        "sums = {}",
        "for row in csv.DictReader(open('spent.csv')):",
        "    sums[row['who'].lower()] = sums.get(row['who'].lower(), 0) + int(row['amount'])",
        "json.dump(sums, open('totals.json', 'w'))",
        "print(json.dumps(sums))",
    )
    code = {"operations": [{"function": "run_python_code", "code": "\n".join(lines)}], "branch": "RoleTaskFinish"}
    task = "Work out what each person spent in spent.csv and write it to totals.json. Rows marked refunded do not count."
    ended = await outcome(tmp_path, task, code)
    assert (tmp_path / "work/totals.json").exists()
    assert (ended.status, "Rows marked refunded" in ended.why) == ("unverified", True)


async def test_an_order_that_the_parser_does_not_know_is_not_taken_for_context(tmp_path: Path) -> None:
    task = 'Write "hi" into said.txt. Multiply the prices in people.csv by two'
    ended = await outcome(tmp_path, task, writing("said.txt", "hi"))
    assert (ended.status, "Multiply the prices" in ended.why) == ("unverified", True)


@pytest.mark.parametrize("contracts", [True, False])
@pytest.mark.parametrize(("text", "status"), [("hello", "unverified"), ("banana", "failed")])
async def test_without_a_usable_contract_the_words_may_fail_a_run_and_never_make_it_done(
    tmp_path: Path, text: str, status: str, contracts: bool
) -> None:
    """Of a model that can reason, whether its contract was of no use or its profile says that it makes none."""
    profile = Profile(name="strong", context=128_000, free_text="short", contracts=contracts)
    ended = await greeting(tmp_path, text, profile)
    assert ended.status == status
    assert any("no contract could be made" in result.check.words for result in ended.checks)


@pytest.mark.parametrize("profile", [Profile(name="small", free_text="none"), Profile(name="script", scripted=True)])
async def test_the_words_suffice_for_a_model_that_can_make_no_contract_and_for_a_script(
    tmp_path: Path, profile: Profile
) -> None:
    assert (await greeting(tmp_path, "hello", profile)).status == "done"


async def greeting(folder: Path, text: str, profile: Profile) -> Outcome:
    """The end of a run that is to write "hello" and writes ``text``."""
    model = by_role(profile, ContractWriter={"requirements": []}, Solo=writing("greeting.txt", text))
    task, work = 'Write "hello" into greeting.txt', folder / "work"
    request = RunRequest(task=task, workspace=work, desktop="none", crew="solo", model="scripted:none")
    ended = (await session.run(request, settings_in(folder), model=model)).state.outcome
    assert ended is not None
    return ended
