"""Programs on a virtual desktop that mean harm, seen from outside: what they leave behind, take up, and break."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
from tests.environments.linux.conftest import desktop_in, needs_desktop, program_of

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.sandbox.sandbox import Confines, DesktopSandbox
from deskcrew.environments.virtual import start_virtual
from deskcrew.errors import EnvironmentFailure
from support.sampling import sampled
from support.waiting import until

pytestmark = pytest.mark.desktop


def sandbox_of(desktop: LinuxDesktop) -> DesktopSandbox:
    return cast(DesktopSandbox, desktop.session)


class Hostile:
    """A Python program that is run on a desktop, under a name that no other process has."""

    def __init__(self, folder: Path, text: str) -> None:
        self.name = f"hostile-{secrets.token_hex(8)}.py"
        self.folder = folder
        (folder / self.name).write_text(text)

    def start(self, desktop: LinuxDesktop) -> None:
        sandbox_of(desktop).start(["/usr/bin/python3", f"/workspace/{self.name}"])

    def processes(self) -> list[psutil.Process]:
        """Its processes on this machine, whosoever they are by now."""
        found: list[psutil.Process] = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if any(self.name in word for word in process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def at_work(self, engine: int = 0) -> bool:
        """It beats; or it began and has ended: who kills all may end with the desktop before a first beat. ``engine``: the
        process that started it, which has its name too."""
        left = [process for process in self.processes() if process.pid != engine]
        return (self.folder / "beats").exists() or ((self.folder / "begun").exists() and not left)

    def said(self) -> str:
        file = self.folder / "said"
        return file.read_text() if file.exists() else ""


@contextlib.contextmanager
def hostile(folder: Path, text: str) -> Generator[Hostile]:
    """The program; whatever of it is left in the end is ended by the test itself."""
    program = Hostile(folder, text)
    try:
        yield program
    finally:
        for process in program.processes():
            with contextlib.suppress(psutil.Error):
                process.kill()


# Leaves its parent and session, ignores what can be ignored, does {harm}, and goes on writing into the user's folder.
LINGERS = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in set(range(1, 65)) - {{signal.SIGKILL, signal.SIGSTOP, 32, 33}}:
            signal.signal(number, signal.SIG_IGN)
        open("/workspace/begun", "w").close()
        {harm}
        open("/workspace/said", "w").write("done")
        for _ in range(1200):
            with open("/workspace/beats", "a") as beats:
                beats.write(".")
            time.sleep(0.05)
"""
HARMS = {
    "nothing": "pass",
    "kills the first program": "os.kill(2, signal.SIGKILL)",
    "stops the first program": "os.kill(2, signal.SIGSTOP)",
    "kills all it can": "os.kill(-1, signal.SIGKILL)",
    "stops all it can": "os.kill(-1, signal.SIGSTOP)",
}


