"""Nothing unordered: what a run changed besides is named and keeps it from being done, with a contract and without one."""

# ruff: noqa: ASYNC240 - files are made before a run and looked at after it
from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.confirming import confirm
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder, Responder
from deskcrew.engine.request import RunRequest
from deskcrew.engine.workshop.keeping import why_unproven
from deskcrew.facts.contract import Contract
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.journal import Journal
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits, Settings
from support.crew import settings_in
from support.required import required, usual
from test_proof import FINISH, LONG, asked, python, ran, writing

pytestmark = pytest.mark.anyio

TASK = 'Write "hello" into hello.txt.'
HELLO: dict[str, Any] = {"function": "write_file", "file_path": "hello.txt", "text": "hello"}
OVERWRITE: dict[str, Any] = {"function": "write_file", "file_path": "keep.txt", "text": "gone"}
DELETE: dict[str, Any] = {"function": "delete_file", "path": "keep.txt"}
CODE: dict[str, Any] = {"function": "run_python_code", "code": "open('keep.txt', 'a').write('more')"}
OPENED: dict[str, Any] = {"function": "run_python_code", "code": "__import__('os').chmod('keep.txt', 0o777)"}


OPEN = """
[[rules]]
name = "anything-here"
effect = "allow"
risk = ["destroy", "send", "spend"]
place = ["workspace", "virtual"]

[[limits]]
name = "spending-per-run"
risk = ["spend"]
most = 9
per = "run"
"""
"""A policy under which nobody is asked."""


async def small(
    settings: Settings,
    folder: Path,
    *operations: dict[str, Any],
    role: str = "FileManager",
    human: Responder | None = None,
    **more: Any,
) -> tuple[Outcome, Journal, list[Call]]:
    """A run in a folder with a file that its task does not mention. Of all but a question the user says what must hold."""
    folder.mkdir()
    (folder / "keep.txt").write_text("the only copy\n")
    asked: list[Call] = []

    def reply(call: Call) -> dict[str, Any]:
        asked.append(call)
        if call.role == "Planner":
            task = more.get("task", TASK)
            return {"subtasks": [{"goal": task, "role": role}], "question": task if task.endswith("?") else ""}
        if call.role == "FinalAnswer":
            return {"answer": "42", "sources": [], "branch": "Continue", "problem": ""}
        return {"operations": list(operations), "branch": "RoleTaskFinish"}

    policy = folder.parent / "open.toml"
    policy.write_text(OPEN)
    given: dict[str, Any] = {
        "task": TASK, "workspace": folder, "desktop": "none", "memory": "on", "policy": policy,
        "required": usual(more.get("task", TASK)),
    }  # fmt: skip
    model = ScriptedModel(itertools.repeat(reply))
    journal = await session.run(RunRequest(**({"crew": "planned", **given | more})), settings, human=human, model=model)
    assert journal.state.outcome is not None
    return journal.state.outcome, journal, asked


@pytest.mark.parametrize("wanted", [None, usual(TASK)], ids=["no contract", "required"])
@pytest.mark.parametrize(
    ("role", "more"),
    [("FileManager", OVERWRITE), ("FileManager", DELETE), ("Programmer", CODE), ("Programmer", OPENED)],
    ids=str,
)
async def test_what_changed_besides_is_named_and_not_done(
    tmp_path: Path, role: str, more: dict[str, Any], wanted: Contract | None
) -> None:
    settings = settings_in(tmp_path)
    hello = HELLO if role == "FileManager" else python("open('hello.txt', 'w').write('hello')")["operations"][0]
    once = Limits(replans=0)
    outcome, _, _ = await small(settings, tmp_path / "work", hello, more, role=role, required=wanted, limits=once)
    there = tmp_path / "work/keep.txt"
    opened = there.exists() and there.stat().st_mode & 0o777 == 0o777
    assert not there.exists() or opened or there.read_text() != "the only copy\n", "it was changed indeed"
    assert outcome.status == "unverified"
    assert outcome.unordered == ("keep.txt",)
    assert "nothing asks for that: keep.txt" in outcome.why


