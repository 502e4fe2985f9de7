"""A crew makes a skill as code: written, run on two inputs, scored, mended, kept as it was run, and used."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deskcrew import events as e
from deskcrew import session
from deskcrew.errors import ConfigError, UsageError
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.replay.live import LiveRequest
from deskcrew.replay.making import Made, Wish, make
from deskcrew.replay.replay import replay
from deskcrew.replay.trying import chosen, request_for, try_skill
from deskcrew.request import RunRequest, own_skills, usable_skill
from deskcrew.settings import Limits, Settings
from deskcrew.skills.folders import parse, read
from deskcrew.skills.trials import Trials
from skills.test_earned import ran
from support.crew import bodies, done, settings_in

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
) -> tuple[Made, Settings, list[Call]]:
    """What comes of these replies, each list in its order."""
    settings = settings_in(folder)
    critics = [critic] * 9 if isinstance(critic, dict) else list(critic)
    waiting = {"SkillMaker": [maker or written()], "SkillCritic": critics, "SkillRefiner": list(refiner)}
    profile = Profile(name="scripted", context=128_000, free_text=free)  # type: ignore[arg-type]
    model = ScriptedModel(itertools.repeat(lambda call: waiting[call.role].pop(0)), profile=profile)
    limits = more.pop("limits", Limits())
    found = await make(Wish(WHAT, **more), RunRequest(WHAT, model="scripted:", crew="solo", limits=limits), settings, model=model)
    return found, settings, model.calls


def outcome(found: Made) -> Any:
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
    with pytest.raises(ConfigError, match="not the bytes that were tried"):
        parse(source.name, source.files, str(source.folder))


async def test_what_fails_is_mended_and_the_first_bytes_are_not_kept(tmp_path: Path) -> None:
    broken = written(CODE.replace("Path(target)", "Path('fixed.txt')"))
    found, _, calls = await made(tmp_path, maker=broken, refiner=[{"why": "the file was fixed", **written()}])
    assert asked(calls) == ["SkillMaker", "SkillRefiner", "SkillCritic"], "no critic where tests fail"
    assert "n.txt holds 'Lines: 2' and nothing else does not hold" in calls[1].text("volatile")
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
        (written(CODE.replace("return f", "import socket; socket.create_connection(('192.0.2.1', 80)); return f")), "failed"),
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
    found = await make(Wish(WHAT), RunRequest(WHAT, model="scripted:", crew="solo"), settings, model=model)
    assert found.skill is not None
    assert why in model.calls[1].text("volatile")


async def test_a_budget_ends_it(tmp_path: Path) -> None:
    low = {"reasons": "no", "mend": "all", "score": 1}
    refiner = [{"why": "mended", **written()}] * 9
    found, _, _ = await made(tmp_path, critic=low, refiner=refiner, limits=Limits(replies=1))
    assert found.skill is None
    assert outcome(found).reason == "bound:replies"


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
    found, _, calls = await made(tmp_path, maker=added(fixed=True), refiner=[again], source=source)
    assert "open('numbers.txt')" in calls[0].text("task")
    assert "on the files of the recorded run it made something else of sum.txt" in calls[1].text("volatile")
    assert found.skill is not None
    assert len(bodies(found.journal, e.ActionStarted)) == 6


async def test_from_a_run_that_was_not_proven_nothing_is_made(tmp_path: Path) -> None:
    source = await ran(tmp_path, text="Total: 7")
    with pytest.raises(UsageError, match="cannot become a skill"):
        await made(tmp_path, source=source)
