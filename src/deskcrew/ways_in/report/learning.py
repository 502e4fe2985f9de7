"""The result of a learning session, in words and as a self-contained page with its learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from deskcrew.errors import UsageError
from deskcrew.learning.skills.course import TakenLesson
from deskcrew.ways_in.report.text import counted

WIDTH, HEIGHT = 860, 220
"""Size of the curve, in the units of its drawing."""
BARS = "▁▂▃▄▅▆▇█"
_PAGES = jinja2.Environment(
    loader=jinja2.PackageLoader("deskcrew.ways_in.report", "."),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True, slots=True)
class LearnedPoint:
    """A point of the curve. ``learnt``: how much was learnt up to this lesson; ``x``, ``y``: its place in the drawing."""

    taken: TakenLesson
    learnt: int
    x: float
    y: float


def curve(lessons: Sequence[TakenLesson]) -> list[LearnedPoint]:
    """The learning curve over the time of a session: one point per lesson."""
    end, most = max((each.at for each in lessons), default=0.0) or 1.0, sum(bool(each.learnt) for each in lessons) or 1
    points, learnt = list[LearnedPoint](), 0
    for each in lessons:
        learnt += bool(each.learnt)
        points.append(LearnedPoint(each, learnt, round(WIDTH * each.at / end, 1), round(HEIGHT * (1 - learnt / most), 1)))
    return points


def summary(lessons: Sequence[TakenLesson], *, seconds: float, why: str) -> str:
    """The session in two lines: what was learnt, and how that grew from lesson to lesson. ``why``: the reason why the
    session ended, a sentence."""
    skills = sum(each.learnt == "skill" for each in lessons)
    remembered = sum(each.learnt == "memory" for each in lessons)
    minutes = f"{seconds / 60:.1f} min"
    learnt = f"{counted(skills, 'new skill')}, {remembered} remembered without one"
    said = f"{counted(len(lessons), 'lesson')} in {minutes}: {learnt}. {why}"
    heights = [point.learnt for point in curve(lessons)]
    most = max(heights, default=0)
    drawn = "".join(BARS[(len(BARS) - 1) * height // most] if most else BARS[0] for height in heights)
    return f"{said}\nLearning curve: {drawn} {most}" if lessons else said


def write_page(path: Path, subject: str, lessons: Sequence[TakenLesson], *, seconds: float, why: str) -> None:
    """Write the report to ``path``. Raises UsageError if it cannot be written."""
    points = curve(lessons)
    steps = "".join(f" H {point.x} V {point.y}" for point in points)
    page = _PAGES.get_template("learning.html").render(
        subject=subject,
        said=summary(lessons, seconds=seconds, why=why).partition("\n")[0],
        points=points,
        steps=f"M 0 {HEIGHT}{steps}",
        width=WIDTH,
        height=HEIGHT,
        end=max((each.at for each in lessons), default=0.0),
    )
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