async def test_a_run_that_changes_only_what_its_task_mentions_is_done(tmp_path: Path) -> None:
    outcome, _, _ = await small(settings_in(tmp_path), tmp_path / "work", HELLO)
    assert (outcome.status, outcome.unordered) == ("done", ())
    task = 'Replace "only" by "second" in keep.txt.'
    change = {"function": "write_file", "file_path": "keep.txt", "text": "the second copy\n"}
    wanted = required("file_contains keep.txt 'the second copy'")
    outcome, _, _ = await small(settings_in(tmp_path), tmp_path / "other", change, task=task, required=wanted)
    assert (outcome.status, outcome.unordered) == ("done", ()), outcome


REMOVE: dict[str, Any] = {"function": "run_python_code", "code": "__import__('os').remove('keep.txt'); print(1)"}


@pytest.mark.parametrize(("role", "removal"), [("FileManager", DELETE), ("Programmer", REMOVE)], ids=str)
async def test_what_a_person_let_be_removed_is_not_named(tmp_path: Path, role: str, removal: dict[str, Any]) -> None:
    async def allow(question: OperationQuestion) -> Approval:
        return Approval(allowed=True)

    hello = HELLO if role == "FileManager" else python("open('hello.txt', 'w').write('hello')")["operations"][0]
    outcome, _, _ = await small(
        settings_in(tmp_path),
        tmp_path / "work",
        hello,
        removal,
        role=role,
        human=PythonResponder(operation=allow),
        mode="passive",
        policy=None,
    )
    assert not (tmp_path / "work/keep.txt").exists()
    assert (outcome.status, outcome.unordered) == ("done", ()), outcome


async def test_an_answer_makes_no_run_done_that_changed_something_besides(tmp_path: Path) -> None:
    code = {"function": "run_python_code", "code": "print(6 * 7)"}
    outcome, _, _ = await small(
        settings_in(tmp_path), tmp_path / "work", code, CODE, role="Programmer", task="How much is 6 times 7?"
    )
    assert (outcome.status, outcome.answer, outcome.unordered) == ("unverified", "42", ("keep.txt",)), outcome


