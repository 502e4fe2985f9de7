"""Builds an observation from what the frames of a page report: one coordinate space, labels, windows, and notes on what is
missing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter

from deskcrew.environments.browser.frames import Frame, FrameGone, Hung
from deskcrew.environments.browser.labels import Kind, PageLabels, Thing
from deskcrew.environments.browser.open_page import OpenPage
from deskcrew.environments.browser.questions import Question
from deskcrew.environments.browser.tab import Tab
from deskcrew.environments.names import kept_text
from deskcrew.facts.excerpts import cut
from deskcrew.facts.observation import Behind, Box, Control, ControlOperation, Observation, Screen, Window

_OPERATIONS = TypeAdapter(tuple[ControlOperation, ...])
APP = "Chromium"
AWAY = "out of view"
_DIALOG_WIDTH, _LINE = 400, 32
_DIALOGS = 1_000_000
"""Added to a page's number to get the number of its dialog's window."""


class ControlPlace(NamedTuple):
    """Where a control is: the element ``number`` of a frame of the page ``page``. ``frame`` None: in the window of a dialog,
    as its ``part``. ``mark``: how the page's code marks it, '' if not in words."""

    page: int
    frame: Frame | None
    number: int
    part: str = ""
    mark: str = ""


class SaidControl(NamedTuple):
    """A control as the script reports it: its number, identity and place. States and operations are one text each."""

    number: int
    role: str
    name: str
    value: str | None
    states: str
    x: int
    y: int
    width: int
    height: int
    operations: str
    options: tuple[str, ...] | None
    owner: str
    behind: str | None
    mark: str


class InnerFrame(NamedTuple):
    """A frame within another frame: the number of its element, and its place."""

    number: int
    x: float
    y: float
    width: float
    height: float
    covered: bool


class FrameReport(BaseModel):
    """The script's report on a frame. ``scroll``: its scroll position, whole height, and visible height; ``left``: the
    number of controls that are too far away."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: str
    url: str
    width: int
    scroll: tuple[float, float, float]
    controls: tuple[SaidControl, ...]
    lines: tuple[tuple[str, int, int, int, int], ...]
    frames: tuple[InnerFrame, ...]
    left: int
    cut: bool


@dataclass
class FrameReading:
    """A frame's report and its place in the page. ``visible``: the part that is in view."""

    frame: Frame
    said: FrameReport
    left: float = 0.0
    top: float = 0.0
    visible: Box | None = None


@dataclass
class PageLook:
    """The content of a page when it was last read."""

    controls: list[tuple[ControlPlace, Control]] = field(default_factory=list[tuple[ControlPlace, Control]])
    """Controls without labels yet."""
    lines: list[tuple[str, Box]] = field(default_factory=list[tuple[str, Box]])
    focus: ControlPlace | None = None
    notes: list[str] = field(default_factory=list[str])


