"""An operation in a person's words, which its action supplies. The raw form is ``render.operation``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from deskcrew.errors import JournalError
from deskcrew.facts import events as e
from deskcrew.facts.legible import as_text
from deskcrew.facts.observation import Observation
from deskcrew.journal.journal import Journal
from deskcrew.ways_in.report.text import clean, one_line

WHOLE, SHORT = 400, 80
"""Maximum characters of an operation in words, and where it is only a part of a sentence."""


def in_words(operation: e.Operation, look: Observation | None) -> str:
    """What an operation does, on one line: ``Click "Save" in Save As``.

    ``look``: the last observation before the operation, None if there was none. An action that this machine does not know
    is described by its name and parameters.
    """
    if sys.platform == "win32":  # where runs are only read, and actions cannot be loaded
        return one_line(f"{operation.function.replace('_', ' ')} {in_full(operation)}", WHOLE)
    from deskcrew.actions import action_of  # all of them, which most commands do without
    from deskcrew.actions.asked import Asked, by_name

    action = action_of(operation)
    return one_line((action.worded if action is not None else by_name)(Asked(operation, look)), WHOLE)


def fields_of(operation: e.Operation) -> Mapping[str, FieldInfo]:
    """The parameters that the operation's action defines; empty if this machine does not know the action."""
    if sys.platform == "win32":
        return {}
    from deskcrew.actions import action_of

    action = action_of(operation)
    return action.params.model_fields if action is not None else {}


def in_full(operation: e.Operation) -> str:
    """Every parameter of the operation, one per line, never shortened; control characters are made visible."""
    return "\n".join(f"{clean(name)} = {clean(as_text(value))}" for name, value in operation.params.items())


WHO = {"policy": "the policy does not allow it", "human": "you did not allow it", "nobody": "nobody was there to allow it"}
"""Why an operation was denied, by who denied it."""


def denials(events: Sequence[e.Event]) -> list[tuple[e.Event, e.Operation | None]]:
    """The denials, each with the operation that was denied, None if that is not recorded."""
    by_id = {event.id: event for event in events}

    def denied(event: e.Event) -> e.Operation | None:
        cause = by_id.get(event.header.cause or "")
        if cause is not None and isinstance(cause.body, e.ChangesFound | e.SendsFound):
            cause = by_id.get(cause.header.cause or "")
        return cause.body.operation if cause and isinstance(cause.body, e.OperationProposed | e.ActionStarted) else None

    return [(event, denied(event)) for event in events if isinstance(event.body, e.OperationDenied)]


def not_done(events: Sequence[e.Event]) -> tuple[str, ...]:
    """What was denied and never carried out, in words and with the reason."""
    done = [event.body.operation for event in events if isinstance(event.body, e.ActionFinished) and event.body.ok]
    return tuple(
        f"{one_line(in_words(operation, None), SHORT) if operation else 'an operation'} ({WHO[event.body.by]})"
        for event, operation in denials(events)
        if isinstance(event.body, e.OperationDenied) and operation not in done
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """``blobs``: the last observation of each desktop or browser of a run; ``at``: where each lane looked last."""

    blobs: Mapping[int, str]
    at: Mapping[str, int]


class Looks:
    """The observations on which a run's operations were based, read on demand. Picks up events added to the journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._known: dict[str, _Known] = {}
        """For each event, by its id: what had been observed on its branch by then."""

    def before(self, event: e.Event) -> Observation | None:
        """The last observation before an event, at its lane's desk; None if there was none, or it was redacted."""
        for each in self._journal.all[len(self._known) :]:
            known = self._known.get(each.header.parent or "", _Known({}, {}))
            if isinstance(each.body, e.Observed):
                blob, desk = "" if each.id in self._journal.redacted else each.body.observation, each.body.desk
                at = known.at if known.at.get(each.header.lane) == desk else {**known.at, each.header.lane: desk}
                known = _Known({**known.blobs, desk: blob}, at)
            self._known[each.id] = known
        known = self._known.get(event.id, _Known({}, {}))
        blob = known.blobs.get(known.at.get(event.header.lane, e.OWN_DESK), "")
        try:
            return _parsed(self._journal.read_blob(blob)) if blob else None
        except (JournalError, ValidationError):
            # What is shown of a damaged record is shown without names; `deskcrew verify` says what is wrong with it.
            return None


@lru_cache(maxsize=4)
def _parsed(look: bytes) -> Observation:
    return Observation.model_validate_json(look)
