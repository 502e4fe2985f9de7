"""A person's changes to the list of schedules, from any interface: set one up, switch it off and on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

from deskcrew.engine.request import RunRequest, prepare
from deskcrew.errors import UsageError
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
