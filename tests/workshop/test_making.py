"""A crew makes a skill as code: written, run on two inputs, scored, mended, kept as it was run, and used."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.live import LiveRequest
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest, own_skills, usable_skill
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import load_crew
from deskcrew.engine.roles.prompt import render
from deskcrew.engine.roles.role import BUILTIN, load_roles
from deskcrew.engine.workshop.making import MadeSkill, SkillWish, make, recorded_in
from deskcrew.engine.workshop.trying import chosen, request_for, try_skill
from deskcrew.errors import ConfigError, ModelFailure, UsageError
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.folders import parse, read
from deskcrew.learning.skills.functions import FunctionDraft
from deskcrew.learning.skills.trials import Trials
from deskcrew.models.client import Call, Profile, Text
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits, Settings
from skills.test_earned import ran
from support.crew import bodies, done, offered, settings_in

pytestmark = pytest.mark.anyio

WHAT = "Count the lines of a text file and write the number behind a label into another file."
CODE = '''from pathlib import Path


def count_lines(source: str, label: str, target: str) -> str:
    """Count the lines of a text file and write the number behind a label into another file.

    source: the text file
    label: what stands before the number
    target: the file that gets label and number
    """
    count = len(Path(source).read_text(encoding="utf-8").splitlines())
    Path(target).write_text(f"{label} {count}\\n", encoding="utf-8")
    return f"{count} lines"
'''
ALWAYS_TWO = CODE.replace('len(Path(source).read_text(encoding="utf-8").splitlines())', "2")
GOOD = {"reasons": "It does every such case.", "mend": "", "score": 9}


def example(source: str, text: str, label: str, target: str, said: str, tells: str) -> dict[str, Any]:
    values = {"source": source, "label": label, "target": target}
    return {
        "values": [{"name": name, "value": value} for name, value in values.items()],
        "files": [{"path": source, "text": text}],
        "expects": [{"kind": "file_is", "target": target, "text": said}],
        "tells": tells,
    }


def written(code: str = CODE, **more: Any) -> dict[str, Any]:
    return {
        "code": code,
        "ensures": [{"kind": "file_contains", "target": "{target}", "text": "{label}"}],
        "examples": [
            example("may.txt", "a\nb\n", "Lines:", "n.txt", "Lines: 2", "2 lines"),
            example("notes/it's june.txt", "a\n\nb\nc", 'So "many":', "out.txt", 'So "many": 4', "4 lines"),
        ],
        **more,
    }


async def made(
    folder: Path, *, maker: Any = None, critic: Any = GOOD, refiner: Any = (), free: str = "full", **more: Any
) -> tuple[MadeSkill, Settings, list[Call]]:
    """What comes of these replies, each list in its order."""
    settings = settings_in(folder)
    critics: list[Any] = [critic] * 9 if isinstance(critic, dict) else list(critic)
    waiting: dict[str, list[Any]] = {
        "SkillMaker": [maker or written()],
        "SkillCritic": critics,
        "SkillRefiner": list(refiner),
    }
    profile = Profile(name="scripted", context=128_000, free_text=free)  # type: ignore[arg-type]
    model = ScriptedModel(itertools.repeat(lambda call: waiting[call.role].pop(0)), profile=profile)
    limits = more.pop("limits", Limits())
    what = more.pop("what", WHAT)
    found = await make(
        SkillWish(what, **more), RunRequest(what, model="scripted:", crew="solo", limits=limits), settings, model=model
    )
    return found, settings, model.calls


def outcome(found: MadeSkill) -> Any:
    return found.journal.state.outcome


def asked(calls: list[Call]) -> list[str]:
    return [call.role for call in calls]


@pytest.mark.parametrize("free", ["none", "full"])
async def test_what_is_kept_is_what_was_run(tmp_path: Path, free: str) -> None:
    found, settings, calls = await made(tmp_path, free=free)
    assert found.skill is not None, outcome(found)
    assert (found.skill.name, found.score, asked(calls)) == ("count-lines", 8, ["SkillMaker", "SkillCritic"])
    assert found.folder is not None
    script = (found.folder / "scripts" / "count_lines.py").read_bytes()
    ran_code = [body.operation.params["code"].encode() for body in bodies(found.journal, e.ActionStarted)]
    assert len(ran_code) == 2
    assert all(code.startswith(script.rstrip()) for code in ran_code), "the bytes that were run"
    function = found.skill.method.function
    assert function is not None
    assert function.digest == hashlib.sha256(script).hexdigest()
    assert (function.score, function.reasons) == (9, "It does every such case.")
    assert [(p.name, p.kind, p.given) for p in found.skill.method.parameters] == [
        ("source", "file", True),
        ("label", "text", False),
        ("target", "text", False),
    ]
    assert usable_skill("count-lines", settings) == found.skill
    assert outcome(found).status == "done"
    assert outcome(found).verified_by == "rules"
    assert found.journal.verify() == []
    assert [body.exit_code for body in bodies(found.journal, e.ActionFinished)] == [0, 0]
    with pytest.raises(UsageError, match="made a skill"):
        await replay(found.journal)
    with pytest.raises(UsageError, match="has ended"):
        await session.resume(found.journal.run, settings)


async def test_altered_bytes_are_no_skill(tmp_path: Path) -> None:
    found, _, _ = await made(tmp_path)
    assert found.folder is not None
    script = found.folder / "scripts" / "count_lines.py"
    script.write_text(script.read_text().replace("splitlines", "split"))
    source = read(found.folder, "user")
    with pytest.raises(ConfigError, match="differs from what was tried"):
        parse(source.name, source.files, str(source.folder))


async def test_what_fails_is_mended_and_the_first_bytes_are_not_kept(tmp_path: Path) -> None:
    broken = written(CODE.replace("Path(target)", "Path('fixed.txt')"))
    found, _, calls = await made(tmp_path, maker=broken, refiner=[{"why": "the file was fixed", **written()}])
    assert asked(calls) == ["SkillMaker", "SkillRefiner", "SkillCritic"], "no critic where tests fail"
    assert "n.txt contains 'Lines: 2' and nothing else does not hold" in calls[1].text("volatile")
    assert found.skill is not None
    assert found.skill.code == CODE


async def test_a_score_below_eight_is_mended_by_what_the_critic_says(tmp_path: Path) -> None:
    low = {"reasons": "An empty file says nothing.", "mend": "Raise ValueError.", "score": 7}
    found, _, calls = await made(tmp_path, critic=[low, GOOD], refiner=[{"why": "so it was", **written()}])
    assert found.skill is not None
    assert "It was scored 7 of 10. An empty file says nothing. Raise ValueError." in calls[2].text("volatile")


async def test_after_three_repairs_nothing_is_kept(tmp_path: Path) -> None:
    low = {"reasons": "It does one case only.", "mend": "Do others.", "score": 3}
    found, settings, calls = await made(tmp_path, critic=low, refiner=[{"why": "mended", **written()}] * 9)
    assert asked(calls).count("SkillRefiner") == 3
    assert found.skill is None
    assert outcome(found).status == "failed"
    assert "written 4 times" in outcome(found).why
    assert not own_skills(settings).exists()


async def test_no_score_keeps_what_tests_do_not_show(tmp_path: Path) -> None:
    ten = {"reasons": "Perfect.", "mend": "", "score": 10}
    wrong = written(ALWAYS_TWO)
    found, _, calls = await made(tmp_path, maker=wrong, critic=ten, refiner=[{"why": "it is right", **wrong}] * 9)
    assert found.skill is None
    assert "SkillCritic" not in asked(calls)


def blunt(**expected: Any) -> dict[str, Any]:
    """Examples that expect too little."""
    reply = copy.deepcopy(written())
    for each in reply["examples"]:
        each.update(expected)
    return reply


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (blunt(expects=[{"kind": "file_absent", "target": "x.txt"}], tells=""), "holds before the function is called"),
        (blunt(expects=[], tells="lines"), "a function that ignores its input would pass"),
        (blunt(expects=[{"kind": "file_is", "target": "n.txt", "text": "Lines: 3"}]), "does not hold"),
        (written(CODE.replace("return f", "raise ValueError('no') or f")), "failed"),
        (
            written(CODE.replace("return f", "import socket; socket.create_connection(('192.0.2.1', 80)); return f")),
            "failed",
        ),
    ],
)
async def test_tests_that_could_not_fail_or_did_prove_nothing(tmp_path: Path, reply: dict[str, Any], why: str) -> None:
    found, _, calls = await made(tmp_path, maker=reply, refiner=[{"why": "", **reply}] * 9)
    assert found.skill is None
    assert why in calls[1].text("volatile")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (written("def f(:\n"), "not Python"),
        (written(CODE + "\nopen('x')\n"), "does something by itself"),
        (written(CODE.replace("source: str,", "source,")), "must be annotated"),
        (written(CODE.replace("    label: what stands before the number\n", "")), "a line for 'label'"),
        (written(CODE.replace("count_lines", "run_shell")), "cannot be the name"),
        (written(CODE + "\n\ndef other() -> str:\n    return ''\n"), "must define one function"),
        (written(examples=[written()["examples"][0]] * 2), "different inputs"),
        (blunt(values=[]), "must give a value for each"),
    ],
)
async def test_what_is_no_function_is_asked_for_again(tmp_path: Path, reply: dict[str, Any], why: str) -> None:
    settings = settings_in(tmp_path)
    replies = iter([reply, written(), GOOD])
    model = ScriptedModel(itertools.repeat(lambda call: next(replies)), profile=Profile(name="s", context=128_000))
    found = await make(SkillWish(WHAT), RunRequest(WHAT, model="scripted:", crew="solo"), settings, model=model)
    assert found.skill is not None
    assert why in model.calls[1].text("volatile")


async def test_a_budget_ends_it(tmp_path: Path) -> None:
    low = {"reasons": "no", "mend": "all", "score": 1}
    refiner = [{"why": "mended", **written()}] * 9
    found, _, _ = await made(tmp_path, critic=low, refiner=refiner, limits=Limits(replies=1))
    assert found.skill is None
    assert outcome(found).reason == "bound:replies"


async def test_a_model_that_is_gone_ends_it(tmp_path: Path) -> None:
    settings, model = settings_in(tmp_path), ScriptedModel([written(), ModelFailure("it is gone.", hint="Start it.")])
    found = await make(SkillWish(WHAT), RunRequest(WHAT, model="scripted:", crew="solo"), settings, model=model)
    assert found.skill is None
    assert outcome(found).reason == "model"
    with pytest.raises(UsageError, match="made a skill"):
        await session.resume(found.journal.run, settings)


@pytest.mark.deep
async def test_a_name_that_is_taken_is_not_written_over(tmp_path: Path) -> None:
    first, _, _ = await made(tmp_path)
    second, settings, _ = await made(tmp_path)
    assert second.skill is not None
    assert second.skill.name == "count-lines-2"
    with pytest.raises(UsageError, match="already"):
        await made(tmp_path, name="count-lines")
    assert usable_skill("count-lines", settings) == first.skill


def added(fixed: bool = False) -> dict[str, Any]:
    """What adds up a file of numbers, as the run of ``test_earned`` did; ``fixed``: with its own label."""
    say = '"Sum:"' if fixed else "label"
    code = f'''from pathlib import Path


def add_up(source: str, label: str, target: str) -> str:
    """Add up the numbers of a file and write the sum behind a label.

    source: the file with the numbers
    label: what stands before the sum
    target: the file that gets both
    """
    total = sum(map(int, Path(source).read_text().split()))
    Path(target).write_text({say} + f" {{total}}")
    return str(total)
'''
    label = "Sum:" if fixed else "All:"
    recorded = {"source": "numbers.txt", "label": "Total:", "target": "sum.txt"}
    return {
        "code": code,
        "ensures": [],
        "examples": [
            example("a.txt", "1 2", label, "x.txt", f"{label} 3", "3"),
            example("b.txt", "40 2", label, "y.txt", f"{label} 42", "42"),
        ],
        "recorded": [{"name": name, "value": value} for name, value in recorded.items()],
    }


async def test_from_a_proven_run_it_must_do_again_what_was_proven(tmp_path: Path) -> None:
    source = await ran(tmp_path)
    again = {"why": "the label was fixed", **added()}
    found, _, calls = await made(tmp_path, maker=added(fixed=True), refiner=[again], source=recorded_in(source)[0])
    assert "open('numbers.txt')" in calls[0].text("task")
    assert "on the files of the recorded run it made something else of sum.txt" in calls[1].text("volatile")
    assert found.skill is not None
    assert len(bodies(found.journal, e.ActionStarted)) == 6


@pytest.mark.parametrize(("what", "told"), [(WHAT, False), (f"{WHAT} Take xlsx workbooks, too.", True)])
async def test_its_maker_is_told_how_values_in_such_files_are_addressed(tmp_path: Path, what: str, told: bool) -> None:
    _, _, calls = await made(tmp_path, what=what)
    assert calls[0].role == "SkillMaker"
    assert ("`B2.formula`" in calls[0].text("task")) == told


async def test_from_a_run_that_was_not_proven_nothing_is_made(tmp_path: Path) -> None:
    source = await ran(tmp_path, text="Total: 7")
    with pytest.raises(UsageError, match="cannot become a skill"):
        recorded_in(source)


TASK = "Count the lines of july.txt and write the number behind a label into another file, lines.txt."
USE = {"function": "count_lines", "source": "july.txt", "label": "Lines:", "target": "lines.txt"}
PROBE = """
def requirement_1(start, end):
    count = len((start / "july.txt").read_text().splitlines())
    said = (end / "lines.txt").read_text()
    return said == f"Lines: {count}\\n" and (end / "july.txt").read_bytes() == (start / "july.txt").read_bytes(), said
