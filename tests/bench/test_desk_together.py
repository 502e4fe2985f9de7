"""Series at once: what differs is found, and on desktops of their own nothing does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.test_desk import SUITE, trial, write

from cli.conftest import Cli
from deskcrew.errors import UsageError
from deskcrew_bench.desk import suite as desk
from deskcrew_bench.desk.recorded import again, earlier_of
from deskcrew_bench.desk.together import ALONE, Deeds, beside, difference, disturbed
from support.crew import settings_in


def deeds(**changes: object) -> Deeds:
    told: dict[str, object] = {
        "right": True, "outcome": "done", "reason": "", "answer": "4", "calls": 2,
        "operations": ("one", "two"), "prompts": ("a", "b"),
    }  # fmt: skip
    return Deeds.model_validate(told | changes)


@pytest.mark.parametrize(
    ("changes", "differs"),
    [
        ({}, ""),
        ({"prompts": ("a", "c")}, ""),
        ({"operations": ("one", "2")}, "operation 2 is 2, not two"),
        ({"operations": ("one",)}, "there are 1 operations, not 2"),
        ({"right": False}, "right is False, not True"),
        ({"answer": "5"}, "answer is '5', not '4'"),
        ({"outcome": "failed", "reason": "model"}, "outcome is 'failed', not 'done'"),
    ],
)
def test_what_differs_is_named(changes: dict[str, object], differs: str) -> None:
    assert difference(deeds(), deeds(**changes)) == differs


def test_trials_stand_beside_the_first_and_what_the_clock_ended_beside_none() -> None:
    first = [trial("a"), trial("b"), trial("late", outcome="failed", reason="bound:seconds")]
    other = {"right": [trial("a"), trial("b"), trial("late")], "wrong": [trial("a"), trial("b", right=False)]}
    found = beside(
        first,
        {ALONE: other["right"], "1 of 1": other["wrong"]},
        lambda each: deeds(right=each.right, prompts=(each.task if each.right else "x",)),
    )
    assert (found.equal(alone=True), found.equal(alone=False), found.good) == ((2, 2), (1, 2), False)
    assert found.out == (("late", 1),)
    told = disturbed(found).splitlines()
    assert told[0] == "! b (seed 1), 1 of 1: right is False, not True"
    assert told[-1] == "at once: 1 of 2 equal to the first series; in 1 every prompt is the same, but for times of day"
    assert not beside(first, {}, lambda _: deeds()).good, "nothing was tried"


@pytest.mark.anyio
@pytest.mark.deep
async def test_earlier_replies_are_given_again_in_their_order(tmp_path: Path) -> None:
    """Not those of a rule; and where another role is asked, the run ends and says so."""
    task = write(
        tmp_path / "tasks/greet",
        task__toml="instruction = 'Write \"hello\" into hello.txt.'\n",
        check__py="import os, sys\nsys.exit(0 if os.path.exists('hello.txt') else 'no')\n",
        oracle__json='{"steps": [[{"function": "write_file", "file_path": "hello.txt", "text": "hello"}]], '
        '"must": ["file_contains hello.txt hello"]}',
    )
    settings = settings_in(tmp_path)
    first = await desk.attempt(task, 1, settings, model=desk.ORACLE, crew="planned")
    same = await again(task, first, settings)
    assert same.success, same
    assert (same.model, same.crew, same.calls, same.answer) == ("recorded:oracle", first.crew, first.calls, first.answer)
    assert same.run != first.run


def test_replies_are_those_of_one_series(tmp_path: Path) -> None:
    file = tmp_path / "first.jsonl"
    file.write_text(f"{trial().model_dump_json()}\n{trial('b', crew='solo').model_dump_json()}\n")
    assert list(earlier_of(file, ("m", "c", True, ()), [("a", 1)])) == [("a", 1)]
    with pytest.raises(UsageError, match=r"no trial of b with seed 1 by m and c"):
        earlier_of(file, ("m", "c", True, ()), [("a", 1), ("b", 1)])


@pytest.mark.desktop
@pytest.mark.deep
def test_series_at_once_do_the_same_as_one_by_itself(cli: Cli, tmp_path: Path) -> None:
    only = [option for name in ("note-in-editor", "move-into-folder") for option in ("--only", name)]
    ended = cli("bench", "together", "--tasks", str(SUITE), *only, "--data", str(tmp_path), "--json")
    assert ended.code == 0, ended.err
    assert (ended.json["equal"], ended.json["of"]) == (4, 4)
    assert ended.json["alone"] == {"equal": 2, "of": 2}