def held(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


@pytest.mark.parametrize("harm", sampled(list(HARMS.values()), 2), ids=HARMS)
def test_nothing_of_a_run_lives_after_it(tmp_path: Path, harm: str) -> None:
    desktop = desktop_in(tmp_path)
    with hostile(tmp_path, LINGERS.format(harm=harm)) as program:
        try:
            program.start(desktop)
            assert until(program.at_work)
            time.sleep(0.3)
        finally:
            desktop.close()
        assert not program.processes()
        beats = held(tmp_path / "beats")
        time.sleep(0.3)
        assert held(tmp_path / "beats") == beats


ENGINE = """
import sys, time
from pathlib import Path
from deskcrew.environments.virtual import start_virtual
desktop = start_virtual(Path(sys.argv[1]))
desktop.session.start(["/usr/bin/python3", "/workspace/" + sys.argv[2]])
print(desktop.session.pid, flush=True)
time.sleep(120)
"""


@pytest.mark.fault
@pytest.mark.parametrize(
    ("harm", "with_keeper"),
    sampled(list(itertools.product(["stops the first program", "kills all it can"], [False, True])), 2),
)
@pytest.mark.deep
def test_nothing_of_a_run_lives_after_its_engine_was_killed(tmp_path: Path, harm: str, with_keeper: bool) -> None:
    needs_desktop()
    with hostile(tmp_path, LINGERS.format(harm=HARMS[harm])) as program:
        command = [sys.executable, "-c", ENGINE, str(tmp_path), program.name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as engine:
            assert engine.stdout is not None
            keeper = psutil.Process(int(engine.stdout.readline()))
            assert until(lambda: program.at_work(engine.pid))
            if with_keeper and keeper.is_running():
                keeper.suspend()  # so that it does not do its work in between
            engine.kill()
            engine.wait()
            if with_keeper:
                with contextlib.suppress(psutil.NoSuchProcess):
                    keeper.kill()
        assert until(lambda: not program.processes()), program.processes()


# Never more than 3,000, whoever bounds it.
BOMB = """
import os, time
made = 0
for _ in range(3000):
    try:
        if os.fork() == 0:
            time.sleep(120)
            os._exit(0)
    except OSError:
        break
    made += 1
open("/workspace/said", "w").write(str(made))
time.sleep(120)
"""


def bounds(**asked: int) -> Any:
    from deskcrew.settings import DesktopBounds

    return DesktopBounds(**asked)


def held_together(desktop: LinuxDesktop) -> None:
    """Skip where this machine has no control groups for us."""
    from deskcrew.environments.linux.sandbox.kept import held_by

    held = held_by(bounds())
    if "cgroup" not in held["processes"] or "cgroup" not in held["memory"]:
        desktop.close()
        pytest.skip("no control group can be made here")


def test_a_fork_bomb_is_bounded_and_told(tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path, confines=Confines(bounds(processes=300)))) as desktop:
        held_together(desktop)
        with hostile(tmp_path, BOMB) as program:
            program.start(desktop)
            assert until(program.said)
            assert 100 < len(program.processes()) <= 300
            assert "300 processes and threads" in desktop.observe().note
            desktop.close()
            assert not program.processes()


# Never more than 3 GiB, whoever bounds it.
HOG = """
import time
taken = []
for _ in range(48):
    taken.append(b"x" * (64 << 20))
    time.sleep(0.02)
open("/workspace/said", "w").write("all of it")
time.sleep(120)
"""


@pytest.mark.deep
def test_a_memory_hog_is_bounded_and_told(tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path, confines=Confines(bounds(memory=1 << 30)))) as desktop:
        held_together(desktop)
        with hostile(tmp_path, HOG) as program:
            program.start(desktop)
            assert until(program.processes)
            most = 0
            while (left := program.processes()) and not program.said():
                with contextlib.suppress(psutil.Error):
                    most = max(most, sum(process.memory_info().rss for process in left))
            assert 256 << 20 < most <= 1 << 30
            assert not program.said()
            try:
                said = desktop.observe().note
            except EnvironmentFailure as failure:  # it was the server whose turn it was
                said = str(failure)
            assert "1 GiB of memory" in said


# Never more than 3 GiB, whoever bounds it.
FILLS = """
import os, time
taken = 0
for folder in ("/tmp", "/home/crew", "/dev/shm"):
    try:
        with open(folder + "/fill", "wb") as file:
            for _ in range(16):
                file.write(b"x" * (64 << 20))
                taken += 64
                time.sleep(0.01)
    except OSError:
        pass
open("/workspace/said", "w").write(str(taken))
time.sleep(120)
"""


@pytest.mark.deep
def test_temporary_files_count_as_memory(tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path, confines=Confines(bounds(memory=1 << 30)))) as desktop:
        held_together(desktop)
        before = psutil.virtual_memory().shared
        with hostile(tmp_path, FILLS) as program:
            program.start(desktop)
            assert until(program.processes)
            most = 0
            while program.processes() and not program.said():
                most = max(most, psutil.virtual_memory().shared - before)
                time.sleep(0.01)
            assert most < 1.5 * (1 << 30)
            assert not program.said()


