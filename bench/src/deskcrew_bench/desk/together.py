"""Several series over a desk suite at once, each in a process of its own: do they disturb each other?

The replies are those of a series that ran before, by itself, so that whatever differs comes from the desktops. The same
replies are given once more to a series by itself: what differs there already, does not come from running together.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from deskcrew.engine.replay.replies import prompt_of
from deskcrew.errors import DeskcrewError
from deskcrew.facts.canonical import canonical
from deskcrew.facts.events import ActionFinished, RoleCalled
from deskcrew.facts.observation import Frozen
from deskcrew.journal.store import Store
from deskcrew.models.recorded import called, controls_of
from deskcrew_bench.suites.trial import Trial, series_of

FIRST, ALONE = "first", "alone"
_COMMAND = (sys.executable, "-c", "from deskcrew.ways_in.cli import main; main()", "bench", "desk")
_LONGEST_TOLD = 800
_CLOCK = re.compile(r"\b[0-2]?\d[:\u2236][0-5]\d\b")
"""A time of day; file managers write it with the ratio sign."""


class Deeds(Frozen):
    """What one trial amounted to, without names, times and places.

    ``operations``: those that were tried, and whether they went well; ``prompts``: the texts that roles were shown,
    without times of day. Pictures are left out: carets blink.
    """

    right: bool
    outcome: str
    reason: str
    answer: str
    calls: int
    operations: tuple[str, ...]
    prompts: tuple[str, ...]


class Compared(Frozen):
    """One trial beside the first of its task and seed. ``series``: which; ``differs``: in what, '' where in nothing;
    ``prompts``: every text of every prompt was the same."""

    series: str
    task: str
    seed: int
    differs: str
    prompts: bool


class Together(Frozen):
    """What came of it. ``out``: tasks and seeds that the clock ended in the first series."""

    trials: tuple[Compared, ...]
    out: tuple[tuple[str, int], ...] = ()

    def equal(self, *, alone: bool) -> tuple[int, int]:
        """How many trials are equal to the first, of how many: those of the series by itself, or of those at once."""
        chosen = [trial for trial in self.trials if (trial.series == ALONE) == alone]
        return sum(not trial.differs for trial in chosen), len(chosen)

    @property
    def good(self) -> bool:
        """All at once are equal, and there are some."""
        equal, of = self.equal(alone=False)
        return equal == of > 0


def measure(
    suite: Sequence[str], *, model: str, data: Path, journal: Path, folder: Path, count: int, told: Callable[[str], None]
) -> Together:
    """Run a series, the same again by itself, and ``count`` more at once; their trials are kept in ``folder``.

    ``suite``: the options of ``deskcrew bench desk`` that say which tasks, seeds, model and crew; ``model``: the one among
    them. ``journal``: file of the journal in ``data``. ``told`` hears what is done. Raises DeskcrewError.
    """

    def series(*names: str, again: bool = True) -> dict[str, list[Trial]]:
        return _series(
            {name: folder / f"{name}.jsonl" for name in names}, (*suite, "--data", str(data)), first if again else None
        )

    first = folder / f"{FIRST}.jsonl"
    told(f"a series by itself, with {model}")
    made = series(FIRST, again=False)[FIRST]
    told("the same replies again, by itself")
    done = series(ALONE)
    told(f"the same replies again, {count} series at once")
    done |= series(*(f"{number} of {count}" for number in range(1, count + 1)))
    store = Store(journal)
    return beside(made, done, lambda trial: deeds(trial, store))


def beside(first: Sequence[Trial], series: dict[str, list[Trial]], looked: Callable[[Trial], Deeds]) -> Together:
    """Every trial of ``series`` beside the one of its task and seed in ``first``. ``looked``: what a trial amounted to."""
    wanted = {trial.key: looked(trial) for trial in first if trial.reason != "bound:seconds"}
    compared = [
        Compared(
            series=name,
            task=trial.task,
            seed=trial.seed,
            differs=difference(wanted[trial.key], found := looked(trial)),
            prompts=found.prompts == wanted[trial.key].prompts,
        )
        for name, trials in series.items()
        for trial in trials
        if trial.key in wanted
    ]
    return Together(trials=tuple(compared), out=tuple(trial.key for trial in first if trial.key not in wanted))


def deeds(trial: Trial, store: Store) -> Deeds:
    """What a trial amounted to, from its run in ``store``."""
    journal = store.journal(trial.run)
    prompts: list[str] = []
    done: list[str] = []
    for event in journal.events:
        if isinstance(event.body, RoleCalled):
            prompts.append(prompt_of(journal, event.body))
        elif isinstance(event.body, ActionFinished):
            done.append(_told(event.body, controls_of(prompts[-1]) if prompts else {}))
    return Deeds(
        right=trial.right,
        outcome=trial.outcome,
        reason=trial.reason,
        answer=trial.answer,
        calls=trial.calls,
        operations=tuple(done),
        prompts=tuple(_CLOCK.sub("00:00", prompt) for prompt in prompts),
    )


def _told(finished: ActionFinished, controls: Mapping[str, str]) -> str:
    """An operation and whether it went well. A control is named by its kind and name, not by its label."""
    operation = finished.operation
    control = called(controls.get(operation.control, operation.control)) if operation.control else None
    what = canonical({"function": operation.function, "control": control, "params": operation.params}).decode()
    return _CLOCK.sub("00:00", what if finished.ok else f"{what}, which failed")


def difference(first: Deeds, other: Deeds) -> str:
    """The first thing in which two trials differ, for a person; '' where it is none. Prompts may differ."""
    for number, (one, two) in enumerate(zip(first.operations, other.operations, strict=False), 1):
        if one != two:
            return f"operation {number} is {two}, not {one}"
    for name in ("right", "outcome", "reason", "answer", "calls"):
        one, two = getattr(first, name), getattr(other, name)
        if one != two:
            return f"{name} is {two!r}, not {one!r}"
    one, two = len(first.operations), len(other.operations)
    return "" if one == two else f"there are {two} operations, not {one}"


def disturbed(found: Together) -> str:
    """Series that ran at once, beside the first: what differs, and how many do not."""
    lines = [f"! {each.task} (seed {each.seed}), {each.series}: {each.differs}" for each in found.trials if each.differs]
    lines += [f"left out, since the clock ended it: {task} (seed {seed})" for task, seed in found.out]
    for what, alone in (("by itself", True), ("at once", False)):
        equal, of = found.equal(alone=alone)
        same = sum(each.prompts for each in found.trials if (each.series == ALONE) == alone)
        lines.append(
            f"{what}: {equal} of {of} equal to the first series; in {same} every prompt is the same, but for times of day"
        )
    return "\n".join(lines)


def _series(files: dict[str, Path], options: Sequence[str], first: Path | None) -> dict[str, list[Trial]]:
    """Processes at once, one a file that its trials are kept in. Raises DeskcrewError when one fails."""
    replies = ("--replies-of", str(first)) if first else ()
    going: list[tuple[Path, subprocess.Popen[str]]] = []
    try:
        for file in files.values():
            command = (*_COMMAND, *options, *replies, "--jsonl", str(file))
            pipe = subprocess.PIPE
            going.append(
                (file, subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True))
            )
        for file, process in going:
            said, _ = process.communicate()
            if process.returncode:
                raise DeskcrewError(f"The series in {file} failed: {said.strip()[-_LONGEST_TOLD:]}")
    finally:
        for _, process in going:
            process.terminate()
            process.wait()
    return {name: next(iter(series_of(file).values())) for name, file in files.items()}