"""


async def used(folder: Path, settings: Settings, *own: dict[str, Any]) -> tuple[Journal, list[Call]]:
    """A run whose task the skill is for."""
    work = folder / "used"
    work.mkdir()
    (work / "july.txt").write_text("a\nb\nc\n")
    wanted = {"parts": [1], "says": "lines.txt holds Lines: and the number", "seen_by": "probe", "files": ["lines.txt"]}
    waiting = {
        "Worker": list(own),
        "ContractWriter": [{"requirements": [wanted], "context": []}],
        "Verifier": [{"code": PROBE}] * 2,
    }
    profile = Profile(name="scripted", context=128_000, contracts=True)
    model = ScriptedModel(itertools.repeat(lambda call: waiting[call.role].pop(0)), profile=profile)
    request = RunRequest(task=TASK, model="scripted:", workspace=work, desktop="none", crew="solo")
    return await session.run(request, settings, model=model), model.calls


def of(*operations: dict[str, Any], branch: str = "RoleTaskFinish") -> dict[str, Any]:
    return {"operations": list(operations), "branch": branch}


async def test_a_run_uses_it_with_its_values_only(tmp_path: Path) -> None:
    found, settings, _ = await made(tmp_path)
    journal, calls = await used(tmp_path, settings, of(USE))
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert len([call for call in calls if call.role == "Worker"]) == 1
    assert offered(journal, "Worker")[0]["count_lines"] == ["label", "source", "target"]
    assert done(journal) == ["run_python_code"]
    assert len(bodies(journal, e.OperationApproved)) == 1
    assert (tmp_path / "used" / "lines.txt").read_text() == "Lines: 3\n"
    assert found.skill is not None
    assert Trials(settings.data).score(found.skill.digest) == 10, "it worked on a third input"
    again = await replay(journal)
    assert again.equal, again.difference


async def test_a_value_is_data_whatever_it_says(tmp_path: Path) -> None:
    _, settings, _ = await made(tmp_path)
    hostile = "')\nopen('owned.txt', 'w')\n('\"\"\""
    journal, _ = await used(tmp_path, settings, of({**USE, "label": hostile}, branch="Continue"), of(branch="Interrupt"))
    assert done(journal) == ["run_python_code"]
    assert not (tmp_path / "used" / "owned.txt").exists()
    assert (tmp_path / "used" / "lines.txt").read_text() == f"{hostile} 3\n"


async def test_what_it_refuses_does_not_count_against_it(tmp_path: Path) -> None:
    refusing = 'if label == "None:":\n        raise ValueError(f"no {label}")\n    count ='
    found, settings, _ = await made(tmp_path, maker=written(CODE.replace("count =", refusing)))
    assert found.skill is not None
    refused = of({**USE, "label": "None:"}, branch="Continue")
    _, calls = await used(tmp_path, settings, refused, of(branch="Interrupt"))
    second = [call for call in calls if call.role == "Worker"][1]
    assert "ValueError: no None:" in " ".join(second.text(zone) for zone in ("stable", "task", "memory", "volatile"))
    assert Trials(settings.data).score(found.skill.digest) == 8


async def test_where_what_it_ensures_does_not_hold_the_crew_goes_on_and_it_costs(tmp_path: Path) -> None:
    """Its examples do not show that it fails for three lines; what it ensures does."""
    code = CODE.replace('f"{label} {count}\\n"', 'f"{label} {count}\\n" if count != 3 else "three"')
    found, settings, _ = await made(tmp_path, maker=written(code))
    mends = {"function": "write_file", "file_path": "lines.txt", "text": "Lines: 3\n"}
    journal, calls = await used(tmp_path, settings, of(USE), of(mends))
    second = [call for call in calls if call.role == "Worker"][1]
    told = " ".join(second.text(zone) for zone in ("stable", "task", "memory", "volatile"))
    assert "The skill did not fit here." in told
    assert "lines.txt contains 'Lines:'" in told
    assert ["count_lines" in names for names in offered(journal, "Worker")] == [True, False]
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    assert found.skill is not None
    assert Trials(settings.data).score(found.skill.digest) == 5
    again = await replay(journal)
    assert again.equal, again.difference


@pytest.mark.parametrize(
    ("text", "params", "status", "score"),
    [
        ("a\nb\nc\n", ("source=june.txt", "label=Rows:"), "unverified", 8),
        ("\xff\n", ("source=june.txt",), "failed", 5),
        ("a\nb\n", ("source=june.txt", "target=june.txt/x"), "failed", 8),
        ("a\nb\n", ("source=june.txt", "target=out/n.txt"), "failed", 8),
        ("a\nb\n", ("source=june.txt", "label=None:"), "failed", 8),
    ],
)
async def test_it_is_tried_as_any_skill(tmp_path: Path, text: str, params: tuple[str, ...], status: str, score: int) -> None:
    """That a label is in the file is not all that the file says: what nobody looks at is not called done. A file that it
    cannot read costs; a folder that is not there, or a value that it refuses, does not."""
    refusing = 'if label == "None:":\n        raise ValueError(\n            f"no {label}"\n        )\n    count ='
    found, settings, _ = await made(tmp_path, maker=written(CODE.replace("count =", refusing)))
    assert found.skill is not None
    work = tmp_path / "tried"
    work.mkdir()
    (work / "june.txt").write_text(text, encoding="latin-1")
    live = LiveRequest(replace(request_for(found.skill, settings), workspace=work), patience=0.2)
    tried = await try_skill(found.skill, chosen(found.skill, params), live, settings)
    result = tried.live.journal.state.outcome
    assert result is not None
    assert result.status == status, result
    assert tried.score == (8, score)
    assert bodies(tried.live.journal, e.RoleCalled) == []


async def test_a_file_that_is_not_there_costs_nothing(tmp_path: Path) -> None:
    found, settings, _ = await made(tmp_path)
    assert found.skill is not None
    live = LiveRequest(request_for(found.skill, settings), patience=0.2)
    with pytest.raises(UsageError, match=r"no file named gone\.txt"):
        await try_skill(found.skill, chosen(found.skill, ["source=gone.txt"]), live, settings)
    with pytest.raises(UsageError, match=r"\.\./n\.txt is not a path in the workspace"):
        await try_skill(found.skill, chosen(found.skill, ["target=../n.txt"]), live, settings)
    assert Trials(settings.data).score(found.skill.digest) == 8


@pytest.mark.parametrize("role", ["SkillMaker", "SkillRefiner"])
def test_the_example_of_a_prompt_passes_its_own_tests_of_form(role: str) -> None:
    roles = load_roles((BUILTIN,))
    stable = render(
        roles[role],
        dict.fromkeys(roles[role].reads, ""),
        crew=load_crew("solo", (CREWS,), roles),
        profile=Profile(name="any"),
        actions="",
    )[0]
    assert isinstance(stable, Text)
    (shown,) = re.findall(r"^Reply: (\{.*)$", stable.text, re.MULTILINE)
    assert len(FunctionDraft.of(json.loads(shown)).examples) == 2
