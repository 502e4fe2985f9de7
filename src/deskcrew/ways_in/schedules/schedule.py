"""Schedules: what to do at set times or for new files, and the state of each. Files in the data folder.

A definition is written by whoever sets it up, switches it off or on, or removes it, its state by the scheduler: so the two
never write the same file.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from deskcrew.actions.files import replace
from deskcrew.engine.request import make_data_folder
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.events import ConfirmedReading
from deskcrew.facts.liveness import held
from deskcrew.facts.observation import Frozen
from deskcrew.settings import Settings
from deskcrew.ways_in.running.messages import Start
from deskcrew.ways_in.schedules.times import Times, times

FOLDER = "schedules"
LOOKED_AT = 1.0
"""Seconds: checking whether a scheduler is running holds the lock for a moment."""


class SeenFile(Frozen):
    """A file as it was seen: it has changed if any of this has."""

    size: int
    modified: int
    """Nanoseconds since the epoch."""


class Schedule(Frozen):
    """Something to do repeatedly. Either ``when`` or ``files`` is given."""

    id: str
    when: str = ""
    """Times, as :func:`~deskcrew.ways_in.schedules.times.times` reads them."""
    files: str = ""
    """A pattern of paths, absolute: once for each file that matches it."""
    start: Start
    """The request to start. It asks nobody."""
    folder: Path
    """Where it was set up: the source of its roles, crews and actions."""
    asked_in: str = ""
    """The run in which a person was asked what a small model takes the task for; '': nobody was."""
    example: Path | None = None
    """The newest file that matched when it was set up, which a person was asked about in the place of those that come."""
    missed: Literal["once", "skip"] = "once"
    """What to do about times at which no scheduler was running."""
    begun: float
    """When it was set up, in Unix seconds."""
    off: bool = False
    """Whether it is switched off, and nothing is started."""
    since: float = 0
    """When it was set up or last switched on, in Unix seconds: earlier times and files do not count."""
    there: dict[str, SeenFile] = Field(default_factory=dict[str, SeenFile])
    """The files that matched then, by path: they are not new."""

    @property
    def times(self) -> Times | None:
        return times(self.when) if self.when else None

    def next(self, last: float) -> float | None:
        """When it is due next, in Unix seconds, if ``last`` was the last time that was dealt with. None: switched off, or
        not at set times."""
        return next(self.times.after(last, begun=self.begun)) if self.times is not None and not self.off else None


class ScheduleStanding(Frozen):
    """The state of a schedule. ``since``: of the schedule, when this was written; ``last``: the last time that was dealt
    with, in Unix seconds; ``run``: its latest run; ``told``: whether its end was reported; ``outcome``: of the last that has
    ended, or why it could not start; ``files``: those that were dealt with, by path; ``beginning``: a run is about to start,
    of which nothing is known yet; ``meant``: what a person said that its task means, kept when it was first needed."""

    since: float = 0
    last: float = 0
    run: str = ""
    told: bool = True
    outcome: str = ""
    files: dict[str, SeenFile] = Field(default_factory=dict[str, SeenFile])
    beginning: bool = False
    meant: ConfirmedReading | None = None


class Schedules:
    """The schedules of one data folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self.folder = settings, settings.data / FOLDER

    def put(self, schedule: Schedule) -> None:
        """Set one up, or change it. Raises UsageError if nothing can be written."""
        make_data_folder(self._settings)
        try:
            self.folder.mkdir(exist_ok=True, mode=0o700)
            replace(self._definition(schedule.id), schedule.model_dump_json(indent=1).encode())
        except OSError as error:
            raise UsageError(f"The schedule cannot be kept in {self.folder}: {error.strerror}.") from error

    def all(self) -> list[Schedule]:
        """All of them, the oldest first. Raises ConfigError for an invalid file."""
        found = [self._read(path) for path in self.folder.glob(f"{'[0-9a-f]' * 4}.json")]
        return sorted((each for each in found if each is not None), key=lambda each: each.begun)

    def get(self, id: str) -> Schedule:
        """The one with this id. Raises UsageError if there is none."""
        there = self.all()
        for each in there:
            if each.id == id:
                return each
        hint = f"There are: {', '.join(each.id for each in there)}." if there else 'For example: deskcrew every "9:00" TASK'
        raise UsageError(f"There is no schedule {id!r}.", hint=hint)

    def find(self, id: str) -> Schedule | None:
        """The one with this id, None if it no longer exists. Raises ConfigError for an invalid file."""
        return self._read(self._definition(id))

    def remove(self, id: str) -> None:
        """Remove one. A run that it began continues. Raises UsageError if there is none."""
        self.get(id)
        for path in (self._definition(id), self._standing(id)):
            path.unlink(missing_ok=True)

    def standing(self, schedule: Schedule) -> ScheduleStanding:
        """Its state; a new one, from when it was set up or last switched on, if none was written since. Raises
        ConfigError."""
        path, standing = self._standing(schedule.id), ScheduleStanding()
        with suppress(FileNotFoundError):
            try:
                standing = ScheduleStanding.model_validate_json(path.read_bytes())
            except ValidationError as error:
                raise ConfigError(f"{path} is damaged.", hint=f"deskcrew every --remove {schedule.id}") from error
        if standing.since == schedule.since:
            return standing
        known = {"since": schedule.since, "last": schedule.since, "files": standing.files | schedule.there}
        return standing.model_copy(update=known)

    def stands(self, id: str, standing: ScheduleStanding) -> None:
        """Store its current state. Raises OSError."""
        replace(self._standing(id), standing.model_dump_json(indent=1).encode())

    def new_id(self) -> str:
        """An unused id."""
        taken = {each.id for each in self.all()}
        return next(id for id in iter(lambda: secrets.token_hex(2), "") if id not in taken)

    @contextmanager
    def kept(self) -> Generator[None]:
        """Be the scheduler. Raises UsageError if another process is."""
        make_data_folder(self._settings)
        self.folder.mkdir(exist_ok=True, mode=0o700)
        lock = FileLock(self._lock, mode=0o600)
        try:
            lock.acquire(timeout=LOOKED_AT)
        except Timeout:
            raise UsageError(
                f"The schedules in {self.folder} are run by another process.", hint="deskcrew every --list shows them."
            ) from None
        try:
            yield
        finally:
            lock.release()

    def are_kept(self) -> bool:
        """Whether a scheduler is running now."""
        return held(self._lock)

    @property
    def _lock(self) -> Path:
        return self.folder / "kept"

    def _definition(self, id: str) -> Path:
        return self.folder / f"{id}.json"

    def _standing(self, id: str) -> Path:
        return self.folder / f"{id}.standing"

    def _read(self, path: Path) -> Schedule | None:
        """The schedule in a file; None if it has just been removed."""
        try:
            return Schedule.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise ConfigError(
                f"{path} is not a schedule.", hint="Remove it, and create it again: deskcrew every."
            ) from error
