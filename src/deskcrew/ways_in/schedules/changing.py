"""A person's changes to the list of schedules, from any interface: add a schedule, switch it off and on."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Literal

from deskcrew.engine.request import RunRequest, asking_what_is_meant, prepare, usable_skill
from deskcrew.engine.steps.understanding import reading_in
from deskcrew.engine.workshop.fitting import GivenFiles, misfit
from deskcrew.engine.workshop.trying import chosen, request_for
from deskcrew.errors import UsageError
from deskcrew.facts.events import ConfirmedReading
from deskcrew.facts.json_values import JsonObject
from deskcrew.journal.store import Store
from deskcrew.learning.repeating.values import Replacing, Value
from deskcrew.models.factory import check_there
from deskcrew.models.options import ModelOptions
from deskcrew.secrets.store import check_known
from deskcrew.settings import Settings
from deskcrew.ways_in.running.messages import Start, Try
from deskcrew.ways_in.schedules.arrivals import fitting, pattern_of
from deskcrew.ways_in.schedules.schedule import Schedule, Schedules
from deskcrew.ways_in.schedules.times import times


def set_up(
    settings: Settings,
    request: RunRequest,
    *,
    when: str = "",
    files: str = "",
    missed: Literal["once", "skip"] = "once",
    secrets: tuple[str, ...] = (),
) -> Schedule:
    """Add a schedule for a task, at the times ``when`` or for new ``files``, with the roles and actions of the current
    folder. Raises UsageError or ConfigError if something is wrong that can already be checked now."""
    if when and files:
        raise UsageError("A schedule has either times or files.", hint="Give one of the two.")
    if not files:
        times(when)
    pattern = pattern_of(files, request) if files else ""
    if request.attachments and request.workspace is not None and not request.copy:
        hint = "Work in a copy of the folder (--copy), or put the file into it yourself."
        raise UsageError("An attached file is copied into the workspace, where the second run would find it.", hint=hint)
    check_there(request.model, ModelOptions.of(settings))
    prepare(request, settings)
    if secrets:
        check_known(settings, secrets)
    return _put(settings, Start(request=request, secrets=secrets), when=when, pattern=pattern, missed=missed)


def set_up_skill(settings: Settings, task: Try, *, when: str, missed: Literal["once", "skip"] = "once") -> Schedule:
    """Add a schedule on which a skill does its chore, at the times ``when``. Raises UsageError or ConfigError if something
    is wrong that can already be checked now."""
    times(when)
    skill, files = usable_skill(task.skill, settings), GivenFiles(task.workspace, task.attachments)
    values = chosen(skill, task.params, files)
    if skill.shipped and (wrong := misfit(skill, values, files)) is not None:
        raise UsageError(wrong.text)
    made = (each.name for each in skill.method.parameters if each.kind == "file" and not each.given)
    typed = {param.partition("=")[0] for param in task.params}
    if task.workspace is not None and (taken := next(filter(typed.__contains__, made), "")):
        hint = f"Leave {taken} out: each run then makes a new name."
        raise UsageError(f"The second run would find {values[taken]}, which the first has made.", hint=hint)
    request = replace(
        request_for(skill, settings, values), workspace=task.workspace, attachments=task.attachments, desktop="none"
    )
    return _put(settings, Start(request=request), when=when, missed=missed, tries=task)


def _put(
    settings: Settings,
    start: Start,
    *,
    when: str,
    pattern: str = "",
    missed: Literal["once", "skip"],
    tries: Try | None = None,
) -> Schedule:
    now, schedules, there = time.time(), Schedules(settings), fitting(pattern) if pattern else {}
    newest = max(there, key=lambda path: there[path].modified, default=None)
    schedule = Schedule(
        id=schedules.new_id(),
        when=when,
        files=pattern,
        start=start,
        tries=tries,
        folder=Path.cwd(),
        example=Path(newest) if newest else None,
        missed=missed,
        begun=now,
        since=now,
        there=there,
    )
    schedules.put(schedule)
    return schedule


def asking_first(schedule: Schedule, settings: Settings) -> RunRequest | None:
    """The request for a run that does nothing but ask a person whether a small model understands the task. None if that need
    not be asked, or cannot be because no file matches yet."""
    if schedule.files and schedule.example is None:
        return None
    request = begun_by(schedule, schedule.example)
    asking = asking_what_is_meant(request, settings)
    return None if asking == request else replace(asking, plan_only=True, copy=request.workspace is not None)


def begun_by(schedule: Schedule, file: Path | None) -> RunRequest:
    """The request for a scheduled run. ``file``: the new file that it is for, None for a run at a set time."""
    request = schedule.start.request
    return request if file is None else replace(request, attachments=(*request.attachments, file), words_of="file")


def meant_by(schedule: Schedule, settings: Settings) -> ConfirmedReading | None:
    """How a person confirmed that the schedule's task is meant, for :attr:`Schedule.example` if it waits for files; None if
    nobody did. Blocking."""
    store, run = Store.of(settings), schedule.asked_in
    kept = Schedules(settings).standing(schedule).meant
    return kept or (reading_in(store.journal(run)) if run and store.has(run) else None)


def meant_of(meant: ConfirmedReading, example: Path, file: Path) -> ConfirmedReading:
    """What was confirmed for the example, applied to another file, whose name replaces the example's."""
    names = {example.name: file.name, example.stem: file.stem}
    renamed = Replacing([Value("", example.name, "file", ()), Value("", example.stem, "text", ())], names)

    def of(values: JsonObject) -> JsonObject:
        return {name: renamed.text(value) if isinstance(value, str) else value for name, value in values.items()}

    return meant.model_copy(update={"read": of(meant.read), "values": of(meant.values)})


def switch(schedules: Schedules, id: str, *, on: bool, now: float) -> Schedule:
    """Switch a schedule on or off; a run that it started continues. Runs that were due while it was off are not made up for.
    ``now``: Unix seconds. Raises UsageError if there is no such schedule, or nothing can be written."""
    schedule = schedules.get(id)
    if on != schedule.off:
        return schedule
    anew = {"since": now, "there": fitting(schedule.files) if schedule.files else {}} if on else {}
    changed = schedule.model_copy(update={"off": not on, **anew})
    schedules.put(changed)
    return changed
