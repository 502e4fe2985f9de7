"""The table of what is recalled: a real memory of two families' runs, searched in every wording and counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.recollection import episode_text, tokens
from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew_bench.again.family import families
from deskcrew_bench.again.recalling import COUNTS, WORDINGS, Query, Row, measure, queries
from deskcrew_bench.again.strong import AGENT
from deskcrew_bench.commands import build

FOLDER = Path(__file__).parents[2] / "bench" / "again"


def entry(run: str, role: str, situation: str, decision: str) -> Entry:
    return Entry(
        id=f"{run}-{role}", role=role, situation=situation, decision=decision, result="it held", verdict="proven",
        verified_by="probe", summary=f"{role}: {situation}", run=run, created=1.0,
    )  # fmt: skip


ADD = entry("r1", AGENT, "Add up the column hours of hours-2024.csv.", "run_python_code(sum of hours)")
MOVE = entry("r2", AGENT, "Move all pictures into the folder old.", "run_python_code(rename them)")
PLAN = entry("r1", "Planner", "Add up the column hours of hours-2024.csv.", "one part")
WHOSE = {"r1": "add", "r2": "move"}


def rows_of(folder: Path, entries: list[Entry], asked: list[Query]) -> dict[tuple[str, str, int], Row]:
    folder.mkdir()
    rows = measure(folder, entries, WHOSE, asked, SentenceEmbedder())
    assert len(rows) == 2 * len(WORDINGS) * len(COUNTS)
    return {(row.wording, row.kind, row.count): row for row in rows}


def test_of_its_own_family_and_of_others_is_counted(tmp_path: Path) -> None:
    asked = [
        Query("add", "Add up the column hours of hours-2026.csv.", reworded=False),
        Query("add", "Was steht morgen auf dem Speiseplan?", reworded=True),
        Query("bake", "Add up the column hours of hours-2025.csv.", reworded=False),
    ]
    rows = rows_of(tmp_path / "one", [ADD, MOVE], asked)
    row = rows[WORDINGS[0].name, "own", 2]
    # The first finds its family's, the second nothing, the third another family's.
    assert (row.tasks, row.hit, row.reworded, row.rank, row.others) == (3, 0.5, 0.0, 1.0, 0.33)
    assert row.tokens == round(2 / 3 * tokens(episode_text(ADD, 1500)), 1)
    assert rows["situation", "own", 2].tokens < row.tokens, "without what was done it is shorter"
    assert rows["situation", "own", 2].hit == row.hit, "it is compared by the same text"


def test_episodes_of_all_kinds_take_places(tmp_path: Path) -> None:
    asked = [Query("add", "Add up the column hours of hours-2026.csv.", reworded=False)]
    rows = rows_of(tmp_path / "one", [ADD, MOVE, PLAN], asked)
    own, every = rows[WORDINGS[0].name, "own", 5], rows[WORDINGS[0].name, "all", 5]
    assert (own.hit, every.hit) == (1.0, 1.0)
    assert every.tokens == own.tokens + tokens(episode_text(PLAN, 1500))


def test_a_variant_is_asked_for_in_both_wordings(tmp_path: Path) -> None:
    (family,) = families(FOLDER, ["column-total"])
    asked = list(queries(family, [3, 4], tmp_path))
    assert [query.reworded for query in asked] == [False, True, False, True]
    assert len({query.text for query in asked}) == 4


@pytest.mark.deep
def test_the_command_measures_what_real_runs_taught(tmp_path: Path) -> None:
    asked = ["again", "--recall", "--only", "column-total", "--variants", "1", "--families", str(FOLDER)]
    ran = CliRunner().invoke(build(), [*asked, "--data", str(tmp_path), "--json"])
    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    assert [one["score"] for one in told["taught"]] == [2]
    assert told["entries"] == 4, "of two runs, what the planner and the agent did"
    first = told["rows"][0]
    assert (first["tasks"], first["hit"], first["rank"], first["others"]) == (2, 1.0, 1.0, 0.0)
    assert first["tokens"] > 0
