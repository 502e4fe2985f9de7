"""A proven run becomes a skill, is done again on other values, and its checks say whether it worked."""

from __future__ import annotations

import io
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from rich.console import Console

from deskcrew.engine import session
from deskcrew.engine.replay.live import LiveRequest, values_of
from deskcrew.engine.request import RunRequest
from deskcrew.engine.workshop.keeping import Corrections, constants, kept, kept_input, skill_files
from deskcrew.engine.workshop.trying import TriedSkill, chosen, request_for, try_skill
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.learning.repeating.values import read_sets
from deskcrew.learning.skills.folders import parse
from deskcrew.learning.skills.skill import Method, Parameter, Skill
from deskcrew.learning.skills.trials import OFFERED, Trial, Trials
from deskcrew.learning.skills.wording import values_in
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.ways_in.cli.ending import panel
from support.crew import bodies, done, settings_in

pytestmark = pytest.mark.anyio

TASK = 'Add up numbers.txt and write "Total:" and the sum into sum.txt.'
ADD = {"function": "run_python_code", "code": "print(sum(map(int, open('numbers.txt').read().split())))"}
PROBE = """
def requirement_1(start, end):
    total = sum(map(int, (start / "numbers.txt").read_text().split()))
    said = (end / "sum.txt").read_text()
    return said == f"Total: {total}", f"sum {total}, said {said}"
"""
LITERAL = """
def requirement_1(start, end):
    said = (end / "sum.txt").read_text()
    return said == "Total: 1142", said
"""


def writing(text: str) -> dict[str, Any]:
    return {"function": "write_file", "file_path": "sum.txt", "text": text}


def contract(seen_by: str, **more: Any) -> dict[str, Any]:
    says = "sum.txt holds Total: and the sum of numbers.txt"
    return {"requirements": [{"parts": [1], "says": says, "seen_by": seen_by, "files": ["sum.txt"], **more}], "context": []}


async def ran(
    folder: Path,
    text: str = "Total: 1142",
    *,
    probe: str = PROBE,
    wanted: dict[str, Any] | None = None,
    task: str = TASK,
    does: dict[str, Any] = ADD,
) -> Journal:
    """A run under a contract that a model made."""
    work = folder / "recorded"
    work.mkdir()
    (work / "numbers.txt").write_text("1100 42")
    own = [{"operations": [does], "branch": "Continue"}, {"operations": [writing(text)], "branch": "RoleTaskFinish"}]
    own += own[1:] * 3  # it is told what its claim lacks, and insists
    waiting = {
        "Worker": own,
        "ContractWriter": [wanted or contract("probe")] * 2,
        "Verifier": [{"code": probe}] * 9,
        "Reader": [{"why": "so it is", "holds": True}] * 9,
    }
    model = ScriptedModel(
        itertools.repeat(lambda call: waiting[call.role].pop(0)),
        profile=Profile(name="scripted", context=128_000, contracts=True),
    )
    request = RunRequest(task=task, model="scripted:", workspace=work, desktop="none", crew="solo")
    return await session.run(request, settings_in(folder), model=model)


def skill_of(journal: Journal, *params: str) -> Skill:
    """What it becomes, through the files that it is kept in."""
    method = kept(journal, corrections=Corrections(params))
    files = skill_files("add-up", "Adds up numbers.", method)
    assert b"/recorded" not in b"".join(files.values())
    return parse("add-up", files, "add-up")


async def tried(
    skill: Skill, folder: Path, numbers: str, *params: str, policy: Path | None = None, june: str = ""
) -> TriedSkill:
    settings = settings_in(folder)
    work = folder / f"again-{numbers}"
    work.mkdir()
    (work / "numbers.txt").write_text(numbers)
    (work / "june.txt").write_text(june or numbers)
    live = LiveRequest(replace(request_for(skill, settings), workspace=work, policy=policy), patience=0.2)
    return await try_skill(skill, chosen(skill, params), live, settings)


def outcome(found: TriedSkill) -> Any:
    return found.live.journal.state.outcome


