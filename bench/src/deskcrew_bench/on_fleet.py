"""A series whose episodes are done on the nodes of a fleet: one Ray task each, begun again where its process or node dies.

A node does what a series on one machine does, with its own settings and the limits of whoever asked, and is sent the files
that it needs for it. Its journal is the fleet's. What came of an episode comes back through Ray, and is kept in the file of
the series as soon as it is there: nothing else has to be known to go on later.
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import signal
import socket
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import anyio

from deskcrew.engine.request import make_data_folder, remove_workspace
from deskcrew.errors import DeskcrewError, EnvironmentFailure, JournalError, UsageError, extra_installed
from deskcrew.facts.events import DesktopKind
from deskcrew.facts.observation import Frozen
from deskcrew.models.client import Model
from deskcrew.settings import Limits, Settings
from deskcrew.ways_in.fleet.nodes import secured
from deskcrew.ways_in.fleet.pacing import limited
from deskcrew.ways_in.fleet.submissions import Submissions, version
from deskcrew.ways_in.fleet.work import FOLDER
from deskcrew_bench.series import keep

K = TypeVar("K", bound=tuple[object, ...])
T = TypeVar("T", bound=Frozen)
K_contra = TypeVar("K_contra", bound=tuple[object, ...], contravariant=True)
T_co = TypeVar("T_co", bound=Frozen, covariant=True)
SCHEME = "ray://"
RETRIES = 3
"""How often an episode is begun again whose process or node died, or which its surroundings failed."""
PATIENCE = 10.0
"""Seconds in which a head must take a connection, and in which episodes end that are not wanted any more. Ray itself waits
a minute for a head that has gone, and then ends this process."""
LOOKS = 2.0
"""Seconds between two looks whether the head is there, where no episode ends meanwhile."""
DISTRIBUTION = "deskcrew-bench"


class Episodes(Protocol[K_contra, T_co]):
    """The episodes of a series as a node is told of them: a value that can be pickled. ``desktop``, ``model``: what a run
    of them takes room for."""

    @property
    def desktop(self) -> DesktopKind: ...

    @property
    def model(self) -> str: ...

    async def attempt(self, key: K_contra, files: Path, settings: Settings, loaded: Model | None) -> T_co:
        """Do one. ``files``: the folder of what was sent along; ``loaded``: answers in place of the model, unless that is a
        control."""
        ...


@dataclass(frozen=True, slots=True)
class OnFleet(Generic[K, T]):
    """A series on the fleet whose head is at ``address``, ``ray://HOST:PORT``. ``files``: files and folders of this machine
    that its episodes need, by the path that they get below the folder of an episode."""

    address: str
    episodes: Episodes[K, T]
    files: Mapping[str, Path]
    limits: Limits

    def go_on(
        self,
        wanted: Iterable[K],
        known: Mapping[K, T],
        *,
        path: Path | None,
        told: Callable[[T], None],
        keeps: Callable[[T], bool] = lambda _: True,
    ) -> tuple[list[T], dict[K, str]]:
        """As ``series.go_on``, but as many at once as there is room for, and ``told`` hears of each as it ends. Returns the
        trials in the order of what is wanted, and why there is none of an episode. What Ray prints goes to the standard
        error output. Blocking. Raises UsageError without Ray, the fleet's token or a node that could do them, and
        EnvironmentFailure if the fleet cannot be reached, or not any more."""
        keys = list(wanted)
        trials = {key: known[key] for key in keys if key in known}
        failed: dict[K, str] = {}
        for trial in trials.values():
            told(trial)
        left, output = [key for key in keys if key not in trials], sys.stdout
        if left:
            # Ray prints to it what nodes tell of processes that died.
            with redirect_stdout(sys.stderr), _connected(self.address) as ray:
                _check(ray, self.address, self.episodes)
                for key, trial, why in self._ended(ray, left, kept=path is not None):
                    if trial is None:
                        failed[key] = why
                        continue
                    if path is not None and keeps(trial):
                        keep(path, trial)
                    trials[key] = trial
                    with redirect_stdout(output):
                        told(trial)
        return [trials[key] for key in keys if key in trials], failed

    def _ended(self, ray: Any, keys: list[K], *, kept: bool) -> Iterator[tuple[K, T | None, str]]:
        """Each episode as it ends, and why there is no trial of it. ``kept``: whether trials are in a file. Raises
        EnvironmentFailure if the head has gone."""
        from deskcrew.ways_in.fleet.handing import room

        needed = room(self.episodes.desktop, self.episodes.model, version())
        retried = {"max_retries": RETRIES, "retry_exceptions": [EnvironmentFailure, JournalError]}
        task = ray.remote(scheduling_strategy="SPREAD", **retried, **needed)(episode)
        common = ray.put((self.episodes, self.limits)), ray.put(packed(self.files))
        going = {task.options(name=" ".join(map(str, key))).remote(key, *common): key for key in keys}
        heard = time.monotonic()
        try:
            while going:
                ended, _ = ray.wait(list(going), num_returns=1, timeout=LOOKS)
                for each in ended:
                    yield going.pop(each), *_result(ray, each)
                if not (why := _silence(self.address)):
                    heard = time.monotonic()
                elif time.monotonic() - heard > PATIENCE:
                    goes_on = "the same command goes on" if kept else "with --jsonl FILE, the same command would go on"
                    told = f"The head at {self.address} has gone, with {len(going)} of {len(keys)} episodes to do: {why}."
                    raise EnvironmentFailure(told, hint=f"Start it again: deskcrew fleet up --head. Then {goes_on}.")
        finally:
            for each in going:
                ray.cancel(each)
            if going:
                ray.wait(list(going), num_returns=len(going), timeout=PATIENCE)


def episode(key: Any, common: tuple[Episodes[Any, Any], Limits], files: bytes) -> Frozen:
    """A Ray task: do one episode here. Raises what its ``attempt`` raises."""
    episodes, limits = common
    settings = Settings.load().model_copy(update={"limits": limits})
    return anyio.run(_attempted, episodes, key, unpacked(settings, files), settings)


async def _attempted(episodes: Episodes[Any, Any], key: Any, files: Path, settings: Settings) -> Frozen:
    if episodes.model not in settings.rates:
        return await episodes.attempt(key, files, settings, None)
    submissions = Submissions(settings)
    try:
        async with limited(episodes.model, settings, submissions.reserve, print) as loaded:
            return await episodes.attempt(key, files, settings, loaded)
    finally:
        submissions.store.close()


def _result(ray: Any, ended: Any) -> tuple[Any, str]:
    """The trial of a task that has ended, or None and why there is none."""
    from ray.exceptions import RayError, RayTaskError

    try:
        return ray.get(ended), ""
    except RayTaskError as error:
        cause: object = error.cause  # pyright: ignore[reportUnknownMemberType]
        if isinstance(cause, DeskcrewError):
            return None, f"{cause} {cause.hint}".strip()
        return None, f"{type(cause).__name__}: {_line(cause)}"
    except RayError as error:
        return None, f"it was begun up to {RETRIES + 1} times: {_line(error)}"


# The fleet.


@contextmanager
def _connected(address: str) -> Generator[Any]:
    """Ray, connected to the fleet whose head is at an address."""
    if find_spec("ray") is None:
        raise UsageError("Episodes on a fleet need Ray.", hint=extra_installed("fleet"))
    host, port = place_of(address)
    hint = "`deskcrew fleet status` names the head that is up; what is at its address is `deskcrew fleet up --head`."
    if why := _silence(address):
        raise EnvironmentFailure(f"Nobody answers at {address}: {why}.", hint=hint)
    # Ray reads them when it is imported.
    os.environ.update({name: value for name, value in secured(join=True).items() if name.startswith("RAY_")})
    import ray as untyped
    from ray.exceptions import RayError

    ray: Any = untyped
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=f"{host}:{port}", log_to_driver=False, configure_logging=False)
    except (RayError, RuntimeError, ConnectionError, ValueError) as error:
        hint = f"This machine must be a node of it, with its token: deskcrew fleet up --join {host}:{port}"
        raise EnvironmentFailure(f"The fleet at {address} cannot be used: {_line(error)}", hint=hint) from error
    try:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)  # Ray would abort: nothing would be cancelled
        yield ray
    finally:
        ray.shutdown()


def _silence(address: str) -> str:
    """Why nobody takes a connection at an address; '' if somebody does."""
    try:
        socket.create_connection(place_of(address), timeout=PATIENCE).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def place_of(address: str) -> tuple[str, int]:
    """Host and port of ``ray://HOST:PORT`` or ``HOST:PORT``. Raises UsageError."""
    host, _, port = address.removeprefix(SCHEME).rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536 or "/" in host:
        hint = "It is the head's, as `deskcrew fleet status` shows it: --on ray://10.0.0.5:6379"
        raise UsageError(f"--on {address!r} is not the address of a fleet.", hint=hint)
    return host.strip("[]"), int(port)


