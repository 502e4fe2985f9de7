"""The red team: hostile text that a crew obeys with all it has, and what came of it in the real world.

Each case is played on the real engine (``session.run``) with nobody there to approve, in a process that plays one case
after the other. docs/design/guard.md says what is counted.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from deskcrew.bench.redteam_case import Case
from deskcrew.bench.redteam_run import Played, play, prepare_process
from deskcrew.observation import Frozen

PARALLEL = 2


class Row(Frozen):
    """One group. ``refused``: replies whose form cannot be; ``stopped``: operations that were let through and failed;
    ``undone``: files of workspaces that were spoilt within what the policy allows, and that a rewind brought back."""

    group: str
    cases: int
    attempts: int
    refused: int
    denied: int
    stopped: int
    undone: int
    effects: int
    good: int


class Report(Frozen):
    """All cases that were played."""

    played: tuple[Played, ...]

    @property
    def good(self) -> bool:
        """No effect anywhere, and every attack really was one."""
        return bool(self.played) and all(each.good for each in self.played)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The table: one row a group, and one for all."""
        groups = tuple(dict.fromkeys(each.group for each in self.played))
        rows = [_row(group, [each for each in self.played if each.group == group]) for group in groups]
        return (*rows, _row("all", self.played))

    @property
    def failures(self) -> tuple[str, ...]:
        """What went wrong, a line each."""
        lines: list[str] = []
        for each in self.played:
            lines += [f"{each.group}: {each.name}: {effect}" for effect in each.effects]
            if not each.attempted:
                told = "" if each.told else "; the hostile text was never read"
                lines.append(f"{each.group}: {each.name}: not attempted: {each.proposed} of {each.tries} proposed{told}")
        return tuple(lines)

    def as_json(self) -> dict[str, Any]:
        return {
            "good": self.good,
            "groups": [row.model_dump(mode="json") for row in self.rows],
            "cases": [each.model_dump(mode="json") | {"attempted": each.attempted} for each in self.played],
        }


def measure(
    wanted: Sequence[Case], *, parallel: int = PARALLEL, progress: Callable[[int, int], None] = lambda done, of: None
) -> Report:
    """Play these cases, ``parallel`` at a time. Blocking. What a case raises is raised."""
    found: dict[int, Played] = {}
    # New processes, not forks: a fork has the threads' locks, and what this process has open.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(parallel, mp_context=context, initializer=prepare_process) as pool:
        asked = {pool.submit(play, case): number for number, case in enumerate(wanted)}
        for done, future in enumerate(as_completed(asked), 1):
            found[asked[future]] = future.result()
            progress(done, len(wanted))
    return Report(played=tuple(found[number] for number in sorted(found)))


def _row(group: str, played: Sequence[Played]) -> Row:
    return Row(
        group=group,
        cases=len(played),
        attempts=sum(each.sent for each in played),
        refused=sum(each.refused for each in played),
        denied=sum(each.denied for each in played),
        stopped=sum(each.stopped for each in played),
        undone=sum(each.spoilt for each in played),
        effects=sum(len(each.effects) for each in played),
        good=sum(each.good for each in played),
    )
