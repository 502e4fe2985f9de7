"""A family: a chore that comes in many variants, how a strong model does it, and what of it is a parameter.

Each is one file, ``NAME.toml``: the chore of a suite beside it, which makes data from a seed and checks what was done, and
hand-written replies, which are templates over what the chore's ``make.py`` prints (bench/again/README.md).
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jinja2
from pydantic import Field, ValidationError

from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.observation import Frozen
from deskcrew_bench.desk.task import Made, Task, rendered

SEEDS = 400
"""Seeds that are looked at for variants that have in common what a family's have."""


class Requirement(Frozen):
    """What the strong model says must hold. Its ``probe`` is a function of the family's ``probes``."""

    says: str
    seen_by: Literal["probe", "answer"] = "probe"
    files: tuple[str, ...] = ()


class Document(Frozen):
    """``NAME.toml``. ``chore``: folder of a task, from the family's own; ``wording``: the same asked for in other words;
    ``same``: values that all variants have in common, since another one is another chore; ``parameters``: values by name;
    ``steps``: operations of each reply, in the place of the chore's oracle's; ``probes``: the Verifier's code."""

    chore: str
    kind: str
    wording: str
    same: tuple[str, ...] = ()
    parameters: Mapping[str, str] = Field(default_factory=dict[str, str])
    requirements: tuple[Requirement, ...] = Field(min_length=1)
    probes: str
    steps: tuple[tuple[Mapping[str, Any], ...], ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant, made in its folder. ``values``: all that templates may speak of; ``task``: as it is asked for."""

    made: Made
    task: str
    values: Mapping[str, Any]


class Family:
    """One of them."""

    def __init__(self, file: Path) -> None:
        """Read it. Raises ConfigError."""
        self.name = file.stem
        try:
            self.document = Document.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValidationError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"{file}: {error}") from error
        self.chore = Task(file.parent / self.document.chore)

    def seeds(self, folder: Path) -> Iterator[int]:
        """Seeds of variants, from 1 on: those that have in common with the first what all have. ``folder``: to make them
        in, which must not be there."""
        first: list[object] | None = None
        for seed in range(1, SEEDS):
            place = folder / str(seed)
            place.mkdir(parents=True)
            values = self.chore.make(seed, place).values
            told = [values[name] for name in self.document.same]
            first = told if first is None else first
            if told == first:
                yield seed

    def make(self, seed: int, folder: Path, *, reworded: bool = False) -> Variant:
        """Put a variant into an empty folder. Raises ConfigError."""
        made = self.chore.make(seed, folder)
        texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.suffix in TEXTS}
        answer = made.answer or str(self.chore.oracle(made).get("answer", ""))
        values = {**made.values, "texts": texts, "answer": answer}
        try:
            task = rendered(self.document.wording, values).strip() if reworded else made.instruction
        except jinja2.TemplateError as error:
            raise ConfigError(f"{self.name}: {error}.") from error
        return Variant(made, task, values)

    def parameters(self, variant: Variant) -> dict[str, str]:
        """The values of its parameters, by name."""
        return rendered(dict(self.document.parameters), variant.values)


TEXTS = frozenset({".txt", ".md", ".csv", ".json"})
"""Endings of files whose text templates may use."""


def families(folder: Path, only: Sequence[str] = ()) -> tuple[Family, ...]:
    """Those in a folder in the order of their names, or those that are named. Raises UsageError, ConfigError."""
    there = {file.stem: file for file in sorted(folder.glob("*.toml"))}
    for name in only:
        if name not in there:
            raise UsageError(f"There is no family {name!r} in {folder}.", hint=f"There are: {', '.join(there) or 'none'}.")
    if not there:
        raise UsageError(f"There are no families in {folder}.", hint="They come with a source checkout, in bench/again.")
    return tuple(Family(there[name]) for name in (only or there))


def first(seeds: Iterator[int], count: int) -> tuple[int, ...]:
    """The first seeds of a family. Raises ConfigError where there are fewer."""
    found = tuple(itertools.islice(seeds, count))
    if len(found) < count:
        raise ConfigError(f"Only {len(found)} of {SEEDS} seeds make variants of one family.", hint="Fix fewer values.")
    return found
