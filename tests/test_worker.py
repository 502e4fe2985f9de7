"""The default crew: one Worker, with nobody who plans before it, and the contract written while it begins."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.errors import ModelFailure
from deskcrew.evidence.required import check_of, contract_of
from deskcrew.facts import events as e
from deskcrew.facts.contract import Contract
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Answer, Call, Profile, T
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in
from support.peoples_files import form_pdf

TASK = "Write hello into hello.txt."
PROFILE = Profile(name="strong", context=128_000, contracts=True, scripted=True)
HOLDS = {
    "parts": [1],
    "says": "hello.txt holds hello",
    "seen_by": "checks",
    "files": ["hello.txt"],
    "checks": [{"kind": "file_is", "target": "hello.txt", "text": "hello"}],
}
CONTRACT = {"requirements": [HOLDS], "question": ""}
WRITES = {"operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}], "branch": "RoleTaskFinish"}
GIVES_UP = {"operations": [], "branch": "Interrupt", "problem": "enough"}


class ByRole(ScriptedModel):
    """Replies by role. The contract's is given only when the Worker was asked, too, and the other way round, unless it is
    ``alone``."""

    def __init__(self, *, alone: bool = False, **replies: list[Any]) -> None:
        super().__init__((), profile=PROFILE)
        self._alone = alone
        self._of = {role: itertools.chain(given, itertools.repeat(GIVES_UP)) for role, given in replies.items()}
        self._asked = {role: anyio.Event() for role in replies}

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        self._asked[call.role].set()
        with anyio.fail_after(20):
            for event in () if self._alone else self._asked.values():
                await event.wait()
        self.calls.append(call)
        return await ScriptedModel([next(self._of[call.role])], profile=PROFILE).answer(call, type)


async def done(folder: Path, model: ScriptedModel, *, task: str = TASK, **more: Any) -> Journal:
    request = RunRequest(task, model="scripted:x", workspace=folder / "work", desktop="none", crew="default", **more)
    journal = await session.run(request, settings_in(folder), model=model)
    assert journal.verify() == []
    assert (await replay(journal)).difference is None
    return journal


def roles(journal: Journal, kind: type[e.RoleCalled] | type[e.RoleReplied]) -> list[str]:
    return [event.body.role for event in journal.events if isinstance(event.body, kind)]


def status(journal: Journal) -> str:
    assert journal.state.outcome is not None
    return journal.state.outcome.status


async def test_operations_that_fail_now_and_then_end_no_run(tmp_path: Path) -> None:
    """Its one part is the whole task: as many failures in it as in a part of a plan would end every long chore."""
    tries = [{"operations": [{"function": "read_file", "file_path": f"{n}.txt"}], "branch": "Continue"} for n in range(6)]
    journal = await done(tmp_path, ByRole(ContractWriter=[CONTRACT], Worker=[*tries, WRITES], alone=True))
    assert status(journal) == "done"


async def test_the_contract_and_the_first_decision_are_asked_for_at_once(tmp_path: Path) -> None:
    journal = await done(tmp_path, ByRole(ContractWriter=[CONTRACT], Worker=[WRITES]))
    assert status(journal) == "done"
    assert roles(journal, e.RoleCalled) == ["ContractWriter", "Worker"]


@pytest.mark.parametrize("unusable", [1, 2])
async def test_nothing_is_done_before_it_is_settled_what_must_hold(tmp_path: Path, unusable: int) -> None:
    writer = [*["no contract"] * unusable, CONTRACT]
    journal = await done(tmp_path, ByRole(ContractWriter=writer, Worker=[WRITES, WRITES]))
    replied = roles(journal, e.RoleReplied)
    assert replied[: unusable + 2] == ["ContractWriter"] * min(unusable + 1, 2) + ["Worker"] + replied[3 : unusable + 2]
    kinds = [type(event.body) for event in journal.events]
    assert kinds.index(e.GoalSet) < kinds.index(e.OperationProposed)
    assert status(journal) == ("done" if unusable == 1 else "unverified")


@pytest.mark.parametrize("role", ["ContractWriter", "Worker"])
async def test_a_model_that_fails_for_one_of_them_ends_the_run(tmp_path: Path, role: str) -> None:
    replies = {"ContractWriter": [CONTRACT], "Worker": [WRITES]} | {role: [ModelFailure("away", hint="Wait.")]}
    journal = await done(tmp_path, ByRole(**replies))
    assert status(journal) == "failed"
    assert not (tmp_path / "work" / "hello.txt").exists()
    model = ByRole(alone=True, ContractWriter=[CONTRACT], Worker=[WRITES])
    again = await session.resume("last", settings_in(tmp_path), model=model)
    assert status(again) == "done"


CONSENT = {"ordered": []}


async def test_where_the_user_says_all_that_must_hold_nobody_else_is_asked(tmp_path: Path) -> None:
    task = "Write hello.txt."
    journal = await done(
        tmp_path, ScriptedModel([writes("hello.txt")], profile=PROFILE), task=task, required=all_of("hello.txt")
    )
    assert roles(journal, e.RoleCalled) == ["Worker"]
    assert status(journal) == "done"


async def test_where_only_the_plan_is_wanted_the_worker_is_not_asked(tmp_path: Path) -> None:
    journal = await done(tmp_path, ScriptedModel([CONTRACT, CONSENT], profile=PROFILE), plan_only=True)
    assert roles(journal, e.RoleCalled) == ["ContractWriter", "ConsentReader"]
    assert status(journal) == "stopped"


def writes(name: str, *, branch: str = "RoleTaskFinish") -> dict[str, Any]:
    return {"operations": [{"function": "write_file", "file_path": name, "text": name}], "branch": branch}


def part(name: str, *, needs: tuple[str, ...] = (), role: str = "Worker") -> dict[str, Any]:
    return {"goal": f"Write {name}", "role": role, "needs": list(needs)}


def all_of(*names: str) -> Contract:
    required = contract_of([check_of(f"file_is {name} {name}") for name in names])
    assert required is not None
    return required.model_copy(update={"whole": True})


async def test_parts_are_given_to_others_and_done_before_the_worker_goes_on(tmp_path: Path) -> None:
    """In two lanes, one part after another that it needs; the Worker is then asked again, and told what was found out."""
    gives = {"operations": [], "branch": "Continue", "delegate": [part("a"), part("b"), part("c", needs=("2",))]}

    def works(call: Call) -> dict[str, Any]:
        goal = call.text("volatile").rpartition("Your part: ")[2].partition("\n")[0]
        if goal.startswith("Write "):
            return writes(goal.removeprefix("Write ")) | {"information": f"{goal[-1]} is there"}
        return writes("d") if "c is there" in call.text() else gives

    model = ScriptedModel(itertools.repeat(works), profile=PROFILE)
    journal = await done(tmp_path, model, task="Make a, b, c and d.", required=all_of("a", "b", "c", "d"), lanes=2)
    assert status(journal) == "done"
    (patch,) = [
        event.body for event in journal.events if isinstance(event.body, e.PlanPatched) and event.body.by == "Worker"
    ]
    assert {each.id: each.needs for each in patch.plan.subtasks} == {"1": ("2", "3", "4"), "2": (), "3": (), "4": ("2",)}
    assert [event.body for event in journal.events if isinstance(event.body, e.LanesOpened)]
    made = [event.body.operation.params["file_path"] for event in journal.events if isinstance(event.body, e.ActionStarted)]
    assert made.index("a") < made.index("c")
    assert made[-1] == "d"


async def test_parts_come_alone_and_only_where_there_is_somebody_for_them(tmp_path: Path) -> None:
    both = writes("d", branch="Continue") | {"delegate": [part("a")]}
    model = ScriptedModel([both, writes("a"), GIVES_UP], profile=PROFILE)
    journal = await done(tmp_path / "two", model, task="Make a.", required=all_of("a"), lanes=2)
    (wrong,) = [event.body.error for event in journal.events if isinstance(event.body, e.RoleReplied) and event.body.error]
    assert "no operations with it" in wrong
    alone = ScriptedModel([writes("a")], profile=PROFILE)
    await done(tmp_path / "one", alone, task="Make a.", required=all_of("a"))
    assert ["delegate" in call.text() for call in (*model.calls[:1], *alone.calls)] == [True, False]


async def test_a_run_ends_where_decision_after_decision_changes_nothing(tmp_path: Path) -> None:
    """Not after a number of operations: those that find out something new are as good as those that change something."""
    (tmp_path / "work").mkdir(parents=True)
    for number in range(40):
        (tmp_path / "work" / f"{number}.txt").write_text(f"{number}")
    reads = [{"operations": [{"function": "read_file", "file_path": f"{n}.txt"}], "branch": "Continue"} for n in range(40)]
    looks = [{"operations": [{"function": "find_files", "pattern": f"{n % 8}x"}], "branch": "Continue"} for n in range(40)]
    model = ScriptedModel([*reads, *looks], profile=PROFILE)
    journal = await done(tmp_path, model, task="Say what is in them.", required=all_of("a"))
    assert journal.state.outcome is not None
    assert journal.state.outcome.reason == "bound:stalls", journal.state.outcome
    assert journal.state.operations > 40
    assert len(model.calls) < 80


ANSWERED = {"parts": [1], "says": "The number of apples is told", "seen_by": "answer", "files": [], "checks": []}
ASKS = {"requirements": [ANSWERED], "question": "How many apples are there?"}
READS = {"operations": [{"function": "read_file", "file_path": "stock.txt"}], "branch": "Continue"}


def reader(call: Call) -> dict[str, Any]:
    texts = [each.partition(":\n")[2].split()[0] for each in call.text("volatile").split("Text ")[1:]]
    said = [{"text": number, "quote": each, "fulfils": each == "17"} for number, each in enumerate(texts, 1)]
    return {"texts": said, "why": "It is there."}


@pytest.mark.parametrize(("told", "worded"), [("17", False), ("18", True), ("", True)])
async def test_an_answer_that_is_borne_out_is_not_worded_again(tmp_path: Path, told: str, worded: bool) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "stock.txt").write_text("apples: 17\n")
    tells = {"operations": [], "branch": "RoleTaskFinish", "answer": told}
    final = {"answer": "17", "sources": ["1"], "branch": "Continue"}

    def final_answer(call: Call) -> dict[str, Any]:
        numbers = [line.partition(": ")[0] for line in call.text().splitlines() if "apples: 17" in line]
        return final | {"sources": [each for each in numbers if each.isdigit()][:1]}

    replies: list[Any] = [ASKS, READS, tells, *([final_answer] if worded else []), reader]
    journal = await done(tmp_path, ScriptedModel(replies, profile=PROFILE), task="How many apples does stock.txt list?")
    assert ("FinalAnswer" in roles(journal, e.RoleCalled)) == worded
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.answer) == ("done", "17")


async def test_what_the_worker_was_shown_of_a_file_from_the_start_is_a_source_of_its_answer(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "stock.txt").write_text("apples: 17\n")
    (tmp_path / "work" / "old.txt").write_text("plums: 18\n")
    profile = PROFILE.model_copy(update={"reading": 12_000})
    tells = {"operations": [], "branch": "RoleTaskFinish", "answer": "17"}
    model = ScriptedModel([ASKS, tells, reader], profile=profile)
    journal = await done(tmp_path, model, task="How many apples does stock.txt list?")
    assert "- stock.txt, whole:\n  apples: 17\n" in next(call for call in model.calls if call.role == "Worker").text()
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.answer) == ("done", "17"), outcome
    sources = [event.body for event in journal.events if event.id in outcome.sources]
    assert [isinstance(body, e.FileRead) and body.path for body in sources] == ["stock.txt"]
    again = await replay(journal)
    assert again.equal, again.difference


SUMS = {"function": "run_python_code", "code": "rows = open('stock.csv').read().split(); print(sum(map(int, rows)))"}
FINAL = {"answer": "It is 17.", "sources": [], "branch": "Continue", "problem": ""}
SUM_PROBE = """
def requirement_1(start, end, answer):
    total = str(sum(map(int, (start / "stock.csv").read_text().split())))
    return total in answer.rstrip(".").split(), total
