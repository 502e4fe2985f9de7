"""Make the recorded runs of the web application's gallery anew: `.venv/bin/python bench/gallery.py [NAME...]`.

Each is a real run by a strong model's recorded replies. They are made in a folder of their own, so that nothing of the
machine is in them.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.journal.exporting import export
from deskcrew.settings import Limits, Settings
from deskcrew.ways_in.demo import chore
from deskcrew.ways_in.web.gallery import FOLDER, GALLERY
from deskcrew_bench.desk.task import Task

STRONG = Path(__file__).parent / "strong"
REPLIES = Path("strong-model.json")


def demo(work: Path, broken: bool = False) -> RunRequest:
    """The demo's first act; ``broken``: with one file altered, which one more plan does not help."""
    (chore.broken() if broken else chore.RECORDED).put(work)
    shutil.copy(chore.REPLIES, REPLIES)
    return RunRequest(task=chore.TASK, model="", desktop="virtual", without=("skills",), limits=Limits(replans=1))


def expenses(work: Path) -> RunRequest:
    """A chore over a workbook, without a desktop."""
    task = Task(STRONG / "expenses", "en")
    made = task.make(1, work)
    shutil.copy(task.folder / "replies.default.en.json", REPLIES)
    return RunRequest(task=made.instruction, model="", desktop="none", limits=task.limits)


MADE: dict[str, Callable[[Path], RunRequest]] = {
    "rejected": demo,
    "altered": lambda work: demo(work, broken=True),
    "expenses": expenses,
}


def make(name: str) -> None:
    """Run it, and put its export into the package."""
    with TemporaryDirectory(prefix="deskcrew-", dir="/tmp") as folder:
        os.chdir(folder)
        work = Path(folder) / "work"
        work.mkdir()
        request = replace(MADE[name](work), model=f"recorded:{REPLIES}", workspace=work)
        settings = Settings(data=Path(folder) / "data", models=Path(folder) / "models", config=Path(folder) / "config")
        journal = anyio.run(session.run, request, settings)
        target = FOLDER / f"{name}.zip"
        target.unlink(missing_ok=True)
        export(journal, target)
        outcome = journal.state.outcome
        print(name, outcome and (outcome.status, outcome.why), target.stat().st_size, "bytes")
        os.chdir("/")


if __name__ == "__main__":
    for each in sys.argv[1:] or [one.name for one in GALLERY]:
        make(each)
