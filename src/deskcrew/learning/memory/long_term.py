"""What is asked of long-term memory, what it returns, and how an episode holds the replies that did it (C30, C32)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from deskcrew.facts.events import Hit, TrackRecord
from deskcrew.facts.json_values import JsonObject

REPLY = '{"operations":'
"""How a reply begins, which is a line of an agent's decision."""
FIRST, THEN = "  Reply: ", "  Then: "
"""How the lines of an episode begin that hold the replies which did it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked up. ``count``: maximum number of episodes; ``tokens``: how much of a prompt the result may take;
    ``agents``: whose records are wanted."""

    role: str
    subtask: str | None
    situation: str
    count: int
    tokens: int
    agents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What memory returned."""

    hits: tuple[Hit, ...] = ()
    facts: tuple[Hit, ...] = ()
    records: tuple[TrackRecord, ...] = ()


class LongTerm(Protocol):
    """Long-term memory, as far as a run needs it."""

    async def recall(self, wanted: Wanted) -> Found | None:
        """What memory holds; None if that is nothing."""
        ...


def reply_line(reply: Mapping[str, object]) -> str:
    """A reply as a line of an episode, in the form in which a model gives it."""
    return json.dumps(reply, ensure_ascii=False, separators=(",", ":"))


def reply_in(line: str) -> JsonObject | None:
    """The reply that a line of an episode is; None if it is none, or was cut."""
    try:
        return json.loads(line) if line.startswith(REPLY) else None
    except ValueError:
        return None
