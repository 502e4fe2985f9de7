"""A real fleet on this machine: nodes of one core each, a journal on PostgreSQL, and whoever kills parts of it."""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Literal

import psutil
from sqlalchemy import insert

from deskcrew.engine.request import RunRequest
from deskcrew.facts.observation import Frozen
from deskcrew.journal import schema
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.nodes import HERE, FleetNode, nodes, start, stop
from deskcrew.ways_in.fleet.submissions import GOING_ON, Submissions, version
from deskcrew.ways_in.fleet.tasks import Submission, Task
from deskcrew.ways_in.running.messages import Start
from deskcrew_bench.figure import Figure, summarise
from deskcrew_bench.fleet.provider import LOG, Provider, steps, task

Kind = Literal["worker", "node", "head", "database"]
LONGEST = 1800.0
"""Seconds that a series of episodes may take."""
SLOTS = {"desktop": 1, "browser": 1, "model": 1}
LOOKS = 5


class Killed(Frozen):
    """What became of episodes while parts were killed. ``kills``: how many of each kind; ``lost``: without an end;
    ``doubled``: with a step that was done twice; ``wrong``: that ended without all their steps; ``states``: how they ended;
    ``broken``: journals that are not what was written."""

    episodes: int
    kills: dict[str, int]
    lost: int
    doubled: int
    wrong: int
    broken: int
    states: dict[str, int]
    seconds: float


class Fleet:
    """A fleet of its own, for as long as :func:`fleet` is open."""

    def __init__(self, settings: Settings, provider: Provider) -> None:
        self.settings, self.provider, self.submissions = settings, provider, Submissions(settings)
        self._port = free_port()

    @property
    def results(self) -> Path:
        return self.settings.data.parent / "results"

    def head(self) -> FleetNode:
        return start(self.settings, self.submissions, port=self._port, cpus=1, slots=SLOTS)

    def join(self) -> FleetNode:
        return start(self.settings, self.submissions, join=f"{HERE}:{self._port}", cpus=1, slots=SLOTS)

    def submit(self, episodes: int) -> str:
        """Submit that many episodes."""
        request = RunRequest(task="", model=self.provider.model, crew="solo", desktop="none")
        submission = Submission(start=Start(request=request), results=str(self.results), version=version())
        name = self.submissions.add(submission, [Task(task=task(number)) for number in range(1, episodes + 1)])
        self.provider.submission = name
        return name

    def open(self, name: str) -> int:
        """How many runs of a submission have no end yet."""
        return sum(line.runs for line in self.submissions.status(name) if line.state in GOING_ON)

    def kill(self, kind: Kind, name: str, restart: str) -> bool:
        """Kill a part of it as a power cut would, and begin a new one in its place; whether there was one to kill."""
        if kind == "database":
            return subprocess.run(restart, shell=True, check=False, stdout=subprocess.DEVNULL).returncode == 0
        there = nodes(self.settings)
        if kind == "worker":
            families = (process for node in there for process in psutil.Process(node.pid).children(recursive=True))
            at_it = [process for process in families if f"ray::{name}" in " ".join(process.cmdline()[:1])]
            if at_it:
                random.choice(at_it).kill()
            return bool(at_it)
        for node in there if kind == "head" else [node for node in there if not node.head][:1]:
            # Without its head a node ends by itself, after a minute.
            self._power_off(node)
        if kind == "head":
            self.submissions.gone(there[0].address)
            self.head()
        self.join()
        return True

    def _power_off(self, node: FleetNode) -> None:
        keeper = psutil.Process(node.pid)
        family = [keeper, *keeper.children(recursive=True)]
        for process in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(family, timeout=10)
        stop(self.settings, node)


@contextlib.contextmanager
def fleet(folder: Path, address: str, seconds: float) -> Generator[Fleet]:
    """A fleet without a node yet, whose provider takes ``seconds`` for a reply. Its nodes are ended at the end."""
    data = folder / "data"
    settings = Settings(data=data, models=folder / "models", config=folder / "config", database=address)
    # Sockets need a short path, and nothing of it is to stay.
    ray = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
    changed = {"RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_TMPDIR": str(ray), "HOME": str(ray)}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        with Provider(data, seconds) as provider:
            made = Fleet(settings, provider)
            try:
                yield made
            finally:
                for node in reversed(nodes(settings)):
                    stop(settings, node)
                    if node.head:
                        made.submissions.gone(node.address)
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        shutil.rmtree(ray, ignore_errors=True)