WRITES = """
import time
with open("/workspace/fill", "wb") as file:
    for _ in range(4096):
        file.write(b"x" * (1 << 20))
        file.flush()
        time.sleep(0.01)
"""


@contextlib.contextmanager
def small_disk(disk: Path, size: str) -> Generator[None]:
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.machine
@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_desktop_is_not_started_where_the_disk_is_nearly_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "512m"), pytest.raises(EnvironmentFailure, match="a desktop needs 1 GiB") as caught:
        start_virtual(disk).close()
    assert f"Only 0.5 GiB are free in {disk}" in str(caught.value)
    assert "Free some space" in caught.value.hint


@pytest.mark.machine
@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_disk_is_not_filled(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "1100m"), contextlib.closing(desktop_in(disk)) as desktop, hostile(disk, WRITES) as program:
        program.start(desktop)
        assert until(program.processes)
        assert until(lambda: not program.processes())
        status = os.statvfs(disk)
        assert status.f_bavail * status.f_frsize > 64 << 20
        with pytest.raises(EnvironmentFailure, match="the disk was nearly full"):
            desktop.observe()


# Prints what became of a run's looks at a desktop, and that it could be closed.
LOOKS = """
import sys, time
from pathlib import Path
from deskcrew.environments.virtual import start_virtual
from deskcrew.errors import ActionError, EnvironmentFailure
desktop = start_virtual(Path(sys.argv[1]))
try:
    desktop.open_application("Mousepad")
    desktop.session.start(["/usr/bin/python3", "/workspace/" + sys.argv[2]])
    while not (Path(sys.argv[1]) / "said").exists():
        time.sleep(0.02)
    desktop.display.changes += 1
    desktop.observe(screenshot=True)
    desktop.open_application("Galculator")
    print("went on")
except (ActionError, EnvironmentFailure) as failure:
    print(type(failure).__name__, failure)
desktop.close()
print("closed")
"""
STOPS = """
import os, signal
for pid in os.listdir("/proc"):
    try:
        words = open("/proc/" + pid + "/cmdline").read().split("\\0")
    except OSError:
        continue
    if {name!r} in os.path.basename(words[0]):
        os.kill(int(pid), signal.SIGSTOP)
open("/workspace/said", "w").write("done")
"""
# Draws nothing, so that the server does not look at its own file.
CUTS = """
import os
os.truncate(os.environ["XDG_RUNTIME_DIR"] + "/fb/Xvfb_screen0", 4096)
open("/workspace/said", "w").write("done")
"""


def outcome(folder: Path, engine: str, program: Hostile) -> str:
    """What an engine in a process of its own prints; the test fails when it does not end, or does not end well."""
    command = [sys.executable, "-c", engine, str(folder), program.name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-2000:])
    return done.stdout


@pytest.mark.deep
@pytest.mark.parametrize("name", sampled(["Xvfb", "openbox", "dbus-daemon"], 1))
def test_a_server_that_was_stopped_hangs_nobody(tmp_path: Path, name: str) -> None:
    needs_desktop()
    with hostile(tmp_path, STOPS.format(name=name)) as program:
        said = outcome(tmp_path, LOOKS, program)
    assert said.endswith("closed\n")
    if name == "Xvfb":
        assert "EnvironmentFailure The display has not answered" in said
    if name == "dbus-daemon":
        assert "no window came" in said, "what is there is looked at without it, and no program begins"


@pytest.mark.deep
def test_a_frame_buffer_cut_short_ends_the_run_and_not_us(tmp_path: Path) -> None:
    needs_desktop()
    with hostile(tmp_path, CUTS) as program:
        said = outcome(tmp_path, LOOKS, program)
    assert "EnvironmentFailure" in said
    assert said.endswith("closed\n")


