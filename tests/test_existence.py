"""Where nobody says what must hold, that a file is there never makes a run done: who writes "banana" has done no chore."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.engine.steps.ending import UNCHECKED
from deskcrew.facts.contract import Contract
from deskcrew.facts.verdict import Outcome
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import by_role, settings_in
from support.required import required, usual

FILES = {
    "letter.txt": "Dear Ann,\nthe parcel came on Monday.\nIt was broken.\nBye, Tom\n",
    "list.txt": "pear\napple\npear\nfig\n",
    "people.csv": "name,city\nAnn,Rome\nBob,Oslo\n",
    "invoices/a.txt": "due 2020-01-01, overdue\n",
    "invoices/b.txt": "due 2030-01-01\n",
}
CHORES = {
    "Translate letter.txt into French and save it as lettre.txt": "lettre.txt",
    "Fix the spelling mistakes in letter.txt": "letter.txt",
    "把 letter.txt 翻译成中文,保存为 zh.txt": "zh.txt",
}


def writing(path: str, text: str) -> dict[str, Any]:
    return {"operations": [{"function": "write_file", "file_path": path, "text": text}], "branch": "RoleTaskFinish"}


async def yes(_: OperationQuestion) -> Approval:
    return Approval(allowed=True)


async def outcome(tmp_path: Path, task: str, *replies: dict[str, Any], wanted: Contract | None = None) -> Outcome:
    """How a run of one agent ends that replies so, and then says that it is finished. Whoever is asked says yes. ``wanted``:
    what the user requires."""
    for name, text in FILES.items():
        path = tmp_path / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    request = RunRequest(
        task=task, workspace=tmp_path / "work", desktop="none", crew="solo", model="scripted:none", mode="passive",
        required=wanted,
    )  # fmt: skip
    finished: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}
    model = ScriptedModel([*replies, *[finished] * 8])
    journal = await session.run(request, settings_in(tmp_path), model=model, human=PythonResponder(operation=yes))
    assert journal.state.outcome is not None
    return journal.state.outcome


@pytest.mark.parametrize(("task", "path"), CHORES.items(), ids=CHORES)
async def test_a_banana_does_no_chore(tmp_path: Path, task: str, path: str) -> None:
    ended = await outcome(tmp_path, task, writing(path, "banana"))
    assert (ended.status, ended.why) == ("unverified", UNCHECKED)
    assert (tmp_path / "work" / path).read_text() == "banana"


@pytest.mark.parametrize(
    ("task", "wanted", "reply"),
    [
        ("Make the folder archive", "file_exists archive/", {"function": "make_folder", "folder": "archive"}),
        (
            "Make an empty file flag.txt",
            "file_is flag.txt ''",
            {"function": "write_file", "file_path": "flag.txt", "text": ""},
        ),
        (
            "Copy letter.txt to copy.txt",
            "same_as copy.txt letter.txt",
            {"function": "copy_file", "source": "letter.txt", "destination": "copy.txt"},
        ),
        (
            'Write "hello" into greeting.txt',
            "file_is greeting.txt hello",
            {"function": "write_file", "file_path": "greeting.txt", "text": "hello"},
        ),
    ],
)
async def test_what_can_be_seen_whole_is_done(tmp_path: Path, task: str, wanted: str, reply: dict[str, Any]) -> None:
    """Without which the others would hold of an engine that never says done."""
    does = {"operations": [reply], "branch": "RoleTaskFinish"}
    ended = await outcome(tmp_path, task, does, wanted=required(wanted))
    assert (ended.status, ended.verified_by) == ("done", "rules")


@pytest.mark.first_case
@pytest.mark.parametrize(("text", "status"), [("hello", "done"), ("banana", "failed")])
async def test_without_a_usable_contract_what_the_user_requires_decides_alone(
    tmp_path: Path, text: str, status: str
) -> None:
    profile = Profile(name="strong", context=128_000, free_text="short", contracts=True)
    task = 'Write "hello" into greeting.txt'

    async def greeting(wanted: Contract | None) -> Outcome:
        model = by_role(profile, ContractWriter={"requirements": []}, Worker=writing("greeting.txt", text))
        request = RunRequest(
            task=task, workspace=tmp_path / "work", desktop="none", crew="solo", model="scripted:none", required=wanted
        )
        ended = (await session.run(request, settings_in(tmp_path), model=model)).state.outcome
        assert ended is not None
        return ended

    assert (await greeting(usual(task))).status == status
    alone = await greeting(None)
    assert (alone.status, alone.why) == ("unverified", UNCHECKED), "nobody else says so"
