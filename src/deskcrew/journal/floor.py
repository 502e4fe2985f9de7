"""The floor: the right to act, which one lane has at a time.

All lanes may wait for a model or a person at once; operations, observations and writing are done only by the lane that has
the floor. So the journal has one writer, and its order is the order in which things happened.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar, cast

import anyio

from deskcrew.errors import DeskcrewError
from deskcrew.journal.lanes import Lanes

T = TypeVar("T")


def first_of(failed: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error of a group, so that an error in one of several tasks ends the run as it would alone."""
    found = failed.exceptions[0]
    while isinstance(found, BaseExceptionGroup):
        found = cast("BaseExceptionGroup[BaseException]", found).exceptions[0]
    return found


class Floor:
    """Decides which lane may proceed: one at a time, the one that has waited longest first.

    A lane has the floor from a model's reply to the next call of a model or question to a person, with all the operations in
    between. Without lanes nobody waits for it.
    """

    def __init__(self, state: Callable[[], Lanes]) -> None:
        """``state``: returns the journal's current state, since a rewind replaces the object."""
        self._state = state
        self.there: list[str] = []
        """Lanes that have begun and not ended."""
        self.waiting: list[str] = []
        self.holder = ""
        """The lane that has the floor; '' while none has."""
        self._over = False
        """Whether a lane ended in a way that ends the run: nothing more may happen before the others are cancelled."""
        self._changed = anyio.Event()

    def clear(self) -> None:
        """Reset everything before lanes begin."""
        self.there.clear()
        self._over = False

    @asynccontextmanager
    async def held(self, lane: str) -> AsyncGenerator[None]:
        """Take the floor for a lane that is ``there``, until the block ends, after which the lane is not."""
        try:
            await self._take(lane)
            yield
        except BaseException as error:
            self._over = self._over or not isinstance(error, anyio.get_cancelled_exc_class())
            raise
        finally:
            self.there.remove(lane)
            self._leave(lane)

    async def outside(self, wait: Callable[[], Awaitable[T]]) -> T:
        """Await ``wait`` without the floor, so that other lanes proceed meanwhile. During an action the lane keeps it,
        since otherwise its effects could not be distinguished from theirs."""
        state = self._state()
        if state.floor not in self.there or state.action is not None:
            return await wait()
        return await self._without(state.floor, wait)

    @asynccontextmanager
    async def meanwhile(self, wait: Callable[[], Awaitable[T]]) -> AsyncGenerator[Callable[[], Awaitable[T]]]:
        """Run ``wait`` in the background while the block runs. Yields a function that awaits its result, and raises its
        error; the block is not interrupted by that error."""
        found: list[T] = []
        failed: list[DeskcrewError] = []
        ended = anyio.Event()

        async def waited() -> None:
            try:
                found.append(await wait())
            except DeskcrewError as error:
                failed.append(error)
            ended.set()

        async def result() -> T:
            await ended.wait()
            if failed:
                raise failed[0]
            return found[0]

        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(waited)
                yield result
        except BaseExceptionGroup as group:
            raise first_of(group) from None

    async def _without(self, lane: str, wait: Callable[[], Awaitable[T]]) -> T:
        self._leave(lane)
        try:
            return await wait()
        finally:
            await self._take(lane)

    def next(self) -> str:
        """The waiting lane whose turn it is; '' if it is nobody's yet."""
        return self.waiting[0] if self.waiting else ""

    async def _take(self, lane: str) -> None:
        self.waiting.append(lane)
        self._tell()  # whoever decides who is next may have waited for this one
        try:
            while self._over or self.holder or self.next() != lane:
                await self._changed.wait()
            self.holder = lane
        finally:
            self.waiting.remove(lane)
        self._state().enter(lane)

    def _leave(self, lane: str) -> None:
        if self.holder == lane:
            self.holder = ""
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
