"""The library: a task in, a result out; what it promises is what can be imported and what its types say."""

from __future__ import annotations

import inspect
import io
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest
from rich.console import Console

import deskcrew
from deskcrew.actions.action import Action, Scene
from deskcrew.engine.human.questions import Accepted, Approval, OperationQuestion, Question, Response
from deskcrew.engine.request import RunRequest
from deskcrew.engine.steps.choosing import NOTHING, OVER, UNUSABLE
from deskcrew.engine.steps.ending import UNSEEN
from deskcrew.engine.steps.understanding import BEFOREHAND, UNASKED
from deskcrew.errors import DeskcrewError, ModelFailure
from deskcrew.facts import events as e
from deskcrew.facts.contract import Strength
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.branches import branches
from deskcrew.journal.store import Store
from deskcrew.ways_in.cli.ending import panel
from deskcrew.ways_in.library import Options, in_python
from deskcrew.ways_in.report.result import result_of
from deskcrew.ways_in.web import run_view
from deskcrew.ways_in.web.wording import ended
from support.desktop_double import RecordingDesktop

PLAN: dict[str, Any] = {"subtasks": [{"goal": "write it", "role": "FileManager"}]}


def writing(name: str, text: str) -> list[dict[str, Any]]:
    """A plan, and the reply that writes a file."""
    operation = {"function": "write_file", "file_path": name, "text": text}
    return [PLAN, {"operations": [operation], "branch": "RoleTaskFinish"}]


@pytest.fixture
def settings(tmp_path: Path) -> deskcrew.Settings:
    return deskcrew.Settings(data=tmp_path / "data")


def test_a_task_in_and_a_result_out(tmp_path: Path, settings: deskcrew.Settings) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "list.txt").write_text("mine")
    (tmp_path / "note.txt").write_text("attached")
    seen: list[str] = []
    result = deskcrew.run(
        'Write "hello" into hello.txt.',
        attach=str(tmp_path / "note.txt"),
        require=("file_contains hello.txt hello",),
        model=deskcrew.ScriptedModel(writing("hello.txt", "hello")),
        on_event=lambda event: seen.append(event.header.type),
        settings=settings,
        desktop="none",
        workspace=str(mine),
        copy=True,
    )
    assert (result.done, result.outcome, result.verified_by, result.exit_code) == (True, "done", "checks", 0)
    assert result.files.created == ("hello.txt",)
    assert result.path("hello.txt").read_text().strip() == "hello"
    assert result.path("note.txt").read_text() == "attached"
    assert result.path("list.txt").exists()
    assert [file.name for file in mine.iterdir()] == ["list.txt"], "it worked on a copy"
    assert (seen[0], seen[-1]) == ("run_started", "run_finished")
    assert result.or_raise() is result
    assert (result.calls, result.operations) == (2, 1)
    assert result.spoiled.accepted == 0 < result.spoiled.rejected
    assert f"{result.spoiled.rejected} copies of the result" in result.tried


def test_what_must_hold_is_said_in_three_ways_and_one_of_it_without_a_tuple(
    tmp_path: Path, settings: deskcrew.Settings
) -> None:
    (tmp_path / "check.py").write_text("from pathlib import Path\nassert 'hello' in Path('hello.txt').read_text()\n")
    (tmp_path / "wanted.toml").write_text('[[requirements]]\nchecks = ["file_contains hello.txt hello"]\n')
    ways: list[Options] = [
        {"require": ("file_contains hello.txt hello",)},
        {"require": "file_contains hello.txt hello"},
        {"check": (tmp_path / "check.py",)},
        {"check": str(tmp_path / "check.py")},
        {"contract": str(tmp_path / "wanted.toml")},
    ]
    for way in ways:
        for text, ends in (("hello", "done"), ("goodbye", "failed")):
            model = deskcrew.ScriptedModel(writing("hello.txt", text)[1:] * 9)
            result = deskcrew.run("Greet.", model=model, settings=settings, **{"desktop": "none", "crew": "solo", **way})
            assert result.outcome == ends, f"{way}: {result.why}"
    with pytest.raises(deskcrew.UsageError, match="not a kind of requirement"):
        deskcrew.run("Greet.", settings=settings, require=("file_contain a b",))


