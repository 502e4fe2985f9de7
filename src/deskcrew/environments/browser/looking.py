"""Builds an observation from what the frames of a page report: one coordinate space, labels, windows, and what is not
shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, cast

from pydantic import TypeAdapter

from deskcrew.environments.browser.frames import Frame, FrameGone, Hung
from deskcrew.environments.browser.labels import Kind, PageLabels, Thing
from deskcrew.environments.browser.open_page import OpenPage
from deskcrew.environments.browser.questions import Question
from deskcrew.environments.browser.tab import Tab
from deskcrew.environments.names import kept_text
from deskcrew.facts.excerpts import cut
from deskcrew.facts.observation import Behind, Box, Control, ControlOperation, Observation, Screen, Window

APP = "Chromium"
AWAY = "out of view"
_DIALOG_WIDTH, _LINE = 400, 32
_DIALOGS = 1_000_000
"""Added to a page's number for the window of its dialog."""


class ControlPlace(NamedTuple):
    """Where a control is: an element of a frame of the page with this ``page`` number. ``frame`` None: in the window of a
    dialog, its ``part``."""

    page: int
    frame: Frame | None
    number: int
    part: str = ""


@dataclass
class FrameReading:
    """One frame's report, and its place in the page. ``visible``: its part that is in view."""

    frame: Frame
    said: dict[str, Any]
    left: float = 0.0
    top: float = 0.0
    visible: Box | None = None


Facts = dict[str, Any]
"""The arguments of :class:`Control`, except for the label, which is added when it is assigned. Validated once, then."""
_CONTROLS = TypeAdapter(tuple[Control, ...])


@dataclass
class PageLook:
    """What was last read of a page."""

    controls: list[tuple[ControlPlace, Facts]] = field(default_factory=list[tuple[ControlPlace, Facts]])
    lines: list[tuple[str, Box]] = field(default_factory=list[tuple[str, Box]])
    focus: ControlPlace | None = None
    notes: list[str] = field(default_factory=list[str])


async def read_page(tab: OpenPage, size: tuple[int, int], scale: float) -> PageLook:
    """Read a page. ``size``: of its viewport in CSS pixels; ``scale``: physical pixels for each of them.

    Raises FrameGone if it goes away meanwhile, Hung if it does not answer.
    """
    try:
        async with asyncio.timeout(tab.patience):
            frames, lost = await tab.frames.find()
    except TimeoutError:
        raise Hung from None
    # One frame that hangs must not hide the others, but a page that does is nothing to be looked at.
    worlds = [frame.world for frame in frames]
    # What listens is asked for first, since the page says it in no time: behind the look it would also wait for what the
    # browser draws meanwhile. Nothing between here and either question may be a task of its own, or they change places.
    known = asyncio.ensure_future(_bounded(tab.listening.find(frames), tab.patience))
    try:
        answers = await _read_all(frames, tab.patience)
        new = await known
        if worlds != [frame.world for frame in frames]:  # only now there is anything to make it known to
            new = await _bounded(tab.listening.find(frames), tab.patience)
        if new:
            answers = await _read_all(frames, tab.patience)
    finally:
        known.cancel()
    if answers[0] is None:
        raise Hung
    whole = Box(x=0, y=0, width=size[0], height=size[1])
    found = {frames[0].id: FrameReading(frames[0], answers[0], visible=whole)}
    for frame, said in zip(frames[1:], answers[1:], strict=True):
        above = found.get(frame.parent.id) if frame.parent is not None else None
        if said is None:
            lost += 1
        elif above is not None and (placed := await _placed(frame, said, above)) is not None:
            found[frame.id] = placed
    tab.title = str(answers[0]["title"]).strip() or cut(str(answers[0]["url"]), 80)
    return _together(tab, list(found.values()), lost, scale)


async def _read_all(frames: Sequence[Frame], patience: float) -> list[dict[str, Any] | None]:
    return await asyncio.gather(*(_read(frame, patience) for frame in frames))


async def _bounded(finding: Coroutine[Any, Any, bool], seconds: float) -> bool:
    """The result within a time limit; a slower page is read without it."""
    try:
        async with asyncio.timeout(seconds):
            return await finding
    except TimeoutError:
        return False


async def _read(frame: Frame, patience: float) -> dict[str, Any] | None:
    try:
        return cast("dict[str, Any]", await frame.ask("look", seconds=patience))
    except (Hung, FrameGone):
        if frame.parent is None:
            raise
        return None


