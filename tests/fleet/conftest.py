"""A journal on a real server, and what is submitted to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from deskcrew.engine.request import RunRequest
from deskcrew.facts.contract import Contract
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.submissions import Submissions, SubmittedRow, version
from deskcrew.ways_in.fleet.tasks import Submission, Task
from deskcrew.ways_in.running.messages import Start
from support.servers import PostgresServer


@dataclass
class Fleet:
    """A database, and this machine's settings with it."""

    folder: Path
    settings: Settings
    submissions: Submissions

    def script(self, *replies: Any) -> str:
        """A model that says this."""
        file = self.folder / f"script-{len(list(self.folder.iterdir()))}.json"
        file.write_text(json.dumps(replies))
        return f"scripted:{file}"

    def submit(
        self,
        *tasks: Task,
        model: str = "scripted:none",
        mode: Any = "automatic",
        required: Contract | None = None,
        **more: Any,
    ) -> list[str]:
        """Submit tasks for a crew of one; the ids of their runs."""
        request = RunRequest(task="", model=model, crew="solo", desktop="none", mode=mode, required=required)
        submission = Submission(start=Start(request=request), version=version(), **more)
        name = self.submissions.add(submission, tasks or (Task(task="Do it."),))
        return [row.run for row in self.submissions.rows(name, limit=1000)]

    def row(self, run: str) -> SubmittedRow:
        found = self.submissions.row(run)
        assert found is not None
        return found

    def log(self, run: str) -> list[str]:
        return [line[4] for line in self.submissions.log(run)]

    def sql(self, statement: str) -> None:
        with psycopg.connect(self.settings.database) as connection:
            connection.execute(statement.encode())


@pytest.fixture
def fleet(postgres: PostgresServer, tmp_path: Path, words_only: None) -> Iterator[Fleet]:
    folders = {name: tmp_path / name for name in ("data", "models", "config")}
    settings = Settings(**folders, database=postgres.journal())
    made = Fleet(tmp_path, settings, Submissions(settings))
    yield made
    made.submissions.store.close()
