"""What the steps of one run share: its record, surroundings, prompting and authorization."""

from __future__ import annotations

from dataclasses import dataclass

from deskcrew.engine.authorization import Authorization
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import Record
from deskcrew.engine.surroundings import Surroundings
from deskcrew.learning.skills.scoring import Noting


@dataclass
class Run:
    """The parts of one run. A function takes only those that it needs. ``noting``: receives the results of skills."""

    prompting: Prompting
    authorization: Authorization
    noting: Noting | None = None

    @property
    def record(self) -> Record:
        return self.surroundings.record

    @property
    def surroundings(self) -> Surroundings:
        return self.prompting.surroundings
