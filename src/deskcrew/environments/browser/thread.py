"""One thread with an event loop, for a library that may be used from one thread only.

Drivers are plain blocking code and are called from any thread. Playwright belongs to the loop it was started on, and must
receive its events (a dialog, a download, a new window) even while nobody calls it; so the loop always runs.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from typing import Any, Protocol, TypeVar

from deskcrew.errors import UsageError

Answer = TypeVar("Answer")


class PageLoop(Protocol):
    """Runs coroutines for waiting callers: :class:`EventThread`, or :class:`LentLoop`."""

    def do(self, work: Coroutine[Any, Any, Answer], seconds: float) -> Answer: ...

    def close(self) -> None: ...


class LentLoop:
    """A loop that already runs on another thread, and belongs to somebody else."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def do(self, work: Coroutine[Any, Any, Answer], seconds: float) -> Answer:
        """Like :meth:`EventThread.do`. Raises UsageError on the loop's own thread, which would wait for itself."""
        if _running() is self._loop:
            work.close()
            raise UsageError(
                "The thread of the page's loop cannot wait for the page.", hint="Call it with asyncio.to_thread(...)."
            )
        return _result(asyncio.run_coroutine_threadsafe(work, self._loop), seconds)

    def close(self) -> None:
        """Do nothing: the loop keeps running."""


class EventThread:
    """Runs coroutines on a loop of its own until :meth:`close`."""

    def __init__(self, name: str) -> None:
        """Start the thread, called ``name``."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def do(self, work: Coroutine[Any, Any, Answer], seconds: float) -> Answer:
        """The result of ``work``, run on the thread. Blocking. Raises TimeoutError after ``seconds``."""
        return _result(asyncio.run_coroutine_threadsafe(work, self._loop), seconds)

    def close(self) -> None:
        """Cancel everything that is still running, then end the thread. Safe to call twice."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_end_tasks(), self._loop).result(5.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5.0)
        self._loop.close()


class Errands:
    """Background tasks, referenced until they are done, since a loop does not do that. Their exceptions are dropped."""

    def __init__(self) -> None:
        self._going: set[asyncio.Future[Any]] = set()

    def begin(self, work: Awaitable[Answer]) -> asyncio.Future[Answer]:
        """Start a background task. It may be awaited all the same."""
        task = asyncio.ensure_future(work)
        self._going.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._going.discard(task)
        if not task.cancelled():
            task.exception()


class Stirring:
    """Something on an event loop whose changes coroutines can wait for."""

    def __init__(self) -> None:
        self._happened = asyncio.Event()

    @property
    def over(self) -> bool:
        """Whether nothing more will happen in it."""
        return False

    def stir(self) -> None:
        """Wake whoever waits for something to happen."""
        self._happened.set()

    async def until(self, reached: Callable[[], bool], seconds: float) -> bool:
        """Wait, at most ``seconds``, until a condition holds that events can change. Returns whether it holds."""
        deadline = time.monotonic() + seconds
        while not reached():
            left = deadline - time.monotonic()
            if left <= 0 or self.over:
                return False
            self._happened.clear()
            try:
                await asyncio.wait_for(self._happened.wait(), left)
            except TimeoutError:
                return reached()
        return True


def _result(future: Future[Answer], seconds: float) -> Answer:
    try:
        return future.result(seconds)
    except TookTooLong:
        future.cancel()
        raise TimeoutError(f"It took longer than {seconds:g} seconds.") from None


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def _end_tasks() -> None:
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