async def _placed(frame: Frame, said: dict[str, Any], above: FrameReading) -> FrameReading | None:
    """A frame within another one, None if it is not visible."""
    try:
        await frame.find_owner()
    except FrameGone:
        return None
    entry = next((one for one in above.said["frames"] if one[0] == frame.owner), None)
    if entry is None or entry[5]:
        return None
    left, top = above.left + entry[1], above.top + entry[2]
    box = Box(x=round(left), y=round(top), width=max(1, round(entry[3])), height=max(1, round(entry[4])))
    return FrameReading(frame, said, left, top, box.intersection(above.visible) if above.visible else None)


def _together(tab: OpenPage, readings: Sequence[FrameReading], lost: int, scale: float) -> PageLook:
    look = PageLook()
    for reading in readings:
        left, top, inner = round(reading.left), round(reading.top), reading.frame.parent is not None
        for number, role, name, value, states, x, y, width, height, operations, options, owner, behind in reading.said[
            "controls"
        ]:
            x, y = left + x, top + y
            # Of the page itself the script knows what is in view; what is in view of a frame only we do.
            states = _words(states)
            if inner and AWAY not in states and not _meets(reading.visible, x, y, width, height):
                states = (*states, AWAY)
            place = ControlPlace(tab.number, reading.frame, number)
            facts = {
                "role": role,
                "name": name,
                "value": value,
                "states": states,
                "box": _sides(x, y, width, height, scale),
                "window": tab.number,
                "operations": _words(operations),
                "options": tuple(dict.fromkeys(options)) if options else (),
                "owner": owner,
                "behind": _behind(behind) if behind else None,
            }
            look.controls.append((place, facts))
            if "focused" in states:
                look.focus = place
        for words, x, y, width, height in reading.said["lines"]:
            x, y = left + x, top + y
            if _meets(reading.visible, x, y, width, height):
                look.lines.append((words, scaled(x, y, width, height, scale)))
    _whole_page(tab, readings[0].said, look, scale, readings[0].frame)
    look.notes += _missing(readings, lost)
    return look


@lru_cache(maxsize=512)
def _words(text: str) -> tuple[str, ...]:
    """States or operations as the script writes them, without duplicates. There are few, and so they are shared."""
    return tuple(dict.fromkeys(text.split(","))) if text else ()


@lru_cache(maxsize=2048)
def _behind(text: str) -> Behind:
    """What is behind a control, as the script writes it. Most are equal to many others, and so they are shared."""
    kind, method, origin, has, *called, holds = text.split("\n")
    told: dict[str, Any] = {"kind": kind, "method": method, "origin": origin, "has": tuple(filter(None, has.split(",")))}
    told["holds"] = json.loads(holds) if holds else ()
    return Behind.model_validate(told | dict(zip(("sends", "hint", "classes"), called, strict=True)))


def _meets(box: Box | None, x: int, y: int, width: int, height: int) -> bool:
    """Whether a place intersects a box, like :meth:`Box.intersection`; called for every control of a page."""
    if box is None:
        return False
    return x < box.x + box.width and x + width > box.x and y < box.y + box.height and y + height > box.y


def _whole_page(tab: OpenPage, said: dict[str, Any], look: PageLook, scale: float, frame: Frame) -> None:
    """The page itself as a scrollable control, and how far it extends."""
    at, whole, shown = (int(number) for number in said["scroll"])
    if whole <= shown + 4:
        return
    above, below = at / shown, max(0, whole - at - shown) / shown
    # The box ends where controls are still told, so that rules do not take for missing what lies further down.
    top, bottom = -min(at, shown), shown + min(whole - at - shown, 4 * shown)
    box = scaled(0, top, int(said["width"]), bottom - top, scale)
    document = {"role": "document", "box": box, "window": tab.number, "operations": ("scroll",)}
    look.controls.insert(0, (ControlPlace(tab.number, frame, 0), document))
    far = [f"{length:.1f} screens {where}" for length, where in ((above, "above"), (below, "below")) if length >= 0.05]
    look.notes.append(f"The page goes on: {', '.join(far)}." if far else "")


def _missing(readings: Sequence[FrameReading], lost: int) -> list[str]:
    left = sum(int(one.said["left"]) for one in readings)
    cut = any(one.said["cut"] for one in readings)
    notes = [f"{left} more controls lie further away." if left else ""]
    notes += ["The page is so large that only the first part of it was read." if cut else ""]
    notes += [f"{lost} of its frames could not be read." if lost else ""]
    return notes


def _sides(x: int, y: int, width: int, height: int, scale: float) -> dict[str, int]:
    """A place in screen pixels, from one in CSS pixels: the arguments of :class:`Box`."""
    if scale == 1:
        return {"x": x, "y": y, "width": width, "height": height}
    size = {"width": max(1, round(width * scale)), "height": max(1, round(height * scale))}
    return {"x": round(x * scale), "y": round(y * scale)} | size


