"""The record of a run, as its steps read and write it: its journal, what was observed, and what was read."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from deskcrew.engine.looks import Looks
from deskcrew.engine.roles.crew import Crew
from deskcrew.environments.beginning import Beginning
from deskcrew.errors import ActionError, EnvironmentFailure, LimitReached, ModelFailure
from deskcrew.evidence.origin import Origins
from deskcrew.facts.events import Event, FileRead, Judged, RoleReplied
from deskcrew.facts.verdict import BOUND, Verdict, VerdictKind
from deskcrew.guard.beginning import beginning_of
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import HUMAN
from deskcrew.learning.skills.underway import Underway
from deskcrew.settings import Limits

CLIPBOARD = "/clipboard"
"""Stands for the clipboard in :attr:`Record.read`; no path of a workspace looks like that."""
START = "/start/"
"""Prefix of a path that stands for the file's text at the first observation."""


@dataclass
class Record:
    """A run's journal, and what its steps read besides. ``crew``, ``limits``: as the run was begun with. ``read``: returns
    the text of a workspace file, of the clipboard for :data:`CLIPBOARD`, or of a kept file for :data:`START` with digest and
    path; raises ActionError. Steps call :meth:`text_of` instead, which records what was read. ``picture``: returns a picture
    of the workspace as PNG, scaled for prompts; raises ActionError, and its caller records it.
    """

    journal: Journal
    crew: Crew
    limits: Limits
    read: Callable[[str], str]
    picture: Callable[[str], bytes]
    began: float = field(default_factory=time.monotonic)
    """When this process began to work on the run, or a person last granted more time, by the monotonic clock."""
    answer: str = ""
    """The answer to the task's question from a skill that does the whole task; '' if none."""
    _skills: dict[str, Underway | None] = field(default_factory=dict[str, Underway | None], repr=False)
    looks: Looks = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.looks = Looks(self.journal)

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
        """The seconds since ``began``."""
        return time.monotonic() - self.began

    @property
    def until(self) -> float | None:
        """When the run's time is up, by the monotonic clock; None if it has no limit."""
        return None if self.limits.seconds is None else self.began + self.limits.seconds

    def judge(self, subtask: str, kind: VerdictKind, why: str = "", *, cause: Event | None = None) -> None:
        """Record what rules say of a subtask."""
        body = Judged(scope="subtask", subtask=subtask, verdict=Verdict(kind=kind, why=why), by="rules")
        self.journal.append(body, lane=subtask, cause=cause)

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

        Raises ActionError, worded for the model, if it cannot be read.
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
        entry = next((each for each in self.looks.first.files if each.path == path), None)
        if entry is None or entry.digest is None:
            return None
        try:
            return self.text_of(f"{START}{entry.digest}/{path}")
        except ActionError:
            return None

    def beginning(self) -> Beginning | None:
        """The state against which losses of files are measured; None if nothing was saved yet."""
        return beginning_of(self.journal.events, self.state, self.journal.read_blob)

    def origins(self) -> Origins:
        """The known origins of texts of this run."""
        return Origins(self.state, self.looks.first, self.text_of)
