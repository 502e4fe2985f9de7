"""Schedules: what to do at set times or for new files, and the state of each, as files in the data folder.

Commands and pages write a schedule's definition, the scheduler its state, so two processes never write the same file.
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
from deskcrew.facts.meant import unknown
from deskcrew.facts.observation import Frozen
from deskcrew.settings import Settings
from deskcrew.ways_in.running.messages import Start, Try
from deskcrew.ways_in.schedules.times import Times, times

FOLDER = "schedules"
LOOKED_AT = 1.0
"""Seconds to wait for the lock, since checking whether a scheduler is running holds it for a moment."""


class SeenFile(Frozen):
    """What identifies a version of a file: it has changed if size or time has."""

    size: int
    modified: int
    """Nanoseconds since the epoch."""


class Schedule(Frozen):
    """Something to do repeatedly. Either ``when`` or ``files`` is given."""

    id: str
    when: str = ""
    """Its times, as :func:`~deskcrew.ways_in.schedules.times.times` reads them."""
    files: str = ""
    """An absolute pattern of paths: it runs once for each file that matches."""
    start: Start
    """The request to start. Its runs ask nobody."""
    tries: Try | None = None
    """The skill that is used instead of a model; ``start`` then says the same in words."""
    folder: Path
    """The folder in which it was set up, whose roles, crews and actions it uses."""
    asked_in: str = ""
    """The run in which a person was asked whether a small model understands the task; '' if nobody was."""
    example: Path | None = None
    """The newest file that matched when it was set up: the example with which a person was asked about new files."""
    missed: Literal["once", "skip"] = "once"
    """What to do about times at which no scheduler was running."""
    begun: float
    """When it was set up, in Unix seconds."""
    off: bool = False
    """Whether it is switched off, so that it starts no runs."""
    since: float = 0
    """When it was set up or last switched on, in Unix seconds: earlier times and files do not count."""
    there: dict[str, SeenFile] = Field(default_factory=dict[str, SeenFile])
    """The files that matched then, by path: these do not count as new."""

    @property
    def times(self) -> Times | None:
        return times(self.when) if self.when else None

    def next(self, last: float) -> float | None:
        """When it is due next, in Unix seconds, if ``last`` was the last time that was dealt with. None if it is switched
        off, or has no set times."""
        return next(self.times.after(last, begun=self.begun)) if self.times is not None and not self.off else None


class ScheduleStanding(Frozen):
    """The state of a schedule. ``since``: the schedule's ``since`` when this was written; ``last``: the last time that was
    dealt with, in Unix seconds; ``run``: its latest run; ``told``: whether that run's end was reported; ``outcome``: the
    outcome of the last run that ended, or why it could not start; ``files``: the files that were dealt with, by path;
    ``beginning``: a run is about to start; ``meant``: how a person confirmed the task, kept when first needed."""

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
        """Store a new or changed schedule. Raises UsageError if nothing can be written."""
        make_data_folder(self._settings)
        try:
            self.folder.mkdir(exist_ok=True, mode=0o700)
            replace(self._definition(schedule.id), schedule.model_dump_json(indent=1).encode())
        except OSError as error:
            raise UsageError(f"The schedule cannot be kept in {self.folder}: {error.strerror}.") from error

    def all(self) -> list[Schedule]:
        """All schedules, the oldest first. Raises ConfigError for an invalid file."""
        found = [self._read(path) for path in self.folder.glob(f"{'[0-9a-f]' * 4}.json")]
        return sorted((each for each in found if each is not None), key=lambda each: each.begun)

    def get(self, id: str) -> Schedule:
        """The schedule with this id. Raises UsageError if there is none."""
        there = self.all()
        for each in there:
            if each.id == id:
                return each
        raise unknown(f"There is no schedule {id!r}", id, [each.id for each in there])

    def find(self, id: str) -> Schedule | None:
        """The schedule with this id; None if it no longer exists. Raises ConfigError if its file is invalid."""
        return self._read(self._definition(id))

    def remove(self, id: str) -> None:
        """Remove a schedule. A run that it started continues. Raises UsageError if there is none with this id."""
        self.get(id)
        for path in (self._definition(id), self._standing(id)):
            path.unlink(missing_ok=True)

    def standing(self, schedule: Schedule) -> ScheduleStanding:
        """A schedule's state; a new one if none was stored since it was set up or last switched on. Raises ConfigError if
        the stored state is damaged."""
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
        """Store the state of the schedule with this id. Raises OSError if it cannot be written."""
        replace(self._standing(id), standing.model_dump_json(indent=1).encode())

    def new_id(self) -> str:
        """An unused id."""
        taken = {each.id for each in self.all()}
        return next(id for id in iter(lambda: secrets.token_hex(2), "") if id not in taken)

    @contextmanager
    def kept(self) -> Generator[None]:
        """A context in which this process is the scheduler. Raises UsageError if another process is."""
        make_data_folder(self._settings)
        self.folder.mkdir(exist_ok=True, mode=0o700)
        lock = FileLock(self._lock, mode=0o600)
        try:
            lock.acquire(timeout=LOOKED_AT)
        except Timeout:
            raise UsageError(
                f"Another process is already running the schedules in {self.folder}.",
                hint="deskcrew every --list shows them.",
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