async def test_such_a_run_teaches_nothing_even_once_a_person_accepts_it(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    _, journal, _ = await small(settings, tmp_path / "one", HELLO, DELETE, limits=Limits(replans=0))
    memory = memory_of(settings)
    try:
        assert [entry for entry in memory.all() if entry.verdict == "proven"] == []
    finally:
        memory.close()
    after = confirm(journal, holds=True)
    assert after.status == "done"
    assert "did what nobody ordered: keep.txt" in why_unproven(after)
    outcome, _, calls = await small(settings, tmp_path / "two", HELLO)
    assert outcome.status == "done"
    assert not any("delete_file" in call.text("memory") for call in calls), "it is recommended to nobody"


RUNNABLE: dict[str, Any] = {
    "requirements": [{"parts": [1], "says": "run.sh can be executed", "seen_by": "probe", "files": ["run.sh"]}]
}
EXECUTABLE = """
def requirement_1(start, end):
    return bool((end / 'run.sh').stat().st_mode & 0o100), 'looked at its mode'
"""


@pytest.mark.parametrize("besides", ["", "os.chmod('keep.txt', 0o777)"], ids=["ordered", "besides"])
async def test_a_mode_that_is_changed_is_a_change(tmp_path: Path, besides: str) -> None:
    code = python(f"import os\nos.chmod('run.sh', 0o755)\n{besides}")
    outcome, _, calls = await ran(
        tmp_path, code, *[FINISH] * 8, task="Make run.sh executable", files={"run.sh": "#!/bin/sh\n", "keep.txt": "a\n"},
        ContractWriter=[RUNNABLE], Verifier=[{"code": EXECUTABLE}] * 9,
    )  # fmt: skip
    assert (tmp_path / "work/run.sh").stat().st_mode & 0o100
    assert "run.sh (its modes changed, and nothing else: 644 -> 755)" in asked(calls, "Verifier")[0].text()
    if besides:
        assert (outcome.status, outcome.unordered) == ("unverified", ("keep.txt",)), outcome
    else:
        assert (outcome.status, outcome.unordered) == ("done", ()), outcome


SUM_UP: dict[str, Any] = {
    "requirements": [{"parts": [1], "says": "short.txt sums up long.txt", "seen_by": "reading", "files": ["*"]}]
}
NAMED: dict[str, Any] = {"requirements": [{**SUM_UP["requirements"][0], "files": ["short.txt"]}]}
SHORT = "A shop for lamps, ropes and tea that opens at 9 except on Sundays."
FILES = {"long.txt": LONG, "prices.csv": "lamp,23\nrope,19.50\n"}


def accepting(call: Call) -> dict[str, Any]:
    """A reader who accepts whatever holds the summary."""
    texts = call.text("volatile").split("Text ")[1:]
    said = [{"text": n, "quote": text[:20], "fulfils": SHORT in text} for n, text in enumerate(texts, 1)]
    return {"texts": said, "why": "it says so"}


async def test_a_pattern_for_every_file_does_not_cover_what_was_there_before(tmp_path: Path) -> None:
    code = python(f"open('short.txt', 'w').write({SHORT!r})\nopen('prices.csv', 'a').write('lamp,1')")
    outcome, _, calls = await ran(
        tmp_path,
        *[code] * 5,
        task="Sum up long.txt in one sentence in short.txt",
        files=FILES,
        ContractWriter=[SUM_UP] * 2,
        Reader=[accepting] * 9,
    )
    assert outcome.status != "done"
    assert "nothing asks for that: prices.csv" in outcome.why
    assert "names every file" in asked(calls, "ContractWriter")[1].text(), "its writer is told once"


async def test_a_new_file_that_a_reader_is_shown_may_be_named_by_a_pattern(tmp_path: Path) -> None:
    outcome, _, _ = await ran(
        tmp_path,
        writing(SHORT, "short.txt"),
        task="Sum up long.txt in one sentence in short.txt",
        files=FILES,
        ContractWriter=[SUM_UP] * 2,
        Reader=[accepting] * 9,
    )
    assert outcome.status == "done", outcome.why


async def test_a_reader_is_shown_what_changed_in_a_file_that_was_there_before(tmp_path: Path) -> None:
    shown: list[str] = []

    def reads(call: Call) -> dict[str, Any]:
        shown.append(call.text())
        texts = call.text("volatile").split("Text ")[1:]
        return {"texts": [{"text": n, "quote": "", "fulfils": SHORT in t} for n, t in enumerate(texts, 1)], "why": ""}

    outcome, _, _ = await ran(
        tmp_path,
        writing(f"To do: phone Ann\n{SHORT}\n", "short.txt"),
        task="Sum up long.txt in one sentence at the end of short.txt",
        files={"long.txt": LONG, "short.txt": "To do: phone Bert\n"},
        ContractWriter=[NAMED] * 2,
        Reader=[reads] * 9,
    )
    assert outcome.status == "done", outcome.why
    assert "-To do: phone Bert\n+To do: phone Ann" in shown[0], "the change itself"
    assert "what was there before the work is unchanged" in shown[0]


async def test_of_many_changes_those_without_a_trial_of_their_own_are_named_too(tmp_path: Path) -> None:
    files = {f"part{n:03}.txt": f"{n}\n" for n in range(60)} | {"zebra.txt": "a", "costs.csv": "item,amount\nrope,42.50\n"}
    contract = {"requirements": [{
        "parts": [1], "says": "Each part ends with a full stop", "seen_by": "probe", "files": ["part*.txt"]}]}  # fmt: skip
    probe = """
def requirement_1(start, end):
    right = all((end / path.name).read_text() == path.read_text().strip() + '.' for path in start.glob('part*.txt'))
    return right, 'compared'
"""
    code = python("""
from pathlib import Path
for path in Path('.').glob('*.txt'):
    path.write_text(path.read_text().strip() + '.')
""")
    outcome, _, _ = await ran(
        tmp_path, code, *[FINISH] * 8, task="Put a full stop at the end of each part", files=files,
        ContractWriter=[contract], Verifier=[{"code": probe}] * 9,
    )  # fmt: skip
    assert outcome.status != "done"
    assert "zebra.txt" in outcome.why
    assert outcome.unordered == ("zebra.txt",)