async def test_a_run_is_kept_tried_on_another_input_and_scored(tmp_path: Path) -> None:
    source = await ran(tmp_path)
    skill = skill_of(source, "label=Total:")
    assert [(p.name, p.kind, p.value, p.given) for p in skill.method.parameters] == [
        ("label", "text", "Total:", False),
        ("file1", "file", "numbers.txt", True),
        ("file2", "file", "sum.txt", False),
    ]
    trials = Trials(settings_in(tmp_path).data)
    trials.add(skill.digest, Trial(run=source.run, input=kept_input(source, skill.method), done=True))
    assert trials.score(skill.digest) < OFFERED
    again = await tried(skill, tmp_path, "1100 42")
    assert again.score == (5, 5), "the same values and another file, which no step reads"
    other = await tried(skill, tmp_path, "7 5", "label=Sum in June:", "file1=june.txt", "file2=june-sum.txt")
    assert outcome(other).status == "done", outcome(other)
    assert outcome(other).verified_by == "probe"
    assert other.score == (5, 8)
    work = Path(other.live.journal.state.started.workspace)  # type: ignore[union-attr]
    assert (work / "june-sum.txt").read_text() == "Sum in June: 12"
    journal = other.live.journal
    assert done(journal) == ["run_python_code", "write_file"]
    assert bodies(journal, e.RoleCalled, e.RoleReplied) == []
    assert journal.verify() == []
    assert [body.by for body in bodies(journal, e.OperationApproved)] == ["policy", "policy"]
    assert journal.state.started is not None
    assert journal.state.started.settings.replay.digest == skill.digest


async def test_a_misfit_is_told_at_its_step_and_costs(tmp_path: Path) -> None:
    skill = skill_of(await ran(tmp_path))
    found = await tried(skill, tmp_path, "seven")
    assert outcome(found).reason == "mismatch"
    assert outcome(found).why.startswith("Step 1 of skill add-up (run_python_code")
    assert found.score == (2, 0)
    assert found.live.journal.state.operations == 1


async def test_a_folder_that_is_not_there_costs_nothing(tmp_path: Path) -> None:
    """The file may be written by code that makes no folder, and nobody said that the skill does."""
    does = ADD | {"code": f"open('sum.txt', 'w').close()\n{ADD['code']}"}
    found = await tried(skill_of(await ran(tmp_path, does=does)), tmp_path, "7 5", "file2=out/sum.txt")
    assert outcome(found).reason == "mismatch"
    assert found.score == (2, 2)


async def test_a_check_that_fails_is_a_misfit(tmp_path: Path) -> None:
    """What the role wrote was made up: it is the right sum of these numbers and of no others."""
    source = await ran(tmp_path, "Total: 1142")
    skill = skill_of(source)
    steps = tuple(step for step in skill.method.steps if step.operation.function == "write_file")
    blind = replace(skill, method=skill.method.model_copy(update={"steps": steps}))
    found = await tried(blind, tmp_path, "7 5")
    assert (outcome(found).status, outcome(found).reason) == ("failed", "mismatch")
    assert [(proof.holds, proof.by) for proof in outcome(found).proofs] == [(False, "probe")]
    assert found.score == (2, 0)


async def test_a_probe_that_knows_the_result_by_heart_proves_no_run_and_makes_no_skill(tmp_path: Path) -> None:
    journal = await ran(tmp_path, probe=LITERAL)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "unverified"
    with pytest.raises(UsageError, match="it would say the same whatever the files held"):
        skill_of(journal)


async def test_typed_checks_take_new_values_and_new_results(tmp_path: Path) -> None:
    checks = [{"kind": "file_is", "target": "sum.txt", "text": "Total: 1142"}]
    skill = skill_of(await ran(tmp_path, wanted=contract("checks", checks=checks)))
    found = await tried(skill, tmp_path, "7 5", "text1=All:")
    assert outcome(found).status == "done", outcome(found)
    assert found.live.journal.state.contract is not None
    (requirement,) = found.live.journal.state.contract.requirements
    assert [check.text for check in requirement.checks] == ["All: 12"]


async def test_nothing_is_allowed_because_it_was_then(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rules]]\nname = "no"\neffect = "deny"\naction = "write_file"\n')
    found = await tried(skill_of(await ran(tmp_path)), tmp_path, "7 5", policy=policy)
    assert outcome(found).status == "denied"
    assert found.score == (2, 2), "no fault of the skill"


OVER = {"function": "run_python_code", "code": "open('sum.txt', 'w').write('Total: 1142'); print('written')"}


async def test_what_a_program_would_lose_is_denied_and_costs_nothing(tmp_path: Path) -> None:
    """It ran, and what it wrote over a file that was there is not kept, since nobody was asked."""
    skill = skill_of(await ran(tmp_path, does=OVER))
    found = await tried(skill, tmp_path, "1100 42", "file2=june.txt", june="rain on most days")
    assert (outcome(found).status, outcome(found).reason) == ("denied", "gave_up"), outcome(found)
    assert outcome(found).why.startswith("The operation was denied: it would lose june.txt")
    assert "delete_file" not in outcome(found).why, "that is for an agent"
    assert found.score == (2, 2)
    assert Trials(settings_in(tmp_path).data).of(skill.digest) == ()
    said = Console(width=200, record=True, file=io.StringIO())
    said.print(panel("r", list(found.live.journal.events)))
    text = said.export_text()
    assert "#10 Run Python: open('june.txt', 'w')" in text
    assert "deskcrew skill try add-up --param file2=june.txt --approve" in text
    assert "rewind" not in text
    assert "deskcrew policy explain r 10" in text


