"""The benchmark of requests: what counts as right, and what a simulated person says yes to."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from deskcrew.errors import UsageError
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew_bench import requests as asking
from support.crew import settings_in

pytestmark = pytest.mark.anyio

SORT = {"id": "s", "request": "Sort the regions in sales.csv, the biggest amounts first.", "folder": "sales"}
CHART = {"id": "c", "request": "Make a chart of the sales.", "folder": "sales"}
RIGHT = {"id": "s", "skill": "sort-table", "values": {"column": "amount", "order": ["descending", "largest first"]}}
NONE = {"id": "c", "skill": None}
CHOSEN = [{"skill": "sort_table"}]


def laid_out(folder: Path, *key: dict[str, Any]) -> dict[str, tuple[asking.Request, asking.Key]]:
    (folder / "sales").mkdir()
    (folder / "sales" / "sales.csv").write_text("Region,Amount\nNorth,120\nWest,200\n")
    (folder / asking.REQUESTS).write_text("".join(f"{json.dumps(each)}\n" for each in (SORT, CHART)))
    (folder / asking.KEY).write_text("".join(f"{json.dumps(each)}\n" for each in key))
    return asking.requests_in(folder)


async def tried(folder: Path, which: str, *replies: Any, key: dict[str, Any] = RIGHT) -> asking.Trial:
    there = laid_out(folder, key, NONE)
    model = ScriptedModel(itertools.chain(replies), profile=Profile(name="small", freely=False))
    return await asking.attempt(*there[which], settings_in(folder), folder, model="small", loaded=model)


async def test_a_right_reading_is_confirmed_and_done(tmp_path: Path) -> None:
    trial = await tried(tmp_path, "s", *CHOSEN, {"column": "Amount"})
    assert (trial.skill, trial.values, trial.success, trial.touched) == (True, True, True, True)
    assert not (tmp_path / "sales" / "sales sorted.csv").exists(), "the files of the request are kept"
    assert "right (sort-table); done, right; 2 calls" in asking.line(trial)


async def test_a_wrong_value_is_declined_and_nothing_is_done(tmp_path: Path) -> None:
    trial = await tried(tmp_path, "s", *CHOSEN, {"column": "Region"})
    assert (trial.skill, trial.values, trial.outcome, trial.touched) == (True, False, "stopped", False)
    summed = asking.totals([trial])
    assert (summed.fitting, summed.skill, summed.values, summed.good, summed.wrong) == (1, 1, 0, 0, 0)
    assert not summed.enough


async def test_a_checker_decides_whether_the_work_is_right(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text("import sys\nsys.exit('Amount' not in open(f'{sys.argv[2]}/sales sorted.csv').read())\n")
    values = {"column": "Amount"}
    assert (await tried(tmp_path, "s", *CHOSEN, values, key=RIGHT | {"checker": "s.py"})).success


async def test_work_that_the_checker_finds_wrong_is_done_and_wrong(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text("raise SystemExit(1)\n")
    trial = await tried(tmp_path, "s", *CHOSEN, {"column": "Amount"}, key=RIGHT | {"checker": "s.py"})
    assert (trial.success, trial.false) == (False, True)
    assert asking.totals([trial]).wrong == 1


async def test_none_is_right_where_no_skill_does_it(tmp_path: Path) -> None:
    trial = await tried(tmp_path, "c")
    assert (trial.fits, trial.none, trial.reason, trial.calls) == (False, True, "no_skill", 0)
    assert asking.totals([trial]).none == 1


def test_a_request_that_the_key_leaves_out_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="says nothing of s"):
        laid_out(tmp_path, NONE)
