"""The Protocol behind which a person stands, and the one for when nobody is there."""

from __future__ import annotations

from typing import Protocol

from deskcrew.events import HumanSaid, Operation


class Human(Protocol):
    """Called by the loop at its two visible places: before a turn, and where the guard says ask."""

    async def before_turn(self) -> HumanSaid | None:
        """What the person wants said before the next turn; None almost always. Must not wait."""
        ...

    async def approve(self, operation: Operation, risk: str, why: str) -> bool | None:
        """Whether an operation may be done. None: nobody answered, which denies."""
        ...

    async def answer(self, question: str) -> str | None:
        """The person's answer to a role that asked for help. None: nobody answered."""
        ...


class Nobody:
    """Mode ``automatic``: nobody is asked, so what needs asking is denied (fail closed)."""

    async def before_turn(self) -> HumanSaid | None:
        return None

    async def approve(self, operation: Operation, risk: str, why: str) -> bool | None:
        return None

    async def answer(self, question: str) -> str | None:
        return None
