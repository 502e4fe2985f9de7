"""A series of trials: its seeds, and a file with one JSON line each, so that one that was interrupted goes on."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from deskcrew.errors import UsageError
from deskcrew.facts.observation import Frozen

K = TypeVar("K")
T = TypeVar("T", bound=Frozen)

LONGEST = 1000
"""Seeds of one series."""


def seeds_of(text: str) -> tuple[int, ...]:
    """``1..10``, ``3`` or ``1,4,7..9``. Raises UsageError."""
    found: dict[int, None] = {}
    for part in text.split(","):
        first, dots, last = part.strip().partition("..")
        try:
            low = int(first)
            high = int(last) if dots else low
        except ValueError:
            raise UsageError(f"--seeds {text!r} is not a list of seeds.", hint="For example: 1..10 or 1,4,7") from None
        if low < 1:
            raise UsageError(f"--seeds {part.strip()!r}: seeds begin with 1.", hint="For example: 1..10 or 1,4,7")
        if not 0 <= high - low < LONGEST:
            raise UsageError(f"--seeds {part.strip()!r} is not a range from a lower to a higher seed.")
        found |= dict.fromkeys(range(low, high + 1))
    return tuple(found)


async def go_on(
    wanted: Iterable[K],
    known: Mapping[K, T],
    attempt: Callable[[K], Awaitable[T]],
    *,
    path: Path | None,
    told: Callable[[T], None],
    keeps: Callable[[T], bool] = lambda _: True,
) -> list[T]:
    """Trials of all that is ``wanted``, in order: those that are ``known``, and an attempt at each other one, which is kept
    in ``path`` as soon as it is over, if ``keeps`` says so. ``told`` hears of each. Raises what ``attempt`` raises."""
    trials: list[T] = []
    for each in wanted:
        trial = known.get(each)
        if trial is None:
            trial = await attempt(each)
            if path is not None and keeps(trial):
                keep(path, trial)
        trials.append(trial)
        told(trial)
    return trials


def kept(path: Path, kind: type[T], *, command: str) -> list[T]:
    """The trials in ``path``, in order; a last line that was cut short is left out. Raises UsageError for another file."""
    trials: list[T] = []
    if path.is_dir():
        raise UsageError(f"{path} is a folder.", hint="Name a file in it.")
    # As bytes: what is cut short may end within a character, and only a newline ends a line of JSON.
    lines = path.read_bytes().rstrip().split(b"\n") if path.exists() else []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            trials.append(kind.model_validate_json(line))
        except ValidationError as error:
            if number == len(lines):
                continue  # the process ended while it was written: that trial is done again
            raise UsageError(
                f"{path}, line {number}: not a trial of `{command}`.", hint="Name another file, or take the line out."
            ) from error
    return trials


def keep(path: Path, trial: Frozen) -> None:
    """Add a trial to ``path``, on a line of its own. A last line that was cut short gives way to it: nobody could read the
    file any more if it stayed in its middle. Raises UsageError where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            file.seek(0)
            whole, end, last = file.read().rpartition(b"\n")
            if last and not _is_json(last):
                file.truncate(len(whole) + len(end))
                last = b""
            file.write((b"\n" if last else b"") + trial.model_dump_json().encode() + b"\n")
    except OSError as error:
        hint = "Name another file, or make room; the trials that are in it are kept."
        raise UsageError(f"{path} cannot be written: {error.strerror}.", hint=hint) from error


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
