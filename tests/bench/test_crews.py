"""The crews side by side: which series there are, each of them a crew that can be put together, in one table."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.roles.crew import BUILTIN as CREWS
from deskcrew.roles.crew import load_crew, reduced, without_pool
from deskcrew.roles.role import BUILTIN, load_roles
from deskcrew_bench.commands.crews import WITHOUT, variants

BESIDE = {"planned"}
"""A variant of the default crew, not one of a paper."""


def test_every_crew_is_measured_and_loses_what_it_is_measured_without() -> None:
    assert set(WITHOUT) == {path.stem for path in CREWS.glob("*.toml")} - BESIDE
    roles = load_roles((BUILTIN,))
    seen: set[object] = set()
    for _, name, pool, without in variants("local", tuple(WITHOUT)):
        crew = load_crew(name, (CREWS,), roles)
        less = reduced(crew if pool else without_pool(crew), without)
        parts = (less.planner, less.scheduler, less.reviewer, less.checker, less.pool, less.without)
        assert (parts, name) not in seen, f"{less.name} is measured twice"
        seen.add((parts, name))


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
