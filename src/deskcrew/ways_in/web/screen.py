"""The screen of a run at an event: its picture, the controls on it, and the place of the last operation.

Controls and place are drawn over the picture as SVG, in the picture's own coordinates, independent of the display size.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace

from PIL import Image

from deskcrew.actions import gesture_of
from deskcrew.environments.pointing import Point, points_of
from deskcrew.errors import JournalError
from deskcrew.facts import events as e
from deskcrew.facts.json_values import list_in, object_in
from deskcrew.facts.observation import Box, Control, Observation
from deskcrew.journal.reading import Reading, Track
from deskcrew.journal.records import look_of
from deskcrew.ways_in.report.operations import in_words

KINDS = ("type", "set", "select", "toggle", "click")
"""The kinds of control, the most specific first, as ``environments/marks.py`` colours them."""


SETTLED = frozenset({"action_started", "operation_denied", "operation_skipped"})
"""Types of events after which an operation is no longer waiting."""
SPOT = 24
"""The size in pixels of the mark for a point."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A control on the picture. ``kind``: what can be done to it; ``chosen``: whether the operation acts on it."""

    label: str
    box: Box
    kind: str
    title: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class PointedPlace:
    """Where an operation is done. ``box``: the place on the screen, None if there is none; ``words``: the operation in
    words; ``number``: the number of its event."""

    box: Box | None
    words: str
    number: int


@dataclass(frozen=True, slots=True)
class ShownScreen:
    """The picture of the observation ``number``, ``width`` by ``height`` pixels. ``missing``: why there is no picture, ''
    if there is one."""

    number: int
    width: int
    height: int
    windows: tuple[str, ...]
    marks: tuple[Mark, ...] = ()
    pointed: PointedPlace | None = None
    missing: str = ""
    where: str = ""
    """Which desktop or browser, and which subtask, if there are several; '' if there is only one."""


def screen_at(reading: Reading, track: Track, at: int) -> ShownScreen | None:
    """The last picture at or before an event in its lane, with the last operation begun there. None if there is none yet,
    or it shows an empty desktop, since most chores only need files."""
    lane = reading.place(at).lane if _several(reading, track) else None
    look = _pictured(reading, track, at, lane)
    if look is None or not isinstance(look.body, e.Observed):
        return None
    if reading.redacted(look.number):
        return ShownScreen(look.number, 16, 10, (), missing="The picture was left out of the file that this run came in.")
    seen = observation(reading, look.body)
    if seen is None or seen.screen is None:
        return None
    if not seen.windows and blank(reading, look.number):
        return None
    pointed = pointed_at(reading, track, at, look.header.lane if lane is not None else None)
    if pointed is not None and pointed.number < look.number:
        pointed = replace(pointed, box=None)  # the picture is of afterwards: what it was aimed at may be gone from there
    marks = tuple(_mark(control, chosen=False) for control in seen.controls)
    size = seen.screen
    where = f"desk {look.body.desk}, subtask {look.header.lane}" if lane is not None and look.header.lane else ""
    return ShownScreen(look.number, size.width, size.height, look.body.windows, marks, pointed, where=where)


def pointed_at(reading: Reading, track: Track, at: int, lane: str | None = None) -> PointedPlace | None:
    """Where the last operation at or before an event is done: at the control's place in the observation before the
    operation. ``lane``: only operations of this lane, None for any."""
    for event in reading.back(track, at, ("operation_proposed", "run_resumed", "rewound")):
        body = event.body
        if lane not in (None, event.header.lane) and isinstance(body, e.OperationProposed):
            continue
        if not isinstance(body, e.OperationProposed):
            return None
        label = body.operation.control
        seen = look_before(reading, track, event.number) if label else None
        control = seen.control(label) if seen is not None and label else None
        said = words(reading, track, event.number, body.operation)
        points = points_of(body.operation.function, body.operation.params)
        box = around(points[0]) if points else control.box if control is not None else None
        return PointedPlace(box, said, event.number)
    return None


def chosen(reading: Reading, track: Track) -> tuple[str, ...]:
    """The operations of the last reply that were not begun, in words."""
    last = reading.last(track, track.head, "role_replied")
    if last is None or not isinstance(last.body, e.RoleReplied):
        return ()
    settled = sum(1 for _ in reading.on(track, SETTLED, after=last.number))
    look = look_before(reading, track, track.head)
    written = [e.Operation.model_validate(each) for each in list_in(object_in(last.body.reply).get("operations"))]
    return tuple(in_words(operation, look) for operation in written[settled:])


def around(point: Point) -> Box:
    """A visible box with a point in its middle."""
    return Box(x=max(0, point.x - SPOT // 2), y=max(0, point.y - SPOT // 2), width=SPOT, height=SPOT)


def words(reading: Reading, track: Track, number: int, operation: e.Operation) -> str:
    """The operation of the event ``number`` in words, with its controls' names in the observation before it. Cached, because
    observations are long and events never change."""

    def found() -> str:
        return in_words(operation, look_before(reading, track, number) if names_control(operation) else None)

    return reading.once((words, number), None, found)


def names_control(operation: e.Operation) -> bool:
    """Whether an operation names controls that only an observation can resolve."""
    return bool(operation.control or operation.params.get("to")) or gesture_of(operation) == "close"


def look_before(reading: Reading, track: Track, number: int) -> Observation | None:
    """The last observation at or before an event in its lane; None if there is none, or it was left out."""
    looks = reading.back(track, number, ("observed",))
    look = look_of(looks, reading.place(number).lane) if _several(reading, track) else next(looks, None)
    return observation(reading, look.body) if look is not None and isinstance(look.body, e.Observed) else None


def _several(reading: Reading, track: Track) -> bool:
    """Whether the observations may come from several desks."""
    return reading.how_many(track, "lanes_opened") > 0


def observation(reading: Reading, look: e.Observed) -> Observation | None:
    """The content of an observation; None if it was left out, or was written by another version."""
    try:
        return Observation.model_validate_json(reading.read_blob(look.observation))
    except (ValueError, JournalError):
        return None


def picture(reading: Reading, number: int) -> bytes | None:
    """The picture of an observation, a PNG; None if it has none."""
    body = reading.event(number).body
    if not isinstance(body, e.Observed) or not body.screenshot or reading.redacted(number):
        return None
    found = reading.read_blob(body.screenshot)
    return found if found.startswith(b"\x89PNG\r\n\x1a\n") else None


def blank(reading: Reading, number: int) -> bool:
    """Whether the picture of an observation has only one colour, like an empty desktop."""
    data = picture(reading, number)
    if data is None:
        return False
    try:
        with Image.open(io.BytesIO(data)) as shot:
            return shot.convert("RGB").getcolors(1) is not None
    except OSError:
        return False


def _pictured(reading: Reading, track: Track, at: int, lane: str | None) -> e.Event | None:
    begun = reading.event(track.spans[0].start).body
    if isinstance(begun, e.RunStarted) and begun.desktop == "none":
        return None  # its looks are many, and none has a picture
    pictures = (
        event
        for event in reading.back(track, at, ("observed",))
        if isinstance(event.body, e.Observed) and (event.body.screenshot or reading.redacted(event.number))
    )
    return next(pictures, None) if lane is None else look_of(pictures, lane)


def _mark(control: Control, *, chosen: bool) -> Mark:
    kind = next((kind for kind in KINDS if kind in control.operations), "read")
    value = f" = {control.value!r}" if control.value else ""
    return Mark(control.label, control.box, kind, f"{control.label} {control.role} {control.name!r}{value}", chosen)
