"""The recorded branch with the replay's position, and a journal that accepts only what was recorded."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from typing import TypeVar

from deskcrew.engine.replay.compare import Difference, difference, told
from deskcrew.engine.session import STOPPED_BY_USER
from deskcrew.facts.events import (
    AttemptsShown,
    Body,
    Confirmed,
    Event,
    Rewound,
    RoleCalled,
    RunFinished,
    RunInterrupted,
    RunResumed,
    Saved,
)
from deskcrew.journal.floor import Floor
from deskcrew.journal.journal import Journal

T = TypeVar("T")


class ProcessEnded(BaseException):
    """The recorded process ended here. Nothing in the engine catches it, as nothing catches the end of a process."""


class Differs(BaseException):
    """The replay deviates from the run. Nothing in the engine catches it."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.what)
        self.difference = difference


class Tape:
    """Recorded events, oldest first. ``at``: index of the next one; ``mine``: whether an event belongs to the lane that
    has the floor now: other lanes' events do not answer its calls."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self.at = 0
        self.mine: Callable[[Event], bool] = lambda _: True

    @property
    def next(self) -> Event | None:
        return self.events[self.at] if self.at < len(self.events) else None

    @property
    def left(self) -> int:
        """How many events are still to come."""
        return len(self.events) - self.at

    @property
    def body(self) -> Body | None:
        """The body of the next event."""
        return next(self.rest(1), None)

    def rest(self, most: int | None = None) -> Iterator[Body]:
        """The bodies of the next events, at most ``most``, of the lane that has the floor."""
        end = len(self.events) if most is None else min(self.at + most, len(self.events))
        for event in islice(self.events, self.at, end):
            if self.mine(event):
                yield event.body

    def after_saving(self) -> Body | None:
        """The next body that is not a save point: an observation saves the workspace first."""
        return next((body for body in self.rest(2) if not isinstance(body, Saved)), None)

    def ended(self, at: int | None = None) -> bool:
        """Whether the recorded process ended before its next event: it was killed, stopped, or hit a bug."""
        at = self.at if at is None else at
        if at >= len(self.events):
            return True
        match self.events[at].body:
            case RunInterrupted() | RunResumed() | Rewound() | Confirmed() | AttemptsShown():
                return True
            case RunFinished() as body:
                confirmed = at > 0 and isinstance(self.events[at - 1].body, Confirmed)
                return confirmed or body.outcome == STOPPED_BY_USER
            case Saved():
                # Going back brings the workspace back and keeps it; a process may also end between the two parts of a look.
                return (at > 0 and isinstance(self.events[at - 1].body, Rewound)) or self.ended(at + 1)
            case _:
                return False

    def missing(self, asked: str) -> BaseException:
        """What to raise when an external part is called and the next event is not its answer."""
        if self.ended():
            return ProcessEnded()
        event = self.next
        assert event is not None
        return Differs(Difference(event.number, "what is done next", told(event.body), asked))


class TapedFloor(Floor):
    """Gives the floor to the lane that had it in the recorded run."""

    def __init__(self, journal: TapedJournal) -> None:
        super().__init__(lambda: journal.state)
        self._tape = journal.tape

    def next(self) -> str:
        """The lane that appended the next recorded event. Raises ProcessEnded if the recorded process ended, Differs if that
        is gone."""
        tape = self._tape
        if tape.ended():
            raise ProcessEnded
        assert tape.next is not None
        lane = tape.next.header.lane
        if lane not in self.waiting and len(self.waiting) == len(self.there):
            raise tape.missing(f"one of the lanes {', '.join(self.waiting)} goes on")
        return lane if lane in self.waiting else ""

    @asynccontextmanager
    async def meanwhile(self, wait: Callable[[], Awaitable[T]]) -> AsyncGenerator[Callable[[], Awaitable[T]]]:
        """Wait when the result is asked for, and not in the background: that is where it was recorded."""
        yield wait

    async def _without(self, lane: str, wait: Callable[[], Awaitable[T]]) -> T:
        """Wait only once this lane has the floor again, as the tape has the result there."""
        self._leave(lane)
        await self._take(lane)
        return await wait()


class TapedJournal(Journal):
    """Accepts an event only if it equals the next recorded one, and keeps the latter, with its id, number and time.

    Nothing is written: blobs are forgotten at every commit. ``prompts``: how many were equal.
    """

    def __init__(self, source: Journal, tape: Tape) -> None:
        super().__init__(source.database, source.run)
        self.tape = tape
        self.floor = TapedFloor(self)
        tape.mine = lambda event: self.state.known(event.header.lane) == self.state.floor
        self.prompts = 0

    def append(self, body: Body, *, lane: str = "", cause: Event | None = None) -> Event:
        """The recorded event. Raises Differs if it is not equal, ProcessEnded if the recorded process appended no more."""
        if isinstance(body, RunFinished) and body.outcome == STOPPED_BY_USER and self.tape.body != body:
            return self.events[-1]  # the replay itself is being stopped
        recorded, lane = self.tape.next, self.lane_of(body, lane)
        if recorded is not None:
            found = difference(recorded, body, lane, cause, self.read_blob)
            if found is None:
                self.take()
                self.prompts += isinstance(body, RoleCalled)
                if isinstance(body, RunInterrupted):
                    raise ProcessEnded  # of the very same fault
                return recorded
            if not self.tape.ended():
                raise Differs(found)
        raise ProcessEnded

    def take(self) -> None:
        """Advance past the next recorded event."""
        recorded = self.tape.next
        assert recorded is not None
        self._fold(recorded)
        self.tape.at += 1

    def take_ends(self) -> None:
        """Advance past what lies between the end of a process and the start of the next, and past the run's first
        event."""
        while self.tape.next is not None and (self.tape.at == 0 or self.tape.ended()):
            self.take()

    def commit(self) -> None:
        self._blobs.clear()
