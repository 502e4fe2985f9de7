"""Learns a subject: lessons are proposed, each is a run of its own on copies of files, and what was proven is kept
(F23, F24).

Composition root of ``deskcrew learn``. A lesson is a run like any other: guarded, journaled, and done only with
evidence. What it proves is remembered as in any run, and it becomes a skill if its steps work with other values too.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Unpack

import anyio.to_thread

from deskcrew.actions import readers
from deskcrew.engine import session
from deskcrew.engine.proposing import lessons_of, proposed_in
from deskcrew.engine.replay.live import LiveRequest
from deskcrew.engine.request import MemoryUse, RunRequest, own_skills
from deskcrew.engine.roles.recorded import recorded_crew
from deskcrew.engine.session import Beside
from deskcrew.engine.workshop.keeping import kept, kept_input, skill_files
from deskcrew.engine.workshop.trying import request_for, try_skill
from deskcrew.environments.linux.applications import check_there
from deskcrew.errors import ActionError, UsageError
from deskcrew.facts.events import DesktopKind, RoleReplied
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import list_in, object_in
from deskcrew.facts.verdict import OUTSIDE
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.learning.skills import folders
from deskcrew.learning.skills.course import Course, Lesson, TakenLesson, alike, course_file, lines_of, taken_in, write_down
from deskcrew.learning.skills.skill import LONGEST_DESCRIPTION, Skill
from deskcrew.learning.skills.trials import Trial, Trials
from deskcrew.settings import Limits, Settings

NOTHING_NEW = 4
"""Learning stops after this many lessons in a row without anything new."""
LONGEST = 600.0
"""The time limit of a lesson in seconds, if no other is set."""
LEAST = 5.0
"""The minimum number of seconds that must be left to start something."""
SAMPLES, LARGEST = 6, 2 << 20
"""The maximum number of sample files, and the maximum size of each in bytes."""
SURVEYED = 5000
"""The maximum number of a folder's files that are counted."""
GUIDE = 6000
"""How much of a guide a model is shown, in characters."""

