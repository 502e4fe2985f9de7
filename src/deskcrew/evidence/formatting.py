"""Differences in the formatting of a document or presentation, which its text does not show: for a model that checks it by
code. For workbooks see :mod:`deskcrew.evidence.workbooks`."""

from __future__ import annotations

import difflib
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from deskcrew.actions.readers import damage_told
from deskcrew.evidence.places import slides, texts
from deskcrew.facts.excerpts import shorten

QUOTED = 60
"""Maximum characters quoted of a text."""
MOST_LINES = 4000
Look = tuple[tuple[str, str], ...]
"""Names of attributes, with their values."""


@dataclass(frozen=True, slots=True)
class FormattedLine:
    """A paragraph, or a shape on a slide. ``spans``: its text in pieces of uniform look."""

    where: str
    look: Look
    spans: tuple[tuple[str, Look], ...] = ()

    def told(self, usual: Mapping[str, str]) -> str:
        """The line and its formatting in words, without attributes that have their ``usual`` value; '' if none is left."""

        def said(look: Look) -> str:
            return ", ".join(f"{name} {value}" for name, value in look if value and usual.get(name) != value)

        spans = [(shorten(text.strip(), QUOTED), said(look)) for text, look in self.spans if text.strip()]
        alike = len({look for _, look in spans}) == 1
        parts = [said(self.look), spans[0][1] if alike else "; ".join(f'"{text}" {look}' for text, look in spans if look)]
        told = ", ".join(filter(None, parts)) if spans else said(self.look)
        quoted = f' "{shorten("".join(text for text, _ in self.spans).strip(), QUOTED)}"' if spans else ""
        return f"{self.where}{quoted}: {told}".strip() if told else ""


def differences(path: Path, before: bytes, now: bytes) -> str:
    """What differs in the formatting: lines with - were there before, lines with + are there now. For a new file
    (``before``: b''), what is formatted differently from most of it. '' for a kind of file without formatting. Raises
    ActionError if a version cannot be read."""
    if (lines_of := _KINDS.get(path.suffix.lower())) is None:
        return ""
    with damage_told(path):
        old, new = ([] if not content else list(lines_of(content)) for content in (before, now))
    if max(len(old), len(new)) > MOST_LINES:
        return ""
    usual = _usual(old or new)
    was, is_ = (list(filter(None, (line.told(usual) for line in lines))) for lines in (old, new))
    differing = list(difflib.unified_diff(was, is_, lineterm="", n=0))[2:]
    told = [line for line in differing if not line.startswith("@@")]
    most = ", ".join(f"{name} {value}" for name, value in usual.items())
    return "\n".join([*([f"(most is {most})"] if most else []), *told]) if told else ""


def _usual(lines: Sequence[FormattedLine]) -> dict[str, str]:
    """The most common value of each attribute, by length of text."""
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        for text, look in ("".join(text for text, _ in line.spans), line.look), *line.spans:
            for name, value in look:
                counts.setdefault(name, Counter())[value] += len(text)
    return {name: value for name, found in counts.items() for value, size in found.most_common(1) if size and value}


def _document(parse: Callable[[bytes], texts.WrittenText]) -> Callable[[bytes], Iterator[FormattedLine]]:
    def lines(content: bytes) -> Iterator[FormattedLine]:
        for paragraph in parse(content).everywhere:
            if paragraph.text.strip():
                looks = (
                    (span.text, tuple((name, _said(span.look(name))) for name in texts.LOOKS)) for span in paragraph.spans()
                )
                joined = (("".join(text for text, _ in group), look) for look, group in groupby(looks, lambda one: one[1]))
                yield FormattedLine("", (("style", paragraph.style()), ("align", paragraph.align())), tuple(joined))

    return lines


def _said(value: object) -> str:
    return "yes" if value is True else "" if value in (None, False) else str(value)


def _slides(content: bytes) -> Iterator[FormattedLine]:
    from pptx import Presentation

    shown: Any = Presentation(io.BytesIO(content))
    for number, slide in enumerate(shown.slides, start=1):
        for shape in slides.shapes_of(slide.shapes):
            sides = [f"{(getattr(shape, side) or 0) / 360_000:.1f}" for side in ("left", "top", "width", "height")]
            where = f"slide {number}, {shape.name}"
            yield FormattedLine(where, (("at", " x ".join(sides[:2]) + " cm"), ("size", " x ".join(sides[2:]) + " cm")))
            for paragraph in shape.text_frame.paragraphs if shape.has_text_frame else ():
                spans = tuple((run.text, _font(run.font)) for run in paragraph.runs)
                yield FormattedLine(where, (("align", _said(paragraph.alignment)), ("level", _said(paragraph.level))), spans)


def _font(font: Any) -> Look:
    """The font attributes that a run itself specifies; the layout determines the rest."""
    colour = font.color.rgb if font.color is not None and font.color.type == 1 else None
    size = font.size.pt if font.size is not None else None
    found = ("bold", font.bold), ("italic", font.italic), ("underline", font.underline), ("font", font.name)
    return tuple((name, _said(value)) for name, value in (*found, ("size", size), ("colour", colour and f"#{colour}")))


_KINDS: dict[str, Callable[[bytes], Iterator[FormattedLine]]] = {
    ".docx": _document(texts.written_word), ".docm": _document(texts.written_word),
    ".odt": _document(texts.written_opendocument), ".pptx": _slides,
}  # fmt: skip
