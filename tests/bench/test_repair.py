"""The repair cases with a scripted crew: the fault is put in, seen, gone back from, and both ways are counted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew_bench import repair
from deskcrew_bench.performance import rewinding
from support.crew import by_role, settings_in

pytestmark = pytest.mark.anyio


def test_there_are_enough_cases_and_they_are_the_same_every_time(tmp_path: Path) -> None:
    made = repair.cases()
    assert len(made) >= 12
    assert {case.kind for case in made} == set(repair.KINDS)
    assert [case.task for case in made] == [case.task for case in repair.cases()]
    assert len({case.task for case in made}) == len(made)
    for case in made:
        folder = tmp_path / case.out
        folder.mkdir()
        case.furnish(folder)
        assert not case.right(folder)
        (folder / case.out).write_text(f"{case.expected}\n")
        assert case.right(folder)
        (folder / case.out).write_text(f"{case.expected}0")
        assert not case.right(folder)


def crew_for(case: repair.Case) -> ScriptedModel:
    """Does the case as a good model would, without a desktop: a program writes the file."""
    who = case.expected.split()[0]
    goals = [f"Work out {name}" for name in case.tables] + ["Write the file"]

    def programmer(call: Call) -> Mapping[str, Any]:
        part = call.text().rpartition("Your part: ")[2].splitlines()[0]
        rows = f"csv.DictReader(open({part.split()[-1]!r}))"
        code = f"import csv\nprint(sum(int(row['amount']) for row in {rows} if row['person'] == {who!r}))"
        if "Write" in part:
            code = f"open({case.out!r}, 'w').write({case.expected!r})"
        return {"operations": [{"function": "run_python_code", "code": code}], "branch": "RoleTaskFinish"}

    def agrees(call: Call) -> Mapping[str, Any]:
        parts = [int(number) for number in re.findall(r"\[(\d+)\] ", call.text())]
        check = {"kind": "file_is", "target": case.out, "text": case.expected}
        written = {"parts": parts, "says": "the last total is written", "seen_by": "checks", "files": [case.out]}
        return {"requirements": [{**written, "checks": [check]}], "question": "", "context": []}

    plan = {"subtasks": [{"goal": goal, "role": "Programmer"} for goal in goals]}
    return by_role(Profile(name="scripted", contracts=True), ContractWriter=agrees, Planner=plan, Programmer=programmer)


async def test_a_case_is_done_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The workspace's part of a case: the fault is a program that reads the wrong table."""
    case = next(case for case in repair.cases() if case.kind == "wrong file")
    month = re.search(r"Use (\w+)\.csv", case.say)
    assert month
    monkeypatch.setattr(repair, "RunRequest", lambda **told: repair_request(**told))
    object.__setattr__(case, "part", f"Work out {month.group(1)}.csv")
    trial = await repair.attempt(case, settings_in(tmp_path), crew_for(case))
    assert (trial.repair.good, trial.anew.good) == (True, True), trial
    assert (trial.repair.calls, trial.anew.calls) == (2, 8)
    summed = repair.totals([trial])
    assert summed.calls == round(2 / 8, 3)
    assert "1 of 1 mended" in repair.summary(summed)


def repair_request(**told: Any) -> Any:
    from deskcrew.engine.request import RunRequest

    return RunRequest(**({"crew": "planned", **told | {"desktop": "none", "model": "scripted:none"}}))


def test_a_case_that_ended_badly_is_in_no_ratio() -> None:
    good = repair.Side(good=True, outcome="done", tokens=10, calls=1, seconds=1.0)
    bad = good.model_copy(update={"good": False, "outcome": "failed"})
    trial = repair.Trial(case="1", kind="wrong plan", run="r", repair=good, anew=bad)
    summed = repair.totals([trial])
    assert (summed.repaired, summed.anew, summed.tokens) == (1, 0, None)
    assert "no case ended well both ways" in repair.summary(summed)


def test_going_back_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewinding, "EVENTS", 40)
    monkeypatch.setattr(rewinding, "FILES", 50)
    monkeypatch.setattr(rewinding, "FOLDERS", 12)
    figure = rewinding.going_back(tmp_path, samples=3)
    assert (figure.n, figure.unit) == (3, "ms")
    assert figure.figure > 0


def test_appending_is_measured(tmp_path: Path) -> None:
    assert rewinding.appending(tmp_path, samples=5).n == 5
