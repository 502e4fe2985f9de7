"""Nodes of a fleet on this machine: Ray's processes, started and stopped.

``ray stop`` would stop everything of Ray's on the machine. So one process of ours owns each node, and ends its other
processes with it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import psutil
from pydantic import ValidationError

from deskcrew.engine.request import make_data_folder
from deskcrew.errors import EnvironmentFailure, UsageError, extra_installed
from deskcrew.facts.liveness import living, write_private
from deskcrew.facts.observation import Frozen
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.submissions import HeadProcess, Submissions, version
from deskcrew.ways_in.fleet.work import FOLDER

PORT = 6379
HERE = "127.0.0.2"
"""The address of a node that other machines cannot reach. Not 127.0.0.1, which Ray replaces by the machine's address."""
SILENT = 20.0
"""Seconds after which a silent head counts as gone."""
PATIENCE = 60.0
"""Seconds within which Ray's processes must start or end."""
OBJECTS = 100 << 20
"""The size of Ray's object store: a run's only argument is its id."""


_DETACHED = """
import os, sys
if pid := os.fork():
    print(pid, flush=True)
    os._exit(0)
os.setsid()
os.dup2(2, 1)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Starts a program as a daemon, and prints its pid."""


class FleetNode(Frozen):
    """A node that was started here. ``pid``, ``started``: the id and start time of the process that owns it; ``head``:
    whether it is the head, which other nodes join."""

    pid: int
    started: float
    address: str
    head: bool


