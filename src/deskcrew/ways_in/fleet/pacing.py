"""Limits how often a model is called to what its provider allows, over all nodes of a fleet."""

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
"""A request that has to wait for at least this many seconds is reported."""


class Paced:
    """The model ``asked`` at limited rate. ``reserve``: reserves a request, returns the seconds until it is due."""

    def __init__(self, asked: Model, reserve: Callable[[], float], tell: Callable[[str], None]) -> None:
        self._asked, self._reserve, self._tell = asked, reserve, tell

    @property
    def name(self) -> str:
        return self._asked.name

    @property
    def profile(self) -> Profile:
        return self._asked.profile

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """Ask the model when the request is due; the wait does not count as the call's time. Raises ModelFailure."""
        seconds = await anyio.to_thread.run_sync(self._reserve)
        if seconds >= TOLD:
            self._tell(f"waits {seconds:.0f} s for {self.name}, whose rate is limited")
        await anyio.sleep(seconds)
        return await self._asked.answer(call, type)

    async def close(self) -> None:
        await self._asked.close()


@asynccontextmanager
async def limited(
    name: str, settings: Settings, reserve: Callable[[str, float], float], tell: Callable[[str], None]
) -> AsyncGenerator[Model | None]:
    """The model of that name with its rate limited; None if the settings have no limit for it. ``reserve``: see
    ``Submissions.reserve``."""
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
