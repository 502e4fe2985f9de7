"""Addresses in presentations: slides with title, text, notes, tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from deskcrew.actions.documents import shape_lines
from deskcrew.actions.sections import unpackable
from deskcrew.evidence.places.tables import grid
from deskcrew.evidence.places.texts import MOST_PART
from deskcrew.evidence.places.tree import Leaf, Many, PlaceNode, bounded, lines

_PICTURE = 13
"""PowerPoint's shape type for pictures."""


def presentation(content: bytes) -> PlaceNode:
    """The root node of a .pptx. Raises what its parser raises."""
    import pptx

    shown: Any = pptx.Presentation(unpackable(content, part=MOST_PART))
    slides = bounded(iter(shown.slides), "slides")
    return PlaceNode(
        "the presentation",
        {
            "slides": lambda: len(slides),
            "titles": lambda: lines([_title(slide) for slide in slides]),
            "slide": lambda: Many("slide", slides, _slide, _title, begins=True),
        },
    )


def _title(slide: Any) -> str:
    title = slide.shapes.title
    return title.text_frame.text if title is not None else ""


def _slide(slide: Any) -> PlaceNode:
    shapes = bounded(shapes_of(slide.shapes), "shapes")
    tables = [shape.table for shape in shapes if getattr(shape, "has_table", False)]
    charts = [shape.chart for shape in shapes if getattr(shape, "has_chart", False)]
    names: dict[str, Callable[[], PlaceNode | Many | Leaf]] = {
        "title": lambda: _title(slide),
        "text": lambda: "\n".join(shape_lines(slide.shapes)),
        "notes": lambda: _notes(slide),
        "layout": lambda: slide.slide_layout.name,
        "pictures": lambda: sum(1 for shape in shapes if shape.shape_type == _PICTURE),
        "charts": lambda: len(charts),
        "tables": lambda: len(tables),
        "table": lambda: Many("table", tables, lambda table: grid("the table", _rows(table))),
    }
    return PlaceNode("a slide", names)


def shapes_of(shapes: Iterable[Any]) -> Iterator[Any]:
    """The shapes, including those in groups."""
    for shape in shapes:
        yield shape
        if hasattr(shape, "shapes"):
            yield from shapes_of(shape.shapes)


def _rows(table: Any) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows]


def _notes(slide: Any) -> str:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    return frame.text if frame is not None else ""
