"""Other agents on the pages of MiniWoB++: each in an environment of its own, with the episodes, limits and model of ours.

A peer is a folder with ``run.py`` and ``.venv``. Its program is started with the path of a JSON file that says what is to be
done (:class:`Order`), opens the page, and writes what it says of itself (:class:`Told`). Nothing else is taken from it: the
page says what came of it, and tokens are counted on their way (``peers_meter.py``).
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import urlsplit

import anyio
import anyio.abc
import anyio.to_thread
from pydantic import ValidationError

from deskcrew.environments.browser.launch import program
from deskcrew.environments.isolation import Bubblewrap
from deskcrew.errors import EnvironmentFailure, ModelFailure, UsageError
from deskcrew.facts.observation import Frozen
from deskcrew.facts.system_packages import install
from deskcrew.models.client import Model
from deskcrew.models.local import LocalModel
from deskcrew.models.reference import KEY_VARIABLES, parse
from deskcrew.settings import Settings
from deskcrew.ways_in.report.text import counted
from deskcrew_bench.miniwob.pages import Pages
from deskcrew_bench.miniwob.suite import SIZE, STEPS, said
from deskcrew_bench.peers.meter import Count, Meter
from deskcrew_bench.suites.trial import CRASHED, LONGEST, TIMED_OUT, By, Trial

START_SECONDS = 300.0
"""Seconds in which a peer has its libraries loaded and its page open. They are not charged to it."""
_POLL = 0.05
_NOWHERE = "http://127.0.0.1:9"
"""A proxy that is none: what a peer asks of other hosts fails at once."""


@dataclass(frozen=True)
class Peer:
    """``python``: of its environment."""

    name: str
    python: Path
    script: Path


class Page(Protocol):
    """What a peer works on. ``ready``: it has it open, and its clock starts; ``over``: the page says that it is over."""

    ready: threading.Event

    @property
    def over(self) -> bool: ...


class Order(Frozen):
    """What a peer is told. ``base_url``: of an OpenAI-compatible server, for any key; ``result``: the file it writes its
    :class:`Told` into; ``seconds``: after which it is ended from outside; ``strong``: with the settings that the peer has by
    itself, in place of those for a small model and small pages."""

    url: str
    instruction: str
    seed: int
    steps: int
    seconds: float
    size: tuple[int, int]
    base_url: str
    model: str
    chromium: str
    result: Path
    strong: bool = False


class Told(Frozen):
    """What a peer says of itself. ``reason``: of a failure, in a word or a few."""

    outcome: Literal["done", "failed", "stopped"]
    reason: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Upstream:
    """The server that all peers ask. ``name``: of the model there."""

    base_url: str
    key: str
    name: str


def peer(folder: Path, name: str) -> Peer:
    """One of the peers in ``folder``. Raises UsageError where it is not there, or has no environment yet."""
    there = sorted(script.parent.name for script in folder.glob("*/run.py"))
    if name not in there:
        hint = f"There are: {', '.join(there)}." if there else "They come with Deskcrew's source checkout: --peers DIR"
        raise UsageError(f"There is no peer {name!r} in {folder}.", hint=hint)
    python = (folder / name / ".venv/bin/python").absolute()
    if not python.exists():
        raise UsageError(f"{name} has no environment yet.", hint=f"{folder / 'setup.sh'} {name}")
    return Peer(name, python, (folder / name / "run.py").absolute())


async def upstream(model: str, loaded: Model | None) -> Upstream:
    """Where ``model`` is asked, started if need be. Raises UsageError for one that is not behind a server whose address is
    known, ModelFailure when it does not start."""
    reference = parse(model)
    if isinstance(loaded, LocalModel):
        await loaded.start()
        assert loaded.record is not None
        return Upstream(f"{loaded.record.url}/v1", loaded.record.api_key, loaded.name)
    if reference.kind == "server" and reference.base_url:
        key = next((value for name in KEY_VARIABLES["server"] if (value := os.environ.get(name))), "")
        return Upstream(reference.base_url, key, reference.name)
    raise UsageError(f"Peers cannot be given {model!r}.", hint="Use local, local:NAME or http://HOST/v1#NAME.")


async def attempt(
    key: tuple[str, int],
    pages: Pages,
    instruction: Callable[[str, int], str],
    settings: Settings,
    *,
    peer: Peer,
    by: By,
    asked: Upstream,
) -> Trial:
    """One episode of a peer. Raises EnvironmentFailure where it does not come as far as its page: that is no trial."""
    task, seed = key
    goal = await anyio.to_thread.run_sync(instruction, task, seed)
    folder = settings.data / "workspaces" / f"peer-{peer.name}-{task}-{seed}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    episode = pages.episode(task, seed)
    limit = settings.limits.seconds or LONGEST
    with Meter(asked.base_url, asked.key) as meter:
        order = Order(
            url=episode.address, instruction=goal, seed=seed, steps=STEPS, seconds=limit, size=SIZE,
            base_url=meter.address, model=asked.name, chromium=chromium(), result=folder / "result.json",
        )  # fmt: skip
        told, why, seconds = await played(peer, order, episode, folder)
    count = meter.count
    still_there(asked)
    return Trial(
        suite="miniwob", task=task, seed=seed, model=by[0], crew=by[1], pool=by[2], without=by[3],
        run=folder.name, agents=1, used=1, infeasible=False,
        right=(episode.reward or 0) > 0, said=said(episode, goal),
        outcome=told.outcome, reason=told.reason, why=with_refusals(why, count), answer=told.answer,
        calls=count.calls,
        input=count.told(sum(count.inputs)),
        output=count.told(count.output),
        cached=count.told(count.cached),
        decisions=() if count.untold else tuple(count.inputs),
        seconds=round(seconds, 1),
    )  # fmt: skip


async def played(peer: Peer, order: Order, page: Page, folder: Path) -> tuple[Told, str, float]:
    """What came of it, why, and the seconds from the open page to the end."""
    (folder / "order.json").write_text(order.model_dump_json(indent=1), encoding="utf-8")
    log = folder / "peer.log"
    # Chromium's sockets lie in the temporary folder, and their paths may not be long.
    with tempfile.TemporaryDirectory(prefix="peer-", ignore_cleanup_errors=True) as home, log.open("wb") as output:
        command = [*_confined(), str(peer.python), str(peer.script), str(folder / "order.json")]
        process = await anyio.open_process(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=_environment(home), cwd=home
        )
        async with process:
            try:
                return await _watched(process, peer, order, page, log)
            finally:
                if process.returncode is None:
                    process.kill()  # and with it, being the first of its processes, all others


async def _watched(process: anyio.abc.Process, peer: Peer, order: Order, page: Page, log: Path) -> tuple[Told, str, float]:
    waited = time.perf_counter()
    while not page.ready.is_set():
        if process.returncode is not None or time.perf_counter() - waited > START_SECONDS:
            raise EnvironmentFailure(f"{peer.name} did not come as far as its page: {_last(log)}", hint=f"All of it: {log}")
        await anyio.sleep(_POLL)
    began = time.perf_counter()
    while process.returncode is None and not page.over:
        if time.perf_counter() - began >= order.seconds:
            why = f"It was ended after {order.seconds:g} s."
            return Told(outcome="failed", reason=TIMED_OUT), why, time.perf_counter() - began
        await anyio.sleep(_POLL)
    seconds = time.perf_counter() - began
    if process.returncode is None:
        return Told(outcome="stopped"), "the page says that the task is over", seconds
    try:
        told = Told.model_validate_json(order.result.read_bytes())
    except (OSError, ValidationError):
        return Told(outcome="failed", reason=CRASHED), f"It ended with {process.returncode}: {_last(log)}", seconds
    return told, "what it says of itself", seconds


def _confined() -> list[str]:
    """How a peer's command line begins: its processes are ended with the first of them, however they were started. Nothing
    else is kept from it. Raises EnvironmentFailure."""
    found = Bubblewrap.find()
    if isinstance(found, str):
        raise EnvironmentFailure(f"A peer cannot be started: {found}.", hint="Run `deskcrew doctor`.")
    return [found.program, "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--die-with-parent", "--new-session"]


def _environment(home: str) -> dict[str, str]:
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), _NOWHERE)
    here = dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost")
    places = {"HOME": home, "TMPDIR": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    return {**places, **nowhere, **here}


def chromium() -> str:
    found = program()
    if found is None:
        raise EnvironmentFailure("There is no Chromium on this machine.", hint=install("chromium"))
    return found


def still_there(asked: Upstream) -> None:
    """Raises ModelFailure where the model's server has gone: what came of the trial is nobody's fault then."""
    parts = urlsplit(asked.base_url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)), 10).close()
    except OSError as error:
        raise ModelFailure(
            f"The model's server has gone ({error}); this trial is not kept.", hint="With --jsonl the same command goes on."
        ) from error


def with_refusals(why: str, count: Count) -> str:
    if not count.refused:
        return why
    return f"{why}; {counted(len(count.refused), 'request')} refused by the model's server, the last: {count.refused[-1]}"


def _last(log: Path) -> str:
    """The last line of what a peer printed that says something."""
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1].strip()[-300:] if lines else "it said nothing"
