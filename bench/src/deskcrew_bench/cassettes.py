"""Scripted runs of every kind, each exported, imported into an empty journal elsewhere, and replayed there.

Real workspaces, a real sandbox, a model that answers from a list. Where a run was made nothing is left when it is replayed.
Tests use the same runs.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio.to_thread

from deskcrew.engine import rewind, session
from deskcrew.engine.human.questions import Approval, HelpQuestion, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import Replayed, replay
from deskcrew.engine.request import RunRequest
from deskcrew.errors import ModelFailure
from deskcrew.evidence.required import check_of, contract_of
from deskcrew.facts.events import ActionStarted, Event, HumanSaid, RoleReplied
from deskcrew.journal.branches import branches
from deskcrew.journal.exporting import export
from deskcrew.journal.importing import read_export
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import Reply, ScriptedModel
from deskcrew.settings import Limits, Settings

Answers = Mapping[str, Sequence[Reply | Exception]]
"""Replies by role, in order; the last one is given again and again."""


class Killed(BaseException):
    """The end of the process: nothing in the engine catches it."""


@dataclass(frozen=True)
class Case:
    """One run. ``ends``: the outcome it must have; ``files``: in the workspace before; ``play`` None: begun and let be."""

    name: str
    ends: str
    task: str
    answers: Answers
    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    person: Callable[[], PythonResponder] | None = None
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    attached: Mapping[str, str] = field(default_factory=dict[str, str])
    profile: Profile | None = None
    play: Callable[[Stage], Awaitable[None]] | None = None


@dataclass(frozen=True)
class Stage:
    """Where a run is made."""

    case: Case
    folder: Path

    @property
    def settings(self) -> Settings:
        return Settings(data=self.folder / "data", models=self.folder / "models", config=self.folder / "config")

    def journal(self) -> Journal:
        return Store.of(self.settings).journal("last")

    def model(self) -> ScriptedModel:
        """Every process has its own: replies begin anew."""
        left: dict[str, Iterator[Reply | Exception]] = {}
        for role, replies in self.case.answers.items():
            left[role] = itertools.chain(replies, itertools.repeat(replies[-1]))

        def reply(call: Call) -> Reply:
            found = next(left[call.role])
            if isinstance(found, Exception):
                raise found
            return found

        return ScriptedModel(itertools.repeat(reply), profile=self.case.profile)

    async def begin(self, watch: session.Watch | None = None) -> None:
        case, work = self.case, self.folder / "work"
        await anyio.to_thread.run_sync(self._prepare, work)
        given: dict[str, Any] = {
            "workspace": work,
            "desktop": "none",
            "model": "scripted:list",
            "crew": "planned",
            **case.changes,
        }
        attached = tuple(self.folder / name for name in case.attached)
        person = case.person() if case.person is not None else None
        stated = [check_of(each) for each in REQUIRED.get(case.task, ())]
        request = RunRequest(task=case.task, attachments=attached, required=contract_of(stated), **given)
        await session.run(request, self.settings, model=self.model(), human=person, watch=watch)

    async def go_on(self) -> None:
        await session.resume("last", self.settings, model=self.model())

    def _prepare(self, work: Path) -> None:
        work.mkdir(parents=True)
        for folder, files in ((work, self.case.files), (self.folder, self.case.attached)):
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8")


async def _killed(stage: Stage) -> None:
    """The process dies after an action has begun; another one goes on."""

    def watch(event: Event, _: Journal) -> None:
        if isinstance(event.body, ActionStarted):
            raise Killed

    try:
        await stage.begin(watch)
    except Killed:
        await stage.go_on()


async def _rewound(stage: Stage) -> None:
    """Back twice, with a sentence each time; then back to the end of the first branch."""
    await stage.begin()
    for say in ("Write it in capitals.", "No: as it was."):
        journal = stage.journal()
        replies = [event for event in journal.events if isinstance(event.body, RoleReplied) and event.body.subtask]
        points = session.points_of(stage.folder / "work", journal)
        back = rewind.to_reply(journal, replies[-1].number, points)
        await anyio.to_thread.run_sync(lambda j=journal, b=back, p=points, s=say: rewind.go_back(j, b, p, say=s))
        await stage.go_on()
    journal = stage.journal()
    points = session.points_of(stage.folder / "work", journal)
    rewind.go_back(journal, rewind.to_branch(journal, branches(journal)[0], points), points)


def _says(*said: HumanSaid) -> Callable[[], PythonResponder]:
    def made() -> PythonResponder:
        person = PythonResponder()
        for each in said:
            person.say(each)
        return person

    return made


def _person(*, allows: bool = True) -> Callable[[], PythonResponder]:
    async def operation(question: OperationQuestion) -> Approval:
        return Approval(allowed=allows)

    async def help(question: HelpQuestion) -> HumanSaid:
        return HumanSaid(kind="answer", text="the FRIENDLY one")

    return lambda: PythonResponder(operation=operation, help=help)


def _does(*operations: dict[str, Any], branch: str = "RoleTaskFinish", **more: str) -> Reply:
    return {"operations": list(operations), "branch": branch, **more}


def _write(file: str, text: str) -> dict[str, Any]:
    return {"function": "write_file", "file_path": file, "text": text}


def _code(code: str) -> dict[str, Any]:
    return {"function": "run_python_code", "code": code}


def _plan(role: str | None, *goals: str, question: str | None = None) -> Reply:
    subtasks = [{"goal": goal} | ({"role": role} if role else {}) for goal in goals]
    return {"subtasks": subtasks} | ({} if question is None else {"question": question})


def _assign(role: str, *ids: str) -> Reply:
    return {"assignments": [{"subtask": id, "role": role} for id in ids], "branch": "Continue"}


TASK = 'Write "hello" into hello.txt.'
ASK = "How much is 6 times 7?"
REQUIRED = {TASK: ["file_contains hello.txt hello"], "Delete old.txt.": ["file_absent old.txt"]}
"""What must hold in the end, by task."""
WRITES = _does(_write("hello.txt", "hello"))
WRITING = _plan("FileManager", "write hello", question="")
COMPUTING = _plan("Programmer", "compute", question=ASK)
GOOD: Reply = {"analyze": "", "verdict": "continue", "judgement": "It was written."}
ANSWER: Reply = {"answer": "42", "sources": [], "branch": "Continue"}
REMAKE: Reply = {"assignments": [], "branch": "RemakeSubtasks", "problem": "nobody can do that"}
DELETES = _does({"function": "run_shell", "command": "rm old.txt"})
DELETING = _plan("Programmer", "delete old.txt", question="")
GIVES_UP = _does(branch="Interrupt", problem="not allowed")
NOT_MINE = _does(branch="TaskMismatch", problem="I do not write files")
HELP = _does(branch="NeedHumanHelp", problem="Which word?")
OLD = {"old.txt": "old"}
GRAMMAR = Profile(name="grammar", schema_mode="grammar", free_text="short")
OPEN_PLAN = _plan(None, "write hello", question="")
PASSIVE = {"mode": "passive"}

CASES: tuple[Case, ...] = (
    Case("one file", "done", TASK, {"Planner": [WRITING], "FileManager": [WRITES]}),
    Case(
        "a question answered",
        "unverified",
        ASK,
        {
            "Planner": [COMPUTING],
            "Programmer": [_does(_code("print(6 * 7)"))],
            "FinalAnswer": [ANSWER],
        },
    ),
    Case(
        "the crew of COLA",
        "done",
        TASK,
        {
            "Planner": [OPEN_PLAN],
            "TaskScheduler": [_assign("FileManager", "1")],
            "FileManager": [WRITES],
            "Reviewer": [GOOD],
        },
        {"crew": "cola"},
    ),
    Case("one agent for all", "done", TASK, {"Worker": [WRITES]}, {"crew": "solo"}),
    Case(
        "malformed replies",
        "done",
        TASK,
        {
            "Planner": ["I would write the file.", WRITING],
            "FileManager": ["", _does({"function": "click_input", "control": "99"}), '{"operations": "\ud800"}', WRITES],
        },
    ),
    Case(
        "denied, nobody there",
        "denied",
        "Delete old.txt.",
        {"Planner": [DELETING], "Programmer": [DELETES, GIVES_UP]},
        files=OLD,
    ),
    Case(
        "approved by a person",
        "done",
        "Delete old.txt.",
        {"Planner": [DELETING], "Programmer": [DELETES]},
        PASSIVE,
        _person(),
        OLD,
    ),
    Case(
        "refused by a person",
        "denied",
        "Delete old.txt.",
        {"Planner": [DELETING], "Programmer": [DELETES, GIVES_UP]},
        PASSIVE,
        _person(allows=False),
        OLD,
    ),
    Case("help asked for", "done", TASK, {"Planner": [WRITING], "FileManager": [HELP, WRITES]}, PASSIVE, _person()),
    Case(
        "guided unasked",
        "done",
        TASK,
        {"Planner": [WRITING], "FileManager": [WRITES]},
        person=_says(HumanSaid(kind="guide", text="In small letters.", role="FileManager")),
    ),
    Case(
        "a program that fails, repaired",
        "unverified",
        ASK,
        {
            "Planner": [COMPUTING],
            "Programmer": [_does(_code("raise SystemExit('no ' * 3000)")), _does(_code("print(6 * 7)"))],
            "FinalAnswer": [ANSWER],
        },
    ),
    Case("false claims", "failed", TASK, {"Planner": [WRITING], "FileManager": [_does()]}),
    Case(
        "planned again",
        "done",
        TASK,
        {
            "Planner": [OPEN_PLAN],
            "TaskScheduler": [REMAKE, _assign("FileManager", "2")],
            "FileManager": [WRITES],
            "Reviewer": [GOOD],
        },
        {"crew": "cola"},
    ),
    Case(
        "reassigned",
        "done",
        TASK,
        {
            "Planner": [_plan("Programmer", "write hello", question="")],
            "Programmer": [NOT_MINE],
            "TaskScheduler": [_assign("Programmer", "1"), _assign("FileManager", "1")],
            "FileManager": [WRITES],
        },
    ),
    Case(
        "the limit of operations",
        "failed",
        TASK,
        {"Planner": [WRITING], "FileManager": [_does(*(_write(f"{n}.txt", "x") for n in range(3)))]},
        {"limits": Limits(operations=2)},
    ),
    Case("the limit of time", "failed", TASK, {"Planner": [WRITING]}, {"limits": Limits(seconds=1e-9)}),
    Case(
        "the model fails", "failed", TASK, {"Planner": [WRITING], "FileManager": [ModelFailure("unreachable", hint="Wait.")]}
    ),
    Case(
        "stopped by a person", "stopped", TASK, {"Planner": [WRITING]}, person=_says(HumanSaid(kind="stop", text="enough"))
    ),
    Case(
        "a model with a grammar and an attachment, killed and gone on with",
        "done",
        TASK,
        {"Planner": [WRITING], "FileManager": [WRITES]},
        attached={"notes.txt": "one\ntwo\n"},
        profile=GRAMMAR,
        play=_killed,
    ),
    Case("rewound twice, and undone", "done", TASK, {"Planner": [WRITING], "FileManager": [WRITES]}, play=_rewound),
)


@dataclass(frozen=True, slots=True)
class Checked:
    """One case. ``ended``: its outcome; ``replays``: one of each branch."""

    case: Case
    ended: str
    replays: tuple[Replayed, ...]

    @property
    def equal(self) -> bool:
        return all(each.equal for each in self.replays)


async def make(case: Case, folder: Path) -> Journal:
    """Run a case in ``folder`` and return its journal."""
    stage = Stage(case, folder)
    await (case.play(stage) if case.play is not None else stage.begin())
    return stage.journal()


async def check(case: Case, folder: Path) -> Checked:
    """Make a run, carry it elsewhere in a file, and replay every branch of it there."""
    here, there, file = folder / "here", folder / "there", folder / "run.zip"
    here.mkdir(parents=True)
    export(await make(case, here), file)
    shutil.rmtree(here)
    store = Store(there / "journal.db")
    journal = store.journal(read_export(file, store).run)
    replays = [await replay(journal, branch.head) for branch in branches(journal)]
    ended = journal.state.outcome.status if journal.state.outcome is not None else "no end"
    return Checked(case, ended, tuple(replays))


async def check_all(folder: Path, told: Callable[[Checked], None] = lambda _: None) -> list[Checked]:
    """All cases, one after the other. ``folder`` must exist."""
    found: list[Checked] = []
    for number, case in enumerate(CASES, start=1):
        found.append(await check(case, folder / str(number)))
        told(found[-1])
    return found
