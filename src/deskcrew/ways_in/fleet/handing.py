"""Hands submitted runs to Ray: one task per run. Ray places them, and restarts one whose process or node died.

This is an actor, which Ray restarts if its process dies. Its only state is which runs it has handed over. It hands over
every open run in the database that it has not handed over yet, so a restart needs nothing else.
"""

from __future__ import annotations

import functools
import socket
import threading
import time
from typing import Any

import ray as _untyped
from ray.exceptions import RayError, RayTaskError

from deskcrew.errors import DeskcrewError, JournalError, UsageError
from deskcrew.facts.events import DesktopKind
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.submissions import Submissions, version
from deskcrew.ways_in.fleet.tasks import AskedRun
from deskcrew.ways_in.fleet.work import perform

ray: Any = _untyped
NAME, NAMESPACE = "handing", "deskcrew"
EVERY = 0.5
"""Seconds between two checks for open runs."""
HEARD_EVERY = 5.0
"""Seconds between two heartbeats in the database."""
LEAST = 1000
"""How many runs are handed to Ray at once at the most, or twice as many as all cores have room for if that is more. The
others wait in the database."""
RETRIES = 5
"""How often Ray restarts a run whose process or node died. Limited, since a run may kill its process each time."""
CPUS = 0.25
"""Cores for a run: it waits for a model most of the time."""
MEMORY: dict[DesktopKind, int] = {"virtual": 1 << 30, "browser": 512 << 20, "none": 256 << 20}
"""Bytes of memory that a run usually needs."""
PAUSE = 10.0
"""Seconds until a run that could not reach its database or its blobs is handed over again."""
_SLOT = 0.001


def only(told: str) -> str:
    """The resource that marks nodes with a version of Deskcrew, and that runs of a submission with that version need."""
    return f"deskcrew-{told}"


def needs(asked: AskedRun) -> dict[str, Any]:
    """The free resources that a node must have for a run, as options of a Ray task."""
    request = asked.request
    return room(request.desktop, request.model, asked.submission.version)


def room(desktop: DesktopKind, model: str, wanted: str) -> dict[str, Any]:
    """The free resources that a node must have for a run with that desktop and model, as options of a Ray task.
    ``wanted``: the version of Deskcrew that the node must have."""
    slots = {only(wanted): _SLOT}
    if desktop in ("virtual", "browser"):
        slots["desktop" if desktop == "virtual" else "browser"] = 1
    if model.partition(":")[0] == "local":
        slots["model"] = 1
    return {"num_cpus": CPUS, "memory": MEMORY.get(desktop, MEMORY["none"]), "resources": slots}


def work(run: str, wanted: str) -> None:
    """The Ray task that executes a run. ``wanted``: the version of Deskcrew that its submission needs. Raises UsageError on
    a node with another version, and what :func:`perform` raises."""
    if wanted != version():
        raise UsageError(f"This node has Deskcrew {version()}, and the run needs {wanted}.")
    node = f"{socket.gethostname()}/{ray.get_runtime_context().get_node_id()[:6]}"
    perform(Settings.load(), run, node)


class Handing:
    """The actor that hands runs over. ``address``: where nodes join."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._going: dict[Any, str] = {}
        self._paused: dict[str, float] = {}
        self._work = ray.remote(max_retries=RETRIES, scheduling_strategy="SPREAD")(work)
        self._heard = -HEARD_EVERY
        threading.Thread(target=self._keep, name=NAME, daemon=True).start()

    def version(self) -> str:
        """The version of Deskcrew in the actor's process."""
        return version()

    def _keep(self) -> None:
        while True:
            try:
                self._look()
            except DeskcrewError as error:
                print(f"{type(error).__name__}: {error.whole}", flush=True)  # Ray keeps it
                time.sleep(HEARD_EVERY)
            time.sleep(EVERY)

    @functools.cached_property
    def _submissions(self) -> Submissions:
        return Submissions(Settings.load())

    def _look(self) -> None:
        """Settle the tasks that have ended, and hand over the runs that are open."""
        if self._going:
            ended, _ = ray.wait(list(self._going), num_returns=len(self._going), timeout=0)
            for task in ended:
                self._settle(task)
        self._paused = {run: ends for run, ends in self._paused.items() if ends > time.monotonic()}
        given = {*self._going.values(), *self._paused}
        most = max(LEAST, int(2 * ray.cluster_resources().get("CPU", 0) / CPUS))
        new = [run for run in self._submissions.open(most) if run not in given][: max(most - len(given), 0)]
        found = self._submissions.asked(new) if new else {}
        for run in new:  # the oldest first
            task = self._work.options(name=run, **needs(found[run])).remote(run, found[run].submission.version)
            self._going[task] = run
        if time.monotonic() - self._heard >= HEARD_EVERY:
            self._submissions.heard(self._address, _nodes())
            self._heard = time.monotonic()

    def _settle(self, task: Any) -> None:
        """Handle the end of a task: the run failed if Ray gave it up; it is paused if it could not reach its database."""
        run = self._going.pop(task)
        try:
            ray.get(task)
        except RayTaskError as error:
            cause: object = error.cause  # pyright: ignore[reportUnknownMemberType]
            if isinstance(cause, JournalError):
                self._paused[run] = time.monotonic() + PAUSE
            else:
                self._submissions.end(run, "failed", f"{type(cause).__name__}: {cause}")
        except RayError as error:
            why = f"its process was ended {RETRIES + 1} times: {str(error).splitlines()[0]}"
            self._submissions.tell(run, "", why)
            self._submissions.end(run, "failed", why)


def _nodes() -> dict[str, dict[str, float]]:
    """The resources of each living node, without those that Ray adds itself."""
    return {
        f"{node['NodeManagerHostname']}/{node['NodeID'][:6]}": {
            name: amount
            for name, amount in node["Resources"].items()
            if ":" not in name and name not in ("object_store_memory", "memory")
        }
        for node in ray.nodes()
        if node["Alive"]
    }


def hand_over(address: str) -> None:
    """Start the actor in the fleet at that address, unless it is running; it outlives this process. Blocking."""
    ray.init(address=address, namespace=NAMESPACE, log_to_driver=False, configure_logging=False)
    try:
        actor = ray.remote(Handing).options(
            name=NAME,
            namespace=NAMESPACE,
            lifetime="detached",
            get_if_exists=True,
            max_restarts=-1,
            num_cpus=0,
            resources={HEAD: _SLOT},
        )
        ray.get(actor.remote(address).version.remote())
    finally:
        ray.shutdown()


HEAD = "deskcrew-head"
"""The resource of the node that the actor runs on."""