def scaled(x: int, y: int, width: int, height: int, scale: float) -> Box:
    """A box in screen pixels, from one in CSS pixels."""
    return Box(**_sides(x, y, width, height, scale))


class PageObserving:
    """Makes the observations of one browser; keeps the labels that were assigned, and where controls are."""

    def __init__(self, size: tuple[int, int], scale: float) -> None:
        """``size``: of the viewport in CSS pixels."""
        self._labels = PageLabels()
        self._scale = scale
        self._whole = scaled(0, 0, *size, scale)
        self.places: dict[str, tuple[ControlPlace, Control]] = {}
        """By their labels, the controls of the last observation and where they are."""

    def observation(self, tabs: Sequence[Tab], look: PageLook, notes: Sequence[str]) -> Observation:
        """The observation. ``tabs``: the one in front first; ``look``: at it; ``notes``: more about this observation."""
        front = tabs[0] if tabs else None
        question = front.question if front is not None else None
        asked = _asked(front, question, self._whole) if front is not None and question is not None else []
        everything = [*asked, *look.controls]
        labels = self._labels.of([thing_of(place, facts) for place, facts in everything])
        for (_, facts), label in zip(everything, labels, strict=True):
            facts["label"] = label
        controls = _CONTROLS.validate_python([facts for _, facts in everything])
        labelled = [(place, control) for (place, _), control in zip(everything, controls, strict=True)]
        self.places = {control.label: (place, control) for place, control in labelled}
        focus = next((c.label for p, c in labelled if p == look.focus), None) if look.focus is not None else None
        windows = [self._window(tab, active=tab is front and question is None) for tab in tabs]
        text, cut = kept_text(words for words, _ in look.lines)
        if front is not None and question is not None:
            windows.insert(0, _dialog(front, question, self._whole))
            text, cut = kept_text((question.message,))
            focus = next((c.label for p, c in labelled if p.part == "field"), None)
        return Observation(
            screen=Screen(width=self._whole.width, height=self._whole.height, scale=self._scale),
            windows=tuple(windows),
            controls=controls,
            focus=focus,
            text=text,
            note=" ".join(note for note in (*look.notes, cut, *notes) if note),
            places=tuple(look.lines),
        )

    def _window(self, tab: Tab, *, active: bool) -> Window:
        url = tab.page.url
        return Window(
            id=tab.number,
            title=tab.title or cut(url, 80),
            app=APP,
            box=self._whole,
            active=active,
            responding=tab.responding,
            url="" if url == "about:blank" else url,
            loads=tab.loads,
        )


def thing_of(place: ControlPlace, facts: Facts) -> tuple[Thing, Kind, str]:
    """A control's identity across observations, its kind, and its surroundings."""
    frame, window = place.frame, int(facts["window"])
    thing = (window, place.part, 0, 0) if frame is None else (window, frame.id, frame.world or 0, place.number)
    return thing, (window, facts["role"], facts.get("name", "")), facts.get("owner", "")


def _dialog(tab: Tab, question: Question, whole: Box) -> Window:
    box = _dialog_box(whole)
    return Window(id=_DIALOGS + tab.number, title=question.title, app=APP, box=box, active=True, dialog=True)


def _dialog_box(whole: Box) -> Box:
    """The box of such a window: its size is made up, since nothing of it is drawn."""
    return Box(x=max(0, whole.width // 2 - _DIALOG_WIDTH // 2), y=0, width=_DIALOG_WIDTH, height=4 * _LINE)


def _asked(tab: Tab, question: Question, whole: Box) -> list[tuple[ControlPlace, Facts]]:
    """The controls of a dialog's window."""
    box, window = _dialog_box(whole), _DIALOGS + tab.number
    found: list[tuple[ControlPlace, Facts]] = []

    def add(part: str, role: str, name: str, line: int, value: str | None, *operations: ControlOperation) -> None:
        place = Box(x=box.x, y=box.y + line * _LINE, width=box.width, height=_LINE)
        states = ("focused",) if part == "field" else ()
        facts: Facts = {"role": role, "name": name, "value": value, "states": states, "box": place, "window": window}
        found.append((ControlPlace(tab.number, None, len(found) + 1, part), facts | {"operations": operations}))

    if question.field:
        add("field", "text field", question.field, 1, question.text, "click", "type")
    add("agree", "button", question.buttons[0], 2, None, "click")
    if question.buttons[1] is not None:
        add("decline", "button", question.buttons[1], 3, None, "click")
    return found
