"""A person's changes to the list of schedules, from any interface: set one up, switch it off and on."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Literal

from deskcrew.engine.request import RunRequest, asking_what_is_meant, prepare
from deskcrew.engine.steps.understanding import reading_in
from deskcrew.errors import UsageError
from deskcrew.facts.events import ConfirmedReading
from deskcrew.facts.json_values import JsonObject
from deskcrew.journal.store import Store
from deskcrew.learning.repeating.values import Replacing, Value
from deskcrew.models.reference import check_file
from deskcrew.secrets.store import open_store
from deskcrew.settings import Settings
from deskcrew.ways_in.running.messages import Start
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
    """Add a task to the list, for ``when`` or ``files``, with the roles and actions of the current folder. Raises UsageError
    and ConfigError for what can be seen now to be wrong."""
    if when and files:
        raise UsageError("A schedule has either times or files.", hint="Give one of the two.")
    if not files:
        times(when)
    pattern = pattern_of(files, request) if files else ""
    if request.attachments and request.workspace is not None and not request.copy:
        hint = "Work in a copy of the folder (--copy), or put the file into it yourself."
        raise UsageError("An attached file is copied into the workspace, where the second run would find it.", hint=hint)
    check_file(request.model)
    prepare(request, settings)
    # Their names can be read without a passphrase.
    if secrets and (unknown := set(secrets) - open_store(settings, lambda _: "").list().keys()):
        raise UsageError(f"There is no secret {min(unknown)!r}.", hint="deskcrew secret list")
    now, schedules, there = time.time(), Schedules(settings), fitting(pattern) if pattern else {}
    newest = max(there, key=lambda path: there[path].modified, default=None)
    schedule = Schedule(
        id=schedules.new_id(),
        when=when,
        files=pattern,
        start=Start(request=request, secrets=secrets),
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
    """The run in which a person is asked what a small model takes the task for, and nothing is done. None: that need not be
    said, or cannot be, as no file is there yet."""
    if schedule.files and schedule.example is None:
        return None
    request = begun_by(schedule, schedule.example)
    asking = asking_what_is_meant(request, settings)
    return None if asking == request else replace(asking, plan_only=True, copy=request.workspace is not None)


def begun_by(schedule: Schedule, file: Path | None) -> RunRequest:
    """The request of a run for a file that has come; of one at a set time, if there is none."""
    request = schedule.start.request
    return request if file is None else replace(request, attachments=(*request.attachments, file), words_of="file")


def meant_by(schedule: Schedule, settings: Settings) -> ConfirmedReading | None:
    """What a person said that its task means, for :attr:`Schedule.example` if it waits for files; None: nobody said.
    Blocking."""
    store, run = Store.of(settings), schedule.asked_in
    kept = Schedules(settings).standing(schedule).meant
    return kept or (reading_in(store.journal(run)) if run and store.has(run) else None)


def meant_of(meant: ConfirmedReading, example: Path, file: Path) -> ConfirmedReading:
    """What they said of the example, said of another file: its name stands in the place of the example's."""
    names = {example.name: file.name, example.stem: file.stem}
    renamed = Replacing([Value("", example.name, "file", ()), Value("", example.stem, "text", ())], names)

    def of(values: JsonObject) -> JsonObject:
        return {name: renamed.text(value) if isinstance(value, str) else value for name, value in values.items()}

    return meant.model_copy(update={"read": of(meant.read), "values": of(meant.values)})


def switch(schedules: Schedules, id: str, *, on: bool, now: float) -> Schedule:
    """Switch one on or off; a run that it started goes on. What was due while it was off is not made up for. ``now``: Unix
    seconds. Raises UsageError if there is none, or nothing can be written."""
    schedule = schedules.get(id)
    if on != schedule.off:
        return schedule
    anew = {"since": now, "there": fitting(schedule.files) if schedule.files else {}} if on else {}
    changed = schedule.model_copy(update={"off": not on, **anew})
    schedules.put(changed)
    return changed
