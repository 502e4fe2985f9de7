"""Actions from elsewhere: one file is enough, a person allows it first, the guard judges it, its record needs no code."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions.action import Action
from deskcrew.actions.added import load, read
from deskcrew.actions.allowed import Allowed
from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder, Responder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest, able_again, prepare
from deskcrew.engine.roles.recorded import recorded_crew
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts import events as e
from deskcrew.guard.again import again
from deskcrew.journal.exporting import export
from deskcrew.journal.importing import read_export
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from support.crew import bodies, by_role, offered, settings_in

pytestmark = pytest.mark.anyio

ACTION = '''
from pydantic import Field, field_validator

from deskcrew.actions.action import Action, Finding, Params, Result
from deskcrew.errors import ActionError


class LookUpParams(Params):
    number: str = Field(min_length=1, description="The number of the invoice.")

    @field_validator("number")
    @classmethod
    def plain(cls, number):
        if " " in number:
            raise ValueError("it has no spaces")
        return number


def look_up_invoice(scene, params, control):
    """Look up what an invoice is over."""
    if params.number == "0":
        raise KeyError(params.number)
    if params.number == "1":
        raise ActionError("Invoices have five digits.")
    return Result(ok=True, text=f"invoice {params.number}: 1203 EUR")


def found(happening):
    if happening.params.number == "2":
        raise RuntimeError("no idea")
    return Finding(held="EUR" in happening.result.text)


ACTIONS = (
    Action("look_up_invoice", LookUpParams, look_up_invoice, RISK, "none", "workspace", postcondition=found, roles=ROLES),
)
'''


class Project:
    """A folder that a person starts in, with settings of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.settings = folder, settings_in(folder)
        self.file = folder / ".deskcrew" / "actions" / "invoices.py"
        self.file.parent.mkdir(parents=True)
        self.work = folder / "work"
        self.work.mkdir()
        self.model: Any = None

    def write(self, *, risk: str = "read", roles: tuple[str, ...] = (), text: str = ACTION, allow: bool = True) -> None:
        self.file.write_text(text.replace("RISK", repr(risk)).replace("ROLES", repr(roles)))
        if allow:
            Allowed(self.settings.config).add(read(self.file, "project").digest, str(self.file))

    def request(self, **more: Any) -> RunRequest:
        given: dict[str, Any] = {"workspace": self.work, "desktop": "none", "model": "scripted:none"}
        return RunRequest("What is invoice 20417 over?", **{"crew": "planned", **given | more})

    async def run(self, *numbers: str, human: Responder | None = None, agent: str = "Programmer", **more: Any) -> Journal:
        """A run in which one agent looks up these numbers, one a reply."""
        left = list(numbers)

        def look_up(_: Any) -> dict[str, Any]:
            number = left.pop(0) if left else numbers[-1]
            operation = {"function": "look_up_invoice", "number": number}
            return {"operations": [operation], "branch": "Continue" if left else "RoleTaskFinish"}

        part = {"goal": "look up invoice 20417"} | ({} if more.get("crew") == "cola" else {"role": agent})
        replies: dict[str, Any] = {
            "Planner": {"subtasks": [part]},
            "TaskScheduler": {"assignments": [{"subtask": "1", "role": agent}], "branch": "Continue", "problem": ""},
            "Reviewer": {"analyze": "", "verdict": "continue", "judgement": "It is as it should be."},
            "FinalAnswer": {"answer": "1203", "sources": ["1"], "branch": "Continue", "problem": ""},
            agent: look_up,
        }
        self.model = by_role(**replies)
        return await session.run(self.request(**more), self.settings, model=self.model, human=human)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


def finished(journal: Journal) -> list[e.ActionFinished]:
    return bodies(journal, e.ActionFinished)