Ended = Literal["budget", "nothing new", "no lessons", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Material:
    """What lessons are made from. ``words``: a description for the model that proposes them; ``samples``: the user's
    files, which are copied."""

    words: str = ""
    samples: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class LearningWish:
    """What to learn. ``budget``: seconds in total; ``limits``: the limits of each run."""

    subject: str
    budget: float
    material: Material = Material()
    model: str = "local"
    crew: str = "default"
    desktop: DesktopKind = "none"
    memory: MemoryUse = "on"
    limits: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class LearningSession:
    """A learning session and its results so far, in order; if it is stopped, what was learnt until then is kept.
    ``before``: lessons of earlier sessions about the same subject."""

    wish: LearningWish
    taken: list[TakenLesson] = field(default_factory=list[TakenLesson])
    before: tuple[TakenLesson, ...] = ()
    ended: Ended = "stopped"
    why: str = ""
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def left(self) -> float:
        """Seconds of the budget that are left."""
        return self.wish.budget - self.seconds

    @property
    def learnt(self) -> int:
        """The number of lessons with something new."""
        return sum(bool(each.learnt) for each in self.taken)


def material_of(folder: Path | None = None, guide: Path | None = None, program: str = "") -> Material:
    """What lessons can be made from: the kinds of files in a folder, with the newest of the most frequent kinds as samples;
    a guide's text; a program. Raises UsageError for a guide that cannot be read, a folder without such files, and a missing
    program."""
    lines, samples = list[str](), tuple[Path, ...]()
    if program:
        check_there(program)
        lines.append(f"The program: {program}")
    if folder is not None:
        if not folder.is_dir():
            raise UsageError(f"{folder} {'is not a folder' if folder.exists() else 'does not exist'}.")
        there = list(_files(folder))
        kinds = Counter(path.suffix.lower() or path.name for path in there)
        lines.append(
            f"Kinds of files the user has: {', '.join(f'{kind} ({count})' for kind, count in kinds.most_common(12))}"
        )
        samples = _samples(there, [kind for kind, _ in kinds.most_common()])
        if not samples:
            hint = f"Hidden files and links are left out, and those of more than {LARGEST >> 20} MiB."
            raise UsageError(f"{folder} contains no file that lessons could be made from.", hint=hint)
    if guide is not None:
        lines.append(f"From the guide {guide.name}:\n{guide_text(guide)}")
    return Material("\n".join(lines), samples)


def guide_text(guide: Path) -> str:
    """The part of a guide's text that a model is shown. Raises UsageError if it cannot be read, or has none."""
    try:
        text = shorten(readers.read(guide), GUIDE)
    except (ActionError, OSError) as error:
        raise UsageError(f"The guide {guide} cannot be read: {error}") from error
    if not text:
        raise UsageError(f"The guide {guide} has no text.", hint="Give another file.")
    return text


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder that are counted, without hidden ones. Links are not followed."""
    found = 0
    for place, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            path = Path(place, name)
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path
                found += 1
                if found == SURVEYED:
                    return


def _samples(files: Sequence[Path], kinds: Sequence[str]) -> tuple[Path, ...]:
    """The newest file of each kind, then the next newest, up to :data:`SAMPLES`; no two have the same name, because
    they are copied into one folder."""
    small = [path for path in files if path.stat().st_size <= LARGEST]
    small.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    by_kind = [[path for path in small if (path.suffix.lower() or path.name) == kind] for kind in kinds]
    chosen: dict[str, Path] = {}
    for rank in range(SAMPLES):
        for paths in by_kind:
            if rank < len(paths) and len(chosen) < SAMPLES:
                chosen.setdefault(paths[rank].name, paths[rank])
    return tuple(chosen.values())


async def learn(
    learning: LearningSession,
    settings: Settings,
    *,
    told: Callable[[str], None] = lambda _: None,
    **beside: Unpack[Beside],
) -> None:
    """Take lessons until the budget is used up, nothing new is learnt, or none are proposed. ``told`` receives progress
    messages. Cancelling ends the session; what was learnt is kept. Lessons that were cancelled, or had no model, are not
    counted.

    Raises what :func:`deskcrew.engine.session.run` raises before a run has begun.
    """
    file = course_file(settings.data, learning.wish.subject)
    learning.before = tuple(await anyio.to_thread.run_sync(taken_in, file))
    while True:
        if learning.left < LEAST:
            learning.ended = "budget"
            return
        told("Looking for lessons ...")
        lessons = await _proposed(learning, settings, beside)
        if not lessons:
            return
        for number, lesson in enumerate(lessons, len(learning.taken) + 1):
            if learning.left < LEAST:
                learning.ended = "budget"
                return
            told(f"Lesson {number} ({time_told(learning.left)} left): {lesson.task}")
            taken = await _take(lesson, learning, settings, beside)
            told(f"  {said_of(taken)}")
            if taken.reason in OUTSIDE:  # it says nothing of the lesson, which may be proposed again
                learning.ended, learning.why = "failed", taken.why
                return
            await anyio.to_thread.run_sync(write_down, file, taken)
            learning.taken.append(taken)
            if len(learning.taken) >= NOTHING_NEW and not any(each.learnt for each in learning.taken[-NOTHING_NEW:]):
                learning.ended, learning.why = "nothing new", f"the last {NOTHING_NEW} lessons taught nothing new"
                return


async def _proposed(learning: LearningSession, settings: Settings, beside: Beside) -> tuple[Lesson, ...]:
    """The next lessons, without those taken before; () if there are none, with the reason in the session."""
    wish = learning.wish
    known = [*learning.before, *learning.taken]
    course = Course(
        subject=wish.subject,
        material=wish.material.words,
        taken=lines_of(known),
    )
    request = RunRequest(
        task=f"Propose lessons about {wish.subject}", model=wish.model, crew=wish.crew, desktop="none", course=course,
        attachments=wish.material.samples, limits=_within(wish.limits, learning.left),
    )  # fmt: skip
    journal = await session.run(request, settings, **beside)
    outcome = journal.state.outcome
    if outcome is None or outcome.status != "done":
        out_of_time = outcome is not None and outcome.reason == "bound:seconds"
        learning.ended = "budget" if out_of_time else "failed"
        learning.why = outcome.why if outcome is not None else journal.state.interrupted
        return ()
    tasks = [each.lesson.task for each in known]
    lessons = tuple(each for each in lessons_of(proposed_in(journal)) if not alike(each.task, tasks))
    if not lessons:
        learning.ended, learning.why = "no lessons", "all proposed lessons had been taken before"
    return lessons


async def _take(lesson: Lesson, learning: LearningSession, settings: Settings, beside: Beside) -> TakenLesson:
    """Take one lesson, and keep what it taught."""
    wish, began = learning.wish, time.monotonic()
    by_name = {path.name: path for path in wish.material.samples}
    given = tuple(by_name[name] for name in lesson.files if name in by_name) or wish.material.samples
    request = RunRequest(
        task=lesson.task, model=wish.model, crew=wish.crew, desktop=wish.desktop, memory=wish.memory, attachments=given,
        limits=_within(wish.limits, learning.left), words_of="agent",
    )  # fmt: skip
    journal = await session.run(request, settings, **beside)
    outcome = journal.state.outcome
    assert outcome is not None
    skill, score, why = None, 0, outcome.why
    new = outcome.status == "done" and not _by_skill(journal)
    if new:
        try:
            skill, score = await _keep(lesson, journal, learning, settings)
            why = ""
        except UsageError as error:
            why = str(error)
    spent = journal.state.spent
    return TakenLesson(
        lesson=lesson,
        run=journal.run,
        outcome=outcome.status,
        reason=outcome.reason,
        learnt="skill" if skill is not None else "memory" if new and wish.memory == "on" else "",
        skill=skill.name if skill is not None else "",
        score=score,
        why=shorten(why, 300),
        calls=len(model_replies(journal.events)),
        tokens=None if spent.untold else spent.tokens,
        seconds=round(time.monotonic() - began, 1),
        at=round(learning.seconds, 1),
    )


async def _keep(lesson: Lesson, journal: Journal, learning: LearningSession, settings: Settings) -> tuple[Skill, int]:
    """Make a skill from a proven lesson, once it has worked with the other values that the lesson names, if any. Returns the
    skill and its score. Raises UsageError with the reason if it is not kept."""
    wish, place = learning.wish, folders.unused(own_skills(settings), lesson.name)
    method = kept(journal)
    said = " ".join(lesson.task.split())[:LONGEST_DESCRIPTION]
    files = skill_files(place.name, said, method)
    skill, trials = folders.parse(place.name, files, str(place)), Trials(settings.data)
    trials.add(skill.digest, Trial(run=journal.run, input=kept_input(journal, method), done=True))
    others = {each.value: each.other for each in lesson.others}
    values = {
        each.name: others[each.value] for each in method.parameters if others.get(each.value, each.value) != each.value
    }
    if values and learning.left >= LEAST:
        request = replace(
            request_for(skill, settings), attachments=wish.material.samples, limits=_within(wish.limits, learning.left)
        )
        ended = (await try_skill(skill, values, LiveRequest(request), settings)).live.journal.state.outcome
        if ended is None or ended.status != "done":
            why = ended.why if ended is not None else "it did not end"
            raise UsageError(f"As a skill it did not work with other values: {why}")
    folders.write(place, files)
    return skill, trials.score(skill.digest)


def _by_skill(journal: Journal) -> bool:
    """Whether the run used a skill, so that it taught nothing new."""
    if not model_replies(journal.events):
        return True  # the task was a skill's own, so that no model was asked
    skills = {skill.action for skill in recorded_crew(journal).skills}
    replies = [object_in(event.body.reply) for event in journal.events if isinstance(event.body, RoleReplied)]
    operations = (object_in(each) for reply in replies for each in list_in(reply.get("operations")))
    return any(each.get("function") in skills for each in operations)


def _within(limits: Limits, left: float) -> Limits:
    """The limits of a run for which ``left`` seconds remain."""
    return limits.model_copy(update={"seconds": max(1.0, min(limits.seconds or LONGEST, left))})


def said_of(taken: TakenLesson) -> str:
    """The result of a lesson, for a person."""
    if taken.learnt == "skill":
        return f"learnt: skill {taken.skill}, score {taken.score} of 10 [{taken.run}]"
    if taken.learnt == "memory":
        return f"learnt: remembered{f'; no skill: {taken.why}' if taken.why else ''} [{taken.run}]"
    if taken.reason == "bound:seconds":
        return f"nothing new: the time was up [{taken.run}]"
    known = "known already" if taken.outcome == "done" else taken.outcome
    return f"nothing new: {known}{f': {taken.why}' if taken.why else ''} [{taken.run}]"


def time_told(seconds: float) -> str:
    """A duration in minutes and seconds, for a person."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
