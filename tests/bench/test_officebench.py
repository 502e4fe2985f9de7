"""Tasks of OfficeBench's form: done in a copy of their folder, checked by the checker that comes with them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from deskcrew.errors import UsageError
from deskcrew.models.scripted import ScriptedModel
from deskcrew_bench.officebench.right import make_right
from deskcrew_bench.officebench.tasks import Task, tasks_of
from deskcrew_bench.suites import folders
from deskcrew_bench.suites.folders import NOTHING
from deskcrew_bench.suites.others import OthersTrial, finished, table
from support.crew import settings_in

pytestmark = pytest.mark.anyio
COMMAND = "deskcrew bench officebench"

CHECKER = """
import fire, icalendar, PyPDF2, pytz, os
from apps.email_app import email_list_emails

def evaluate_file_exist(testbed, args):
    return os.path.exists(os.path.join(testbed, args['file']))

def evaluate_contain(testbed, args):
    if args['doc_type'] == 'email':
        text = email_list_emails.list_emails(args['username'], testbed)
    else:
        text = open(os.path.join(testbed, args['file'])).read()
    return all(word in text for word in args['keywords'])

def evaluate_diff_contain_text(testbed, args):
    before, after = (open(os.path.join(testbed, args[name])).read() for name in ('input_file', 'output_file'))
    return before != after and evaluate_contain(testbed, {**args, 'file': args['output_file']})
"""
MAILS = """
from glob import glob

def list_emails(username, testbed):
    return ''.join(open(path).read() for path in glob(f'/testbed/emails/{username}/*.eml'))
"""
TASKS: list[list[dict[str, Any]]] = [
    [{"function": "evaluate_contain", "args": {"doc_type": "txt", "file": "data/answer.txt", "keywords": ["42"]}}],
    [{"function": "evaluate_file_exist", "args": {"file": "data/plan.docx"}}],
    [{"function": "evaluate_contain", "args": {"doc_type": "email", "username": "Bob", "keywords": ["Rent"]}}],
    [{"function": "evaluate_file_exist", "args": {"file": "data/note.txt"}}],
    [
        {
            "function": "evaluate_diff_contain_text",
            "args": {
                "doc_type": "txt",
                "input_file": "../../../../cache/4/testbed/data/note.txt",
                "output_file": "data/note.txt",
                "keywords": ["milk"],
            },
        }
    ],
]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of tasks that are alike."""
    made = tmp_path / "clone"
    for path, text in (
        ("utils/evaluate.py", CHECKER),
        ("apps/__init__.py", "raise ImportError('this needs a container')"),
        ("apps/email_app/__init__.py", "raise ImportError('this needs a container')"),
        ("apps/email_app/email_list_emails.py", MAILS),
        ("tasks/1-1/testbed/data/note.txt", "bread\n"),
    ):
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text(text)
    (made / "tasks/1-1/subtasks").mkdir()
    for number, checks in enumerate(TASKS):
        listed = {"username": "Ana", "date": "2020-05-01", "weekday": "Friday", "time": "10:00 AM", "task": "Do it."}
        (made / f"tasks/1-1/subtasks/{number}.json").write_text(json.dumps(listed | {"evaluation": checks}))
    return made


def test_a_result_made_from_the_checks_is_right_and_nothing_done_is_not(clone: Path, tmp_path: Path) -> None:
    tasks, settings = tasks_of(clone), settings_in(tmp_path)
    right = [folders.control(task, settings, model="right", crew="-", make_right=make_right) for task in tasks]
    assert [trial.said for trial in right] == [""] * 5
    idle = [folders.control(task, settings, model="no-op", crew="-", make_right=make_right) for task in tasks]
    assert [trial.right for trial in idle] == [False, False, False, True, False]
    assert not list((settings.data / "workspaces").iterdir())
    *kinds, every = table(idle)
    assert [(row.kind, row.tasks, row.right) for row in kinds] == [("asks for a file", 2, 1), ("compares values", 3, 0)]
    assert (every.tasks, every.right, every.done) == (5, 1, 0)


def test_mail_is_read_where_the_run_wrote_it(clone: Path, tmp_path: Path) -> None:
    task = tasks_of(clone, ["1-1/2"])[0]
    task.begin(tmp_path / "work")
    (tmp_path / "work/emails/Bob").mkdir()
    (tmp_path / "work/emails/Bob/Rent.eml").write_text("Subject: Rent")
    assert task.checked(tmp_path / "work", NOTHING) == (True, "")


def test_a_checker_that_breaks_down_is_not_satisfied(clone: Path, tmp_path: Path) -> None:
    task = tasks_of(clone, ["1-1/4"])[0]
    task.begin(tmp_path / "work")
    (tmp_path / "work/data/note.txt").unlink()
    right, said = task.checked(tmp_path / "work", NOTHING)
    assert not right
    assert said.startswith("the checker broke down: FileNotFoundError")


def _doing(code: str, answer: str) -> ScriptedModel:
    replies: dict[str, Any] = {
        "Worker": {"operations": [{"function": "run_python_code", "code": code}], "branch": "RoleTaskFinish"},
        "FinalAnswer": {"answer": answer, "sources": [], "branch": "Continue"},
    }
    return ScriptedModel(itertools.repeat(lambda call: replies[call.role]))


async def test_a_run_is_checked_by_what_it_left(clone: Path, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    limits = settings.limits.model_copy(update={"replans": 0, "repairs": 0, "replies": 3})
    settings = settings.model_copy(update={"limits": limits})

    async def done(name: str, code: str, answer: str = "") -> Any:
        (task,) = tasks_of(clone, [name])
        return await folders.attempt(task, settings, model="scripted:", crew="solo", loaded=_doing(code, answer))

    trial = await done("1-1/4", "open('data/note.txt', 'a').write('milk')")
    assert (trial.right, trial.kind) == (True, "compares values"), trial
    assert trial.operations
    assert not (await done("1-1/4", "open('data/note.txt', 'a').write('salt')")).right
    assert (await done("1-1/3", "pass")).kind == folders.HELD


def test_what_was_answered_is_where_the_checker_reads_it(clone: Path, tmp_path: Path) -> None:
    task = tasks_of(clone, ["1-1/0"])[0]
    task.begin(tmp_path / "work")
    assert task.checked(tmp_path / "work", {"answer": "It is 42."}) == (True, "")
    assert not task.checked(tmp_path / "work", {"answer": "It is 43."})[0]


def test_what_is_not_there_is_told(clone: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no tasks of OfficeBench"):
        tasks_of(tmp_path / "work")
    with pytest.raises(UsageError, match="no task '9-9/9'"):
        tasks_of(clone, ["9-9/9"])
    (clone / "tasks/1-1/subtasks/0.json").write_text("{}")
    with pytest.raises(UsageError, match="is no task"):
        tasks_of(clone)


def test_a_series_goes_on_with_the_trials_that_were_kept(clone: Path, tmp_path: Path) -> None:
    from deskcrew_bench.series import keep

    task: Task = tasks_of(clone, ["1-1/1"])[0]
    trial = folders.control(task, settings_in(tmp_path), model="no-op", crew="-", make_right=make_right)
    keep(tmp_path / "trials.jsonl", trial)
    known = finished(tmp_path / "trials.jsonl", OthersTrial, "no-op", "-", command=COMMAND)
    assert known == {("1-1/1", ""): trial}
    assert finished(tmp_path / "trials.jsonl", OthersTrial, "right", "-", command=COMMAND) == {}
