"""The Gymnasium environment: an episode is a run, and its agent stands in the model's place."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from deskcrew.environments.linux.sandbox.needed import missing_programs
from deskcrew.errors import UsageError
from deskcrew.journal.store import Store
from deskcrew_bench.gym.environment import DeskEnv
from support.crew import settings_in

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.skipif(bool(missing_programs()), reason="a virtual desktop needs more programs"),
]

CHECK = "import pathlib\nassert pathlib.Path('b.txt').read_text().strip() == 'x', 'b.txt is wrong'\n"
WRITES = {"function": "write_file", "file_path": "b.txt", "text": "x"}


@pytest.fixture
def env(tmp_path: Path) -> Iterator[DeskEnv]:
    task = tmp_path / "tasks" / "write"
    task.mkdir(parents=True)
    (task / "task.toml").write_text('instruction = "Write x into b.txt."\n')
    (task / "check.py").write_text(CHECK)
    made = gymnasium.make(
        "deskcrew_bench.gym:Deskcrew-v0",
        tasks=tmp_path / "tasks",
        settings=settings_in(tmp_path / "data"),
        limits={"operations": 3},
    )
    yield made.unwrapped  # type: ignore[misc]
    made.close()


def test_an_episode_is_a_run_whose_agent_is_the_model(env: DeskEnv) -> None:
    asked, info = env.reset(seed=1, options={"task": "write"})
    assert asked["role"] == "Worker"
    assert "Write x into b.txt." in asked["prompt"]
    assert "operations" in json.loads(asked["schema"])["properties"]
    assert info["task"] == "write"
    again, reward, terminated, truncated, _ = env.step("I would rather not.")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert again["prompt"] != asked["prompt"]
    assert "Reply with one JSON object" in again["prompt"]
    env.step(json.dumps({"operations": [WRITES], "branch": "Continue"}))
    asked, reward, terminated, truncated, info = env.step(json.dumps({"operations": [], "branch": "RoleTaskFinish"}))
    assert (reward, terminated, truncated) == (1.0, True, False), info
    assert asked == {"role": "", "prompt": "", "schema": ""}
    assert info["right"]
    journal = Store.of(env.settings).journal(info["run"])
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == info["outcome"]
    with pytest.raises(RuntimeError, match="reset"):
        env.step("")


@pytest.mark.parametrize(("options", "there"), [({"tsk": "write"}, "number, task"), ({"task": "nope"}, "write")])
def test_what_there_is_not_is_refused_with_what_there_is(env: DeskEnv, options: dict[str, Any], there: str) -> None:
    with pytest.raises(UsageError, match="There is no") as refused:
        env.reset(options=options)
    assert there in refused.value.hint


def test_what_is_wrong_is_not_rewarded_and_a_limit_truncates(env: DeskEnv) -> None:
    env.reset(seed=2)
    number, terminated, truncated, reward, info = 0, False, False, 1.0, dict[str, Any]()
    while not (terminated or truncated):
        wrong, number = WRITES | {"text": f"y{number}"}, number + 1
        _, reward, terminated, truncated, info = env.step(json.dumps({"operations": [wrong], "branch": "Continue"}))
    assert reward == 0.0
    assert truncated
    assert not terminated
    assert info["reason"] == "bound:operations"
    assert info["said"]


@pytest.mark.deep
def test_gymnasiums_own_checker_has_nothing_to_say(env: DeskEnv) -> None:
    check_env(env, skip_render_check=True)


@pytest.mark.deep
def test_an_agent_that_clicks_at_random_plays_an_episode_to_its_end() -> None:
    env = gymnasium.make(
        "deskcrew_bench.gym:Deskcrew-v0", tasks=Path(__file__).parents[2] / "bench/desk", limits={"operations": 5}
    )
    chance = random.Random(4)
    asked, _ = env.reset(seed=4, options={"task": "calculator"})
    clicked, over, reward, info = 0, False, 1.0, dict[str, Any]()
    while not over:
        labels = re.findall(r"^(\d+) button", asked["prompt"], flags=re.MULTILINE)
        reply = {"operations": [{"function": "click_input", "control": chance.choice(labels)}], "branch": "Continue"}
        asked, reward, terminated, truncated, info = env.step(json.dumps(reply))
        clicked, over = clicked + 1, terminated or truncated
    env.close()
    assert reward == 0.0
    assert clicked >= 3
    assert info["outcome"] != "done"