# An interrupt closes the desktop while a look still waits for the display.
INTERRUPTED = """
import sys, threading, time
from pathlib import Path
from deskcrew.environments.virtual import start_virtual
from deskcrew.errors import EnvironmentFailure
desktop = start_virtual(Path(sys.argv[1]))
desktop.observe()
desktop.session.start(["/usr/bin/python3", "/workspace/" + sys.argv[2]])
while not (Path(sys.argv[1]) / "said").exists():
    time.sleep(0.02)
def look():
    try:
        while True:
            desktop.display.changes += 1
            desktop.observe(screenshot=True)
    except EnvironmentFailure as failure:
        print("failed")
looking = threading.Thread(target=look)
looking.start()
time.sleep(0.5)
began = time.monotonic()
desktop.close()
looking.join(30)
print("closed" if not looking.is_alive() and time.monotonic() - began < 5 else "late")
"""


@pytest.mark.parametrize("name", ["Xvfb", "nothing"])
@pytest.mark.deep
def test_a_desktop_is_closed_from_under_a_look(tmp_path: Path, name: str) -> None:
    needs_desktop()
    with hostile(tmp_path, STOPS.format(name=name)) as program:
        assert outcome(tmp_path, INTERRUPTED, program) == "failed\nclosed\n"


# Lays links to a socket of the host where programs of the desktop said that their sockets were.
LEADS_OUT = """
import glob, os
run = os.environ["XDG_RUNTIME_DIR"]
found = 0
for place in glob.glob(run + "/at-spi*/*"):
    os.unlink(place)
    os.symlink({victim!r}, place)
    found += 1
open("/workspace/said", "w").write(str(found))
"""


@pytest.mark.deep
def test_no_socket_of_the_host_is_connected_to(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    victim = tmp_path_factory.mktemp("host") / "agent"
    with socket.socket(socket.AF_UNIX) as listener, contextlib.closing(desktop_in(tmp_path)) as desktop:
        listener.bind(str(victim))
        listener.listen(8)
        desktop.open_application("Mousepad")
        with hostile(tmp_path, LEADS_OUT.format(victim=str(victim))) as program:
            program.start(desktop)
            assert until(program.said)
            assert int(program.said()) > 0
            desktop.forget()
            desktop.display.changes += 1
            with contextlib.suppress(EnvironmentFailure):
                desktop.observe()
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_only_sockets_of_the_sandbox_are_connected_to(desktop: LinuxDesktop, tmp_path: Path) -> None:
    from deskcrew.environments.linux.bus.dialing import Inside

    sandbox = sandbox_of(desktop)
    inside, run = Inside(sandbox.run.path, sandbox.first), sandbox.run.path
    inside(str(run / "bus"), 5.0).close()
    outside, file, link, folder = tmp_path / "outside", run / "file", run / "link", run / "folder"
    with socket.socket(socket.AF_UNIX) as host, socket.socket(socket.AF_UNIX) as ours:
        host.bind(str(outside))
        host.listen(8)
        ours.bind(str(run / "ours"))  # where it should be, and a process of the host
        ours.listen(8)
        file.write_text("")
        link.symlink_to(run / "bus")
        folder.symlink_to(tmp_path)
        try:
            for address in (outside, run / "ours", file, link, folder / "outside", run / ".." / run.name / "bus", run):
                with pytest.raises(OSError):
                    inside(str(address), 5.0)
            with pytest.raises(OSError):
                inside("\0" + str(outside), 5.0)
        finally:
            for path in (run / "ours", file, link, folder):
                path.unlink()


def test_the_x_server_has_no_abstract_socket(tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path, network=True)) as desktop:
        server = program_of(sandbox_of(desktop).pid, "Xvfb")
        held = {os.readlink(f"/proc/{server.pid}/fd/{name}") for name in os.listdir(f"/proc/{server.pid}/fd")}
        lines = [line.split() for line in Path(f"/proc/{server.pid}/net/unix").read_text().splitlines()[1:]]
        names = [words[7] for words in lines if len(words) > 7 and f"socket:[{words[6]}]" in held]
        assert names
        assert not [name for name in names if name.startswith("@")]
