"""The states on which a contract is verified: the workspace and the screens, at the start and at the end."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deskcrew.actions import gesture_of
from deskcrew.engine.record import Record
from deskcrew.engine.steps.looking_again import seen_elsewhere, steps_of
from deskcrew.engine.surroundings import Surroundings
from deskcrew.evidence.changes import saved_states
from deskcrew.evidence.contrary import telling
from deskcrew.evidence.kept import before_sending, for_address, fresh, lasting
from deskcrew.evidence.screen import PageReading, ScreenState
from deskcrew.evidence.states import States
from deskcrew.facts.events import ActionFinished, Event
from deskcrew.facts.observation import Observation
from deskcrew.journal.journal import Journal


def states_of(journal: Journal, *, until: float = math.inf) -> States:
    """The workspace at the first and the last save point of this branch before event ``until``."""
    return saved_states((event for event in journal.events if event.number < until), journal.read_blob)


def screens_of(surroundings: Surroundings) -> tuple[ScreenState, ScreenState]:
    """What the screen showed first and last on this branch, with all that pages sent in between, and what reloads showed."""
    record = surroundings.record
    steps, now = steps_of(record), surroundings.now.model_copy(update={"screenshot": None, "places": ()})
    pages = tuple(now if look == now else _alone(look) for look in fresh(steps))
    shown = {front.url for page in pages if (front := page.active_window) is not None}
    others = seen_elsewhere(record.journal) or ()
    sent = tuple(each for step in steps[1:] for each in step.look.sent)
    end = ScreenState(
        now,
        sent=sent,
        looks=tuple(step.look for step in steps[1:] if step.fresh is None and step.look != now),
        elsewhere=tuple(last for _, last in record.looks.elsewhere()),
        pages=pages,
        before=before_sending(steps),
        lasting=lasting(steps),
        lost=tuple(dict.fromkeys(step.fresh.lost for step in steps if step.fresh is not None and step.fresh.lost)),
        read=tuple(dict.fromkeys(reading for _, reading in readings_in(record))),
        others=tuple(each for each in telling(others, pages, sent) if each.alone or each.address not in shown),
        said=for_address(steps, [each.look for each in others]),
    )
    return ScreenState(record.looks.first), end


def _alone(look: Observation) -> Observation:
    """The page in front alone: one that was loaded anew in a window of its own says nothing of the windows behind it."""
    windows = tuple(window for window in look.windows if window.active)
    return look.model_copy(update={"windows": windows, "controls": look.in_front})


def readings_in(record: Record) -> Iterator[tuple[Event, PageReading]]:
    """What operations read on pages, each with the event of the observation that followed."""
    read: dict[str, str] = {}
    for event in record.journal.events:
        body = event.body
        if isinstance(body, ActionFinished) and body.ok and gesture_of(body.operation) == "look":
            read[event.id] = body.output
        elif event.header.cause in read and (look := record.looks.of(event)) is not None:
            text = record.journal.read_blob(read.pop(event.header.cause)).decode()
            yield event, PageReading(look.address, text)