async def read_page(tab: OpenPage, size: tuple[int, int], scale: float) -> PageLook:
    """Read a page. ``size``: its viewport in CSS pixels; ``scale``: physical pixels per CSS pixel.

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
    tab.title = answers[0].title.strip() or cut(answers[0].url, 80)
    return _together(tab, list(found.values()), lost, scale)


async def _read_all(frames: Sequence[Frame], patience: float) -> list[FrameReport | None]:
    return await asyncio.gather(*(_read(frame, patience) for frame in frames))


async def _bounded(finding: Coroutine[Any, Any, bool], seconds: float) -> bool:
    """The result, or False after a time limit: a slower page is read without it."""
    try:
        async with asyncio.timeout(seconds):
            return await finding
    except TimeoutError:
        return False


async def _read(frame: Frame, patience: float) -> FrameReport | None:
    try:
        return FrameReport.model_validate(await frame.ask("look", seconds=patience))
    except (Hung, FrameGone):
        if frame.parent is None:
            raise
        return None


async def _placed(frame: Frame, said: FrameReport, above: FrameReading) -> FrameReading | None:
    """The reading of a frame within another frame; None if the frame is not visible."""
    try:
        await frame.find_owner()
    except FrameGone:
        return None
    entry = next((one for one in above.said.frames if one.number == frame.owner), None)
    if entry is None or entry.covered:
        return None
    left, top = above.left + entry.x, above.top + entry.y
    box = Box(x=round(left), y=round(top), width=max(1, round(entry.width)), height=max(1, round(entry.height)))
    return FrameReading(frame, said, left, top, box.intersection(above.visible) if above.visible else None)


def _together(tab: OpenPage, readings: Sequence[FrameReading], lost: int, scale: float) -> PageLook:
    look = PageLook()
    for reading in readings:
        left, top, inner = round(reading.left), round(reading.top), reading.frame.parent is not None
        for said in reading.said.controls:
            x, y = left + said.x, top + said.y
            # Of the page itself the script knows what is in view; what is in view of a frame only we do.
            states = _words(said.states)
            if inner and AWAY not in states and not _meets(reading.visible, x, y, said.width, said.height):
                states = (*states, AWAY)
            place = ControlPlace(tab.number, reading.frame, said.number, mark=said.mark)
            control = Control(
                label="",
                role=said.role,
                name=said.name,
                value=said.value,
                states=states,
                box=scaled(x, y, said.width, said.height, scale),
                window=tab.number,
                operations=_operations(said.operations),
                options=tuple(dict.fromkeys(said.options or ())),
                owner=said.owner,
                behind=_behind(said.behind) if said.behind else None,
            )
            look.controls.append((place, control))
            if "focused" in states:
                look.focus = place
        for words, x, y, width, height in reading.said.lines:
            x, y = left + x, top + y
            if _meets(reading.visible, x, y, width, height):
                look.lines.append((words, scaled(x, y, width, height, scale)))
    _whole_page(tab, readings[0].said, look, scale, readings[0].frame)
    look.notes += _missing(readings, lost)
    return look


@lru_cache(maxsize=512)
def _words(text: str) -> tuple[str, ...]:
    """The words of a comma-separated text, without duplicates. There are few different texts, so results are shared."""
    return tuple(dict.fromkeys(text.split(","))) if text else ()


@lru_cache(maxsize=512)
def _operations(text: str) -> tuple[ControlOperation, ...]:
    return _OPERATIONS.validate_python(_words(text))


@lru_cache(maxsize=2048)
def _behind(text: str) -> Behind:
    """What is behind a control, parsed from the script's text. Most are equal to many others, so results are shared."""
    kind, method, origin, has, *called, holds = text.split("\n")
    told = {"kind": kind, "method": method, "origin": origin, "has": tuple(filter(None, has.split(",")))}
    inside = {"holds": json.loads(holds) if holds else ()}
    return Behind.model_validate(told | inside | dict(zip(("sends", "hint", "classes"), called, strict=True)))


def _meets(box: Box | None, x: int, y: int, width: int, height: int) -> bool:
    """Whether a place intersects a box, like :meth:`Box.intersection`; called for every control of a page."""
    if box is None:
        return False
    return x < box.x + box.width and x + width > box.x and y < box.y + box.height and y + height > box.y


def _whole_page(tab: OpenPage, said: FrameReport, look: PageLook, scale: float, frame: Frame) -> None:
    """The page itself as a scrollable control, and how far it extends."""
    at, whole, shown = (int(number) for number in said.scroll)
    if whole <= shown + 4:
        return
    above, below = at / shown, max(0, whole - at - shown) / shown
    # The box ends where controls are still told, so that rules do not take for missing what lies further down.
    top, bottom = -min(at, shown), shown + min(whole - at - shown, 4 * shown)
    box = scaled(0, top, said.width, bottom - top, scale)
    document = Control(label="", role="document", box=box, window=tab.number, operations=("scroll",))
    look.controls.insert(0, (ControlPlace(tab.number, frame, 0), document))
    far = [f"{length:.1f} screens {where}" for length, where in ((above, "above"), (below, "below")) if length >= 0.05]
    look.notes.append(f"The page goes on: {', '.join(far)}." if far else "")