async def test_one_file_is_all_that_an_action_needs(project: Project) -> None:
    project.write(roles=("Programmer",))
    journal = await project.run("20417")
    (done,) = finished(journal)
    assert (done.ok, done.text) == (True, "invoice 20417: 1203 EUR")
    asked = {call.role: call for call in project.model.calls}
    assert "Look up what an invoice is over." in asked["Planner"].text(), "who assigns the work is told who can do it"
    assert offered(journal, "Programmer")[0]["look_up_invoice"] == ["number"]
    assert [found.kind for found in journal.state.collected if "1203" in found.text] == ["content"], (
        "it is a fact from then on"
    )


@pytest.mark.parametrize(
    ("crew", "roles", "users"),
    [
        ("planned", ("Programmer",), {"Programmer"}),
        ("solo", ("Programmer",), {"Programmer", "Worker"}),
        ("solo", (), {"Worker"}),
        ("cola", (), {"ApplicationManager", "FileManager", "Operator", "Programmer", "Searcher"}),
    ],
)
def test_an_action_goes_to_those_it_names_else_to_the_whole_pool(
    project: Project, crew: str, roles: tuple[str, ...], users: set[str]
) -> None:
    project.write(roles=roles)
    made = prepare(project.request(crew=crew), project.settings)
    assert {name for name, role in made.roles.items() if "look_up_invoice" in role.domain} == users
    assert users & set(made.pool)


def test_a_role_file_may_name_it_and_an_unknown_role_is_a_mistake(project: Project) -> None:
    role = Path(session.__file__).parent / "roles" / "builtin" / "programmer.md"
    mine = project.folder / ".deskcrew" / "roles" / "programmer.md"
    mine.parent.mkdir()
    mine.write_text(role.read_text().replace("domain: [", "domain: [look_up_invoice, "))
    with pytest.raises(ConfigError, match="there is no action 'look_up_invoice'"):
        prepare(project.request(), project.settings)
    project.write()
    crew = prepare(project.request(), project.settings)
    assert [name for name in crew.pool if "look_up_invoice" in crew.roles[name].domain] == ["Programmer"]
    project.write(roles=("Programer",))
    with pytest.raises(ConfigError, match="an unknown agent: 'Programer'") as raised:
        prepare(project.request(), project.settings)
    assert "Programmer" in raised.value.hint


async def test_the_guard_judges_it_by_its_risk_and_by_rules_that_name_it(project: Project) -> None:
    project.write(risk="send")
    journal = await project.run("20417", limits=project.settings.limits.model_copy(update={"replies": 6}))
    assert finished(journal) == []
    denied: list[e.OperationDenied] = bodies(journal, e.OperationDenied)
    assert {(body.risk, body.by) for body in denied} == {("send", "nobody")}

    asked: list[OperationQuestion] = []

    async def allow(question: OperationQuestion) -> Approval:
        asked.append(question)
        return Approval(allowed=True)

    journal = await project.run("20417", human=PythonResponder(operation=allow), mode="passive")
    assert len(finished(journal)) == len(asked) == 1
    approved: e.OperationProposed = bodies(journal, e.OperationProposed)[0]
    assert approved.operation.function == "look_up_invoice"
    number = next(event.number for event in journal.events if isinstance(event.body, e.OperationProposed))
    assert again(journal, number).differences == (), "the record is enough to decide again"

    project.settings.config.joinpath("policy.toml").write_text(
        '[[rules]]\nname = "invoices"\neffect = "deny"\naction = "look_up_invoice"\n'
    )
    journal = await project.run("20417", limits=project.settings.limits.model_copy(update={"replies": 6}))
    assert bodies(journal, e.OperationDenied)[0].rule == "invoices"