def test_what_is_not_done_can_be_raised(settings: deskcrew.Settings) -> None:
    result = deskcrew.run(
        'Write "hello" into hello.txt.',
        require=("file_contains hello.txt hello",),
        model=deskcrew.ScriptedModel(writing("hello.txt", "something else")[1:] * 9),
        settings=settings,
        desktop="none",
        crew="solo",
    )
    assert not result.done
    assert [proof.holds for proof in result.requirements] == [False]
    with pytest.raises(deskcrew.RunNotDone, match=str(result.run)) as raised:
        result.or_raise()
    assert raised.value.run == result.run
    assert raised.value.hint == f"deskcrew log {result.run}"


async def test_a_person_is_asked_and_there_may_be_an_event_loop(settings: deskcrew.Settings) -> None:
    asked: list[OperationQuestion] = []

    async def no(question: OperationQuestion) -> bool:
        asked.append(question)
        return False

    options: Options = {"desktop": "none", "mode": "active"}
    ask = deskcrew.PythonResponder(operation=no)
    model = deskcrew.ScriptedModel([*writing("a.txt", "hello"), *writing("a.txt", "hello")[1:] * 20])
    result = await deskcrew.arun('Write "hello" into a.txt.', model=model, ask=ask, settings=settings, **options)
    assert not result.done
    assert {question.operation.function for question in asked} == {"write_file"}
    assert not result.path("a.txt").exists(), "the answer was no"
    with pytest.raises(deskcrew.UsageError, match="event loop is already") as raised:
        deskcrew.run("anything", settings=settings)
    assert "await deskcrew.arun" in raised.value.hint


def test_plain_functions_can_be_asked(settings: deskcrew.Settings) -> None:
    """The same for a function as for a responder made of functions that are not async."""
    asked: list[str] = []

    def answer(question: Question) -> Response | None:
        asked.append(question.type)
        return Approval(allowed=True) if isinstance(question, OperationQuestion) else Accepted()

    for ask in (answer, deskcrew.PythonResponder(reply=answer, operation=answer)):
        asked.clear()
        model = deskcrew.ScriptedModel(writing("hello.txt", "hello"))
        result = deskcrew.run("Write it.", model=model, ask=ask, settings=settings, desktop="none", mode="active")
        assert result.files.created == ("hello.txt",)
        assert {*asked} == {"reply", "operation"}


@pytest.mark.parametrize("ask", [True, "yes", object(), deskcrew.PythonResponder, lambda: True])
def test_what_cannot_be_asked_is_named(ask: Any, settings: deskcrew.Settings) -> None:
    with pytest.raises(deskcrew.UsageError, match="a function that takes a question") as refused:
        deskcrew.run("Write it.", model=deskcrew.ScriptedModel([]), ask=ask, settings=settings, desktop="none")
    assert "Return True or False" in str(refused.value.hint)


@pytest.mark.parametrize("answer", [None, 7])
def test_what_is_no_answer_is_named(answer: Any, settings: deskcrew.Settings) -> None:
    model = deskcrew.ScriptedModel(writing("hello.txt", "hello"))
    with pytest.raises(deskcrew.UsageError, match=f"of type 'reply'. returned {answer}, which is not an answer") as raised:
        deskcrew.run("Write it.", model=model, ask=lambda _: answer, settings=settings, desktop="none", mode="active")
    assert "Return True or False" in raised.value.hint


@pytest.mark.parametrize("allowed", [True, False])
def test_a_yes_or_a_no_is_an_answer_to_a_question(allowed: bool, settings: deskcrew.Settings) -> None:
    def ask(question: Question) -> bool:
        return allowed or question.type != "operation"

    gives_up = {"operations": [], "branch": "Interrupt", "problem": "I may not"}
    model = deskcrew.ScriptedModel([*writing("hello.txt", "hello"), *[gives_up] * 20])
    result = deskcrew.run("Write it.", model=model, ask=ask, settings=settings, desktop="none", mode="active")
    assert result.files.created == (("hello.txt",) if allowed else ())


