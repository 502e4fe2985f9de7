"""One line of the story with all that belongs to it: prompt, reply, operations, authorization, and results."""

from __future__ import annotations

import json
from dataclasses import dataclass

from rich.text import Text

from deskcrew.errors import JournalError
from deskcrew.facts import events as e
from deskcrew.facts.observation import moves
from deskcrew.journal.reading import Reading, Track
from deskcrew.ways_in.report import render
from deskcrew.ways_in.web import story
from deskcrew.ways_in.web.screen import PointedPlace, ShownScreen, look_before, observation, pointed_at, screen_at, words

LONGEST = 60_000
"""The maximum number of characters of a text on a page; `deskcrew show` has the rest."""
ENDS = ("plan_patched", "rewound", "run_resumed", "run_finished")
"""Types of events after which no operation of an earlier reply follows."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text that is shown verbatim. ``cut``: the number of characters left out at its end."""

    title: str
    text: str
    cut: int = 0


@dataclass(frozen=True, slots=True)
class InspectedOperation:
    """An operation of a reply. ``words``: the operation in plain words.

    ``allowed``, ``denied``: the decision of the guard or a person; ``before``, ``after``: event numbers of the observations
    with pictures around it, 0 for none; ``evidence``: the differences, in words.
    """

    number: int
    operation: e.Operation
    words: str
    line: story.StoryLine
    intention: str
    allowed: e.OperationApproved | None = None
    denied: e.OperationDenied | None = None
    skipped: str = ""
    done: e.ActionFinished | None = None
    output: Excerpt | None = None
    evidence: tuple[str, ...] = ()
    verdicts: tuple[Text, ...] = ()
    pointed: PointedPlace | None = None
    before: int = 0
    after: int = 0
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Inspected:
    """A reply, or another event with a line of its own in the story, such as a step of a skill. ``at``: the number of the
    line's first event; ``call``: the number of the model call's event, 0 for none; ``lines``: the line's events in words, if
    it has neither a reply nor operations."""

    at: int
    event: e.Event
    reply: e.RoleReplied | None
    call: int
    raw: Excerpt | None
    deeds: tuple[InspectedOperation, ...]
    lines: tuple[Text, ...]
    redacted: bool
    previous: int
    next: int
    screen: ShownScreen | None = None


def inspected(reading: Reading, track: Track, number: int) -> Inspected:
    """The reply or event that an event of the branch belongs to. Raises UsageError if there is no such event."""
    reading.place(number)
    first = number
    while first > 1 and not story.begins(reading.place(first)):
        first = reading.place(first).parent or 1
    event = reading.event(first)
    around = _around(reading, track, first)
    own = isinstance(event.body, e.OperationProposed)
    reply = event if isinstance(event.body, e.RoleReplied) else None
    at_once = reading.how_many(track, "lanes_opened") > 0
    if own or isinstance(event.body, e.ActionInterrupted):
        back = reading.back(track, first, ("role_replied",))
        reply = next((each for each in back if not at_once or each.header.lane == event.header.lane), None)
    deeds = tuple(_deeds(reading, track, reply.number)) if reply is not None else ()
    if reply is None or not isinstance(reply.body, e.RoleReplied) or (own and all(each.number != first for each in deeds)):
        at = story.Stretch(first, around[1] - 1 if around[1] else track.head)
        deeds = (_deed(reading, track, at),) if own else ()  # a step of a skill has no reply
        told = () if own else tuple(line for each in _events(reading, track, at) for line in render.lines(each))
        return Inspected(first, event, None, 0, None, deeds, told, reading.redacted(first), *around)
    call = next((c for c in reading.back(track, reply.number, ("role_called",)) if _asked(c, reply)), None)
    return Inspected(
        at=first,
        event=reply,
        reply=reply.body,
        call=call.number if call is not None and not reading.redacted(call.number) else 0,
        raw=_raw(reading, reply.body),
        deeds=deeds,
        lines=(),
        redacted=reading.redacted(reply.number),
        previous=around[0],
        next=around[1],
        screen=screen_at(reading, track, reply.number),
    )


def _asked(call: e.Event, reply: e.Event) -> bool:
    """Whether a call is of the role that replied, in the same lane."""
    same = call.header.lane == reply.header.lane
    return same and isinstance(call.body, e.RoleCalled) and getattr(reply.body, "role", "") == call.body.role