@pytest.mark.parametrize("crew", ["planned", "cola"])
@pytest.mark.parametrize("number", ["20417", "0", "1", "2", "1 2"])
async def test_the_record_alone_is_enough_to_replay_it(project: Project, number: str, crew: str) -> None:
    """The file is gone, and whatever it did is in the journal: what it returned, raised, refused and found."""
    project.write()
    journal = await project.run(number, "20417", crew=crew)
    name = next(each for each in journal.state.started.files if each.endswith("invoices.py"))  # type: ignore[union-attr]
    kept = journal.state.started.files[name]  # type: ignore[union-attr]
    assert (kept, journal.read_blob(kept).decode()) == (read(project.file, "project").digest, project.file.read_text())
    shutil.rmtree(project.folder / ".deskcrew")
    Allowed(project.settings.config).path.unlink()
    found = await replay(Store(project.settings.journal).journal("last"))
    assert found.difference is None
    assert found.events == len(journal.events)
    assert len(finished(journal)) == 2


async def test_a_fault_of_its_code_is_a_failed_operation(project: Project) -> None:
    project.write()
    journal = await project.run("0", "1", "1 2", "20417")
    fault, refused, invalid, good = finished(journal)
    assert (fault.ok, fault.error) == (False, "The action look_up_invoice failed: KeyError: '0'.")
    trace = journal.read_blob(fault.output).decode()
    assert "raise KeyError(params.number)" in trace
    assert "foreign.py" not in trace
    assert (refused.ok, refused.error) == (False, "Invoices have five digits.")
    assert (invalid.ok, invalid.error) == (False, "look_up_invoice: number: it has no spaces.")
    assert good.ok


async def test_a_postcondition_that_fails_settles_nothing(project: Project) -> None:
    project.write()
    journal = await project.run("2")
    judged: e.Judged = next(body for body in bodies(journal, e.Judged) if body.scope == "effect")
    assert judged.verdict.kind == "continue"
    assert journal.state.outcome is not None


def test_nothing_of_a_file_is_executed_before_a_person_allows_it(project: Project) -> None:
    project.write(text=f"import os\nos.mkdir({str(project.folder / 'ran')!r})\n" + ACTION, allow=False)
    with pytest.raises(ConfigError, match="nobody has allowed it yet") as raised:
        prepare(project.request(), project.settings)
    assert raised.value.hint == f"Read it; then: deskcrew actions allow {project.file}"
    assert not (project.folder / "ran").exists()
    Allowed(project.settings.config).add(read(project.file, "project").digest, "")
    assert "look_up_invoice" in prepare(project.request(), project.settings).actions
    assert (project.folder / "ran").exists()
    project.file.write_text(project.file.read_text() + "\n# changed\n")
    with pytest.raises(ConfigError, match="nobody has allowed it yet"):
        prepare(project.request(), project.settings)


def test_what_is_the_users_own_or_installed_is_trusted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    own = project.settings.config / "actions"
    own.mkdir(parents=True)
    own.joinpath("mine.py").write_text(ACTION.replace("RISK", "'read'").replace("ROLES", "()"))
    package = project.folder / "site"
    (package / "billing").mkdir(parents=True)
    (package / "billing" / "__init__.py").touch()
    (package / "billing" / "names.py").write_text("NAME = 'send_invoice'\n")
    text = ACTION.replace('"look_up_invoice"', "NAME").replace("RISK", "'send'").replace("ROLES", "()")
    (package / "billing" / "deskcrew_actions.py").write_text("from .names import NAME\n" + text)
    (package / "billing-1.dist-info").mkdir()
    (package / "billing-1.dist-info" / "METADATA").write_text("Name: billing\nVersion: 1\n")
    (package / "billing-1.dist-info" / "entry_points.txt").write_text(
        "[deskcrew.actions]\nbilling = billing.deskcrew_actions\n"
    )
    monkeypatch.syspath_prepend(package)
    crew = prepare(project.request(), project.settings)
    assert {"look_up_invoice", "send_invoice"} <= crew.actions.keys()
    assert {file.source.name: file.source.origin for file in crew.added} == {"mine": "user", "billing": "package"}
    (package / "billing-1.dist-info").rename(package / "removed")
    assert "send_invoice" not in prepare(project.request(), project.settings).actions, "it is seen while a process goes on"