def test_a_sentence_is_told_to_the_role(settings: deskcrew.Settings) -> None:
    told = ["into other.txt, please"]

    def ask(question: Question) -> bool | str:
        return told.pop() if question.type == "operation" and told else True

    other = writing("other.txt", "hello")[1]
    model = deskcrew.ScriptedModel([*writing("hello.txt", "hello"), other])
    result = deskcrew.run("Write it.", model=model, ask=ask, settings=settings, desktop="none", mode="active")
    assert result.files.created == ("other.txt",)


def test_a_skill_is_used_with_values_of_its_own_and_nobody_is_asked(tmp_path: Path, settings: deskcrew.Settings) -> None:
    work = tmp_path / "june"
    work.mkdir()
    (work / "may.csv").write_text("Name,Amount\nAda,3\nBo,20\n")
    values = {"source": "may.csv", "column": "Amount", "order": "descending", "result": "sorted.csv"}
    result = deskcrew.use_skill("sort-table", work, settings=settings, **values)
    assert (result.done, result.calls) == (True, 0), result.why
    assert (work / "sorted.csv").read_text() == "Name,Amount\nBo,20\nAda,3\n"
    for wrong, told in (
        ({"by": "Amount"}, "no parameter 'by'"),
        ({"source": "may.csv"}, "sort-table needs column"),
        (values | {"column": "Sum"}, "Sum"),
    ):
        with pytest.raises(deskcrew.UsageError, match=told):
            deskcrew.use_skill("sort-table", work, settings=settings, **wrong)
    with pytest.raises(deskcrew.UsageError, match="sort-tabel"):
        deskcrew.use_skill("sort-tabel", work, settings=settings)
    with pytest.raises(deskcrew.UsageError, match="nowhere"):
        deskcrew.use_skill("sort-table", tmp_path / "nowhere", settings=settings, **values)


