"""What the crew entered in windows and on pages, from the record."""

from __future__ import annotations

from dataclasses import replace

from deskcrew.actions import gesture_of
from deskcrew.engine.record import Record
from deskcrew.evidence.entered import Act
from deskcrew.facts.events import ActionFinished, Observed, Operation
from deskcrew.facts.observation import Observation
from deskcrew.guard.leftover import typed


def acts_of(record: Record) -> list[Act]:
    """The operations of this branch that succeeded, oldest first, each with what was shown before it and sent since."""
    found: list[Act] = []
    shown: dict[str, Observation] = {}
    last: dict[str, int] = {}
    latest: Observation | None = None
    for event in record.journal.events:
        lane, body = event.header.lane, event.body
        # A part of the plan begins with what was shown before it.
        if isinstance(body, ActionFinished) and body.ok and (look := shown.get(lane, latest)) is not None:
            last[lane] = len(found)
            found.append(_act(body.operation, look))
        elif isinstance(body, Observed) and (look := record.looks.of(event)) is not None:
            if body.fresh is None and lane in last:
                act = found[last[lane]]
                found[last[lane]] = replace(act, sent=(*act.sent, *look.sent))
            shown[lane] = look
            latest = look
    return found


def _act(operation: Operation, before: Observation) -> Act:
    gesture = gesture_of(operation)
    control = before.control(operation.control or "") if gesture in ("press", "choose") else None
    texts = tuple(text for text in typed(operation) if "{{" not in text)
    option = str(operation.params.get("option") or "") if gesture == "choose" else ""
    return Act(before, control, texts, option)
