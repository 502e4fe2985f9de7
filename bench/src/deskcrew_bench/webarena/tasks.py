"""A file of tasks as WebArena has it, with names in the place of its sites' addresses."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.observation import Frozen

HAD_FROM = (
    "WebArena's 812 tasks are config_files/test.raw.json of https://github.com/web-arena-x/webarena; "
    "bench/webarena/tasks.json has some of its form, on two sites that come with Deskcrew's benchmarks."
)
IMPOSSIBLE = "N/A"
"""The answer to a task that cannot be done, and in the place of a reference where that is the right one."""
OR, AND = " |OR| ", " |AND| "
"""Between references of which one is enough, and between pages that are open at the beginning."""
_PLACE = re.compile(r"__([A-Z][A-Z0-9_]*?)__")


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) and value != IMPOSSIBLE else value


def _empty(value: object) -> object:
    return {} if value is None else value


class References(BaseModel):
    """What the answer is compared with. All that is given has to hold; None: not given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exact_match: str | None = None
    must_include: tuple[str, ...] | None = None
    fuzzy_match: Annotated[Literal["N/A"] | tuple[str, ...] | None, BeforeValidator(_listed)] = None


class Required(BaseModel):
    """What is to stand in a part of a page. Where both are given, the first one counts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exact_match: str | None = None
    must_include: tuple[str, ...] | None = None


class Target(BaseModel):
    """A part of a page. ``url``: where it is, ``last`` where the run ended, ``func:...`` where a function says;
    ``locator``: a JavaScript expression, ``func:...``, or '' for the whole page."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    url: str
    locator: str
    required: Annotated[Required, Field(alias="required_contents")]
    prep_actions: tuple[str, ...] = ()


class Evaluation(BaseModel):
    """How a task is evaluated; of ``kinds`` all have to hold. ``rule``: how ``reference_url`` is compared."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kinds: Annotated[
        tuple[Literal["string_match", "url_match", "program_html"], ...], Field(alias="eval_types", min_length=1)
    ]
    references: Annotated[References, Field(alias="reference_answers"), BeforeValidator(_empty)] = References()
    reference_url: str | None = None
    rule: Annotated[
        Literal["GOLD in PRED", "EXACT"], Field(alias="url_note"), BeforeValidator(lambda value: value or "GOLD in PRED")
    ] = "GOLD in PRED"
    targets: Annotated[tuple[Target, ...], Field(alias="program_html"), BeforeValidator(lambda value: value or ())] = ()
    note: Annotated[str, Field(alias="string_note"), BeforeValidator(lambda value: value or "")] = ""
    """Why the task cannot be done, where it cannot."""

    @property
    def asks_judge(self) -> bool:
        """Whether nobody but a model can say if an answer is right."""
        return "string_match" in self.kinds and isinstance(self.references.fuzzy_match, tuple)


class Task(BaseModel):
    """One task; what else stands there is for people. ``storage_state``: a file with what its sites know of a user who
    has logged in, '' where nobody has to."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    task_id: int
    sites: tuple[str, ...] = ()
    start_url: str
    intent: Annotated[str, Field(min_length=1)]
    storage_state: Annotated[str, BeforeValidator(lambda value: value or "")] = ""
    evaluation: Annotated[Evaluation, Field(alias="eval")]

    @property
    def name(self) -> str:
        return str(self.task_id)

    @property
    def asked(self) -> str:
        """What a run is asked: every run ends with an answer, so it ends with a question."""
        return (
            f"{self.intent}\n\nWhere nothing is asked for, the answer is: done. Where it cannot be done, the answer is: "
            f"{IMPOSSIBLE}. What is the answer, in as few words as possible?"
        )

    @property
    def pages(self) -> tuple[str, ...]:
        """Those that are open at the beginning, the first one in front."""
        return tuple(self.start_url.split(AND))

    @property
    def state_file(self) -> str:
        """The name of the file of ``storage_state``, '' for none."""
        return PurePosixPath(self.storage_state).name


_TASKS: TypeAdapter[list[dict[str, Any]] | dict[str, Any]] = TypeAdapter(list[dict[str, Any]] | dict[str, Any])


class Tasks(Frozen):
    """The tasks of a file before the addresses of their sites are known."""

    file: Path
    raw: tuple[dict[str, Any], ...]

    def sites(self) -> tuple[str, ...]:
        """Names of all sites in them, in order."""
        return tuple(dict.fromkeys(name for task in self.raw for name in sorted(_places(task))))

    def at(self, addresses: Mapping[str, str]) -> tuple[Task, ...]:
        """The tasks with ``addresses`` in the places of their sites' names. Raises ConfigError for one that is none."""
        return tuple(_placed(self.file, task, addresses) for task in self.raw)

    def without_judge(self) -> tuple[Tasks, int]:
        """Those that can be evaluated without a model, and how many cannot. Raises UsageError where none can."""
        left = tuple(raw for raw, task in zip(self.raw, self.at({}), strict=True) if not task.evaluation.asks_judge)
        if not left:
            raise UsageError("Only a model can compare the answers to these tasks.", hint="Name one: --judge MODEL")
        return Tasks(file=self.file, raw=left), len(self.raw) - len(left)


def read(file: Path, sites: Collection[str] = (), only: Sequence[str] = ()) -> Tasks:
    """The tasks of a file, or of one task: those of ``sites`` alone, and those with the ids in ``only``. Raises
    UsageError where there are none, and ConfigError for a file that is none of tasks."""
    try:
        found = _TASKS.validate_json(file.read_bytes())
    except FileNotFoundError:
        raise UsageError(f"There is no file {file}.", hint=HAD_FROM) from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} is no file of tasks.", hint=HAD_FROM) from error
    raw = (found,) if isinstance(found, dict) else tuple(found)
    tasks = Tasks(file=file, raw=raw)
    named = [task.name for task in tasks.at({})]
    if twice := sorted({name for name in named if named.count(name) > 1}):
        raise ConfigError(f"{file}: task {twice[0]} is there twice.")
    if missing := [name for name in only if name not in named]:
        raise UsageError(f"There is no task {missing[0]!r} in {file}.", hint="They are called by their task_id.")
    if unknown := [name for name in sites if name not in tasks.sites()]:
        raise UsageError(f"No task in {file} is of the site {unknown[0]!r}.", hint=f"There are: {', '.join(tasks.sites())}.")
    chosen = [
        each
        for each, name in zip(raw, named, strict=True)
        if (not only or name in only) and (not sites or _places(each) <= set(sites))
    ]
    if not chosen:
        raise UsageError(f"There are no such tasks in {file}.", hint=HAD_FROM)
    return Tasks(file=file, raw=tuple(chosen))


def _places(task: Mapping[str, Any]) -> set[str]:
    """Names of the sites whose addresses are wanted in a task."""
    return {found.lower() for found in _PLACE.findall(json.dumps(task))}


def _placed(file: Path, task: Mapping[str, Any], addresses: Mapping[str, str]) -> Task:
    def address(found: re.Match[str]) -> str:
        return json.dumps(addresses.get(found[1].lower(), found[0]).rstrip("/"))[1:-1]

    try:
        return Task.model_validate_json(_PLACE.sub(address, json.dumps(task)))
    except ValidationError as error:
        what = error.errors()[0]
        where = ".".join(map(str, what["loc"]))
        raise ConfigError(f"{file}, task {task.get('task_id', '?')}: {where}: {what['msg']}.") from error
