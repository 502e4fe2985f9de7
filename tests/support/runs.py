"""Real runs in processes of their own: real journal, real sandbox, real sockets, and a model that answers from a file."""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from deskcrew.engine.request import RunRequest
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.running import Alive, Runs
from support.crew import settings_in
from support.required import usual
from support.waiting import LATEST


@dataclass
class There:
    """A data folder, its runs, and the processes that were started for them; none outlives the test."""

    folder: Path
    settings: Settings
    runs: Runs
    started: list[int] = field(default_factory=list[int])

    def request(self, replies: list[Any], *, task: str = "Do it.", **more: Any) -> RunRequest:
        """A task for a crew of one whose model says ``replies``."""
        script = self.folder / f"replies-{len(list(self.folder.iterdir()))}.json"
        script.write_text(json.dumps(replies))
        given = {"workspace": self.folder / "work", "desktop": "none", "crew": "solo", "required": usual(task)} | more
        return RunRequest(task=task, model=f"scripted:{script}", **{"crew": "planned", **given})

    async def begin(self, replies: list[Any], **more: Any) -> str:
        return self.known(await self.runs.start(self.request(replies, **more)))

    def known(self, run: str) -> str:
        """The run of that name, whose process is ended with the test."""
        self.started += [process.pid for process in processes(self.runs, run)]
        return run

    def runs_there(self) -> list[str]:
        """All of the data folder, the newest first."""
        return [row.id for row in Store(self.settings.journal).runs(limit=100)]

    def journal(self, run: str) -> Journal:
        return Store(self.settings.journal).journal(run)

    async def until(self, run: str, wanted: Any) -> Alive:
        """What the run's process says once ``wanted`` holds of it."""
        with anyio.fail_after(LATEST):
            async with aclosing(self.runs.follow(run)) as states:
                async for alive in states:
                    if wanted(alive):
                        return alive
        raise AssertionError(f"it ended before: {self.journal(run).events[-1].body} {self.runs.last_line(run)}")

    async def question(self, run: str) -> Alive:
        return await self.until(run, lambda alive: alive.question is not None)

    async def ended(self, run: str) -> Journal:
        """Wait until the run's process has gone; its journal."""
        with anyio.fail_after(LATEST):
            async with aclosing(self.runs.follow(run)) as states:
                async for _ in states:
                    continue
        assert not self.runs.busy(run)
        return self.journal(run)


def processes(runs: Runs, run: str) -> list[psutil.Process]:
    """The run's process, found by the log that it writes to."""
    log = str(runs._files(run).log)
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if os.path.realpath(f"/proc/{process.pid}/fd/2") == log:
                found.append(process)
        except OSError:
            continue
    return [process for process in found if "deskcrew.ways_in.running.process" in " ".join(process.cmdline())]


@pytest.fixture
def own_runtime(monkeypatch: pytest.MonkeyPatch, words_only: None) -> Iterator[Path]:
    """Runtime folders of this test alone, with a short path, as sockets need one."""
    with tempfile.TemporaryDirectory(prefix="d-", dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


@pytest.fixture
async def there(tmp_path: Path, own_runtime: Path) -> AsyncIterator[There]:
    settings = settings_in(tmp_path)
    made = There(tmp_path, settings, Runs(settings))
    yield made
    for pid in made.started:
        try:
            process = psutil.Process(pid)
            if "deskcrew.ways_in.running.process" in " ".join(process.cmdline()):
                process.send_signal(signal.SIGKILL)
        except psutil.NoSuchProcess:
            continue
