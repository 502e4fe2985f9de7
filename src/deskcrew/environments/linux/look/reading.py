"""Windows without accessibility: as a fallback their text is read from their pixels by OCR, and becomes controls.

Reading takes about half a second, plus a tenth of a second for each line, so it is done only if there is no other way, and
only if a window has changed since it was last read. The text may have been misread, and whether it reacts to a click is
unknown: the crew can click it, and the next observation shows the effect.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PIL import Image

from deskcrew.environments import ocr
from deskcrew.environments.labels import Labels
from deskcrew.environments.linux.look.controls import reachable
from deskcrew.environments.linux.screen.display import DesktopDisplay
from deskcrew.environments.linux.screen.x11 import Screenful, XWindow
from deskcrew.environments.linux.tree.programs import BusProgram
from deskcrew.environments.linux.tree.sight import best_window, layers_above
from deskcrew.environments.names import LONGEST_NAME, shorten
from deskcrew.facts.observation import Box, Control

OLD_ENOUGH = 1.0
"""Seconds that a window must have existed: programs join the accessibility bus a moment after they appear."""
SECONDS = 10.0
"""Seconds after which no more lines of a window are read."""
SMALLEST = 6
"""Pixels by which a line must overlap a part of a window to belong to it."""
MOST = 150
"""The maximum number of a window's lines that are reported."""
GREY = (128, 128, 128)
MISSING = f"A window reports nothing of its content. Its text could be read from the picture: {ocr.INSTALL}"


class WindowText(NamedTuple):
    """The text read from a window, with places relative to the window's corner, and the pixels that it was read from."""

    pixels: bytes
    lines: list[ocr.SeenText]


class WindowReading:
    """Reads the windows of one desktop, and caches the result for each."""

    def __init__(self, display: DesktopDisplay) -> None:
        self._display = display
        self._first_seen: dict[int, float] = {}
        self._read: dict[int, WindowText] = {}
        self.waiting = False
        """Whether a window was too new to be read."""

    def silent(self, programs: Iterable[BusProgram], screenful: Screenful, told: set[int]) -> list[XWindow]:
        """The windows that report nothing, and will not. ``told``: windows that have reported something."""
        now = time.monotonic()
        there = {window.id for window in screenful.windows}
        self._first_seen = {number: self._first_seen.get(number, now) for number in there}
        self._read = {number: read for number, read in self._read.items() if number in there}
        known = told | {window.id for window in windows_with_trees(programs, screenful)}
        silent = [window for window in screenful.windows if window.id not in known]
        dumb = {window.pid for window in silent if window.id in self._read} - {None}
        ready = [one for one in silent if one.pid in dumb or now - self._first_seen[one.id] >= OLD_ENOUGH]
        self.waiting = len(ready) < len(silent)
        return ready

    def controls(self, windows: Sequence[XWindow], screenful: Screenful, labels: Labels) -> list[Control]:
        """The lines of text in ``windows``, each as a control; empty without the extra ``ocr``. Blocking."""
        if not windows or not ocr.available():
            return []
        picture = self._display.picture()
        return [
            control
            for window in windows
            for control in made(window, screenful, self._lines(window, screenful, picture), labels)
        ]

    def _lines(self, window: XWindow, screenful: Screenful, picture: Image.Image) -> list[ocr.SeenText]:
        crop = cut(window, screenful, picture)
        if crop is None:
            return []
        pixels = hashlib.blake2b(crop.tobytes(), salt=crop.width.to_bytes(16, "big")).digest()
        known = self._read.get(window.id)
        if known is None or known.pixels != pixels:
            parts = [box for part in self._display.parts(window.id) if (box := within(part, window, crop)) is not None]
            lines = [one for line in ocr.read_text(crop, seconds=SECONDS) for one in divided(line, parts, crop)]
            known = self._read[window.id] = WindowText(pixels, once(lines))
        return known.lines


def windows_with_trees(programs: Iterable[BusProgram], screenful: Screenful) -> list[XWindow]:
    """The windows that a program reports, or would report if it answered."""
    found: list[XWindow] = []
    for program in programs:
        free = [window for window in screenful.windows if window.pid == program.pid]
        if not program.responding:
            found += free
            continue
        for root in program.tree.roots:
            window = best_window(root, free)
            if window is not None and root.children:
                free.remove(window)
                found.append(window)
    return found


