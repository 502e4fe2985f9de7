"""A responder that lets the other lanes of a run go on while a person thinks."""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio

from deskcrew.engine.human.questions import Question, Response
from deskcrew.engine.human.responder import Passing
from deskcrew.journal.floor import Floor


@dataclass(frozen=True, slots=True)
class Outside(Passing):
    """Asks ``responder`` one question at a time, while other lanes have the floor. Pausing the run pauses all lanes."""

    floor: Floor
    _one: anyio.Lock = field(default_factory=anyio.Lock)

    async def ask(self, question: Question) -> Response | None:
        async def asked() -> Response | None:
            async with self._one:
                return await self.responder.ask(question)

        return await self.floor.outside(asked)
