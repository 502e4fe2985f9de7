"""Nothing that a function did for one state is there when one is called for the next: no file, process, or memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.actions.sandbox import Sandbox
from deskcrew.evidence.caller import Case
from deskcrew.evidence.probes import tried

PROBE = """
import ctypes, mmap, os, socket, subprocess, sys, tempfile, time
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
PLACES = ["/tmp", "/dev/shm", "/var/tmp", "/run", "/dev/mqueue", str(Path.home()), "/", "/dev", "/home", "/run/user"]

def files():
    found = []
    for place in PLACES:
        try:
            (Path(place) / "left").write_text("x")
        except OSError:
            pass
        try:
            os.makedirs(Path(place) / "kept" / "deep")
            (Path(place) / "kept" / "deep" / "left").write_text("x")
            os.chmod(Path(place) / "kept" / "deep", 0)
            os.chmod(Path(place) / "kept", 0)
        except OSError:
            pass

def seen_files():
    return [place for place in PLACES for name in ("left", "kept") if os.path.lexists(f"{{place}}/{{name}}")]

def links():
    os.symlink("/nowhere", "/tmp/left")
    os.mkfifo("/tmp/kept")

seen_links = seen_files

def unnamed():
    os.symlink("/tmp", "/dev/shm/left")
    os.link("/tmp/" + tempfile.mkstemp(dir="/tmp")[1].rpartition("/")[2], "/tmp/kept")

seen_unnamed = seen_files

def process():
    code = "import os, time\\nif os.fork(): os._exit(0)\\nos.setsid()\\nif os.fork(): os._exit(0)\\ntime.sleep(60)"
    subprocess.run([sys.executable, "-c", code, "lingering"])
    time.sleep(0.2)

def seen_process():
    found = []
    for each in Path("/proc").iterdir():
        try:
            found += [each.name] if each.name.isdigit() and b"lingering" in (each / "cmdline").read_bytes() else []
        except OSError:
            pass
    return found

def memory():
    libc.shmget(4711, 4096, 0o1666)

def seen_memory():
    return libc.shmget(4711, 0, 0) >= 0

def semaphores():
    libc.semget(4711, 1, 0o1666)

def seen_semaphores():
    return libc.semget(4711, 0, 0) >= 0

def messages():
    libc.msgget(4711, 0o1666)

def seen_messages():
    return libc.msgget(4711, 0) >= 0

def queues():
    libc.mq_open(b"/left", os.O_CREAT | os.O_RDWR, 0o666, None)

def seen_queues():
    return libc.mq_open(b"/left", os.O_RDWR) >= 0

def sockets():
    code = "import socket, time\\ns = socket.socket(socket.AF_UNIX)\\ns.bind(chr(0) + 'left')\\ns.listen()\\ntime.sleep(60)"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    time.sleep(0.5)

def seen_sockets():
    try:
        socket.socket(socket.AF_UNIX).connect(chr(0) + "left")
    except OSError:
        return False
    return True

def keys():
    libc.syscall(248, b"user", b"left", b"x", 1, -3)
    libc.syscall(248, b"user", b"left", b"x", 1, -4)
    libc.syscall(248, b"user", b"left", b"x", 1, -5)

def seen_keys():
    return any(libc.syscall(250, 10, ring, b"user", b"left", 0) > 0 for ring in (-3, -4, -5))

def workspace():
    try:
        Path("/workspace/left").write_text("x")
    except OSError:
        pass

def seen_workspace():
    return os.path.exists("/workspace/left")

def memory_of_its_own():
    os.environ["LEFT"] = "x"
    sys.modules["left"] = sys
    os.nice(5)

def seen_memory_of_its_own():
    return "left" in sys.modules or "LEFT" in os.environ or os.nice(0) != NICE

NICE = os.nice(0)

def requirement_1(start, end):
    there = seen_{way}()
    {way}()
    return not there, f"{{there}}"
"""
WAYS = (
    "files", "links", "unnamed", "process", "memory", "semaphores", "messages", "queues", "sockets", "keys", "workspace",
    "memory_of_its_own",
)  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_nothing_that_one_state_left_is_seen_by_the_next(tmp_path: Path, way: str) -> None:
    places = [tmp_path / str(number) for number in range(4)]
    for place in places:
        place.mkdir()
    with Sandbox(tmp_path) as sandbox:
        report = tried(sandbox, PROBE.format(way=way), ["1"], places[1], [Case(place) for place in places])
    assert [(row["1"].holds, row["1"].lost) for row in report.rows] == [(True, False)] * 4, report.rows