"""


def by_the_source(call: Call) -> dict[str, Any]:
    """A reader who goes by the source that it is given: the output of the program, or else the file's first line."""
    right = "It is 17." if "printed by this program" in call.text() else "It is 12."
    texts = [each.partition(":\n")[2].split("\n")[0] for each in call.text("volatile").split("Text ")[1:]]
    said = [{"text": number, "quote": each, "fulfils": each == right} for number, each in enumerate(texts, 1)]
    return {"texts": said, "why": "It is there."}


async def told_beside(folder: Path, *operations: dict[str, Any], said: str, **more: list[Any]) -> tuple[Journal, ByRole]:
    """A run in which the Worker answers in the reply that has these operations."""
    (folder / "work").mkdir()
    (folder / "work" / "stock.csv").write_text("12\n5\n")
    tells = {"operations": [*operations], "branch": "RoleTaskFinish", "answer": said}
    roles: dict[str, list[Any]] = {"ContractWriter": [ASKS], "Worker": [tells], "Reader": [by_the_source]}
    model = ByRole(alone=True, **{**roles, **more})
    return await done(folder, model, task="What is the sum in stock.csv?"), model


async def test_an_answer_that_operations_of_its_own_reply_contradict_is_never_the_answer_of_a_run_that_is_done(
    tmp_path: Path,
) -> None:
    """Not even if its figure is in the file, and the reader would take it."""
    reads = {"function": "read_file", "file_path": "stock.csv"}
    journal, model = await told_beside(tmp_path, reads, SUMS, said="It is 12.", FinalAnswer=[FINAL])
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.answer) == ("done", "It is 17."), journal.state.outcome
    (asked,) = (call.text() for call in model.calls if call.role == "FinalAnswer")
    assert "It is 12." not in asked, "what was guessed is no fact"