def _missing(readings: Sequence[FrameReading], lost: int) -> list[str]:
    left = sum(one.said.left for one in readings)
    cut = any(one.said.cut for one in readings)
    notes = [f"{left} more controls lie further away." if left else ""]
    notes += ["The page is so large that only the first part of it was read." if cut else ""]
    notes += [f"{lost} of its frames could not be read." if lost else ""]
    return notes


def scaled(x: int, y: int, width: int, height: int, scale: float) -> Box:
    """A box in screen pixels, from one in CSS pixels."""
    if scale == 1:
        return Box(x=x, y=y, width=width, height=height)
    width, height = max(1, round(width * scale)), max(1, round(height * scale))
    return Box(x=round(x * scale), y=round(y * scale), width=width, height=height)


class PageObserving:
    """Makes the observations of one browser; keeps the labels that were assigned, and where controls are."""

    def __init__(self, size: tuple[int, int], scale: float) -> None:
        """``size``: the viewport in CSS pixels."""
        self._labels = PageLabels()
        self._scale = scale
        self._whole = scaled(0, 0, *size, scale)
        self.places: dict[str, tuple[ControlPlace, Control]] = {}
        """The controls of the last observation with their places, by label."""

    def observation(self, tabs: Sequence[Tab], look: PageLook, notes: Sequence[str]) -> Observation:
        """The observation. ``tabs``: the open pages, the one in front first; ``look``: what was read of that one."""
        front = tabs[0] if tabs else None
        question = front.question if front is not None else None
        asked = _asked(front, question, self._whole) if front is not None and question is not None else []
        everything = [*asked, *look.controls]
        labels = self._labels.of([thing_of(place, control) for place, control in everything])
        labelled = [
            (place, control.model_copy(update={"label": label}))
            for (place, control), label in zip(everything, labels, strict=True)
        ]
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
            controls=tuple(control for _, control in labelled),
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


def thing_of(place: ControlPlace, control: Control) -> tuple[Thing, Kind, str, str]:
    """A control's identity across observations, its kind, its surroundings, and its mark."""
    frame, window = place.frame, control.window
    thing = (window, place.part, 0, 0) if frame is None else (window, frame.id, frame.world or 0, place.number)
    return thing, (window, control.role, control.name), control.owner, place.mark


def _dialog(tab: Tab, question: Question, whole: Box) -> Window:
    box = _dialog_box(whole)
    return Window(id=_DIALOGS + tab.number, title=question.title, app=APP, box=box, active=True, dialog=True)


def _dialog_box(whole: Box) -> Box:
    """The box of a dialog's window. Its size is made up, since the dialog is not drawn."""
    return Box(x=max(0, whole.width // 2 - _DIALOG_WIDTH // 2), y=0, width=_DIALOG_WIDTH, height=4 * _LINE)


def _asked(tab: Tab, question: Question, whole: Box) -> list[tuple[ControlPlace, Control]]:
    """The controls of a dialog's window."""
    box, window = _dialog_box(whole), _DIALOGS + tab.number
    found: list[tuple[ControlPlace, Control]] = []

    def add(part: str, role: str, name: str, line: int, value: str | None, *operations: ControlOperation) -> None:
        place = Box(x=box.x, y=box.y + line * _LINE, width=box.width, height=_LINE)
        states = ("focused",) if part == "field" else ()
        control = Control(
            label="", role=role, name=name, value=value, states=states, box=place, window=window, operations=operations
        )
        found.append((ControlPlace(tab.number, None, len(found) + 1, part), control))

    if question.field:
        add("field", "text field", question.field, 1, question.text, "click", "type")
    add("agree", "button", question.buttons[0], 2, None, "click")
    if question.buttons[1] is not None:
        add("decline", "button", question.buttons[1], 3, None, "click")
    return found
