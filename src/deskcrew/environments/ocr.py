"""Reads the text in pictures with RapidOCR, whose models are files of its package: nothing is downloaded and nothing is
sent.

Pictures may come from anywhere, so the work is limited: by pixels, by lines of text, and by time between batches of lines.
Results are cached by pixels, for pictures and single lines: the same part of a screen is often read again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from deskcrew.errors import ActionError, extra_installed

INSTALL = extra_installed("ocr")
ROLE = "text"
"""Role of a control that is a line read from a window's picture; no program reports this role."""
MAX_PIXELS = 40_000_000
"""The maximum number of pixels of a picture; a page scanned at 600 dots per inch has 35 million."""
MAX_LINES = 500
"""The maximum number of lines read; a full page of small print has about 120."""
SECONDS = 30.0
"""After this no further batch of lines is started; a batch of whole lines of print takes about a second on two cores."""
_BATCH = 6
_WIDEST = 60
"""The maximum ratio of a line's width to its height: memory grows with it."""
_SMALLEST = 8
"""The height in pixels below which no letter is readable."""
_SURE = 0.5
"""The certainty below which a result is more likely noise."""
NOISE = ("", -1.0)
"""The result for a line without text."""
_KEPT, _KEPT_LINES = 256, 2000

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels of the picture."""


class SeenText(NamedTuple):
    """A line of text in a picture. ``text`` is '' (and ``score`` 0) if a line was found and there was no time to read it;
    ``score`` is the certainty, 0 to 1."""

    text: str
    box: Box
    score: float


def available() -> bool:
    """Whether the libraries of the extra ``ocr`` are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


def read_text(
    image: Image.Image, *, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
) -> list[SeenText]:
    """The lines of text in a picture, from the top. Blocks for a tenth to a quarter of a second a line.

    Raises ActionError without the extra ``ocr`` and for a picture that is too large.
    """
    if not available():
        raise ActionError("Reading the text in pictures is not installed here.")
    if image.width * image.height > MAX_PIXELS:
        size = f"{image.width} x {image.height}"
        raise ActionError(f"The picture is too large to be read: {size} pixels; at most {MAX_PIXELS // 1_000_000} million.")
    if min(image.size) < _SMALLEST or max(image.size) > 100 * min(image.size):
        return []
    return _engine().read(_opaque(image), seconds, clock)


def in_rows(lines: Iterable[SeenText]) -> list[str]:
    """The texts row by row; texts side by side are separated by two spaces."""
    rows: list[list[SeenText]] = []
    for line in sorted((line for line in lines if line.text), key=lambda seen: seen.box[1] + seen.box[3]):
        middle = (line.box[1] + line.box[3]) / 2
        if rows and middle < min(seen.box[3] for seen in rows[-1]):
            rows[-1].append(line)
        else:
            rows.append([line])
    return ["  ".join(seen.text for seen in sorted(row, key=lambda seen: seen.box[0])) for row in rows]


def _opaque(image: Image.Image) -> Image.Image:
    """The picture as a person sees it, with transparent parts in white."""
    if image.mode == "RGB":
        return image
    if not image.has_transparency_data:
        return image.convert("RGB")
    layers = image.convert("RGBA")
    white = Image.new("RGBA", layers.size, "white")
    return Image.alpha_composite(white, layers).convert("RGB")


class _Engine:
    """The loaded models and what they have read. One picture at a time: the models take all cores anyway."""

    def __init__(self) -> None:
        os.environ["ORT_DISABLE_TELEMETRY"] = (
            "1"  # it is on otherwise, and makes itself an id in the user's home when imported
        )
        import rapidocr

        models = Path(str(rapidocr.__file__)).parent / "models"
        # With a path given, a missing model is an error; without one it would be fetched.
        self._rapid: Any = rapidocr.RapidOCR(
            params={
                "Global.use_cls": False,
                "Global.log_level": "critical",
                "Det.limit_type": "max",
                "Det.limit_side_len": 960,
                "Det.max_candidates": MAX_LINES,
                "Det.model_path": str(models / "PP-OCRv6_det_small.onnx"),
                "Rec.model_path": str(models / "PP-OCRv6_rec_small.onnx"),
            }
        )
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, list[SeenText]] = OrderedDict()
        self._kept_lines: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def read(self, image: Image.Image, seconds: float, clock: Callable[[], float]) -> list[SeenText]:
        pixels = image.tobytes()
        key = hashlib.blake2b(pixels, salt=image.width.to_bytes(16, "big")).digest()
        with self._lock:
            known = self._kept.get(key)
            if known is None:
                known = self._look(image, clock() + seconds, clock)
                if all(line.text for line in known):
                    self._kept[key] = known
            else:
                self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return list(known)

    def _look(self, image: Image.Image, until: float, clock: Callable[[], float]) -> list[SeenText]:
        import numpy
        from rapidocr.main import RapidOCRError
        from rapidocr.utils.process_img import map_boxes_to_original

        backwards = numpy.ascontiguousarray(numpy.asarray(image)[:, :, ::-1])  # blue first, as OpenCV has it
        scaled, record = self._rapid.preprocess_img(backwards)
        try:
            crops, found = self._rapid.detect_and_crop(scaled, record)
        except RapidOCRError:
            return []  # no text
        places: Any = map_boxes_to_original(found.boxes, record, image.height, image.width)
        boxes = [_box(place) for place in places][:MAX_LINES]
        keys = [_ink(backwards, box) for box in boxes]
        read = {number: self._kept_lines[keys[number]] for number in range(len(boxes)) if keys[number] in self._kept_lines}
        # Lines of like width together: the widest of a batch sets what all of it costs.
        able = [
            number
            for number in range(len(boxes))
            if number not in read and crops[number].shape[1] <= _WIDEST * crops[number].shape[0]
        ]
        able.sort(key=lambda number: crops[number].shape[1] / crops[number].shape[0])
        for start in range(0, len(able), _BATCH):
            batch = able[start : start + _BATCH]
            if clock() >= until:
                read |= dict.fromkeys(able[start:], ("", 0.0))
                break
            told = self._rapid.recognize_txt([crops[number] for number in batch])
            for number, text, score in zip(batch, told.txts, told.scores, strict=True):
                sure = bool(text.strip()) and score >= _SURE
                read[number] = self._kept_lines[keys[number]] = (text.strip(), float(score)) if sure else NOISE
        while len(self._kept_lines) > _KEPT_LINES:
            self._kept_lines.popitem(last=False)
        return [SeenText(read[at][0], box, read[at][1]) for at, box in enumerate(boxes) if read.get(at, NOISE) != NOISE]


def _ink(pixels: Any, box: Box) -> bytes:
    """A hash of the ink in a box without its margins: each detection finds a line's start a pixel or two elsewhere."""
    left, top, right, bottom = box
    part = pixels[max(0, top) : bottom, max(0, left) : right]
    drawn = (part != part[:1, :1]).any(axis=2)
    rows, columns = drawn.any(axis=1).nonzero()[0], drawn.any(axis=0).nonzero()[0]
    if len(rows):
        part = part[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return hashlib.blake2b(part.tobytes(), salt=part.shape[1].to_bytes(16, "big")).digest()


def _box(corners: Any) -> Box:
    across, down = [float(corner[0]) for corner in corners], [float(corner[1]) for corner in corners]
    return (int(min(across)), int(min(down)), round(max(across)), round(max(down)))


@lru_cache(maxsize=1)
def _engine() -> _Engine:
    """The engine, loaded once: that takes a second, and 200 MB or more."""
    return _Engine()
