"""The main job with the real local model on a real virtual desktop: the demo's chore, with one seed at every run."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.settings import Settings
from deskcrew_bench.demo import attempt

pytestmark = [pytest.mark.anyio, pytest.mark.desktop, pytest.mark.llm, pytest.mark.timeout(900)]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", config=tmp_path / "config")


@pytest.mark.deep
@pytest.mark.parametrize("seed", [7, 1, 4])
async def test_a_chore_that_needs_three_agents_ends_right(seed: int, settings: Settings) -> None:
    trial = await attempt(seed, settings, model="local", crew="default")
    assert trial.right, trial
    assert trial.outcome == "unverified", (trial, "a model of this size is no judge of its own answer")
    assert trial.calls <= 10, trial
