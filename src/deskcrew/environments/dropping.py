"""Where something that is dragged is dropped."""

from __future__ import annotations

from deskcrew.observation import Box


def past(dragged: Box, target: Box, middle: tuple[float, float], scale: float = 1) -> tuple[float, float]:
    """Where to drop something on ``target``: in its ``middle`` or, if it has about the same size, like the entries of a
    list, a quarter of it further: it takes that entry's place only past its middle. ``scale``: screen pixels, the unit of
    boxes, per unit of ``middle``."""
    if not (0.5 < dragged.height / max(1, target.height) < 2 and 0.5 < dragged.width / max(1, target.width) < 2):
        return middle

    def on(apart: int, size: int) -> float:
        return 0 if abs(apart) < size / 2 else (size if apart > 0 else -size) / 4 / scale

    (x, y), (left, top) = target.centre, dragged.centre
    return middle[0] + on(x - left, target.width), middle[1] + on(y - top, target.height)
