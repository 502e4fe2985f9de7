"""The scheduler: starts runs that are due, one at a time for each schedule, and reports how they end.

A start is recorded before it happens: if the scheduler is killed in between, it does not start the run twice, and reports
that. Runs are processes of their own and outlive the scheduler, which finds them again by its records.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from deskcrew.engine.notifying import News, tell
from deskcrew.errors import ConfigError, DeskcrewError, UsageError
from deskcrew.journal.store import Store
from deskcrew.secrets.binding import Secret
from deskcrew.settings import Settings
from deskcrew.ways_in.report.result import result_of
from deskcrew.ways_in.report.text import counted
from deskcrew.ways_in.running import Runs
from deskcrew.ways_in.schedules.arrivals import Arrivals
from deskcrew.ways_in.schedules.changing import begun_by, meant_by, meant_of
from deskcrew.ways_in.schedules.schedule import Schedule, Schedules, SeenFile

EVERY = 1.0
"""Seconds between two checks of the clock and the list of schedules."""
SHARE = 20
"""The share of the time that searching for files may take: 1 in this many."""
LATE = 120.0
"""Seconds after which a time counts as missed, because no scheduler was running or the machine was asleep."""
AT_ONCE = 2
"""The number of runs of different schedules that are started at the same time."""


class Keeper:
    """The scheduler of a data folder. ``say``: called with each line to report; ``secret``: returns the secret with a name,
    for a webhook; ``clock``: returns Unix seconds."""

    def __init__(
        self,
        settings: Settings,
        runs: Runs,
        say: Callable[[str], None],
        secret: Callable[[str], Secret],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._runs, self._say, self._secret, self._clock = settings, runs, say, secret, clock
        self._schedules, self._places = Schedules(settings), anyio.CapacityLimiter(AT_ONCE)
        self._attended: set[str] = set()
        self._wrong = ""

    async def keep(self) -> None:
        """Run the scheduler until a signal comes. Raises UsageError if another process runs it. An error in one schedule is
        reported, and does not stop the others."""
        with self._schedules.kept():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._heed_signals, tasks.cancel_scope)
                while True:
                    for schedule in self._all():
                        if schedule.id not in self._attended:
                            self._attended.add(schedule.id)
                            tasks.start_soon(self._attended_to, schedule)
                    await anyio.sleep(EVERY)

    def _all(self) -> list[Schedule]:
        """The schedules; none if a file is damaged, which is reported once. Schedules already running continue."""
        try:
            there = self._schedules.all()
        except ConfigError as error:
            if str(error) != self._wrong:
                self._say(error.whole)
            self._wrong = str(error)
            return []
        self._wrong = ""
        return there

    async def _attended_to(self, schedule: Schedule) -> None:
        try:
            await self._attend(schedule)
        except DeskcrewError as error:
            self._told(schedule, f"it will not run again until the scheduler is restarted: {error.whole}")
        else:
            self._attended.discard(schedule.id)  # it was taken away

    async def _heed_signals(self, scope: anyio.CancelScope) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                scope.cancel()
                return

    async def _attend(self, schedule: Schedule) -> None:
        """Start the runs of one schedule as they are due, until it is removed."""
        standing = self._schedules.standing(schedule)
        if standing.beginning:
            self._told(
                schedule, "a run was about to start when the scheduler ended, and is not started again: see deskcrew runs"
            )
            self._stands(schedule, beginning=False)
        elif not standing.told:
            await self._follow(schedule, standing.run)
        arrivals = Arrivals(schedule.files) if schedule.files else None
        while (now := self._schedules.find(schedule.id)) is not None:
            began = time.monotonic()
            if now.off:
                pass
            elif arrivals is not None:
                known = self._schedules.standing(now).files
                for path, seen in await anyio.to_thread.run_sync(arrivals.look, known):
                    await self._do(now, path, seen)
            elif self._due(now):
                await self._do(now)
            await anyio.sleep(max(EVERY, (time.monotonic() - began) * SHARE if arrivals is not None else 0))

    def _due(self, schedule: Schedule) -> bool:
        """Whether a schedule is due now. Reports missed times."""
        now, times = self._clock(), schedule.times
        assert times is not None
        come = times.between(self._schedules.standing(schedule).last, now, begun=schedule.begun)
        if not come:
            return False
        self._stands(schedule, last=now)
        missed = sum(now - time > LATE for time in come)
        due = missed < len(come) or schedule.missed == "once"
        if missed:
            then = "it runs once now" if due else "the next run is at its usual time"
            self._told(schedule, f"{counted(missed, 'scheduled run')} missed while no scheduler was running; {then}")
        return due

    async def _do(self, schedule: Schedule, path: str = "", seen: SeenFile | None = None) -> None:
        """Start a schedule's run, and wait for its end. ``path``, ``seen``: the new file that it is for."""
        async with self._places:
            there = self._schedules.find(schedule.id)
            if there is None or there.off:
                return
            files = self._schedules.standing(there).files | ({path: seen} if seen is not None else {})
            self._stands(schedule, beginning=True, files=files)
            try:
                run = await self._begin(there, path)
            except DeskcrewError as error:
                self._stands(schedule, beginning=False, outcome=str(error))
                await self._tell(schedule, News(**self._of(schedule), file=path, outcome="not begun", why=str(error)))
                return
            self._told(schedule, f"run {run} has begun" + (f" for {path}" if path else ""))
            self._stands(schedule, beginning=False, run=run, told=False)
            await self._follow(schedule, run, path)
        if schedule.times is not None and self._passed(schedule):
            self._told(schedule, "it was due again while still running: that time was skipped")

    async def _begin(self, schedule: Schedule, path: str) -> str:
        start, folder = schedule.start, schedule.folder
        meant = await anyio.to_thread.run_sync(meant_by, schedule, self._settings)
        self._stands(schedule, meant=meant)  # the run in which they said so may be removed
        file = Path(path) if path else None
        if meant is not None and file is not None and schedule.example is not None:
            meant = meant_of(meant, schedule.example, file)
        request = replace(begun_by(schedule, file), meant=meant)
        try:
            if schedule.tries is not None:
                return await self._runs.begin(schedule.tries, folder=folder)
            return await self._runs.start(request, secrets=start.secrets, folder=folder)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise UsageError(f"The folder that it was set up in no longer exists: {folder}.") from error

    async def _follow(self, schedule: Schedule, run: str, path: str = "") -> None:
        """Wait until the run's process has gone, and report how it ended."""
        async with aclosing(self._runs.follow(run)) as states:
            async for _ in states:
                continue
        try:
            journal = Store.of(self._settings).journal(run)
        except UsageError:
            self._stands(schedule, told=True, outcome="removed")
            return
        result = result_of(run, journal.events, everything=journal.all)
        self._stands(schedule, told=True, outcome=result.outcome)
        ending = News(**self._of(schedule), file=path, run=run, outcome=result.outcome, answer=result.answer, why=result.why)
        await self._tell(schedule, ending)

    async def _tell(self, schedule: Schedule, ending: News) -> None:
        run = f"run {ending.run} has ended: " if ending.run else ""
        self._told(schedule, run + ending.words)
        if ending.run and self._settings.notify.runs and ending.outcome != "stopped":
            return  # its own process has told
        await tell(ending, self._settings.notify, self._secret, lambda text: self._told(schedule, text))

    def _passed(self, schedule: Schedule) -> bool:
        """Whether the schedule was due again while its run went on; such times count as dealt with."""
        now, times, last = self._clock(), schedule.times, self._schedules.standing(schedule).last
        assert times is not None
        self._stands(schedule, last=now)
        return bool(times.between(last, now, begun=schedule.begun))

    def _stands(self, schedule: Schedule, **changes: Any) -> None:
        """Store changes to a schedule's state, unless it was removed."""
        if (there := self._schedules.find(schedule.id)) is not None:
            self._schedules.stands(there.id, self._schedules.standing(there).model_copy(update=changes))

    def _told(self, schedule: Schedule, text: str) -> None:
        self._say(f"{schedule.id}: {text}")

    def _of(self, schedule: Schedule) -> dict[str, str]:
        return {"schedule": schedule.id, "task": schedule.start.request.task}
