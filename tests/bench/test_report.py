"""A page of series: what it says can be checked with the journals beside it."""

from __future__ import annotations

import itertools
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.journal.importing import read_export
from deskcrew.journal.store import Store
from deskcrew.models.scripted import ScriptedModel
from deskcrew_bench.series import keep
from deskcrew_bench.suites.board import write_board
from deskcrew_bench.suites.others import OthersTrial, told_by
from deskcrew_bench.suites.trial import run_of
from support.crew import settings_in

pytestmark = pytest.mark.anyio
REPLIES: dict[str, Any] = {
    "Worker": {"operations": [], "branch": "RoleTaskFinish"},
    "FinalAnswer": {"answer": "<b>", "sources": [], "branch": "Continue"},
}


async def test_every_run_on_the_page_is_there_to_be_replayed(tmp_path: Path) -> None:
    settings, trials = settings_in(tmp_path), tmp_path / "lamps.jsonl"
    model = ScriptedModel(itertools.repeat(lambda call: REPLIES[call.role]))
    request = RunRequest(
        task="Count <lamps>.", model="scripted:", crew="solo", desktop="none",
        limits=settings.limits.model_copy(update={"replans": 0, "repairs": 0, "replies": 3}),
    )  # fmt: skip
    for name, right in (("one", True), ("two", False)):
        told = told_by(await run_of(request, settings, model))
        keep(trials, OthersTrial(task=f"<{name}>", model="scripted:", crew="solo", right=right, seconds=1.5, **told))
    keep(trials, OthersTrial(task="peer", model="scripted:", crew="other", right=True, seconds=1, run="elsewhere"))

    page, missing = write_board(tmp_path / "page", [trials], settings)

    text = page.read_text()
    assert missing == 1
    assert "&lt;one&gt;" in text
    assert "<one>" not in text
    links = re.findall(r'<a href="(runs/[^"]+)">([^<]+)</a>', text)
    assert len(links) == 2
    other = Store.of(settings_in(tmp_path / "elsewhere"))
    for link, run in links:
        assert read_export(page.parent / link, other).run == run
        assert other.journal(run).verify() == []
        assert other.journal(run).state.started is not None
    rows = [re.findall(r"<td[^>]*>([^<]*)", line) for line in text.splitlines() if 'href="#' in line]
    assert [row[4:9] for row in rows] == [["2", "1", "0", "0", "0"], ["1", "1", "0", "0", "0"]]
    assert rows[0][3] == version("deskcrew")
    assert rows[1][3] == "not known"


def test_a_file_that_holds_no_trials_is_told(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    with pytest.raises(UsageError, match="There are no trials"):
        write_board(tmp_path / "page", [tmp_path / "none.jsonl"], settings_in(tmp_path))
    assert not (tmp_path / "page").exists()