def visible(window: XWindow, picture: Image.Image) -> Box | None:
    """The part of a window that is on the screen."""
    return window.box.intersection(Box(x=0, y=0, width=picture.width, height=picture.height))


def cut(window: XWindow, screenful: Screenful, picture: Image.Image) -> Image.Image | None:
    """The picture of a window, grey where another one covers it; None if nothing of it is on the screen."""
    box = visible(window, picture)
    if box is None:
        return None
    crop = picture.crop((box.x, box.y, box.x + box.width, box.y + box.height))
    for layer in layers_above(window, screenful):
        over = layer.box.intersection(box)
        if over is not None:
            left, top = over.x - box.x, over.y - box.y
            crop.paste(GREY, (left, top, left + over.width, top + over.height))
    return crop


def within(part: Box, window: XWindow, crop: Image.Image) -> ocr.Box | None:
    """A part of a window in coordinates of the window's picture; None if it is outside that."""
    left, top = part.x - max(0, window.box.x), part.y - max(0, window.box.y)
    right, bottom = min(left + part.width, crop.width), min(top + part.height, crop.height)
    return (max(0, left), max(0, top), right, bottom) if right > max(0, left) and bottom > max(0, top) else None


def divided(line: ocr.SeenText, parts: Sequence[ocr.Box], crop: Image.Image) -> list[ocr.SeenText]:
    """The line or, if it crosses several innermost parts of the window, the text of each: buttons side by side look like one
    sentence."""
    left, top, right, bottom = line.box
    middle = (top + bottom) // 2
    across = {part for part in parts if part[1] <= middle < part[3] and min(right, part[2]) - max(left, part[0]) >= SMALLEST}
    across -= {outer for outer in across for part in across if part != outer and _holds(outer, part)}
    if len(across) < 2:
        return [line]
    found: list[ocr.SeenText] = []
    for part in sorted(across):
        x, y = part[:2]
        for one in ocr.read_text(crop.crop(part), seconds=SECONDS):
            if top <= y + (one.box[1] + one.box[3]) // 2 < bottom:  # other rows are lines of their own
                found.append(one._replace(box=(x + one.box[0], y + one.box[1], x + one.box[2], y + one.box[3])))
    return found or [line]


def once(lines: Iterable[ocr.SeenText]) -> list[ocr.SeenText]:
    """The lines without duplicates read in one place: parts of a window overlap, and two lines may cross the same part."""
    kept: list[ocr.SeenText] = []
    for line in lines:
        x, y = (line.box[0] + line.box[2]) // 2, (line.box[1] + line.box[3]) // 2
        at = (one for one in kept if one.box[0] <= x < one.box[2] and one.box[1] <= y < one.box[3])
        if not any(same_words(one.text, line.text) for one in at):
            kept.append(line)
    return kept


def _holds(outer: ocr.Box, part: ocr.Box) -> bool:
    return outer[0] <= part[0] and outer[1] <= part[1] and part[2] <= outer[2] and part[3] <= outer[3]


def same_words(text: str, other: str) -> bool:
    """Whether two readings differ at most in punctuation and blanks, which are misread differently over a moving picture."""
    return _letters(text) == _letters(other)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)) or text


def made(window: XWindow, screenful: Screenful, lines: Iterable[ocr.SeenText], labels: Labels) -> list[Control]:
    """Lines as controls. The same words keep their label wherever they move to."""
    left, top = max(0, window.box.x), max(0, window.box.y)
    above = tuple(layers_above(window, screenful))
    times: Counter[str] = Counter()
    found: list[Control] = []
    for line in lines:
        if not line.text or len(found) == MOST:
            continue
        x, y, right, bottom = line.box
        box = Box(x=left + x, y=top + y, width=max(1, right - x), height=max(1, bottom - y))
        letters = _letters(line.text)
        times[letters] += 1
        if reachable(box, above, False):
            label = labels.label(("read", str(window.id), letters, str(times[letters])))
            name = shorten(line.text, LONGEST_NAME)
            found.append(Control(label=label, role=ocr.ROLE, name=name, box=box, window=window.id, operations=("click",)))
    return found