async def test_an_answer_that_a_probe_proves_is_taken_whenever_it_was_written(tmp_path: Path) -> None:
    asks = {**ASKS, "requirements": [{**ANSWERED, "files": ["stock.csv"]}]}
    journal, model = await told_beside(
        tmp_path, SUMS, said="It is 17.", ContractWriter=[asks], Verifier=[{"code": SUM_PROBE}]
    )
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.answer) == ("done", "It is 17."), journal.state.outcome
    assert [call.role for call in model.calls if call.role in ("FinalAnswer", "Reader")] == []


async def test_an_answer_beside_operations_that_return_nothing_is_not_worded_again(tmp_path: Path) -> None:
    read = {"operations": [{"function": "read_file", "file_path": "stock.csv"}], "branch": "Continue"}
    tells = {"operations": [WRITES["operations"][0]], "branch": "RoleTaskFinish", "answer": "It is 12."}
    asks = {"requirements": [ANSWERED, {**HOLDS, "says": "hello"}], "question": "Which is the first?"}
    journal, model = await told_beside(tmp_path, said="", ContractWriter=[asks], Worker=[read, tells])
    assert "FinalAnswer" not in [call.role for call in model.calls]
    assert journal.state.outcome is not None
    assert journal.state.outcome.answer == "It is 12."