def _around(reading: Reading, track: Track, number: int) -> tuple[int, int]:
    """The numbers of the events with which the lines before and after a line begin, 0 for none."""
    before, after = 0, 0
    for place in reading.on(track):
        if place.number < number and story.begins(place):
            before = place.number
        if place.number > number and story.begins(place):
            after = place.number
            break
    return before, after


def prompt(reading: Reading, number: int) -> tuple[e.RoleCalled, list[Excerpt]] | None:
    """The prompt of a call, part by part; None if the event is not a call, or its texts were left out."""
    body = reading.event(number).body
    if not isinstance(body, e.RoleCalled) or reading.redacted(number):
        return None
    parts: list[Excerpt] = []
    for part in body.parts:
        if part.kind == "text":
            parts.append(text_of(reading, part.zone, part.blob))
        else:
            parts.append(Excerpt(part.zone, "[a picture of the screen]"))
    if body.schema_blob:
        parts.append(text_of(reading, "form of the reply", body.schema_blob))
    return body, parts


def text_of(reading: Reading, title: str, blob: str) -> Excerpt:
    """The text of a blob, cut to what a page can hold."""
    try:
        text = reading.read_blob(blob).decode(errors="replace")
    except JournalError as error:
        return Excerpt(title, str(error))
    return Excerpt(title, text[:LONGEST], max(len(text) - LONGEST, 0))


def _raw(reading: Reading, body: e.RoleReplied) -> Excerpt | None:
    if body.reply is not None:
        text = json.dumps(body.reply, indent=2, ensure_ascii=False)
        return Excerpt("reply", text[:LONGEST], max(len(text) - LONGEST, 0))
    return text_of(reading, "reply", body.raw) if body.raw else None


def _deeds(reading: Reading, track: Track, reply: int) -> list[InspectedOperation]:
    """The operations of a reply, each with its results."""
    found: list[story.Stretch] = []
    at_once, lane = reading.how_many(track, "lanes_opened") > 0, reading.place(reply).lane
    for place in reading.on(track, after=reply):
        mine = not at_once or place.lane == lane
        if place.type in ENDS or (mine and place.type == "role_replied"):
            break
        if mine and place.type == "operation_proposed":
            found.append(story.Stretch(place.number, place.number))
        elif mine and found:
            found[-1] = story.Stretch(found[-1].first, place.number)
    return [_deed(reading, track, at) for at in found]


def _moved(reading: Reading, track: Track, number: int, seen: e.Observed) -> dict[str, str]:
    """The files that were renamed since the observation before event ``number``: old paths, by the new."""
    if not (seen.evidence.files_created and seen.evidence.files_deleted):
        return {}
    before, now = look_before(reading, track, number - 1), observation(reading, seen)
    return moves(before.files, now.files) if before is not None and now is not None else {}


def _events(reading: Reading, track: Track, at: story.Stretch) -> list[e.Event]:
    return reading.events(story.numbers_of(reading, track, at))


def _deed(reading: Reading, track: Track, at: story.Stretch) -> InspectedOperation:
    events = _events(reading, track, at)
    body = events[0].body
    assert isinstance(body, e.OperationProposed)
    found: dict[str, object] = {}
    evidence: list[str] = []
    verdicts: list[Text] = []
    after = 0
    for event in events[1:]:
        match event.body:
            case e.OperationApproved() as allowed:
                found["allowed"] = allowed
            case e.OperationDenied() as denied:
                found["denied"] = denied
            case e.OperationSkipped() as skipped:
                found["skipped"] = skipped.why
            case e.ActionFinished() as done:
                found["done"] = done
                found["output"] = text_of(reading, "output", done.output) if done.output else None
            case e.Observed() as seen:
                evidence += render.evidence(seen.evidence, _moved(reading, track, event.number, seen))
                after = event.number if seen.screenshot else after
            case e.Judged() as judged:
                verdicts += render.judged(judged)
            case _:
                pass
    before = screen_at(reading, track, at.first)
    return InspectedOperation(
        number=at.first,
        operation=body.operation,
        line=story.line(reading, track, at, events),
        words=words(reading, track, at.first, body.operation),
        intention=body.intention,
        evidence=tuple(evidence),
        verdicts=tuple(verdicts),
        pointed=pointed_at(reading, track, at.first),
        before=before.number if before is not None and not before.missing else 0,
        after=after,
        width=before.width if before is not None else 0,
        height=before.height if before is not None else 0,
        **found,  # type: ignore[arg-type]
    )
