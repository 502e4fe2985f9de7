"""A model that is called no more often than its provider allows, over all nodes of a fleet."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread

from deskcrew.models.client import Answer, Call, Model, Profile, T
from deskcrew.models.factory import create
from deskcrew.models.options import ModelOptions
from deskcrew.settings import Settings

TOLD = 1.0
"""Seconds from which on a waiting request is reported."""


class Paced:
    """The model ``asked``. ``reserve``: blocking; reserves the next request, and returns in how many seconds it is due."""

    def __init__(self, asked: Model, reserve: Callable[[], float], tell: Callable[[str], None]) -> None:
        self._asked, self._reserve, self._tell = asked, reserve, tell

    @property
    def name(self) -> str:
        return self._asked.name

    @property
    def profile(self) -> Profile:
        return self._asked.profile

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """Ask once, when it is due. Waiting for that is not part of the call's time. Raises ModelFailure."""
        seconds = await anyio.to_thread.run_sync(self._reserve)
        if seconds >= TOLD:
            self._tell(f"waits {seconds:.0f} s for its turn at {self.name}, as its rate is limited")
        await anyio.sleep(seconds)
        return await self._asked.answer(call, type)

    async def close(self) -> None:
        await self._asked.close()


@asynccontextmanager
async def limited(
    name: str, settings: Settings, reserve: Callable[[str, float], float], tell: Callable[[str], None]
) -> AsyncGenerator[Model | None]:
    """The model of that name, if its rate is limited; None: the usual one. ``reserve``: as ``Submissions.reserve``."""
    rate = settings.rates.get(name)
    if rate is None:
        yield None
        return
    model = create(name, options=ModelOptions.of(settings))
    try:
        yield Paced(model, lambda: reserve(name, rate), tell)
    finally:
        with anyio.CancelScope(shield=True):
            await model.close()