async def test_a_run_goes_on_with_the_code_it_began_with_or_not_at_all(project: Project) -> None:
    project.write()
    await project.run("20417", plan_only=True)
    project.file.write_text(project.file.read_text().replace("1203", "9999"))
    allowed = Allowed(project.settings.config)
    (digest,) = allowed.digests()
    allowed.path.unlink()
    with pytest.raises(UsageError, match="have changed, are gone, or are not allowed"):
        await session.resume("last", project.settings, model=project.model)
    allowed.add(digest, "")
    journal = await session.resume("last", project.settings, model=project.model)
    assert [done.text for done in finished(journal)] == ["invoice 20417: 1203 EUR"]


async def test_a_run_from_elsewhere_can_be_replayed_but_its_code_is_not_executed(project: Project) -> None:
    project.write()
    export(await project.run("20417"), project.folder / "run.zip")
    project.file.unlink()
    Allowed(project.settings.config).path.unlink()
    there = project.settings.model_copy(update={"data": project.folder / "elsewhere"})
    there.data.mkdir()
    store = Store(there.journal)
    read_export(project.folder / "run.zip", store)
    store.verified("last")
    journal = store.journal("last")
    assert (await replay(journal)).difference is None
    with pytest.raises(UsageError, match="have changed, are gone, or are not allowed"):
        able_again(recorded_crew(journal), there)


@pytest.mark.parametrize(
    ("wrong", "told", "there"),
    [
        ({"risk": "wild"}, "'wild' is no value of risk", "read, write, destroy"),
        ({"effect": "nope"}, "'nope' is no value of effect", "none, undoable, lasting"),
        ({"needs": "luck"}, "'luck' is no value of needs", "workspace, desktop"),
    ],
)
def test_a_function_of_an_unknown_risk_effect_or_need_is_refused_with_those_there_are(
    wrong: dict[str, Any], told: str, there: str
) -> None:
    def pay(amount: int) -> None:
        """Pay."""

    with pytest.raises(ConfigError, match=told) as caught:
        Action.of(pay, **wrong)
    assert there in caught.value.hint


def test_broken_files_say_where_and_what(project: Project) -> None:
    good = ACTION.replace("RISK", "'read'").replace("ROLES", "()")
    for text, line, words in (
        ("import nothing_like_it\n", 1, "ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("x = 1\ndef (\n", 2, "SyntaxError"),
        ("x = 1\nraise SystemExit(3)\n", 2, "SystemExit: 3"),
        ("# no ACTIONS\n", 1, "no tuple ACTIONS"),
        ("x = 1\nACTIONS = []\n", 2, "no tuple ACTIONS"),
        (good.replace('"look_up_invoice"', '"read_file"'), 35, "an action 'read_file' already: a built-in one"),
        (good.replace("str = Field", "bytes = Field"), 8, "parameter 'number': it must be str"),
        (good.replace(', description="The number of the invoice."', ""), 8, "it has no description"),
        (good.replace('"""Look up what an invoice is over."""', ""), 8, "no docstring"),
        (good.replace("'read'", "'harmless'"), 35, "risk: Input should be"),
    ):
        project.file.write_text(text)
        source = read(project.file, "project")
        with pytest.raises(ConfigError) as raised:
            load([source], [source.digest])
        assert str(raised.value).startswith(f"{project.file}, line {line}: "), str(raised.value)
        assert words in str(raised.value)
        assert raised.value.hint


def test_two_files_cannot_add_one_action(project: Project) -> None:
    project.write()
    other = project.file.with_name("other.py")
    other.write_text(project.file.read_text() + "\n")
    sources = [read(project.file, "user"), read(other, "user")]
    with pytest.raises(ConfigError, match=f"an action 'look_up_invoice' already: one of {project.file}"):
        load(sources, ())
