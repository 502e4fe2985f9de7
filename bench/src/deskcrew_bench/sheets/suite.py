"""A folder of SheetCopilot's kind: each task is done on a copy of its workbook, and compared with its references."""

from __future__ import annotations

import json
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import anyio.to_thread
import openpyxl
from pydantic import ValidationError

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.errors import ConfigError, UsageError
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.sheets.book import Book
from deskcrew_bench.sheets.must import Must
from deskcrew_bench.sheets.mutants import mutants, mutated
from deskcrew_bench.suites.others import OthersTrial, told_by, workspace
from deskcrew_bench.suites.trial import run_of

COMMAND = "deskcrew bench sheets"
GOLD, START, MUTANTS = "gold", "start", "mutants"
CONTROLS = (GOLD, START, MUTANTS)
"""Names of models that are none: results that are right, untouched, and a little wrong, which no run makes."""
LISTED, SHEETS, GOLDS = "sheet_task.jsonl", "sheets", "sheets_ans"
TASKS = Path(__file__).with_name("tasks.toml")
SECONDS = 600.0
"""Of a run where no limit is set."""


@dataclass(frozen=True)
class Task:
    """One instruction about one workbook. ``name``: its number and its workbook's name."""

    name: str
    context: str
    instruction: str
    workbook: Path
    golds: tuple[Path, ...]
    must: Must

    @property
    def sentence(self) -> str:
        """What a run is asked."""
        return f"{self.context} {self.instruction} The workbook is {self.workbook.name}; your changes are saved in it."

    def begin(self, folder: Path) -> Path:
        """Put the workbook that the work begins with into ``folder``. Of a gold it is what the gold was made from: without
        sheets that the workbook has not, without a filter and without links."""
        place = folder / self.workbook.name
        if self.must.begin == "workbook":
            place.write_bytes(self.workbook.read_bytes())
            return place
        names = openpyxl.load_workbook(self.workbook, read_only=True).sheetnames
        book: Any = openpyxl.load_workbook(self.golds[0])
        for page in list(book.worksheets):
            if page.title not in names:
                book.remove(page)
                continue
            page.auto_filter.ref = None
            page.auto_filter.filterColumn = []
            for row in page.row_dimensions.values():
                row.hidden = False
            for row in page.iter_rows():
                for cell in row:
                    cell.hyperlink = None
        book.save(place)
        return place

    @cached_property
    def references(self) -> tuple[Book, ...]:
        """The golds, read once."""
        return tuple(Book(path) for path in self.golds)

    @cached_property
    def start(self) -> Book:
        """The workbook that the work begins with, read once."""
        with tempfile.TemporaryDirectory(prefix="deskcrew-sheets-") as folder:
            return Book(self.begin(Path(folder)))

    def wrong(self, result: Path) -> list[str]:
        """How the workbook ``result`` differs from what was wanted; [] where it is right."""
        if not result.is_file():
            return ["the workbook is gone"]
        try:
            book = Book(result)
        except ValueError as error:
            return [str(error)]
        return self.must.wrong(book, self.references, self.start)


class Trial(OthersTrial):
    """How one task went; ``said``: what differs. ``memory``: with what earlier runs had taught."""

    memory: bool = False


def tasks_of(folder: Path, only: Sequence[str] = (), table: Path = TASKS) -> tuple[Task, ...]:
    """The tasks that ``folder`` lists, in its order, or those named by ``only``. Raises UsageError for another folder, and
    ConfigError for a task of which ``table`` does not say what must equal its gold."""
    listed = folder / LISTED
    if not listed.is_file():
        raise UsageError(
            f"There is no {LISTED} in {folder}.",
            hint="Name the folder examples/SheetCopilot of a clone of OS-Copilot, or one like it: --data DIR",
        )
    must, tasks = table_in(table), dict[str, Task]()
    for number, line in enumerate(listed.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            said: dict[str, Any] = json.loads(line)
            sheet, context, instruction = said["Sheet Name"], said["Context"], said["Instructions"]
            name = f"{said['No.']}_{sheet}"
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{listed}, line {number}: {error!r} is wrong or missing.") from error
        if name not in must:
            raise ConfigError(f"{table} does not say what counts of {name}.")
        workbook, golds = folder / SHEETS / f"{sheet}.xlsx", tuple(sorted((folder / GOLDS).glob(f"{name}_gt*.xlsx")))
        if not workbook.is_file() or not golds:
            raise ConfigError(f"{folder} has no workbook or no reference result of {name}.")
        tasks[name] = Task(name, context, instruction, workbook, golds, must[name])
    for name in only:
        if name not in tasks:
            raise UsageError(f"There is no task {name!r} in {folder}.", hint=f"There are: {', '.join(tasks)}.")
    return tuple(tasks[name] for name in (only or tasks))


def table_in(path: Path) -> dict[str, Must]:
    """What must equal the golds, by the names of tasks. Raises ConfigError."""
    try:
        return {name: Must.model_validate(each) for name, each in tomllib.loads(path.read_text(encoding="utf-8")).items()}
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigError(f"{path}: {error}") from error


def wanted(tasks: Sequence[Task], model: str) -> dict[tuple[str, str], Task]:
    """What is to be tried: each task, with what is wrong with its result where that is what the model stands for."""
    if model != MUTANTS:
        return {(task.name, ""): task for task in tasks}
    return {(task.name, what): task for task in tasks for what, _ in mutants(task.must.checks)}


def control(task: Task, model: str, crew: str, mutant: str = "") -> Trial:
    """A result that no run made: the gold itself, the workbook as it was, or a gold with one thing wrong."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="deskcrew-sheets-") as name:
        if model == GOLD:
            result = task.golds[0]
        elif mutant:
            result = mutated(task.golds[0], dict(mutants(task.must.checks))[mutant], Path(name) / "mutant.xlsx")
        else:
            result = task.begin(Path(name))
        wrong = task.wrong(result)
    seconds = round(time.perf_counter() - began, 1)
    return Trial(
        task=task.name, model=model, crew=crew, mutant=mutant, right=not wrong, said="; ".join(wrong), seconds=seconds
    )


async def attempt(
    task: Task,
    settings: Settings,
    *,
    model: str,
    crew: str,
    memory: bool = False,
    loaded: Model | None = None,
    watch: session.Watch | None = None,
) -> Trial:
    """Do one task on a copy of its workbook, in a folder of its own. ``memory``: with what earlier runs have taught, and
    teaching nothing; ``loaded``: answers in place of the model. Raises what the session raises."""
    with workspace(settings, f"sheets-{task.name}") as folder:
        result = await anyio.to_thread.run_sync(task.begin, folder)
        limits = settings.limits.model_copy(update={"seconds": settings.limits.seconds or SECONDS})
        request = RunRequest(
            task=task.sentence, model=model, crew=crew, workspace=folder, limits=limits, memory="read" if memory else "off"
        )
        began = time.perf_counter()
        journal = await run_of(request, settings, loaded, watch)
        seconds = time.perf_counter() - began
        wrong = await anyio.to_thread.run_sync(task.wrong, result)
    return Trial(
        task=task.name, model=model, crew=crew, memory=memory, right=not wrong, said="; ".join(wrong),
        seconds=round(seconds, 1), **told_by(journal),
    )  # fmt: skip