def test_a_file_of_actions_that_nobody_has_allowed_is_no_matter_for_a_skill_that_uses_none(
    tmp_path: Path, settings: deskcrew.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (actions := tmp_path / ".deskcrew/actions").mkdir(parents=True)
    (actions / "own.py").write_text(f"import os\nos.mkdir({str(tmp_path / 'ran')!r})\nACTIONS = []\n")
    (work := tmp_path / "work").mkdir()
    (work / "a.csv").write_text("A,B\n2,x\n1,y\n")
    monkeypatch.chdir(tmp_path)
    result = deskcrew.use_skill("sort-table", work, settings=settings, source="a.csv", column="A", result="b.csv")
    assert result.done, result.why
    assert not (tmp_path / "ran").exists()
    with pytest.raises(deskcrew.DeskcrewError, match="nobody has allowed it yet"):
        deskcrew.run("Sort it.", model=deskcrew.ScriptedModel([]), settings=settings, workspace=work, desktop="none")


@pytest.mark.anyio
async def test_a_run_is_stopped_from_another_process_and_the_result_says_so(settings: deskcrew.Settings) -> None:
    waits = {"function": "run_python_code", "code": "import time; time.sleep(600)"}
    plan = {"subtasks": [{"goal": "wait", "role": "Programmer"}]}
    model = deskcrew.ScriptedModel([plan, {"operations": [waits], "branch": "RoleTaskFinish"}])
    runs, works, results = list[str](), anyio.Event(), list[deskcrew.Result]()

    def on_event(event: e.Event) -> None:
        if isinstance(event.body, e.ActionStarted):
            runs.append(event.header.run)
            works.set()

    async def go() -> None:
        results.append(await deskcrew.arun("Wait.", model=model, on_event=on_event, settings=settings, desktop="none"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(go)
        await works.wait()
        stopping = [sys.executable, "-c", "from deskcrew.ways_in.cli import main; main()", "stop", runs[0]]
        await anyio.run_process([*stopping, "--data", str(settings.data)])
    (result,) = results
    assert (result.run, result.outcome) == (runs[0], "stopped")


def test_a_result_is_printed_as_a_person_reads_it(tmp_path: Path, settings: deskcrew.Settings) -> None:
    (folder := tmp_path / "w").mkdir()
    (folder / "a.csv").write_text("A,B\n2,x\n1,y\n")
    result = deskcrew.use_skill("sort-table", folder, settings=settings, source="a.csv", column="A", result="b.csv")
    first, said, files, where = str(result).splitlines()
    assert first.startswith(f"run {result.run}: done")
    assert (said, files, where) == (result.said, "created: b.csv", f"in {folder}")
    with pytest.raises(deskcrew.UsageError, match="There is no folder"):
        deskcrew.use_skill("sort-table", tmp_path / "nope", settings=settings, source="a.csv", column="A", result="b.csv")
    with pytest.raises(deskcrew.UsageError, match="There is no folder"):
        deskcrew.run("Sort a.csv.", workspace=tmp_path / "nope", settings=settings)
    assert not (tmp_path / "nope").exists()


def test_a_script_that_runs_out_is_a_run_that_failed(tmp_path: Path) -> None:
    """As it is for a user: in a process without the strictness of these tests."""
    program = """
import sys, deskcrew
settings = deskcrew.Settings(data=sys.argv[1])
result = deskcrew.run("Write it.", model=deskcrew.ScriptedModel([]), settings=settings, desktop="none")
print(result.outcome, result.reason, result.why)
"""
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("failed model The script of model 'scripted' has no more replies for Planner (call 1).")


def test_what_an_operation_failed_with_is_printed_with_the_result(settings: deskcrew.Settings) -> None:
    def explode(name: str) -> str:
        """Explode something."""
        raise ValueError(f"kaputt: {name}")

    explodes = {"operations": [{"function": "explode", "name": "x"}], "branch": "RoleTaskFinish"}
    model = deskcrew.ScriptedModel([explodes] * 20)
    wanted: Options = {"require": "file_exists a.txt", "crew": "solo", "desktop": "none"}
    result = deskcrew.run("Explode it.", model=model, settings=settings, actions=explode, **wanted)
    failure = result.failures[-1]
    assert failure.startswith("explode: ")
    assert "ValueError: kaputt: x" in failure
    assert f"the last operation that failed: {failure}" in str(result)


def test_what_a_check_found_is_printed_once_with_the_result(settings: deskcrew.Settings) -> None:
    model = deskcrew.ScriptedModel([writing("total.txt", "7.0")[1], ModelFailure("It is gone.")])
    wanted: Options = {"require": "file_is total.txt 6.5", "crew": "solo", "desktop": "none"}
    result = deskcrew.run("Add it up.", model=model, settings=settings, **wanted)
    ended, wrong, *_ = str(result).splitlines()
    assert "failed: 1 of 1 requirement did not hold; then the model gave no usable answer; It is gone." in ended
    assert str(result).count("did not hold") == 1
    assert wrong.startswith("not fulfilled: total.txt contains '6.5' and nothing else: it contains '7.0'")


def pay(scene: Scene, amount: int) -> str:
    """Pay an amount."""
    raise AssertionError(f"{amount} in {scene.workspace.root} was paid though nobody allowed it")


def test_a_done_result_opens_with_what_was_denied(settings: deskcrew.Settings) -> None:
    paying = {"operations": [{"function": "pay", "amount": 7}], "branch": "Continue"}
    note = writing("note.txt", "x")[1]
    spend = Action.of(pay, risk="spend")
    wanted: Options = {"require": "file_contains note.txt x", "crew": "solo", "desktop": "none"}
    model = deskcrew.ScriptedModel([paying, note])
    result = deskcrew.run("Pay it and note x.", model=model, settings=settings, actions=spend, **wanted)
    assert result.done
    assert result.denied == ('Pay: amount "7" (nobody was there to allow it)',)
    assert result.words.startswith(f"done, but 1 operation was denied: {result.denied[0]}, verified by checks")
    assert result.words in str(result)
    store = Store.of(settings)
    row = store.row(result.run or "")
    events = store.journal(row.id).events
    console = Console(file=io.StringIO(), width=200)
    console.print(panel(row.id, events))
    assert result.words in console.file.getvalue()  # type: ignore[attr-defined]
    shown = run_view.shown(store.reading(row.id), row, None)
    assert ended(Outcome(status="done", verified_by="rules"), shown.not_done)[0].startswith(f"D{result.words[1:80]}")


def test_a_result_that_a_weak_check_proved_is_printed_as_such() -> None:
    strength = Strength(tried={"altered": 2}, loose=("a.txt with another value",))
    result = result_of("0101-aaaa", [], Outcome(status="done", verified_by="rules", strength=strength))
    weak = "run 0101-aaaa: done (weak check), verified by checks, which accepted 1 of 2 deliberately spoiled copies"
    assert str(result).startswith(weak)
    unread = Strength(unread=("only that a.txt exists was checked",))
    proven = Outcome(status="done", verified_by="rules", strength=Strength(tried={"altered": 2}))
    blind = proven.model_copy(update={"strength": unread})
    assert [result_of("", [], each).model_dump()["weak"] for each in (proven, blind)] == [False, True]
    assert result.weak


def test_the_name_of_a_file_is_a_text(tmp_path: Path, settings: deskcrew.Settings) -> None:
    with pytest.raises(deskcrew.UsageError, match="'source' cannot be 5") as error:
        deskcrew.use_skill("sort-table", tmp_path, settings=settings, source=5, column="A")
    assert "Give a text: the name of a file." in str(error.value.hint)


def test_a_session_goes_on_in_its_workspace(tmp_path: Path, settings: deskcrew.Settings) -> None:
    model = deskcrew.ScriptedModel([*writing("a.txt", "one"), *writing("b.txt", "two")])
    (tmp_path / "mine").mkdir()
    session = deskcrew.Session(model=model, settings=settings, desktop="none", workspace=tmp_path / "mine", copy=True)
    first = session.run('Write "one" into a.txt.', require="file_contains a.txt one")
    second = session.run('Write "two" into b.txt.', require=("file_contains b.txt two",))
    assert session.results == [first, second]
    assert [one.outcome for one in session.results] == ["done", "done"]
    assert second.follows == first.run
    assert second.workspace == first.workspace
    assert second.path("a.txt").exists()
    assert 'Write "one" into a.txt.' in model.calls[2].text(), "the planner is told of the task before"


def test_what_is_wrong_is_said_before_anything_is_started(tmp_path: Path, settings: deskcrew.Settings) -> None:
    with pytest.raises(deskcrew.UsageError, match="no option 'desktp'") as raised:
        deskcrew.run("anything", settings=settings, **{"desktp": "none"})  # type: ignore[misc]
    assert "desktop" in raised.value.hint
    with pytest.raises(deskcrew.UsageError, match="The task is empty"):
        deskcrew.run(" ", settings=settings, desktop="none")
    with pytest.raises(deskcrew.UsageError, match="no file"):
        deskcrew.run("Read it.", attach=[tmp_path / "missing.txt"], settings=settings, desktop="none")
    assert not (tmp_path / "data" / "workspaces").exists()


@pytest.mark.parametrize(
    ("task", "options", "hint"),
    [
        (" ", {}, 'deskcrew.run("...")'),
        ("Tidy up.", {"copy": True}, "workspace=DIR"),
        ("Tidy up.", {"desktop": "windows"}, "desktop='windows' at='stdio:deskcrew-windows-agent.exe'"),
    ],
)
def test_a_hint_names_arguments_and_calls_and_no_options_of_the_command_line(
    settings: deskcrew.Settings, task: str, options: dict[str, Any], hint: str
) -> None:
    with pytest.raises(deskcrew.UsageError) as raised:
        deskcrew.run(task, **{"settings": settings, "desktop": "none", **options})
    assert hint in raised.value.hint
    assert (raised.value.__notes__, "--" in raised.value.hint) == ([f"Hint: {raised.value.hint}"], False)


def test_why_a_run_is_not_done_names_arguments_and_calls_and_no_options_of_the_command_line(
    settings: deskcrew.Settings,
) -> None:
    model = deskcrew.ScriptedModel(writing("hello.txt", "hello")[1:])
    result = deskcrew.run("Greet.", model=model, settings=settings, desktop="none", crew="solo")
    assert (result.outcome, "--" in result.why) == ("unverified", False)
    assert "say it yourself (require=, check=, contract=), or use a model that writes contracts (model=)" in result.why
    asked = "(deskcrew.use_skill), say yes beforehand (yes=True), or be asked (ask=)"
    assert asked in in_python(UNASKED.format(reading="Sort it", beforehand=BEFOREHAND))
    assert "--" not in "".join(map(in_python, (NOTHING, OVER, UNUSABLE, UNSEEN)))


@pytest.mark.parametrize(
    ("options", "told", "hint"),
    [
        ({"model": deskcrew.ScriptedModel}, "'model' cannot be <class", "an object like deskcrew.ScriptedModel"),
        ({"settings": "/tmp"}, "'settings' cannot be '/tmp'", "deskcrew.Settings("),
        ({"limits": {"stalls": "x"}}, "'limits.stalls' cannot be that: 'x' is not a whole number", "deskcrew docs python"),
        ({"actions": None}, "None is neither a function nor an action", "Like this: def rate("),
        ({"actions": "rate"}, "'rate' is neither a function nor an action", "Like this: def rate("),
    ],
)
def test_a_wrong_option_is_told_with_what_can_be_given(
    settings: deskcrew.Settings, options: dict[str, Any], told: str, hint: str
) -> None:
    with pytest.raises(DeskcrewError, match=told) as raised:
        deskcrew.run("anything", **{"settings": settings, "desktop": "none", **options})
    assert hint in raised.value.hint


def test_what_is_no_folder_is_told_with_what_can_be_given(settings: deskcrew.Settings) -> None:
    with pytest.raises(deskcrew.UsageError, match="'folder' cannot be 5") as raised:
        deskcrew.use_skill("sort-table", 5, settings=settings, source="a.csv", column="A")  # type: ignore[arg-type]
    assert "the path of a folder" in raised.value.hint


def exchange_rate(scene: Scene, currency: Annotated[str, "A currency, like USD."], days: int = 0) -> float:
    """How many euros one unit of a currency is worth."""
    assert scene.workspace.root.is_dir()
    return {"USD": 0.92}[currency] + days


def asking(currency: str, *, then: str = "Continue") -> dict[str, Any]:
    return {"operations": [{"function": "exchange_rate", "currency": currency}], "branch": then}


def test_a_function_of_the_program_is_an_action_in_every_attempt(settings: deskcrew.Settings) -> None:
    again = [asking("USD", then="RoleTaskFinish")] * 9
    model = deskcrew.ScriptedModel([asking("USD"), asking("XYZ"), *again])
    wanted: Options = {"require": "file_exists rate.txt", "crew": "solo", "desktop": "none", "attempts": 2}
    finished: list[e.ActionFinished] = []

    def note(event: e.Event) -> None:
        finished.extend([event.body] if isinstance(event.body, e.ActionFinished) else [])

    result = deskcrew.run("Find the rate.", model=model, settings=settings, actions=exchange_rate, on_event=note, **wanted)
    assert result.outcome == "failed"
    assert [body.ok for body in finished[:3]] == [True, False, True]
    assert "KeyError: 'XYZ'" in finished[1].error
    store = Store.of(settings)
    journal = store.journal(result.run or "")
    assert len(branches(journal)) == 2
    first, called = journal.all[0].body, journal.state.started
    assert isinstance(first, e.RunStarted)
    assert called is not None
    assert called.given_by("exchange_rate") == "content"
    text = journal.read_blob(first.files["actions/program-exchange_rate.py"]).decode()
    assert text.startswith("def exchange_rate("), "the record says what was called"
    assert journal.read_blob(next(b.output for b in finished if b.ok)).decode().startswith("0.92")


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x: x, "The parameter 'x' of <lambda> has no type"),
        ("rm", "'rm' is neither a function nor an action"),
        (print, "cannot be read|has no type"),
    ],
)
def test_what_cannot_be_an_action_is_said(function: Any, told: str, settings: deskcrew.Settings) -> None:
    with pytest.raises(deskcrew.ConfigError, match=told) as raised:
        deskcrew.run("x", settings=settings, actions=[function])
    assert "Like this: def rate(" in raised.value.hint


