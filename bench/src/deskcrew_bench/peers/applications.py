"""Other agents in the applications of WebArena-Infinity: tasks and limits are ours, settings their own."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, field

import anyio.to_thread

from deskcrew.settings import Settings
from deskcrew_bench.peers.meter import Meter
from deskcrew_bench.peers.suite import Order, Peer, Upstream, chromium, played, still_there, with_refusals
from deskcrew_bench.webarena_infinity.apps import Task, served, verified
from deskcrew_bench.webarena_infinity.suite import SECONDS, STEPS, Trial

SIZE = 1280, 800


@dataclass(slots=True)
class _Application:
    """What an application's page says of an end: nothing. The clock begins when the peer's program is started."""

    ready: threading.Event = field(default_factory=threading.Event)
    over: bool = False


async def attempt(task: Task, settings: Settings, *, peer: Peer, asked: Upstream, model: str) -> Trial:
    """One episode of a peer, with its own settings. Raises EnvironmentFailure where the application does not start."""
    folder = settings.data / "workspaces" / f"peer-{peer.name}-{task.id}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    page = _Application()
    page.ready.set()
    with served(task.folder) as address, Meter(asked.base_url, asked.key) as meter:
        order = Order(
            url=f"{address}/", instruction=task.instruction, seed=1, steps=STEPS, size=SIZE, base_url=meter.address,
            seconds=settings.limits.seconds or SECONDS, model=asked.name, chromium=chromium(),
            result=folder / "result.json", strong=True,
        )  # fmt: skip
        told, why, seconds = await played(peer, order, page, folder)
        right, said = await anyio.to_thread.run_sync(verified, task, address)
    count = meter.count
    still_there(asked)
    return Trial(
        task=task.name, kind=task.kind, model=model, crew=peer.name, right=right, said=said,
        run=folder.name, outcome=told.outcome, reason=told.reason, why=with_refusals(why, count), answer=told.answer,
        calls=count.calls, operations=None, seconds=round(seconds, 1),
        input=count.told(sum(count.inputs)), output=count.told(count.output),
    )  # fmt: skip
