"""Proposes the next lessons of a course: a run of its own, in which nothing else is done (F23)."""

from __future__ import annotations

from typing import Any, cast

from deskcrew.errors import PlanError
from deskcrew.roles.role_kinds import Now
from deskcrew.run import Run
from deskcrew.skills.course import COURSE, Course, Lesson, alike
from deskcrew.steps.ending import delivered


async def teach(run: Run) -> None:
    """Ask the teacher for lessons. They stand in its reply; :func:`lessons_of` reads them."""
    if run.seen is None:
        await run.look()
    started = run.journal.state.started
    assert started is not None
    course = Course.model_validate(started.settings[COURSE])
    files = tuple(each.path for each in run.now.files if each.kind == "file")

    def possible(reply: dict[str, Any]) -> None:
        names, tasks = list[str](), list[str]()
        for lesson in lessons_of(reply):
            if lesson.name in names or alike(lesson.task, tasks):
                raise PlanError(f"lessons: {lesson.name} is there twice; propose something else.")
            names.append(lesson.name)
            tasks.append(lesson.task)

    role = run.crew.roles[run.crew.teacher]
    sight = run.sight(role, subject=course.subject, material=course.material, taken="\n".join(course.taken))
    reply = await run.asker.ask(role, Now(files=files), sight, check=possible)
    if reply is not None:
        delivered(run, f"{len(lessons_of(reply))} lessons were proposed")


def lessons_of(reply: dict[str, Any]) -> tuple[Lesson, ...]:
    """The lessons that a teacher's reply proposes."""
    return tuple(Lesson.model_validate(each) for each in cast("list[dict[str, Any]]", reply["lessons"]))