@pytest.mark.parametrize(("said", "kept"), [("It made 12 rows.", False), ("It left the rest alone.", True)])
async def test_of_a_remark_beside_a_program_that_prints_no_figure_is_shown(tmp_path: Path, said: str, kept: bool) -> None:
    prints = {"function": "run_python_code", "code": "open('hello.txt', 'w').write('hello'); print('5 rows')"}
    (tmp_path / "work").mkdir()
    works = {"operations": [prints], "branch": "RoleTaskFinish", "answer": said}
    journal = await done(tmp_path, ByRole(ContractWriter=[CONTRACT], Worker=[works]))
    assert status(journal) == "done"
    assert journal.state.outcome is not None
    assert journal.state.outcome.said == (said if kept else "")


async def test_an_answer_is_not_kept_when_what_it_came_with_has_failed(tmp_path: Path) -> None:
    fails = {"function": "run_python_code", "code": "assert False"}
    first = {"operations": [fails], "branch": "RoleTaskFinish", "answer": "It is 12."}
    then = {"operations": [{"function": "read_file", "file_path": "stock.csv"}], "branch": "RoleTaskFinish"}
    journal, model = await told_beside(tmp_path, said="", Worker=[first, then], FinalAnswer=[FINAL])
    assert "FinalAnswer" in [call.role for call in model.calls]
    assert journal.state.outcome is not None
    assert journal.state.outcome.answer == "It is 17."


LETTER = "From: Bo <bo@a.example>\nSubject: Order 77\n\nThe chairs come on 12 August, to gate 3.\n"
DAY = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Budget in room Elm\nDTSTART:20260806T150000\nEND:VEVENT\nEND:VCALENDAR\n"


