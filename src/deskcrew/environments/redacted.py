"""Redacts observations of a run with secrets: texts without values, pictures with black in place of values.

A picture shows more than a tree of controls reports. So whatever is uncertain is blackened too: a filled control until its
content is read as something else, a control with more text than was read, and a window in which nothing can be read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from PIL import Image, ImageDraw

from deskcrew.environments import ocr
from deskcrew.environments.names import is_short
from deskcrew.facts.observation import Box, Control, Observation, Window
from deskcrew.secrets.vault import Vault

TITLE_BAR = 48
"""The height in pixels above a window's content that may be its title bar; more than any window manager uses."""
MARGIN = 3
"""Pixels around a box: accessible boxes exclude borders, and sometimes the last pixels of text."""
Boxes = dict[int, list[Box]]
"""Boxes by the number of their window."""
NOWHERE = -1
"""The number for boxes that are in no window."""


class Veil:
    """Redacts one desk. Without secrets it changes nothing."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._covered: dict[int, tuple[Box, list[Box]]] = {}
        """By window: where it was, and what was covered in it at the last observation."""

    def __bool__(self) -> bool:
        return bool(self._vault)

    def over(self, seen: Observation, *more: Observation) -> Observation:
        """``seen`` without values. ``more``: observations of the same screen just before or after its picture was taken,
        since the screen may change while it is read."""
        if not self._vault:
            return seen
        seen, more = without_lines(seen), tuple(without_lines(look) for look in more)
        for control in seen.controls:
            self._follow(control)
        clean = self._vault.redactor.model(seen)
        if seen.screenshot is None:
            return clean
        boxes: Boxes = {}
        for look in (seen, *more):
            for number, found in self._boxes(look).items():
                boxes.setdefault(number, []).extend(found)
        return clean.model_copy(update={"screenshot": blackened(seen.screenshot, seen.windows, boxes)})

    def beside(self, seen: Observation) -> Observation:
        """An observation of another screen, without values; changes of its controls are not followed."""
        return self._vault.redactor.model(without_lines(seen)) if self._vault else seen

    def _follow(self, control: Control) -> None:
        """Uncover a filled control once something else is read in it. A control that cannot be read stays covered."""
        filled, key = self._vault.filled, (control.window, control.label)
        if key not in filled or not control.value or control.role == "password field":
            return
        if filled[key] is None:
            filled[key] = control.value
        elif filled[key] != control.value and not is_short(control.value):
            del filled[key]

    def _boxes(self, seen: Observation) -> Boxes:
        """The boxes to cover, by window."""
        holds = self._vault.redactor.holds
        found: Boxes = {}
        readable = {control.window for control in seen.controls}
        for control in seen.controls:
            covered = (control.window, control.label) in self._vault.filled or is_short(control.value or "")
            # One call for all of its texts; what separates them is in no value.
            if covered or holds("\0".join((control.name, control.value or "", control.owner, *control.options))):
                found.setdefault(control.window, []).append(control.box)
        for text, box in seen.places:
            if holds(text):
                owner = next((window.id for window in seen.windows if window.box.contains(*box.centre)), NOWHERE)
                found.setdefault(owner, []).append(box)
        for window in seen.windows:
            box = window.box
            if window.id not in readable and not any(box.intersection(place) for _, place in seen.places):
                found.setdefault(window.id, []).append(box)
            if holds(window.title):
                title = Box(x=box.x, y=box.y - TITLE_BAR, width=box.width, height=TITLE_BAR)
                found.setdefault(window.id, []).append(title)
            found.setdefault(window.id, []).extend(self._hidden(window, found.get(window.id, []), seen))
        return found

    def _hidden(self, window: Window, boxes: list[Box], seen: Observation) -> list[Box]:
        """The boxes covered earlier that are no longer in the tree because something lies on most of them: the rest may
        still be visible. Forgotten when the window moves, or something else is read in their place."""
        place, before = self._covered.get(window.id, (window.box, []))
        there = [control.box for control in seen.controls if control.window == window.id] + [box for _, box in seen.places]
        kept = [box for box in before if place == window.box and not any(box.intersection(other) for other in there)]
        self._covered[window.id] = (window.box, [*boxes, *kept])
        return kept


def without_lines(seen: Observation) -> Observation:
    """An observation without text read from pixels: a value with one letter misread would not be recognized."""
    controls = tuple(control for control in seen.controls if control.role != ocr.ROLE)
    return seen if len(controls) == len(seen.controls) else seen.model_copy(update={"controls": controls})


def blackened(picture: bytes, windows: Sequence[Window], boxes: Boxes) -> bytes:
    """A PNG with black in place of ``boxes``, except where a window above shows something else; the same bytes if there are
    none. ``windows``: topmost first."""
    if not any(boxes.values()):
        return picture
    with Image.open(io.BytesIO(picture)) as source:
        original = source.convert("RGB")
    image = original.copy()
    draw = ImageDraw.Draw(image)
    for window in reversed(windows):
        x, y = max(0, window.box.x), max(0, window.box.y)
        area = (x, y, window.box.x + window.box.width, window.box.y + window.box.height)
        if area[2] > x and area[3] > y:
            image.paste(original.crop(area), area[:2])
        _paint(draw, boxes.get(window.id, ()))
    for number in boxes.keys() - {window.id for window in windows}:
        _paint(draw, boxes[number])
    target = io.BytesIO()
    image.save(target, "PNG", compress_level=1)
    return target.getvalue()


def _paint(draw: ImageDraw.ImageDraw, boxes: Iterable[Box]) -> None:
    for box in boxes:
        right, bottom = box.x + box.width - 1, box.y + box.height - 1
        draw.rectangle((box.x - MARGIN, box.y - MARGIN, right + MARGIN, bottom + MARGIN), fill=(0, 0, 0))