def throughput(folder: Path, address: str, *, episodes: int, seconds: float) -> Figure:
    """Seconds that episodes take on two nodes, beside the same on one."""
    taken: dict[int, float] = {}
    for there in (1, 2):
        place = folder / str(there)
        place.mkdir()
        with fleet(place, address, seconds) as made:
            made.head()
            for _ in range(there - 1):
                made.join()
            _warm(made, there)
            began = time.monotonic()
            name = made.submit(episodes)
            _until_ended(made, name, began)
            taken[there] = time.monotonic() - began
            wrong = _counted(made, name, episodes)
            if wrong["lost"] or wrong["doubled"] or wrong["wrong"]:
                raise AssertionError(f"with {there} nodes not all went well: {wrong}")
    return summarise([taken[2]], "s", alternative="the same on one node", against=[taken[1]])


def killing(
    folder: Path, address: str, *, episodes: int, seconds: float, kinds: list[Kind], every: float, restart: str
) -> Killed:
    """What becomes of episodes on two nodes while parts are killed, one of ``kinds`` after the other, ``every`` so many
    seconds. ``restart``: a command that restarts the database."""
    left, done = list(kinds), Counter[str]()
    with fleet(folder, address, seconds) as made:
        made.head()
        made.join()
        began = time.monotonic()
        name = made.submit(episodes)
        due = began + every
        while made.open(name) and time.monotonic() - began < LONGEST:
            if left and time.monotonic() >= due and made.kill(left[0], name, restart):
                done[left.pop(0)] += 1
                due = time.monotonic() + every
            time.sleep(0.5)
        found = _counted(made, name, episodes)
        states = {line.state: line.runs for line in made.submissions.status(name)}
        store = made.submissions.store
        broken = sum(bool(store.verified(f"{name}-{number:05}").problems) for number in range(1, episodes + 1))
    return Killed(
        episodes=episodes,
        kills=dict(done),
        **found,
        broken=broken,
        states=states,
        seconds=round(time.monotonic() - began, 1),
    )


def queue(folder: Path, address: str, *, tasks: int, rows: int) -> list[tuple[str, Figure]]:
    """Seconds that submitting so many tasks takes, and milliseconds of looking at how all stand, with so many rows."""
    settings = Settings(data=folder / "data", models=folder / "models", config=folder / "config", database=address)
    submissions = Submissions(settings)
    submission = Submission(start=Start(request=RunRequest(task="", crew="solo", desktop="none")), version=version())
    given = [Task(task=task(number)) for number in range(1, tasks + 1)]
    began = time.monotonic()
    name = submissions.add(submission, given)
    submitted = time.monotonic() - began
    submissions.cancel(name)
    few = _looks(submissions)
    states = ("done", "failed", "unverified", "waiting")
    with submissions.store.database.writing() as connection:
        for at in range(0, rows, 10_000):
            some = f"bench-{secrets.token_hex(4)}"
            row = {"id": some, "created": time.time(), "asked": submission.model_dump_json()}
            connection.execute(insert(schema.submissions), row)
            kept = [
                {"run": f"{some}-{number:05}", "submission": some, "asked": "{}", "state": states[number % 4], "tokens": 900}
                for number in range(min(10_000, rows - at))
            ]
            connection.execute(insert(schema.submitted), kept)
    many = _looks(submissions)
    with submissions.store.database.writing() as connection:
        runs, all_ = schema.submitted, schema.submissions
        connection.execute(runs.delete().where(runs.c.submission.startswith("bench-")))
        connection.execute(all_.delete().where(all_.c.id.startswith("bench-")))
    return [
        (f"submitting {tasks:,} tasks", summarise([submitted], "s", alternative="the bound", against=[10.0])),
        (f"status with {rows:,} runs", summarise(many, "ms", alternative=f"with {tasks:,}", against=few)),
    ]


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _looks(submissions: Submissions) -> list[float]:
    taken: list[float] = []
    for _ in range(LOOKS):
        began = time.monotonic()
        submissions.status()
        submissions.heads()
        taken.append((time.monotonic() - began) * 1000)
    return taken


def _warm(made: Fleet, nodes: int) -> None:
    """Have every place on every node used once: a process that begins is not what is measured."""
    name = made.submit(4 * nodes)
    _until_ended(made, name, time.monotonic())


def _until_ended(made: Fleet, name: str, began: float) -> None:
    while made.open(name):
        if time.monotonic() - began > LONGEST:
            raise AssertionError(f"not all ended within {LONGEST:g} seconds")
        time.sleep(0.1)


def _counted(made: Fleet, name: str, episodes: int) -> dict[str, int]:
    """How many have no end, did a step twice, or not all of them."""
    found = {"lost": made.open(name), "doubled": 0, "wrong": 0}
    for number in range(1, episodes + 1):
        log = made.results / f"{name}-{number:05}" / LOG
        noted = log.read_text().split() if log.exists() else []
        found["doubled"] += len(noted) != len(set(noted))
        found["wrong"] += sorted(set(noted)) != sorted(steps(number))
    return found
