"""The observations of a run, as its journal has them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from deskcrew.facts.events import Event, Observed
from deskcrew.facts.observation import Observation
from deskcrew.journal.journal import Journal


@dataclass
class Looks:
    """Reads a run's observations from the journal's current branch."""

    journal: Journal
    _first: tuple[str, Observation] | None = field(default=None, repr=False)
    """The run's first observation, by its blob: every check compares with it."""

    @property
    def first(self) -> Observation:
        """The run's first observation. Steps that need one must observe first."""
        blob = self.journal.state.first_observation
        if self._first is None or self._first[0] != blob:
            first = self._load(blob)
            assert first is not None, "nothing was observed yet"
            self._first = (blob, first)
        return self._first[1]

    def of(self, event: Event) -> Observation | None:
        """The observation that an event recorded; None if it recorded none."""
        return self._load(event.body.observation) if isinstance(event.body, Observed) else None

    def before(self, number: float = math.inf, *, desk: int | None = None) -> Observation | None:
        """The last observation of this branch, with its picture; given an event's ``number``, the last one before that
        event. ``desk``: where it was made, None for the desk of the current subtask."""
        desk = self.journal.state.desk if desk is None else desk
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
        """The first and the last observation of this branch at each desk other than that of the current subtask."""
        looks: dict[int, list[Observed]] = {}
        for event in self.journal.events if self.journal.state.desks else ():
            if isinstance(event.body, Observed) and event.body.desk != self.journal.state.desk:
                looks.setdefault(event.body.desk, []).append(event.body)
        pairs = ((self._load(looks[desk][0].observation), self._load(looks[desk][-1].observation)) for desk in sorted(looks))
        return tuple((first, last) for first, last in pairs if first is not None and last is not None)

    def _load(self, blob: str) -> Observation | None:
        return Observation.model_validate_json(self.journal.read_blob(blob)) if blob else None