def test_an_action_of_the_program_takes_no_name_of_another(settings: deskcrew.Settings) -> None:
    def write_file(text: str) -> None:
        """Write."""

    with pytest.raises(deskcrew.ConfigError, match="there is an action 'write_file' already: a built-in one"):
        deskcrew.run("x", settings=settings, actions=[write_file], desktop="none", model=deskcrew.ScriptedModel([]))


def test_a_role_of_the_program_is_in_the_pool(settings: deskcrew.Settings) -> None:
    role = Path(__file__).parents[1] / "examples/roles/translator.md"
    plan = {"subtasks": [{"goal": "translate it", "role": "Translator"}]}
    model = deskcrew.ScriptedModel([plan, *writing("lettre.txt", "Bonjour")[1:]])
    result = deskcrew.run(
        "Translate.", model=model, settings=settings, roles=str(role), desktop="none", require="file_exists lettre.txt"
    )
    assert result.done, result.why


def test_an_environment_of_the_program_is_worked_in_once_and_guarded_as_the_users_own(settings: deskcrew.Settings) -> None:
    desktop = RecordingDesktop()
    session = deskcrew.Session(model=deskcrew.ScriptedModel([PLAN] * 9), settings=settings, environment=desktop)
    result = session.run("Type hello.", require="window_shows Letter hello")
    assert result.outcome != "done"
    assert ("close",) in desktop.calls
    journal = Store.of(settings).journal(result.run or "")
    started = journal.state.started
    assert started is not None
    assert (started.desktop, started.settings.endpoint) == ("real", "lent")
    with pytest.raises(deskcrew.UsageError, match="closed at the end of the first task"):
        session.run("Type more.")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": 3}, "'model' cannot be 3"),
        ({"on_event": "print"}, "'on_event' cannot be "),
        ({"environment": "firefox"}, "'environment' cannot be "),
        ({"modle": "x"}, "Did you mean 'mode' or 'model'?"),
        ({"workspce": "x"}, "Did you mean 'workspace'?"),
        ({"desktop": "vitual"}, "'desktop' cannot be that: 'vitual' is not 'virtual', 'real'"),
        ({"mode": "pasive"}, "'mode' cannot be that: 'pasive' is not 'automatic'"),
        ({"workspace": 3}, "'workspace' cannot be that: it takes str or Path, not int."),
        ({"require": 3}, "'require' cannot be that: it takes str or tuple, not int."),
        ({"require": ("a", 3)}, "'require.1' cannot be that: "),
        ({"hosts": "example.org"}, "'hosts' cannot be that: it must be a list, in [ ]"),
        ({"limits": {"operatons": 3}}, "there is no limit 'operatons'. Did you mean 'operations'? There are: replies, "),
    ],
)
def test_an_option_that_cannot_be_so_is_named(options: Any, told: str, settings: deskcrew.Settings) -> None:
    """One that is misspelt must not fall through to another desktop, such as the person's own."""
    with pytest.raises(deskcrew.UsageError) as raised:
        deskcrew.run("anything", settings=settings, **options)
    assert told in str(raised.value)
    assert raised.value.hint


