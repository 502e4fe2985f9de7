"""The crews side by side: which series there are, each of them a crew that can be put together, in one table."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import load_crew, without_parts, without_pool
from deskcrew.engine.roles.role import BUILTIN, load_roles
from deskcrew.errors import UsageError
from deskcrew_bench.commands.crews import WITHOUT, answered, variants
from deskcrew_bench.desk.strong import MODEL, replies_to
from deskcrew_bench.desk.task import tasks_of

STRONG = Path(__file__).parents[2] / "bench" / "strong"
KEPT = {"cola": "expenses", "coact": "site-form", "friday": "file-manager", "mmac": "guided-tour"}
"""The crews of papers, each with a chore that it is tried on: a page, a file manager, a video and an editor."""


def test_every_crew_is_measured_and_loses_what_it_is_measured_without() -> None:
    assert set(WITHOUT) == {path.stem for path in CREWS.glob("*.toml")}
    roles = load_roles((BUILTIN,))
    seen: set[object] = set()
    for _, name, pool, without in variants("local", tuple(WITHOUT)):
        crew = load_crew(name, (CREWS,), roles)
        less = without_parts(crew if pool else without_pool(crew), without)
        parts = (
            less.planner,
            less.scheduler,
            less.reviewer,
            less.checker,
            less.pool,
            less.without,
            less.scores,
            less.limits,
        )
        assert (parts, name) not in seen, f"{less.name} is measured twice"
        seen.add((parts, name))


def test_what_is_compared_by_kept_replies_is_what_every_crew_has_some_to() -> None:
    chores = {task.folder.name for task in answered(STRONG, variants(MODEL, ("default", "solo")))}
    assert chores
    assert chores > {task.folder.name for task in answered(STRONG, variants(MODEL, tuple(WITHOUT)))}
    with pytest.raises(UsageError, match="to all of these: default, scripted:kept; mmac, no planner, scripted:kept"):
        answered(STRONG, [(MODEL, "default", True, ()), (MODEL, "mmac", True, ("planner",))])


def test_with_less_a_crew_has_replies_of_its_own_or_those_that_are_still_asked_for() -> None:
    (task,) = tasks_of(STRONG, ["expenses"], "en")
    whole, less = (replies_to(task, "mmac", True, without) for without in ((), ("checker",)))
    assert "Mentor" in {each.role for each in whole}
    assert less == tuple(each for each in whole if each.role != "Mentor")
    assert replies_to(task, "coact", True, ("force-stop",)) == replies_to(task, "coact")
    assert "LocalExecutor" in {each.role for each in replies_to(task, "coact", True, ("planner",))}
    assert "GlobalPlanner" not in {each.role for each in replies_to(task, "coact", True, ("planner",))}
    assert replies_to(task, "mmac", True, ("planner",)) == (), "its agents would be asked for other parts"
    assert replies_to(task, "mmac", False) == (), "somebody else would be asked"


def test_kept_replies_are_not_asked_of_a_model(cli: Cli, tmp_path: Path) -> None:
    done = cli("bench", "crews", "--strong", "--model", "local", "--jsonl", str(tmp_path / "series.jsonl"))
    assert done.code == 2
    assert "--strong goes by replies that were kept" in done.err


@pytest.mark.deep
@pytest.mark.parametrize("crew", KEPT)
def test_a_paper_s_crew_does_a_chore_by_kept_replies(cli: Cli, tmp_path: Path, crew: str) -> None:
    if crew == "mmac" and shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg is not installed")
    done = cli("bench", "strong", "--crew", crew, "--language", "en", "--tasks", str(STRONG), "--only", KEPT[crew], "--json")
    assert done.code == 0, done.out
    assert [trial["outcome"] for trial in done.json["trials"]] == ["done"]


@pytest.mark.deep
def test_the_table_has_a_row_a_series(cli: Cli, tmp_path: Path) -> None:
    kept = tmp_path / "series.jsonl"
    asked = (
        "bench",
        "crews",
        "--crew",
        "solo",
        "--crew",
        "default",
        "--model",
        "no-op",
        "--only",
        "nested-json",
        "--jsonl",
        str(kept),
    )
    first = cli(*asked, "--data", str(tmp_path / "data"))
    assert first.code == 0, first.err
    assert len(kept.read_text().splitlines()) == 2
    assert "1 pairs of 1 tasks" in first.out
    assert cli(*asked, "--data", str(tmp_path / "data")).code == 0
    assert len(kept.read_text().splitlines()) == 2, "what the file holds is not done again"
