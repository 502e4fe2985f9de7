"""Parses the times of a schedule: ``mon 9:00``, ``30m``, or the five fields of a crontab.

Times are those of the machine's clock. A time that the change to summer time skips comes an hour later; a time that the
change back repeats comes once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from cronsim import CronSim, CronSimError

from deskcrew.errors import UsageError

HINT = (
    'A time of day: "9:00"; on some days of the week: "mon 9:00", "mon-fri 8:30", "sat,sun 10:00"; an interval of a minute '
    'or more: "30m", "2h", "1d"; or the five fields of a crontab, minute hour day month weekday: "0 9 1 * *".'
)
SHORTEST = 60
"""The minimum number of seconds between two times of one schedule."""
MOST_MISSED = 1000
"""The maximum number of missed times that are counted: beyond that nobody needs the exact number."""
_DAILY = re.compile(r"(?:(?P<days>[a-z,-]+)\s+)?(?P<hour>\d{1,2}):(?P<minute>\d{2})")
_INTERVAL = re.compile(r"(?P<count>\d{1,6})\s*(?P<unit>[mhd])")
_UNITS = {"m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True)
class Times:
    """An endless sequence of times. ``cron``: five fields, '' for every ``seconds`` since the schedule was set up."""

    cron: str = ""
    seconds: int = 0

    def after(self, moment: float, *, begun: float) -> Iterator[float]:
        """All times after ``moment``, earliest first, in Unix seconds. ``begun``: when the schedule was set up."""
        if not self.cron:
            count = max(0, int((moment - begun) // self.seconds))
            while True:
                count += 1
                yield begun + count * self.seconds
        # Without a time zone, so that it is the machine's own rules that say when such a time is.
        for local in CronSim(self.cron, datetime.fromtimestamp(moment).replace(microsecond=0)):
            if (time := local.timestamp()) > moment:
                yield time

    def between(self, moment: float, now: float, *, begun: float) -> list[float]:
        """The times after ``moment`` up to ``now``, earliest first, at most :data:`MOST_MISSED`."""
        come = takewhile(lambda time: time <= now, self.after(moment, begun=begun))
        return [time for _, time in zip(range(MOST_MISSED), come, strict=False)]


def times(text: str) -> Times:
    """Parse times as a person writes them. Raises UsageError if they are invalid or too close together."""
    told = " ".join(text.split()).lower()
    if found := _INTERVAL.fullmatch(told):
        seconds = int(found["count"]) * _UNITS[found["unit"]]
        if seconds < SHORTEST:
            raise UsageError(f"{text!r} is too frequent.", hint=HINT)
        return Times(seconds=seconds)
    if found := _DAILY.fullmatch(told):
        told = f"{int(found['minute'])} {int(found['hour'])} * * {found['days'] or '*'}"
    if len(told.split()) != 5:
        raise UsageError(f"{text!r} is not a time that can be read.", hint=HINT)
    try:
        next(iter(CronSim(told, datetime(2024, 1, 1))))
    except CronSimError as error:
        raise UsageError(f"{text!r} is not a time: its {str(error).removeprefix('Bad ')} is wrong.", hint=HINT) from error
    except StopIteration:
        raise UsageError(f"{text!r} never comes.", hint=HINT) from None
    return Times(cron=told)
