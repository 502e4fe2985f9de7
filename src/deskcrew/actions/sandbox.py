"""Runs programs written by a model: in a sandbox, with limits on every resource, and never outside it (W7, W20, W21).

Which limits hold: wall time, output, CPU time, address space, file size and open files always; the number of processes and
their total memory by a control group if one can be made (root, containers), else the number of processes by RLIMIT_NPROC
(counted inside the sandbox's own user namespace; it does nothing for root), else only by time: when the program ends or is
killed, its whole process tree goes with it. What it writes into the workspace is limited if it goes to a layer first
(:meth:`Sandbox.layer`). :meth:`Sandbox.bounds` says which of these are in force.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import IO, Protocol, TypeVar

from deskcrew.actions import libraries
from deskcrew.actions.bubblewrap import SandboxContents, account_files, arguments, environment, of_program, of_server
from deskcrew.actions.pipes import OutputCollector, Pump
from deskcrew.environments import cgroup, confinement, isolation
from deskcrew.environments import proxy_port as doors
from deskcrew.environments.closing import Closing
from deskcrew.environments.isolation import Bubblewrap, interpreter
from deskcrew.environments.layer import Layer, left_over, way_to_mount
from deskcrew.environments.layer import layer as new_layer
from deskcrew.environments.placing import opened
from deskcrew.environments.proxy_port import Door, ProxyPort
from deskcrew.environments.trees import remove
from deskcrew.environments.workspace import own, sockets
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.system_packages import install

LAYER = "layer"
"""The name of the layer of a program that runs alone."""
_REPORT_KEPT = 1 << 20
_DOOR = 10.0
"""Seconds within which a program's proxy port must be open."""
_SAID = 600
"""The number of bytes kept of a long-running program's latest standard error."""
_DRAIN = 16
"""A stream may be this many times as long as what is kept of it; then the program is killed."""
_JOIN = 'for f in $1; do echo $$ > "$f" || exit 125; done; shift; exec "$@"'
_FATAL = {signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGKILL, signal.SIGSEGV, signal.SIGSYS}


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of one run, in seconds, bytes or counts.

    ``memory``: address space of each process, and all resident memory if there is a control group. ``output``: bytes kept of
    each stream. ``scratch``: size of each of /tmp, /dev/shm and the home. ``written``: all that it writes into the
    workspace, if it writes to a layer first.
    """

    seconds: float = 30.0
    cpu: int = 30
    memory: int = 1 << 30
    file_size: int = 256 << 20
    open_files: int = 256
    processes: int = 64
    output: int = 1 << 20
    scratch: int = 64 << 20
    written: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Completed:
    """How a run ended.

    ``killed_by``: time | output | disk | close | cpu | memory | signal NAME, or '' if the program ended by itself. A program
    that itself exits with 128 + N cannot be distinguished from one that signal N killed. ``report``: what the program wrote
    to the extra descriptor, see :meth:`Sandbox.run`.
    """

    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool
    truncated: bool
    seconds: float
    killed_by: str = ""
    report: bytes = b""


@dataclass(slots=True)
class _Running:
    process: subprocess.Popen[bytes]
    group: cgroup.Cgroup | None
    reason: str = ""

    def kill(self, reason: str) -> None:
        """Kill the whole process tree. The process is not yet waited for, so its id cannot have been reused."""
        self.reason = self.reason or reason
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


@dataclass(slots=True)
class _Machine:
    """What starting programs has revealed about the machine, shared by all sandboxes derived from one. ``ways``: how to
    mount a layer on a device, by device number; see :func:`way_to_mount`."""

    bubblewrap: Bubblewrap | None = None
    ways: dict[int, tuple[str, ...] | None] = field(default_factory=dict[int, tuple[str, ...] | None])


class Closeable(Protocol):
    """Something that is closed together with a sandbox."""

    def close(self) -> None:
        """End it. Safe to call twice and from any thread."""
        ...


C = TypeVar("C", bound=Closeable)


class Serving:
    """A long-running program used over its standard input and output, until :meth:`close`."""

    def __init__(self, running: _Running, errors: IO[bytes], over: Callable[[], None]) -> None:
        assert running.process.stdin is not None
        assert running.process.stdout is not None
        self.stdin, self.stdout = running.process.stdin, running.process.stdout
        self._running, self._errors, self._over = running, errors, over
        self._said, self._closed, self._lock = b"", False, threading.Lock()

    def kill(self) -> None:
        """Kill the program and everything that it started; its readers then reach the end. Safe to call twice."""
        with self._lock:
            if not self._closed:  # afterwards its id may be somebody else's
                self._running.kill("close")

    def said(self) -> str:
        """The latest output of the program on standard error."""
        if not self._errors.closed:
            end = os.fstat(self._errors.fileno()).st_size
            self._said = os.pread(self._errors.fileno(), _SAID, max(0, end - _SAID))
        return self._said.decode(errors="replace").strip()

    def close(self) -> None:
        """Kill the program and close its streams, which must not be used any more. Safe to call twice."""
        self.kill()
        self.said()
        with self._lock:
            closed, self._closed = self._closed, True
        if not closed:
            self._over()


@dataclass
class Sandbox(Closing):
    """Runs programs in a workspace. Thread-safe; blocking. :meth:`close` may be called from any thread.

    ``network``: the default for whether programs may reach the network. ``unsafe_host``: run without a sandbox, with the
    limits only (the command line's ``--unsafe-host``). ``proxy``: gives programs without a network access to some hosts.
    ``hosts``: the hosts allowed before the run, in the form of ``--allow-host``, for the guard. ``layers``: the folder for
    this sandbox's layers over the workspace; None: a temporary one.
    """

    workspace: Path
    network: bool = False
    unsafe_host: bool = False
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    proxy: ProxyPort | None = None
    hosts: tuple[str, ...] = ()
    layers: Path | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _running: list[_Running] = field(default_factory=list[_Running], repr=False)
    _lasting: dict[str, Closeable] = field(default_factory=dict[str, Closeable], repr=False)
    _closed: bool = False
    _own: tuple[str, ...] = ()
    _found: _Machine = field(default_factory=_Machine, repr=False)

    def __post_init__(self) -> None:
        self._own = own(self.workspace)  # now: a repository that the crew makes later is the crew's

    def over(self, workspace: Path) -> Sandbox:
        """A sandbox for another folder, without a network, that shares what this one knows about the machine."""
        return Sandbox(workspace, _found=self._found)

    @staticmethod
    def probe() -> str | None:
        """Why no sandbox is available on this machine; None if one is. Runs bwrap once (about 20 ms)."""
        found = Bubblewrap.find()
        return found if isinstance(found, str) else None

    def why_not(self) -> str | None:
        """Why this sandbox is not available; None if it is. Cached."""
        found = Bubblewrap.find()
        if isinstance(found, str):
            return found
        self._found.bubblewrap = found
        return None

    @property
    def python(self) -> Path:
        """The interpreter that programs inside see. Run it with ``-I -S``: the standard library, nothing of ours."""
        return interpreter()

    @property
    def libraries(self) -> tuple[str, ...]:
        """The folders in which programs find the libraries that they may import besides the standard one."""
        return libraries.folders() if self.unsafe_host else (libraries.INSIDE,)

    def bounds(self) -> dict[str, str]:
        """What limits the number of processes, the memory and the disk here, for ``doctor`` and the docs."""
        group = cgroup.create(processes=self.limits.processes, memory=self.limits.memory)
        if group is not None:
            group.close()
        alone = "time only" if os.getuid() == 0 else "rlimit"
        return {
            "isolation": "none (--unsafe-host)" if self.unsafe_host else "bubblewrap",
            "processes": "cgroup" if group is not None and group.processes else alone,
            "memory": "cgroup, all together" if group is not None and group.memory else "address space of each process",
            "disk": "each file; /tmp and home in total",
        }

    @contextmanager
    def layer(self, hidden: Sequence[str] = (), name: str = LAYER) -> Generator[Layer | None]:
        """A layer for one program, to be passed to :meth:`run`. What has not been applied by the end of the context is
        discarded. None without a sandbox: then programs write directly. ``hidden``: paths that do not exist for the program;
        ``name``: to distinguish several layers at a time."""
        if self.unsafe_host:
            yield None
            return
        with ExitStack() as temporary:
            folder = self.layers
            if folder is None:
                folder = Path(temporary.enter_context(tempfile.TemporaryDirectory(prefix="deskcrew-layer-")))
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            device = folder.stat().st_dev
            if device not in self._found.ways:
                self._found.ways[device] = way_to_mount(folder)
            made = new_layer(self.workspace, folder / name, self._found.ways[device], hidden)
            try:
                yield made
            finally:
                made.drop()
                with suppress(OSError):
                    folder.rmdir()

    def clear_layers(self, *, land: str = "") -> None:
        """Remove the layers that a killed process left. ``land``: the name of one to apply to the workspace, '' for none."""
        if self.layers is None or not self.layers.is_dir():
            return
        if land and (left := left_over(self.workspace, self.layers / land)) is not None:
            left.land()
        with opened(self.layers) as top:
            for folder in list(self.layers.iterdir()):
                remove(top, folder.name)
        with suppress(OSError):
            self.layers.rmdir()

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes | str | None = None,
        limits: SandboxLimits | None = None,
        network: bool | None = None,
        report: bool = False,
        layer: Layer | None = None,
        read_only: bool = False,
    ) -> Completed:
        """Run a program in the workspace and wait for its end. Everything that it started ends with it. ``layer``: where its
        writes go; None: directly into the workspace, unless that is ``read_only``.

        ``report``: the program inherits one more descriptor, whose number is its last argument. Raises EnvironmentFailure if
        there is no sandbox, or this one is closed.
        """
        limits = limits or self.limits
        online = self.network if network is None else network
        data = stdin.encode() if isinstance(stdin, str) else stdin
        group = cgroup.create(processes=limits.processes, memory=limits.memory)
        inherited: list[int] = []
        door = Door(self.proxy) if self.proxy and not online and not self.unsafe_host else None
        reading, writing = os.pipe() if report else (-1, -1)
        try:
            if report:
                inherited.append(writing)
            argv = [*argv, str(writing)] if report else argv
            inside = of_program(
                self.workspace if layer is None else layer.inside,
                self._values(door),
                own=self._own,
                # Through a layer nobody is reached: a socket belongs to the file that was bound, not to what stands for it.
                sockets=sockets(self.workspace) if layer is None and not read_only else (),
                read_only=read_only,
            )
            words = self._command(argv, limits, inherited, inside, network=online, group=group, door=door, layer=layer)
            start = time.monotonic()
            running = self._start(words, inherited, group, has_input=data is not None)
            for descriptor in inherited:  # ours must go, or the pipe never ends
                os.close(descriptor)
            inherited.clear()
            return self._finish(running, limits, start, data or b"", reading, door, layer)
        finally:
            for descriptor in (*inherited, *((reading,) if report else ())):
                os.close(descriptor)
            if door is not None:
                door.close()
            if group is not None:
                group.close()

    def serve(
        self,
        argv: Sequence[str],
        *,
        values: Mapping[str, str],
        shown: Sequence[str] = (),
        written: Sequence[str] = (),
        workspace: bool = False,
        limits: SandboxLimits | None = None,
    ) -> Serving:
        """Start a long-running program, with the network access of this sandbox's programs.

        ``values``: its environment besides that of every program; ``shown``: paths that it may read; ``written``: paths that
        it may also write to; ``workspace``: whether it may read that. Raises EnvironmentFailure if it cannot be started.
        """
        limits = limits or self.limits
        group = cgroup.create(processes=limits.processes, memory=limits.memory)
        inherited: list[int] = []
        door = Door(self.proxy) if self.proxy and not self.network and not self.unsafe_host else None
        told = {**self._values(door), **values}

        errors = open(isolation.memory_file("errors", b""), "r+b", buffering=0)  # noqa: SIM115  # until it is over

        def over() -> None:
            with self._lock:  # before it is waited for, while its id is certainly its own
                self._running.remove(running)
            running.process.wait()
            errors.close()
            with suppress(OSError):  # what it did not read any more
                running.process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
            running.process.stdout.close()  # pyright: ignore[reportOptionalMemberAccess]
            if door is not None:
                door.close()
            if group is not None:
                group.close()

        try:
            seen = self.workspace if workspace else None
            covered = sockets(self.workspace) if workspace else ()
            inside = of_server(seen, told, shown=shown, written=written, covered=covered)
            words = self._command(argv, limits, inherited, inside, network=self.network, group=group, door=door)
            running = self._start(words, inherited, group, has_input=True, stderr=errors, values=told)
        except BaseException:
            errors.close()
            if group is not None:
                group.close()
            if door is not None:
                door.close()
            raise
        finally:
            for descriptor in inherited:
                os.close(descriptor)
        if door is not None and not door.open(_DOOR):
            running.kill("")
        return Serving(running, errors, over)

    def lasting(self, name: str, make: Callable[[], C]) -> C:
        """The object with this name, created now if it does not exist. It is closed together with the sandbox."""
        with self._lock:
            found = self._lasting.get(name)
        if found is None:
            found = make()
            with self._lock:
                closed = self._closed
                self._lasting[name] = found
            if closed:
                found.close()
        return found  # type: ignore[return-value]  # by this name

    def forget(self, name: str) -> None:
        """Close the object with this name, so that it is created again when needed."""
        with self._lock:
            found = self._lasting.pop(name, None)
        if found is not None:
            found.close()

    def _values(self, door: Door | None) -> dict[str, str]:
        """The whole environment of a program."""
        home = str(self.workspace) if self.unsafe_host else isolation.HOME
        return {**environment(home=home, path_of_python=self.python), **(door.variables if door else {})}

    def _command(
        self,
        argv: Sequence[str],
        limits: SandboxLimits,
        inherited: list[int],
        inside: SandboxContents,
        *,
        network: bool,
        group: cgroup.Cgroup | None,
        door: Door | None,
        layer: Layer | None = None,
    ) -> list[str]:
        """The whole command line. Descriptors that it needs are added to ``inherited``."""
        words = [*_prlimit(limits, processes=_counts_processes(group) and not self.unsafe_host), *argv]
        if not self.unsafe_host:
            bubblewrap, by_host = self._require(), door is not None
            inherited += (accounts := account_files())
            if door is not None:
                inherited.append(door.take_wire())
                words = [*doors.leading(self.python, inherited[-1]), *words]
            sealed = isolation.seal(
                arguments(bubblewrap, inside, limits.scratch, network=network, by_host=by_host, accounts=accounts)
            )
            inherited += sealed.descriptors
            words = [*sealed.words, *words]
            words = layer.wrap(words) if layer is not None else words
        return _joining(group, words)

    def _require(self) -> Bubblewrap:
        if self._found.bubblewrap is None and (reason := self.why_not()):
            raise EnvironmentFailure(
                f"There is no sandbox to run programs in: {reason}.",
                hint="Or run with --unsafe-host, which lets the crew's programs do whatever you can do.",
            )
        assert self._found.bubblewrap is not None
        return self._found.bubblewrap

    def _start(
        self,
        words: list[str],
        inherited: list[int],
        group: cgroup.Cgroup | None,
        *,
        has_input: bool,
        stderr: int | IO[bytes] = subprocess.PIPE,
        values: Mapping[str, str] | None = None,
    ) -> _Running:
        """Start the command. ``values``: its environment if there is no sandbox."""
        with self._lock:  # under the lock, so that close() misses none
            if self._closed:
                raise EnvironmentFailure("The sandbox has been closed.")
            stdin = subprocess.PIPE if has_input else subprocess.DEVNULL
            try:
                if not self.unsafe_host:
                    process = confinement.start(words, inherited, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr)
                else:
                    process = subprocess.Popen(
                        words,
                        stdin=stdin,
                        stdout=subprocess.PIPE,
                        stderr=stderr,
                        cwd=self.workspace,
                        env=values or environment(home=str(self.workspace), path_of_python=self.python),
                        pass_fds=inherited,
                        start_new_session=True,
                    )
            except OSError as error:
                raise EnvironmentFailure(f"No program can be started: {error}.") from error
            running = _Running(process, group)
            self._running.append(running)
            return running

    def _finish(
        self,
        running: _Running,
        limits: SandboxLimits,
        start: float,
        data: bytes,
        reading: int,
        door: Door | None,
        layer: Layer | None,
    ) -> Completed:
        process = running.process
        assert process.stdout is not None
        assert process.stderr is not None
        out, err, extra = OutputCollector(limits.output), OutputCollector(limits.output), OutputCollector(_REPORT_KEPT)
        sources = {process.stdout.fileno(): out, process.stderr.fileno(): err}
        if reading >= 0:
            sources[reading] = extra
        ended = os.pidfd_open(process.pid)
        try:
            if door is not None and not door.open(min(limits.seconds, _DOOR)):
                running.kill("")  # most likely it has ended by itself, and said why
            full = (lambda: layer.size() > limits.written) if layer is not None else None
            pump = Pump(ended, start + limits.seconds, limits.output * _DRAIN, running.kill, full)
            pump.run(sources, process.stdin, data)
        finally:
            os.close(ended)
            running.kill("")  # an exception here, or somebody who still holds the pipes
            with self._lock:
                self._running.remove(running)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
            code = process.wait()
        reason = running.reason or _death(code, running.group)
        if layer is not None and layer.size() > limits.written:
            reason = "disk"
        return Completed(
            exit_code=code if code >= 0 else 128 - code,
            stdout=out.text(),
            stderr=err.text(),
            timed_out=reason == "time",
            truncated=out.truncated or err.truncated,
            seconds=time.monotonic() - start,
            killed_by=reason,
            report=extra.bytes(),
        )

    def close(self) -> None:
        """Kill everything that runs, and refuse to run more. Safe to call twice and from any thread."""
        with self._lock:
            self._closed = True
            for running in self._running:
                running.kill("close")
            lasting, self._lasting = [*self._lasting.values()], {}
        for each in lasting:
            each.close()


def _joining(group: cgroup.Cgroup | None, words: list[str]) -> list[str]:
    """The command, joining the control group before exec: a program that already runs could have escaped it by forking."""
    return words if group is None else ["/bin/sh", "-c", _JOIN, "sh", " ".join(map(str, group.joins)), *words]


def _counts_processes(group: cgroup.Cgroup | None) -> bool:
    """Whether RLIMIT_NPROC is useful: without namespaces it would count all processes of the user."""
    if group is not None and group.processes:
        return False
    major, minor = (int("".join(takewhile(str.isdecimal, word)) or 0) for word in os.uname().release.split(".")[:2])
    return (major, minor) >= (5, 14)


def _prlimit(limits: SandboxLimits, *, processes: bool) -> list[str]:
    """The command that sets the limits and becomes the program. It runs inside, so that they do not apply to bwrap
    itself."""
    program = shutil.which("prlimit")
    if program is None:
        raise EnvironmentFailure("prlimit is not installed.", hint=install("util-linux"))
    return [
        program,
        f"--cpu={limits.cpu}:{limits.cpu + 1}",
        f"--as={limits.memory}",
        f"--fsize={limits.file_size}",
        f"--nofile={limits.open_files}",
        *([f"--nproc={limits.processes}"] if processes else []),
        "--core=0",
        "--",
    ]


def _death(code: int, group: cgroup.Cgroup | None) -> str:
    """Why a program that we did not kill died, from its exit code."""
    number = -code if code < 0 else code - 128
    if number == signal.SIGXCPU:
        return "cpu"
    if number == signal.SIGKILL and group is not None and group.out_of_memory():
        return "memory"
    return f"signal {signal.Signals(number).name}" if number in _FATAL else ""
