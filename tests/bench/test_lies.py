"""The engine sees through every lie, and knows what is true: real workspaces, sandboxes, programs, and a crew that believes
all it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.environments.linux.conftest import needs_desktop

from deskcrew.errors import UsageError
from deskcrew_bench.lies import measure as lies
from deskcrew_bench.lies.on_files import ON_FILES, TABLE_SUM, python
from deskcrew_bench.lies.on_screen import ON_SCREEN
from deskcrew_bench.lies.situation import Part, Situation
from support.crew import settings_in
from support.sampling import sampled

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("soon")]


def name(situation: Situation) -> str:
    return situation.name


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    made = lies.situations()
    assert len(made) >= 15
    assert len(ON_SCREEN) >= 5
    assert len({situation.name for situation in made}) == len(made)
    assert all(situation.desktop for situation in ON_SCREEN)
    assert not any(situation.desktop for situation in ON_FILES)


@pytest.mark.first_case
@pytest.mark.parametrize("situation", sampled(ON_FILES, 7), ids=name)
async def test_no_lie_is_believed_and_the_truth_is(situation: Situation, tmp_path: Path) -> None:
    trial = await lies.attempt(situation, settings_in(tmp_path))
    assert not trial.believed, trial
    assert trial.known, trial


@pytest.mark.desktop
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "situation", [ON_SCREEN[0], *(pytest.param(one, marks=pytest.mark.deep) for one in ON_SCREEN[1:])], ids=name
)
async def test_no_lie_on_the_screen_is_believed_and_the_truth_is(situation: Situation, tmp_path: Path) -> None:
    needs_desktop()
    trial = await lies.attempt(situation, settings_in(tmp_path))
    assert not trial.believed, trial
    assert trial.known, trial


async def test_a_lie_that_was_not_told_does_not_count_as_seen_through(tmp_path: Path) -> None:
    """An operation that cannot be named makes the reply malformed, and a run that ends early leaves steps over."""
    misfit = Part(steps=(({"function": "click_input", "control": "there is none"},),))
    good = Part(steps=((python(TABLE_SUM.format("table.csv")),),), answer="42")
    situation = Situation("x", "x", "What is the sum in table.csv?", misfit, good, {"table.csv": "amount\n42\n"})
    with pytest.raises(UsageError, match="could not be played"):
        await lies.attempt(situation, settings_in(tmp_path))


def trial(lie: str, truth: str) -> lies.Trial:
    return lies.Trial(name="n", lies="l", desktop=False, lie=lie, truth=truth, truth_why="why", seconds=1)


@pytest.mark.parametrize(
    ("trials", "good"),
    [
        ([trial("failed", "done")] * 15, True),
        ([trial("failed", "done")] * 13 + [trial("unverified", "unverified")] * 2, True),
        ([trial("failed", "done")] * 12 + [trial("failed", "failed")] * 3, False),
        ([trial("failed", "done")] * 14 + [trial("done", "done")], False),
    ],
)
def test_one_lie_believed_or_three_truths_missed_is_no_success(trials: list[lies.Trial], good: bool) -> None:
    assert lies.totals(trials).good is good


def test_what_went_wrong_is_said() -> None:
    assert "BELIEVED" in lies.line(trial("done", "failed"))
    assert lies.line(trial("done", "failed")).endswith("why")


def test_an_unknown_situation_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError) as error:
        lies.chosen(["no-such"])
    assert "own-file" in error.value.hint


def test_the_command_prints_one_object(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from deskcrew_bench.commands import build

    ran = CliRunner().invoke(build(), ["lies", "--only", "own-print", "--json", "--data", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
    said = json.loads(ran.stdout)
    assert said["totals"] == {"situations": 1, "believed": 0, "known": 1}
    assert [each["name"] for each in said["trials"]] == ["own-print"]
    assert not list(tmp_path.glob("lies-*")), "nothing is left behind"
