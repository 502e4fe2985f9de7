"""The port to long-term memory: queries, results, and the form of the replies in an episode (C30, C32)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from deskcrew.facts.events import Hit, TrackRecord
from deskcrew.facts.json_values import JsonObject

REPLY = '{"operations":'
"""The beginning of a reply in an episode's decision, which has one reply per line."""
FIRST, THEN = "  Reply: ", "  Then: "
"""The beginnings of the lines with replies in an episode as it is shown to a role."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query. ``count``: maximum number of episodes; ``tokens``: how much of a prompt the result may take; ``agents``: the
    agents whose records are wanted."""

    role: str
    subtask: str | None
    situation: str
    count: int
    tokens: int
    agents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a query: episodes, facts, and agents' records."""

    hits: tuple[Hit, ...] = ()
    facts: tuple[Hit, ...] = ()
    records: tuple[TrackRecord, ...] = ()


class LongTerm(Protocol):
    """Long-term memory, as far as a run needs it."""

    async def recall(self, wanted: Wanted) -> Found | None:
        """What memory has about the situation; None if nothing."""
        ...


def reply_line(reply: Mapping[str, object]) -> str:
    """A reply as a line of an episode, in the same form as a model's reply."""
    return json.dumps(reply, ensure_ascii=False, separators=(",", ":"))


def reply_in(line: str) -> JsonObject | None:
    """The reply in a line of an episode; None if the line is something else, or was truncated."""
    try:
        return json.loads(line) if line.startswith(REPLY) else None
    except ValueError:
        return None
