"""The input of reflexes and coaching: one subtask, what was done for it, and the present state.

They get this and nothing else: neither can write an event, look again or ask anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from deskcrew.actions.action import Action
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Done, Turn
from deskcrew.observation import Observation
from deskcrew.plan import Subtask


@dataclass(frozen=True, slots=True)
class Situation:
    """``now``: the last observation. ``domain``: what the role of the part can do in this run, ``core``: what of that its
    model is offered by itself. ``text_of``: the text of a workspace file; raises ActionError, worded for a model, where it
    has none."""

    state: RunState
    subtask: Subtask
    now: Observation
    domain: Mapping[str, Action]
    core: Mapping[str, Action]
    text_of: Callable[[str], str]

    @property
    def task(self) -> str:
        return self.state.task

    @property
    def part(self) -> str:
        """The words of the part that is due."""
        return self.subtask.goal

    @property
    def programs(self) -> tuple[str, ...]:
        """Names of the programs that can be opened."""
        return self.state.applications

    @property
    def files(self) -> frozenset[str]:
        """Paths of the files in the workspace."""
        return frozenset(entry.path for entry in self.now.files if entry.kind == "file")

    @property
    def turns(self) -> Iterator[Turn]:
        """The replies on the part, newest first."""
        return (turn for turn in reversed(self.state.turns) if turn.subtask == self.subtask.id)

    @property
    def last_done(self) -> Done | None:
        """What was tried last for the part."""
        return next((done for turn in self.turns for done in reversed(turn.done)), None)

    @property
    def repairs(self) -> int:
        """How often the part's role was sent back."""
        return self.state.repairs[self.subtask.id]

    @property
    def doubted(self) -> bool:
        """Whether the last reply was malformed, or a person wants something else."""
        return bool(self.state.malformed) or self.state.correction is not None