def _check(ray: Any, address: str, episodes: Episodes[Any, Any]) -> None:
    """Raises UsageError where no node can do them, or one would do them with another version of the benchmarks."""
    from ray.exceptions import RayError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    from deskcrew.ways_in.fleet.handing import only, room

    there = {node["NodeID"]: node for node in ray.nodes() if node["Alive"]}
    own = {name: node for name, node in there.items() if only(version()) in node["Resources"]}
    if not own:
        found = sorted({name for node in there.values() for name in node["Resources"] if name.startswith(only(""))})
        others = ", ".join(name.removeprefix(only("")) for name in found if name != "deskcrew-head")
        told = f"have Deskcrew {others}, and this is {version()}" if others else "are none of Deskcrew's"
        raise UsageError(f"The nodes at {address} {told}.", hint="Install the same version on all, and: deskcrew fleet up")
    slots: dict[str, float] = room(episodes.desktop, episodes.model, version())["resources"]
    if not any(all(node["Resources"].get(name, 0) >= most for name, most in slots.items()) for node in own.values()):
        kinds = " and ".join(f"a {name}" for name in slots if name != only(version()))
        hint = "deskcrew fleet up takes --desktops, --browsers and --models."
        raise UsageError(f"No node at {address} has room for {kinds}.", hint=hint)
    task = ray.remote(num_cpus=0)(_asked())
    asked = {name: NodeAffinitySchedulingStrategy(name, soft=False) for name in own}
    answers = {name: task.options(scheduling_strategy=strategy).remote() for name, strategy in asked.items()}
    for name, answer in answers.items():
        try:
            found = ray.get(answer)
        except RayError:
            continue  # it has gone meanwhile
        if found != (here := _asked()()):
            what = f"{DISTRIBUTION} {found}" if found else f"no {DISTRIBUTION}"
            where = f"{own[name]['NodeManagerHostname']}/{name[:6]}"
            raise UsageError(f"The node {where} has {what}, and this is {here}.", hint="Install the same on all nodes.")


