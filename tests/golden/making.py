"""Runs that no test makes by itself: the scripted ones of every kind, and chores by what a strong model replied. Only
``tests/golden/record.py`` runs this."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.settings import Settings
from deskcrew_bench.cassettes import CASES, Stage, make
from deskcrew_bench.desk.strong import Player, played, replies_to
from deskcrew_bench.desk.task import tasks_of
from support.crew import settings_in
from support.servers import PostgresServer

pytestmark = pytest.mark.anyio
BY_NAME = {case.name.replace(" ", "-").replace(",", ""): case for case in CASES}
CHORES = Path(__file__).parents[2] / "bench" / "strong"


@pytest.mark.parametrize("name", BY_NAME)
async def test_case(tmp_path: Path, name: str) -> None:
    journal = await make(BY_NAME[name], tmp_path)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == BY_NAME[name].ends


@pytest.mark.parametrize("name", ["one-file", "rewound-twice-and-undone"])
async def test_case_on_a_server(tmp_path: Path, name: str, postgres: PostgresServer) -> None:
    address = postgres.journal()

    class OnServer(Stage):
        @property
        def settings(self) -> Settings:
            return super().settings.model_copy(update={"database": address})

    case, stage = BY_NAME[name], OnServer(BY_NAME[name], tmp_path)
    await (case.play(stage) if case.play is not None else stage.begin())
    assert stage.journal().database.shared


@pytest.mark.parametrize("chore", [path.name for path in CHORES.iterdir() if path.is_dir()])
@pytest.mark.parametrize("crew", ["default", "solo", "cola", "mmac", "friday", "coact"])
async def test_strong(tmp_path: Path, chore: str, crew: str) -> None:
    (task,) = tasks_of(CHORES, [chore], "en")
    player = Player(replies_to(task, crew), None)
    _, trial = await played(task, settings_in(tmp_path), crew=crew, player=player)
    assert trial.outcome == "done"
