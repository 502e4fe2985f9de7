"""Makes a run in this process reachable from other processes, like a run in a process of its own.

The person at the terminal and connected clients are asked at the same time, and the first answer counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypedDict, TypeVar

import anyio

from deskcrew.engine.human.questions import Question, Response, Said
from deskcrew.engine.human.responder import Responder
from deskcrew.engine.session import Watch
from deskcrew.environments.desk import Desk
from deskcrew.errors import EnvironmentFailure
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


class Hooks(TypedDict):
    """What a run is called with, so that it can be watched and its person asked."""

    watch: Watch
    human: Responder
    lend: Callable[[Desk], None]


class Reachable:
    """Makes runs reachable, one after another: a socket, and a responder behind it. Created before a run.

    ``stop``: called to end the run gracefully; ``patience``: see :class:`Remote`.
    """

    def __init__(
        self, settings: Settings, listening: Socket, stop: Callable[[], None], patience: float | None = None
    ) -> None:
        self._settings, self._socket = settings, listening
        self.remote, self._screen = Remote(patience, lambda: self.listener.keep()), LiveScreen()
        self.listener = Listener(self.remote, self._screen, stop)
        self.lent = self._screen.lent

    def watch(self, event: Event, journal: Journal) -> None:
        """Called with every event. From its first on, the run can be reached by its name."""
        if self.listener.journal is not journal:
            self._socket.move(files_of(self._socket.files.socket.parent, self._settings.journal, journal.run))
            self._screen.begun(journal)
            self.listener.journal = journal
        if isinstance(event.body, RoleCalled):
            self.listener.keep()  # clients read the journal from disk while the model takes its time
        if self._screen.changed_by(event):
            self._screen.cut_off()
            self.remote.change()

    async def serve(self) -> None:
        """Answers requests until cancelled."""
        await self.listener.serve(self._socket.socket)


@asynccontextmanager
async def reached(settings: Settings, here: Responder, stop: Callable[[], None]) -> AsyncGenerator[Hooks]:
    """For runs in this process, which ``deskcrew attach``, ``answer`` and ``stop`` can reach meanwhile. ``here``: the person
    at the terminal, or nobody; is told if no socket can be created."""
    try:
        listening = Socket(files_named(runs_folder(), new_name()))
    except EnvironmentFailure as error:
        here.tell(f"`deskcrew attach` will not find this run: {error}")
        listening = None
    if listening is None:
        yield Hooks(watch=lambda event, journal: None, human=here, lend=lambda desk: None)
        return
    reachable = Reachable(settings, listening, stop)
    try:
        async with meanwhile(reachable.serve()):
            yield Hooks(watch=reachable.watch, human=Both(here, reachable.remote), lend=reachable.lent)
    finally:
        listening.close()


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
