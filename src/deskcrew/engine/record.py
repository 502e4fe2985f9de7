"""The record of a run, as its steps read and write it: its journal, what was observed, and what was read."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from deskcrew.engine.limits import seconds_of
from deskcrew.engine.roles.crew import Crew
from deskcrew.environments.beginning import Beginning
from deskcrew.errors import ActionError, EnvironmentFailure, LimitReached, ModelFailure
from deskcrew.evidence.origin import Origins
from deskcrew.facts.events import Event, FileRead, Judged, Observed, RoleReplied
from deskcrew.facts.observation import Observation
from deskcrew.facts.verdict import BOUND, Verdict
from deskcrew.guard.beginning import beginning_of
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import HUMAN
from deskcrew.learning.skills.underway import Underway
from deskcrew.settings import Limits

CLIPBOARD = "/clipboard"
"""Stands for the clipboard in :attr:`Record.read`; no path of a workspace looks like that."""
START = "/start/"
"""Prefix of a path that means the file's text at the first observation."""


@dataclass
class Record:
    """``crew``, ``limits``: those that the run was begun with. ``read``: text of a workspace file, raising ActionError;
    steps call :meth:`text_of`, which records what was read. It returns the clipboard's text for :data:`CLIPBOARD`, that of
    a kept file for :data:`START`, digest and path. ``picture``: a picture of the workspace as PNG, scaled for prompts;
    raises ActionError, and its caller records it.
    """

    journal: Journal
    crew: Crew
    limits: Limits
    read: Callable[[str], str]
    picture: Callable[[str], bytes]
    began: float = field(default_factory=time.monotonic)
    """When this process began with it, or a person last granted it more time, by the monotonic clock."""
    answer: str = ""
    """The answer to the task's question from a skill that does the whole task; '' if none."""
    _skills: dict[str, Underway | None] = field(default_factory=dict[str, Underway | None], repr=False)
    _first: tuple[str, Observation] | None = field(default=None, repr=False)
    """The run's first observation, by its blob: every check compares with it."""

    @property
    def state(self) -> RunState:
        return self.journal.state

    @property
    def lane(self) -> str:
        subtask = self.state.subtask
        return subtask.id if subtask else ""

    @property
    def skill(self) -> Underway | None:
        """The skill in progress in the lane that has the floor."""
        return self._skills.get(self.state.floor)

    @skill.setter
    def skill(self, doing: Underway | None) -> None:
        self._skills[self.state.floor] = doing

    @property
    def replied_by_person(self) -> bool:
        """Whether the latest reply is a person's, in place of a model's."""
        last = self.journal.latest.body
        return isinstance(last, RoleReplied) and last.model == HUMAN

    @property
    def seconds(self) -> float:
        """How long it took since."""
        return time.monotonic() - self.began

    @property
    def counted(self) -> float:
        """How long it has taken of its seconds, as its record has it."""
        return seconds_of(self.journal.events)

    @property
    def until(self) -> float | None:
        """When the run's time is up, by the monotonic clock."""
        return None if self.limits.seconds is None else self.began + self.limits.seconds

    def stop(self, verdict: Verdict) -> None:
        """End the run with the next turn."""
        self.journal.append(Judged(scope="goal", verdict=verdict, by="rules"), lane=self.lane)

    def stop_for(self, failure: LimitReached | ModelFailure | EnvironmentFailure) -> None:
        """End the run with the next turn, because of an error."""
        match failure:
            case LimitReached(name=name):
                reason = f"{BOUND}{name}"
            case ModelFailure():
                reason = "model"
            case _:
                reason = "environment"
        self.stop(Verdict(kind="stop", reason=reason, why=failure.whole))

    def text_of(self, path: str) -> str:
        """The text of a workspace file. If it differs from what was last read, it is recorded as an event before it is
        used.

        Raises ActionError, worded for the model, if there is none.
        """
        text, error = "", ""
        try:
            text = self.read(path)
        except ActionError as problem:
            error = str(problem)
        raw = text.encode(errors="replace")
        known, digest = self.state.files_read.get(path), hashlib.sha256(raw).hexdigest() if text else ""
        if known is None or (known.text, known.error) != (digest, error):
            self.journal.append(FileRead(path=path, text=self.journal.blob(raw) if text else "", error=error))
        if error:
            raise ActionError(error)
        return raw.decode()

    def was(self, path: str) -> str | None:
        """The text of a workspace file at the first observation; None if it did not exist or cannot be read."""
        entry = next((each for each in self.first.files if each.path == path), None)
        if entry is None or entry.digest is None:
            return None
        try:
            return self.text_of(f"{START}{entry.digest}/{path}")
        except ActionError:
            return None

    def beginning(self) -> Beginning | None:
        """What losses of files are measured against; None: nothing was saved yet."""
        return beginning_of(self.journal.events, self.state, self.journal.read_blob)

    def origins(self) -> Origins:
        """The known origins of texts of this run."""
        return Origins(self.state, self.first, self.text_of)

    @property
    def first(self) -> Observation:
        """The run's first observation. Steps that need one must observe first."""
        blob = self.state.first_observation
        if self._first is None or self._first[0] != blob:
            first = self._load(blob)
            assert first is not None, "nothing was observed yet"
            self._first = (blob, first)
        return self._first[1]

    def looked(self, event: Event) -> Observation | None:
        """An earlier observation of this branch; None if the event is none."""
        return self._load(event.body.observation) if isinstance(event.body, Observed) else None

    def seen_before(self, number: float = math.inf, *, desk: int | None = None) -> Observation | None:
        """The last observation of this branch, with its picture; given an event's number, the last before it. ``desk``:
        where; None: at the desk of the current part."""
        desk = self.state.desk if desk is None else desk
        events = reversed(self.journal.events)
        looks = (event.body for event in events if event.number < number and isinstance(event.body, Observed))
        latest = next(looks, None)
        last = latest if latest is None or latest.desk == desk else next((look for look in looks if look.desk == desk), None)
        seen = self._load(last.observation) if last is not None else None
        if seen is not None and last is not latest and latest is not None:
            now = self._load(latest.observation)
            seen = seen.model_copy(update={"files": now.files}) if now is not None else seen  # they are the same everywhere
        if last is None or seen is None or not last.screenshot:
            return seen
        return seen.model_copy(update={"screenshot": self.journal.read_blob(last.screenshot)})

    def elsewhere(self) -> tuple[tuple[Observation, Observation], ...]:
        """The first and the last observation of this branch at each desk other than that of the current part."""
        looks: dict[int, list[Observed]] = {}
        for event in self.journal.events if self.state.desks else ():
            if isinstance(event.body, Observed) and event.body.desk != self.state.desk:
                looks.setdefault(event.body.desk, []).append(event.body)
        pairs = ((self._load(looks[desk][0].observation), self._load(looks[desk][-1].observation)) for desk in sorted(looks))
        return tuple((first, last) for first, last in pairs if first is not None and last is not None)

    def _load(self, blob: str) -> Observation | None:
        return Observation.model_validate_json(self.journal.read_blob(blob)) if blob else None