@pytest.mark.parametrize(
    ("text", "wanted", "told"),
    [
        ("Total: 1", contract("probe"), "it ended failed"),
        ("Total: 1142", contract("reading"), "judged by a model that read it|it ended"),
    ],
)
async def test_what_is_not_proven_is_not_kept(tmp_path: Path, text: str, wanted: dict[str, Any], told: str) -> None:
    source = await ran(tmp_path, text, wanted=wanted)
    with pytest.raises(UsageError, match=told):
        kept(source)


async def test_what_no_operation_holds_is_no_parameter(tmp_path: Path) -> None:
    source = await ran(tmp_path)
    with pytest.raises(UsageError, match="'Monday' occurs as data in no operation"):
        kept(source, corrections=Corrections(("day=Monday",)))
    with pytest.raises(UsageError, match="There is no parameter") as error:
        chosen(skill_of(source), ["month=June"])
    assert "file1=numbers.txt" in error.value.hint


LARGEST = 'Work out the "max" of numbers.txt, and write "Total:" and it into sum.txt.'
"""Its first text is a name in the code that does it, or in the code that checks it."""
BY_NAME = ADD | {"code": "print('max', max(map(int, open('numbers.txt').read().split())))"}
BY_ORDER = ADD | {"code": "print('max', sorted(map(int, open('numbers.txt').read().split()))[-1])"}
LARGER = """
def requirement_1(start, end):
    known = (start / "numbers.txt").read_text().split()
    said = (end / "sum.txt").read_text()
    return said == f"Total: {WHAT}", f"max: {said}"
"""
LAST = LARGER.replace("WHAT", "sorted(map(int, known))[-1]")


@pytest.mark.parametrize(
    ("does", "probe", "where"),
    [
        (BY_NAME, LAST, "of run_python_code"),
        (BY_ORDER, LARGER.replace("WHAT", "max(map(int, known))"), "that checks it"),
        (BY_ORDER, LARGER.replace("WHAT", "known[0]").replace("said", "max_said"), "that checks it"),
        ({"function": "run_shell", "command": "sort -n numbers.txt | awk '{max=$1} END{print max}'"}, LAST, "of run_shell"),
    ],
    ids=["name in the step", "name in the check", "part of a name", "variable of the shell"],
)
async def test_what_the_code_means_is_no_parameter(tmp_path: Path, does: dict[str, Any], probe: str, where: str) -> None:
    """With "min" in its place the task would say "min", and the code would still do, and find right, the old thing."""
    source = await ran(tmp_path, "Total: 1100", task=LARGEST, does=does, probe=probe)
    method = kept(source)
    assert [each.value for each in method.parameters] == ["Total:", "numbers.txt", "sum.txt"]
    assert list(constants(method)) == ["max"]
    assert where in constants(method)["max"]
    assert values_in(LARGEST.replace("max", "min"), method) is None, "another task, for a model"
    with pytest.raises(
        UsageError, match=f"'max' cannot be a parameter: it is also a name or an operator in the code {where}"
    ):
        kept(source, corrections=Corrections(("which=max",)))
    wrong = Parameter(name="which", kind="text", value="max")
    with pytest.raises(ValidationError, match="'max' cannot be the value of the parameter which"):
        Method.model_validate(method.model_dump() | {"parameters": [wrong]})
    values = values_of(source)
    assert read_sets(["text2=Largest:"], values) == {"Total:": "Largest:"}
    with pytest.raises(UsageError, match="'max' cannot be replaced"):
        read_sets(["text1=min"], values)


async def test_what_stands_in_a_comment_alone_is_no_parameter(tmp_path: Path) -> None:
    does = BY_ORDER | {"code": str(BY_ORDER["code"]).replace("'max', ", "") + "  # the max"}
    source = await ran(tmp_path, "Total: 1100", task=LARGEST, does=does, probe=LAST)
    assert [each.value for each in kept(source).parameters] == ["Total:", "numbers.txt", "sum.txt"]
    with pytest.raises(UsageError, match="'max' occurs as data in no operation"):
        kept(source, corrections=Corrections(("which=max",)))


async def test_a_file_that_is_not_there_is_told_before_anything_begins(tmp_path: Path) -> None:
    skill = skill_of(await ran(tmp_path))
    with pytest.raises(UsageError, match="There is no file named may"):
        await tried(skill, tmp_path, "1 2", "file1=may.txt")
