"""A folder of SheetCopilot's kind: each task is done on a copy of its workbook, and compared with its references."""

from __future__ import annotations

import json
import secrets
import shutil
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
from pydantic import BaseModel, ValidationError

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.observation import Frozen
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.series import kept
from deskcrew_bench.sheets.book import Book
from deskcrew_bench.sheets.must import Must
from deskcrew_bench.sheets.mutants import mutants, mutated
from deskcrew_bench.suites.trial import ended, run_of

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


class Trial(Frozen):
    """How one task went. ``memory``: with what earlier runs had taught; ``wrong``: what differs, '' where nothing does.
    Token counts None: the model does not tell."""

    task: str
    model: str
    crew: str
    mutant: str = ""
    memory: bool = False
    wrong: str
    run: str = ""
    outcome: str = ""
    reason: str = ""
    why: str = ""
    answer: str = ""
    calls: int = 0
    input: int | None = None
    output: int | None = None
    operations: int | None = None
    seconds: float

    @property
    def right(self) -> bool:
        return not self.wrong

    @property
    def done(self) -> bool:
        """Whether the run says that it is."""
        return self.outcome == "done"

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.mutant


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


def finished(path: Path, model: str, crew: str, *, memory: bool = False) -> dict[tuple[str, str], Trial]:
    """The trials of a model and crew that ``path`` holds. Raises UsageError for another file."""
    found = kept(path, Trial, command=COMMAND)
    return {each.key: each for each in found if (each.model, each.crew, each.memory) == (model, crew, memory)}


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
    return Trial(task=task.name, model=model, crew=crew, mutant=mutant, wrong="; ".join(wrong), seconds=seconds)


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
    folder = settings.data / "workspaces" / f"sheets-{task.name}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    try:
        result = await anyio.to_thread.run_sync(task.begin, folder)
        limits = settings.limits.model_copy(update={"seconds": settings.limits.seconds or SECONDS})
        request = RunRequest(
            task=task.sentence, model=model, crew=crew, workspace=folder, limits=limits, memory="read" if memory else "off"
        )
        began = time.perf_counter()
        journal = await run_of(request, settings, loaded, watch)
        seconds = time.perf_counter() - began
        wrong = await anyio.to_thread.run_sync(task.wrong, result)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    told = ended(journal)
    return Trial(
        task=task.name, model=model, crew=crew, memory=memory, wrong="; ".join(wrong), seconds=round(seconds, 1),
        **{name: told[name] for name in _TOLD},
    )  # fmt: skip


_TOLD = ("run", "outcome", "reason", "why", "answer", "calls", "input", "output", "operations")


class Totals(BaseModel):
    """Counts of a series. ``calls``, ``seconds`` and ``tokens`` (of prompts and replies; None where a model does not tell)
    are means."""

    trials: int
    right: int
    right_done: int
    wrong_done: int
    calls: float
    tokens: float | None
    seconds: float


def totals(trials: Sequence[Trial]) -> Totals:
    """Sum up ``trials``."""
    count = len(trials) or 1
    tokens = [None if each.input is None or each.output is None else each.input + each.output for each in trials]
    known = [each for each in tokens if each is not None]
    return Totals(
        trials=len(trials),
        right=sum(each.right for each in trials),
        right_done=sum(each.right and each.done for each in trials),
        wrong_done=sum(each.done and not each.right for each in trials),
        calls=round(sum(each.calls for each in trials) / count, 1),
        tokens=round(sum(known) / count, 1) if len(known) == len(trials) else None,
        seconds=round(sum(each.seconds for each in trials) / count, 1),
    )


def line(trial: Trial) -> str:
    """One line for a person."""
    name = f"{trial.task}{f' ({trial.mutant})' if trial.mutant else ''}"
    said = f", {trial.outcome}{f' ({trial.reason})' if trial.reason else ''}; {trial.calls} calls" if trial.run else ""
    return f"{name}: {'right' if trial.right else f'wrong ({trial.wrong})'}{said}, {trial.seconds:g} s"


def summary(summed: Totals) -> str:
    """A series for a person."""
    tokens = "?" if summed.tokens is None else f"{summed.tokens:g}"
    return (
        f"{summed.trials} tasks: {summed.right} right, {summed.right_done} of them said to be done; {summed.wrong_done} "
        f"done and wrong; means: {summed.calls:g} calls, {tokens} tokens, {summed.seconds:g} s"
    )