async def test_who_says_what_must_hold_is_shown_what_small_files_say_as_the_worker_is(tmp_path: Path) -> None:
    """Also what the task does not name; what it names is shown whole, once."""
    work = tmp_path / "work"
    work.mkdir()
    for name, text in {
        "a.eml": LETTER,
        "b.mbox": f"From bo@a.example Mon Aug  3 10:00:00 2026\n{LETTER}",
        "c.ics": DAY,
        "e.csv": "town,fee\n",
    }.items():
        (work / name).write_text(text)
    (work / "d.pdf").write_bytes(form_pdf())
    model = ScriptedModel([CONTRACT, WRITES], profile=PROFILE.model_copy(update={"reading": 12_000}))
    await done(tmp_path, model, task="Write hello into hello.txt, as a.eml wants it.")
    writer, worker = (call.text("task") for call in model.calls[:2])
    assert f"- a.eml\n{worker[worker.index('- b.mbox, whole:') :].strip()}\nTexts that the task names" in writer
    assert "Budget in room Elm" in writer
    assert "- a.eml, whole:" in worker
    assert "[a.eml]\nFrom: Bo <bo@a.example>" in writer


@pytest.mark.parametrize(("reading", "lines"), [(0, 400), (12_000, 1000)])
async def test_a_model_is_shown_as_much_of_a_file_at_once_as_it_reads(tmp_path: Path, reading: int, lines: int) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "long.txt").write_text("\n".join(f"line {number:04}" for number in range(1000)))
    reads = {"operations": [{"function": "read_file", "file_path": "long.txt"}], "branch": "Continue"}
    model = ScriptedModel([reads, GIVES_UP], profile=PROFILE.model_copy(update={"contracts": False, "reading": reading}))
    journal = await done(tmp_path, model)
    read = next(event.body for event in journal.events if isinstance(event.body, e.ActionFinished))
    assert lines - 100 < read.text.count("line 0") <= lines, read.text
    assert ("shows more" in read.text) == (lines < 1000)
    again = await replay(journal)
    assert again.equal, again.difference


STAYS = {"parts": [1], "says": "notes.txt stays as it was", "seen_by": "probe", "files": ["notes.txt"], "stays": True}
RIGHT = """def requirement_2(start, end):
    return (start / 'notes.txt').read_text() == (end / 'notes.txt').read_text(), 'read'
"""


async def test_a_check_that_says_no_where_nothing_was_done_is_told_to_its_writer_and_not_to_who_worked(
    tmp_path: Path,
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "notes.txt").write_text("mine")
    wrong = "def requirement_2(start, end):\n    return [start / 'notes.txt'] is [end / 'notes.txt'], 'as it was read'\n"
    contract = {"requirements": [HOLDS, STAYS], "question": ""}
    model = ByRole(alone=True, Worker=[WRITES], ContractWriter=[contract], Verifier=[{"code": wrong}, {"code": RIGHT}])
    journal = await done(tmp_path, model)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert [call.role for call in model.calls].count("Worker") == 1
    again = next(call for call in reversed(model.calls) if call.role == "Verifier")
    assert "requirement_2 failed: it returns False for the start itself" in again.text()


async def test_who_did_the_task_alone_may_contest_a_check_and_its_writer_looks_again(tmp_path: Path) -> None:
    code = "def requirement_1(start, end):\n    return (end / 'hello.txt').read_text() == {}, 'read'\n"
    probed = {**HOLDS, "seen_by": "probe", "checks": []}
    contests = {
        "operations": [],
        "branch": "RoleTaskFinish",
        "contests": [{"requirement": "1", "why": "no bang is asked for"}],
    }
    model = ByRole(
        alone=True,
        Worker=[WRITES, contests],
        ContractWriter=[{"requirements": [probed], "question": ""}],
        Verifier=[{"code": code.format("'hello!'")}, {"code": code.format("'hello'")}],
    )
    journal = await done(tmp_path, model)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert [call.role for call in model.calls] == ["ContractWriter", "Worker", "Verifier", "Worker", "Verifier"]
    assert "name it in `contests`" in model.calls[3].text()
    assert "no bang is asked for" in model.calls[4].text()
    again = await replay(journal)
    assert again.equal, again.difference


async def test_a_scripted_reply_of_another_role_is_told_by_its_fields(tmp_path: Path) -> None:
    plan = {"subtasks": [{"goal": TASK, "role": "FileManager"}]}
    model = ScriptedModel([WRITES, plan, GIVES_UP])
    request = RunRequest(TASK, model="scripted:x", workspace=tmp_path / "work", desktop="none", crew="planned")
    journal = await session.run(request, settings_in(tmp_path), model=model)
    (wrong, *_) = [each.body for each in journal.events if isinstance(each.body, e.RoleReplied)]
    assert wrong.error.endswith("It has the fields of a reply of FileManager; Planner was asked.")
    assert (await replay(journal)).difference is None
