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
from deskcrew.journal.store import Store
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
    if bool(when) == bool(files):
        raise UsageError("A schedule has either times or files.", hint="Give one of the two.")
    if when:
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
    now, schedules = time.time(), Schedules(settings)
    schedule = Schedule(
        id=schedules.new_id(),
        when=when,
        files=pattern,
        start=Start(request=request, secrets=secrets),
        folder=Path.cwd(),
        missed=missed,
        begun=now,
        since=now,
        there=fitting(pattern) if pattern else {},
    )
    schedules.put(schedule)
    return schedule


def asking_first(request: RunRequest, settings: Settings) -> RunRequest | None:
    """The run in which a person is asked what a small model takes the task for, and nothing is done. None: that need not be
    said, or cannot be, as it is of files that come later."""
    asking = asking_what_is_meant(request, settings)
    return None if asking == request else replace(asking, plan_only=True, copy=request.workspace is not None)


def meant_by(schedule: Schedule, settings: Settings) -> ConfirmedReading | None:
    """What a person said that its task means; None: nobody said. Blocking."""
    store, run = Store.of(settings), schedule.asked_in
    kept = Schedules(settings).standing(schedule).meant
    return kept or (reading_in(store.journal(run)) if run and store.has(run) else None)


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
