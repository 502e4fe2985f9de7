"""An entry of long-term memory: an episode of one role, or a fact that the user declared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Literal

from deskcrew.facts.canonical import canonical
from deskcrew.facts.json_values import JsonObject, list_in, object_in
from deskcrew.facts.observation import Frozen
from deskcrew.learning.memory.long_term import reply_in

Kind = Literal["episode", "fact"]
Scope = Literal["workspace", "user", "shared"]
"""Where an entry is recalled. ``workspace``: in runs on one folder; ``user``: in all runs of this user; ``shared``: in all
runs of this user, and ``export --shared`` writes it for others."""
EntryVerdict = Literal["proven", "corrected", "failed", "declared", "proposed"]
UNDERSTOOD = "understood as "
"""The beginning of the line of a decision that says which skill with which values the task was confirmed to mean."""
CORRECTED, PLAIN = 2.0, 1.0
"""Weights: a person's correction outweighs what was merely proven."""


class Entry(Frozen):
    """One entry of long-term memory.

    ``situation``: what was to be done, which searches compare; ``decision``: what the role did, for an agent its replies,
    one per line; ``result``: what that led to; ``summary``: one line for people (C33); ``run`` and ``reply``: the run and
    the number of the reply that it comes from; ``origins``: the sources of untrusted text that the role had read by then, of
    which nothing is in the entry; ``place``: the folder that an entry of scope ``workspace`` applies to; ``withdrawn``: why
    it is no longer recalled, '' while it is valid. A ``failed`` episode is never shown to a role, but counts in the role's
    record (C43). A ``proposed`` fact is not shown either: it is withdrawn until the person accepts it (``inferring.py``).
    """

    id: str
    kind: Kind = "episode"
    scope: Scope = "user"
    place: str = ""
    role: str = ""
    situation: str
    decision: str = ""
    result: str = ""
    verdict: EntryVerdict
    verified_by: str = ""
    summary: str = ""
    run: str = ""
    reply: int = 0
    origins: tuple[str, ...] = ()
    created: float
    weight: float = PLAIN
    withdrawn: str = ""

    @property
    def done(self) -> str:
        """The decision for people: its replies are shown as their operations, one per line."""
        return "\n".join(line if isinstance(line, str) else _in_words(line) for line in self._deeds())

    @property
    def steps(self) -> str:
        """:attr:`done` without the :attr:`texts`."""
        return "\n".join(
            line if isinstance(line, str) else _in_words({name: each for name, each in line.items() if not _is_text(each)})
            for line in self._deeds()
        )

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The parameters of its operations that have several lines, such as code, each with its name."""
        operations = (line for line in self._deeds() if not isinstance(line, str))
        return [(name, str(each)) for line in operations for name, each in line.items() if _is_text(each)]

    @property
    def reading(self) -> str:
        """What a small model took the task for, as a person confirmed it; '' if nobody had to."""
        first = self.decision.partition("\n")[0]
        return first if first.startswith(UNDERSTOOD) else ""

    @property
    def word(self) -> str:
        """The verdict for people: of a confirmed reading it is proven that it was done, not that it was what was meant."""
        return "done as read" if self.verdict == "proven" and self.reading else self.verdict

    def _deeds(self) -> Iterator[str | JsonObject]:
        for line in self.decision.splitlines():
            reply = reply_in(line)
            yield from map(object_in, list_in(reply["operations"])) if reply else [line]

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the content, which does not depend on who keeps the entry."""
        said = self.model_dump(mode="json", exclude={"id", "created", "withdrawn", "scope", "place", "weight"})
        return hashlib.sha256(canonical(said)).hexdigest()

    def exported(self) -> JsonObject:
        """The entry as JSON, with its digest, by which an import detects changes."""
        return self.model_dump(mode="json") | {"digest": self.digest}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\n" in value


def _in_words(operation: JsonObject) -> str:
    given = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in operation.items() if name != "function")
    return " ".join((str(operation["function"]), *given))


def entry_id(*parts: object, person: str = "") -> str:
    """An id of twelve hex digits that is derived from ``parts``: the same episode of the same run has the same id.
    ``person``: one of several people, whose entries have different ids, so that one may accept what another declines."""
    whole = (person, *parts) if person else parts
    return hashlib.sha256("\x00".join(str(part) for part in whole).encode()).hexdigest()[:12]
