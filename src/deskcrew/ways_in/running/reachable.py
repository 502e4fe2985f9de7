"""Makes a run in this process reachable from other processes, like a run in a process of its own.

The person at the terminal and connected clients are asked at the same time, and the first answer counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio

from deskcrew.engine.human.questions import Question, Response, Said
from deskcrew.engine.human.responder import Responder
from deskcrew.environments.desk import Desk
from deskcrew.facts.events import Event, RoleCalled
from deskcrew.journal.journal import Journal
from deskcrew.settings import Settings
from deskcrew.ways_in.running.files import Socket, files_named, files_of, new_name, runs_folder
from deskcrew.ways_in.running.listener import Listener
from deskcrew.ways_in.running.remote import Remote
from deskcrew.ways_in.running.screen import LiveScreen

T = TypeVar("T")
ELSEWHERE = "That was answered from elsewhere."


class Both:
    """Asks two responders at once; the first answer counts. Does not wait if ``here`` is nobody: a run without a person
    must not start to wait for one."""

    def __init__(self, here: Responder, remote: Remote) -> None:
        self._here, self._remote = here, remote

    async def ask(self, question: Question) -> Response | None:
        return await self._first(lambda: self._here.ask(question), lambda: self._remote.ask(question))

    def said(self) -> Said | None:
        return self._here.said() or self._remote.said()

    async def wait(self) -> Said | None:
        return await self._first(self._here.wait, self._remote.wait)

    def tell(self, text: str) -> None:
        self._here.tell(text)
        self._remote.tell(text)

    async def _first(self, here: Callable[[], Awaitable[T]], remote: Callable[[], Awaitable[T]]) -> T | None:
        found: list[T] = []
        from_elsewhere = False

        async def elsewhere() -> None:
            nonlocal from_elsewhere
            found.append(await remote())
            from_elsewhere = True
            scope.cancel()

        # No task group: an error of the one who is asked here must come out unchanged.
        with anyio.CancelScope() as scope:
            async with meanwhile(elsewhere()):
                found.insert(0, await here())
        if from_elsewhere:
            self._here.tell(ELSEWHERE)
        return found[0] if found else None


class Reachable:
    """Makes a run reachable: a socket, and a responder behind it. Created before the run, closed after it.

    ``here``: the person at the terminal, or nobody; ``stop``: called to end the run gracefully. Raises
    EnvironmentFailure if the socket cannot be created.
    """

    def __init__(self, settings: Settings, here: Responder, stop: Callable[[], None]) -> None:
        self._settings, self._folder = settings, runs_folder()
        self._socket = Socket(files_named(self._folder, new_name()))
        self._remote, self._screen = Remote(keep=lambda: self._listener.keep()), LiveScreen()
        self._listener = Listener(self._remote, self._screen, stop)
        self.human: Responder = Both(here, self._remote)

    def watch(self, event: Event, journal: Journal) -> None:
        """Called with every event. From the first on, the run can be reached by its name."""
        if self._listener.journal is None:
            self._socket.move(files_of(self._folder, self._settings.journal, journal.run))
            self._screen.begun(journal)
            self._listener.journal = journal
        if isinstance(event.body, RoleCalled):
            self._listener.keep()  # clients read the journal from disk while the model takes its time
        if self._screen.changed_by(event):
            self._screen.cut_off()
            self._remote.change()

    def lent(self, desk: Desk) -> None:
        """Called with the desk that the run works on: it can be watched, and operated by a person who has taken
        over."""
        self._screen.lent(desk)

    async def serve(self) -> None:
        """Answers requests until cancelled."""
        await self._listener.serve(self._socket.socket)

    def close(self) -> None:
        self._socket.close()


@asynccontextmanager
async def meanwhile(*doing: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Run these coroutines beside the body of the ``with``, and cancel them at its end. Unlike with a task group, the
    body's errors are raised unchanged."""
    tasks = [asyncio.create_task(each) for each in doing]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            if task.done() and not task.cancelled():
                task.result()  # a fault in it is ours, and is not hidden
