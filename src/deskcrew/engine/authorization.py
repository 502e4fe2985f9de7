"""Who decides what a run may do: the guard with what it remembers, and the person with what they say in between."""

from __future__ import annotations

from dataclasses import dataclass, field

from deskcrew.engine.human.human import Human
from deskcrew.engine.human.interventions import Interventions
from deskcrew.engine.human.questions import Said
from deskcrew.engine.record import Record
from deskcrew.engine.surroundings import Surroundings
from deskcrew.evidence.effect import evidence_text
from deskcrew.facts.events import ConfirmedReading, HumanSaid
from deskcrew.guard.guard import Guard
from deskcrew.guard.history import History

HANDED_LENGTH = 600
"""The maximum length of the summary of what changed while a person worked on the desktop."""


@dataclass
class Authorization:
    """The guard and the person of a run. ``history``: what the guard remembers of the branch; ``yes``: the person accepted
    beforehand however a small model reads the task; ``meant``: the reading that a person has confirmed before."""

    surroundings: Surroundings
    guard: Guard
    human: Human
    interventions: Interventions
    yes: bool = False
    meant: ConfirmedReading | None = None
    history: History = field(default_factory=History)

    @property
    def record(self) -> Record:
        return self.surroundings.record

    async def human_turn(self) -> None:
        """Handle a person's interventions: pause, guide, switch, stop. Waits while the run is paused."""
        state = self.record.state
        while state.stop is None and (said := await self.human.before_turn(state)) is not None:
            await self.hear(said)
            self.record.journal.commit()

    async def hear(self, said: Said) -> None:
        """Accept what a person said, or tell them why not. What they did on the desktop meanwhile is observed first."""
        handed = self.record.state.held == "take_over"
        if handed and isinstance(said, HumanSaid) and said.kind in ("hand_back", "resume"):
            changed = evidence_text(await self.surroundings.look(), length=HANDED_LENGTH)
            words = f"{said.text}; {changed}" if said.text else changed
            said = said.model_copy(update={"kind": "hand_back", "text": words})
        self.interventions.take(said)