def test_the_page_that_errors_name_lists_every_option() -> None:
    page = (Path(__file__).parents[1] / "docs/reference/python.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert [name for name in Options.__annotations__ if not any(f"`{name}`" in row for row in rows)] == []


def test_an_error_in_python_shows_what_to_do(tmp_path: Path) -> None:
    code = "import deskcrew; deskcrew.run('anything', model='opena:gpt')"
    environment = {**os.environ, "DESKCREW_DATA": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert ended.stderr.splitlines()[-2:][0].endswith("UsageError: 'opena:gpt' is not a model. Did you mean 'openai:gpt'?")
    assert ended.stderr.splitlines()[-1].startswith("Hint: Use one of: local, ")
    frames = [line for line in ended.stderr.splitlines() if line.startswith('  File "')]
    assert len(frames) == 3, "the caller's line, and the two of the library that it called"


def test_a_limit_that_does_not_exist_is_said_with_those_that_do() -> None:
    with pytest.raises(
        ValueError, match=r"no limit 'second'\. Did you mean 'seconds'\? There are: .*tokens, seconds, money"
    ):
        deskcrew.Limits(second=3)  # type: ignore[call-arg]


BESIDE = {"on_event", "ask", "settings", "actions", "roles", "environment"}
"""What cannot be written down, and so is beside a request."""


def test_options_are_those_of_a_request() -> None:
    types = {field.name: field.type for field in fields(RunRequest)}
    asked = inspect.get_annotations(Options)
    assert set(asked) - {"require", "check", "contract"} - BESIDE <= set(types)
    # The first three say what is ``required``.


def test_the_public_names_are_these() -> None:
    """A name that goes, or means something else, is a new major version."""
    assert deskcrew.__all__ == [
        "Action", "ConfigError", "DeskcrewError", "EnvironmentFailure", "JournalError", "Limits", "ModelFailure", "Options",
        "PythonResponder", "Responder", "Result", "RunNotDone", "ScriptedModel", "Session", "Settings", "UnknownError",
        "UsageError", "arun", "ause_skill", "run", "use_skill",
    ]  # fmt: skip
    for name in deskcrew.__all__:
        assert getattr(deskcrew, name).__doc__, name
    assert set(deskcrew.__all__) == {name for name in dir(deskcrew) if not name.startswith("__")}
    with pytest.raises(AttributeError, match="no attribute 'walk'"):
        _ = deskcrew.walk  # type: ignore[attr-defined]
    told = {name: list(inspect.signature(getattr(deskcrew, name)).parameters) for name in ("run", "arun", "Session")}
    assert told["run"] == told["arun"] == ["task", "attach", "options"]
    assert told["Session"] == ["options"]
    assert BESIDE | {"model", "crew", "workspace", "desktop", "limits", "require"} <= set(Options.__annotations__)
    assert list(deskcrew.Result.model_fields) == [
        "run", "follows", "outcome", "words", "answer", "said", "sources", "verified_by", "reason", "why", "checks",
        "requirements", "incidental", "spoiled", "tried", "weak", "attempt", "workspace", "files", "calls", "operations",
        "failures", "denied", "tokens", "cost", "seconds", "left", "exit_code", "head",
    ]  # fmt: skip


def test_importing_it_loads_nothing() -> None:
    said = "import sys, deskcrew; print([name for name in sys.modules if name.startswith('deskcrew')])"
    ended = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "['deskcrew']"


CONSUMER = """
import deskcrew

result = deskcrew.run("a task", attach=["a.txt"], model="openai:gpt-5-mini", desktop="none")
reveal_type(result)
reveal_type(result.files.created)
reveal_type(deskcrew.Session(desktop="browser").run("a task").or_raise().cost)
deskcrew.run("a task", desktop="mac")
deskcrew.run("a task", colour="red")
"""


@pytest.mark.deep
def test_type_checkers_of_others_know_its_types(tmp_path: Path) -> None:
    (tmp_path / "consumer.py").write_text(CONSUMER)
    command = [str(Path(sys.executable).with_name("pyright")), "--pythonpath", sys.executable, "consumer.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert 'Type of "result" is "Result"' in said
    assert 'Type of "result.files.created" is "tuple[str, ...]"' in said
    assert '.cost" is "float | None"' in said
    assert said.count(" error: ") == 2, said
    assert "Literal['mac']" in said
    assert 'No parameter named "colour"' in said


def test_what_is_no_text_is_no_task() -> None:
    with pytest.raises(deskcrew.UsageError, match="The task must be a string, not 3") as raised:
        deskcrew.run(3)  # type: ignore[arg-type]
    assert raised.value.hint