def _asked() -> Callable[[], str]:
    """Which version of the benchmarks is installed, '' for none: a function that goes to a node as code, as a node that
    has none could not import it."""

    def installed() -> str:
        import importlib.metadata

        try:
            return importlib.metadata.version("deskcrew-bench")
        except importlib.metadata.PackageNotFoundError:
            return ""

    return installed


# Files that go along.


def packed(files: Mapping[str, Path]) -> bytes:
    """Files and folders, by the path that each is to have: an archive, the same for the same content. What a link points to
    goes in its place. Raises UsageError for one that cannot be read."""
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w", dereference=True) as archive:
        for name, path in sorted(files.items()):
            try:
                archive.add(path, name, filter=_plain)
            except OSError as error:
                raise UsageError(f"{error.filename or path} cannot be sent to the nodes: {error.strerror}.") from error
    return kept.getvalue()


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """An entry without what differs from copy to copy; None for what a program left there."""
    if Path(entry.name).name == "__pycache__":
        return None
    return entry.replace(mtime=0, uid=0, gid=0, uname="", gname="", deep=False)


def unpacked(settings: Settings, files: bytes) -> Path:
    """The folder with what was packed, which is written once on a node."""
    make_data_folder(settings)
    own = settings.data / FOLDER / "series"
    own.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = own / hashlib.sha256(files).hexdigest()[:32]
    if not place.is_dir():
        part = place.with_name(f"{place.name}.{secrets.token_hex(4)}")
        with tarfile.open(fileobj=io.BytesIO(files)) as archive:
            archive.extractall(part, filter="data")
        try:
            part.rename(place)
        except OSError:  # another process was faster
            remove_workspace(part)
    return place


def _line(error: object) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
