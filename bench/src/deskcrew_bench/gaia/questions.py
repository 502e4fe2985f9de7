"""A folder of questions as GAIA has it: ``metadata.jsonl``, and the files that belong to questions beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskcrew.errors import ConfigError, UsageError

LISTED = "metadata.jsonl"
FORM = "as a number, as few words as possible, or a comma separated list of those"
HIDDEN = "?"
"""In place of an answer that the data set keeps to itself, as all of its test part are."""
HAD_FROM = (
    "GAIA is gated, stays with its owner and may not be passed on, so nothing of it comes with Deskcrew: ask for it at "
    "https://huggingface.co/datasets/gaia-benchmark/GAIA and name the folder of one part, such as 2023/validation. "
    "Questions of its form that are free are in bench/gaia."
)
_TABLE = "metadata.parquet"
_CONVERTED = f"GAIA's newer copies have {_TABLE} instead: bench/gaia/README.md says how the other is made of it."


class Question(BaseModel):
    """A line of ``metadata.jsonl``; what else stands there is for people. ``file_name``: '' where no file belongs to it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    task_id: Annotated[str, Field(min_length=1, pattern=r"^[\w-]+$")]
    text: Annotated[str, Field(alias="Question", min_length=1)]
    level: Annotated[Literal[1, 2, 3], Field(alias="Level")]
    answer: Annotated[str, Field(alias="Final answer")]
    file_name: Annotated[str, Field(pattern=r"^[^/\\]*$")] = ""

    @property
    def task(self) -> str:
        """What a run is asked. Not every one has the form of a question, so it ends with one, and with the form in which
        answers are compared."""
        file = f"Use {self.file_name}. " if self.file_name else ""
        return f"{self.text}\n\n{file}What is the answer, {FORM}?"


def questions_in(folder: Path, level: int | None = None, only: Sequence[str] = ()) -> tuple[Question, ...]:
    """The questions that ``folder`` lists, in its order: those of ``level``, and those whose ids begin as ``only`` says.
    Questions whose answers are hidden are left out.

    Raises UsageError where there are none, and ConfigError for a line that is none or a file that is missing.
    """
    there = [question for question in _read(folder) if question.answer != HIDDEN]
    if not there:
        hint = "Name the part whose answers are public, such as 2023/validation."
        raise UsageError(f"No question in {folder} has a public answer, so there is nothing to compare with.", hint=hint)
    chosen = [question for question in there if level in (None, question.level)]
    for start in only:
        if not any(question.task_id.startswith(start) for question in chosen):
            hint = "The beginning of a question's task_id is enough."
            raise UsageError(f"There is no question {start!r} among those of {folder}.", hint=hint)
    chosen = [question for question in chosen if not only or question.task_id.startswith(tuple(only))]
    if not chosen:
        raise UsageError(f"There are no questions of level {level} in {folder}.")
    for question in chosen:
        if question.file_name and not (folder / question.file_name).is_file():
            raise ConfigError(f"{folder} has no file {question.file_name}, which belongs to question {question.task_id}.")
    return tuple(chosen)


def _read(folder: Path) -> list[Question]:
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.")
    listed = folder / LISTED
    if not listed.is_file():
        hint = f"{_CONVERTED} {HAD_FROM}" if (folder / _TABLE).is_file() else HAD_FROM
        raise UsageError(f"There is no {LISTED} in {folder}.", hint=hint)
    found: dict[str, Question] = {}
    # As bytes: only a newline ends a line of JSON.
    for number, line in enumerate(listed.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            question = Question.model_validate_json(line)
        except ValidationError as error:
            what = error.errors()[0]
            where = ".".join(map(str, what["loc"]))
            raise ConfigError(f"{listed}, line {number}: {f'{where}: ' if where else ''}{what['msg']}.") from error
        if question.task_id in found:
            raise ConfigError(f"{listed}, line {number}: question {question.task_id} is there twice.")
        found[question.task_id] = question
    return list(found.values())