def start(
    settings: Settings, submissions: Submissions, *, join: str = "", host: str = "", port: int = PORT,
    cpus: int | None = None, slots: Mapping[str, int],
) -> FleetNode:  # fmt: skip
    """Start a node: the head, or, with ``join``, a node that joins the head at that address. ``host``: the address by which
    other nodes reach this one; ``slots``: how many runs of each kind it has room for. A new head first stops the nodes of
    this data folder that had joined an earlier head at its address. Blocking. Raises UsageError if the head has another
    version, or there already is one, and EnvironmentFailure if Ray does not start."""
    if find_spec("ray") is None:
        raise UsageError("A node of a fleet needs Ray.", hint=extra_installed("fleet"))
    heads = [head for head in submissions.heads() if head.silent < SILENT]
    address = join or f"{host or HERE}:{port}"
    host = host or (HERE if address.startswith("127.") else "")
    _check(heads, address, join=bool(join))
    if not join:
        for orphan in nodes(settings):
            if orphan.address == address and not orphan.head:
                stop(settings, orphan)  # Ray takes what is left of its processes for a head that runs there
    resources = dict(slots) | {f"deskcrew-{version()}": 1_000_000} | ({} if join else {"deskcrew-head": 1})
    # -P: no module of the folder a user happens to be in is imported.
    command = [sys.executable, "-P", "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats"]
    command += ["--resources", json.dumps(resources), "--object-store-memory", str(OBJECTS)]
    command += ["--min-worker-port", "0", "--max-worker-port", "0"]  # whichever are free
    command += ["--address", join] if join else ["--head", "--port", str(port), "--include-dashboard", "false"]
    command += ["--node-ip-address", host] if host else []
    command += ["--num-cpus", str(cpus)] if cpus is not None else []
    make_data_folder(settings)
    folder = settings.data / FOLDER
    folder.mkdir(exist_ok=True, mode=0o700)
    environment = secured(join=bool(join)) | _told(settings)
    with (folder / "ray.log").open("ab") as log:
        began = log.tell()
        detached = subprocess.run(
            [sys.executable, "-P", "-c", _DETACHED, *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=environment, cwd=folder, check=True,
        )  # fmt: skip
    pid = int(detached.stdout)
    node = FleetNode(pid=pid, started=psutil.Process(pid).create_time(), address=address, head=not join)
    write_private(folder / f"node-{pid}.json", node.model_dump_json())
    if why := _begun(node, folder / "ray.log", began):
        stop(settings, node)
        raise EnvironmentFailure(f"Ray did not start: {why}", hint=f"{folder / 'ray.log'} has Ray's whole output.")
    if not join and (why := _hand_over(address, environment)):
        stop(settings, node)
        raise EnvironmentFailure(f"Submitted runs cannot be handed over: {why}")
    return node


def nodes(settings: Settings) -> list[FleetNode]:
    """The running nodes that were started from this data folder."""
    found: list[FleetNode] = []
    for file in sorted((settings.data / FOLDER).glob("node-*.json")):
        try:
            node = FleetNode.model_validate_json(file.read_bytes())
        except (OSError, ValidationError):
            continue
        if living(node.pid, node.started) is not None:
            found.append(node)
        else:
            file.unlink(missing_ok=True)
    return found


def stop(settings: Settings, node: FleetNode) -> None:
    """Stop a node and all its processes. Its runs continue on other nodes, or once there is one. Blocking."""
    keeper = living(node.pid, node.started)
    if keeper is not None:
        # Known before it is told to end: what outlives it is nobody's child any more.
        family = [keeper, *keeper.children(recursive=True)]
        keeper.send_signal(signal.SIGTERM)
        _, left = psutil.wait_procs(family, timeout=PATIENCE / 3)
        for process in left:
            process.kill()
        psutil.wait_procs(left, timeout=PATIENCE / 3)
    (settings.data / FOLDER / f"node-{node.pid}.json").unlink(missing_ok=True)


def secured(*, join: bool) -> dict[str, str]:
    """The environment of Ray's processes, in which anyone without the fleet's token and certificate is refused. The head's
    are created in ``~/.ray`` if missing; on a node that joins without them, raises UsageError."""
    try:
        from deskcrew.ways_in.fleet.encryption import encrypted
    except ImportError as error:
        raise UsageError(f"A fleet needs {error.name}.", hint=extra_installed("fleet")) from error
    environment = os.environ | {
        "RAY_AUTH_MODE": "token",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0",  # runs go on elsewhere, and who hands them over never is done
        "PYTHONUNBUFFERED": "1",
    }
    environment |= encrypted(join=join)
    told = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    if told or (Path.home() / ".ray" / "auth_token").is_file():
        return environment
    if join:
        hint = "Copy ~/.ray/auth_token of the head to this machine, readable by you alone, or set RAY_AUTH_TOKEN."
        raise UsageError("This machine does not have the fleet's token.", hint=hint)
    command = [sys.executable, "-P", "-m", "ray.scripts.scripts", "get-auth-token", "--generate"]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    token = Path.home() / ".ray" / "auth_token"
    token.chmod(0o600)
    return environment


def _check(heads: list[HeadProcess], address: str, *, join: bool) -> None:
    if join:
        other = next((head for head in heads if head.address == address and head.version != version()), None)
        if other is not None:
            told = f"The head at {address} is Deskcrew {other.version}, and this is {version()}."
            raise UsageError(told, hint="Install the same version on all nodes.")
    elif heads:
        hint = f"Join it: deskcrew fleet up --join {heads[0].address}. A head that died counts as gone after {SILENT:g} s."
        raise UsageError(f"This database's fleet already has a head, at {heads[0].address}.", hint=hint)


def _begun(node: FleetNode, log: Path, began: int) -> str:
    """Why a node did not start; '' once it has."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        gone = living(node.pid, node.started) is None  # before what it said is read: that is all of it then
        said = log.read_bytes()[began:].decode(errors="replace")
        if "Ray runtime started" in said:
            return ""
        if gone:
            lines = [line.strip() for line in said.splitlines() if line.strip()]
            return lines[-1] if lines else "it ended without a message"
        time.sleep(0.1)
    return f"it did not start within {PATIENCE:g} seconds"


def _hand_over(address: str, environment: Mapping[str, str]) -> str:
    """Start handing over submitted runs; returns why that failed, or ''. Uses a process of its own, because Ray reads its
    security settings when it is imported."""
    code = "import sys; from deskcrew.ways_in.fleet.handing import hand_over; hand_over(sys.argv[1])"
    command = [sys.executable, "-P", "-c", code, address]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return "" if done.returncode == 0 else said[-1] if said else f"it ended with {done.returncode}"


def _told(settings: Settings) -> dict[str, str]:
    """The environment variables that pass these settings on to a node's processes."""
    named = ("data", "models", "config", "database", "blobs")
    return {f"DESKCREW_{name.upper()}": str(value) for name in named if (value := getattr(settings, name))}
