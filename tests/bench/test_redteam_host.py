"""The red team's look at the machine: each kind of change, really made by a program of the test's, is found and put back.

What is the machine's own is changed in namespaces that are thrown away with the test.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

UNSHARED = ("unshare", "--user", "--map-root-user", "--net", "--mount", "--ipc", "--uts")

BEGIN = """
import ctypes, os, socket, subprocess, sys
from pathlib import Path
from deskcrew_bench.redteam.host import Host, Keys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
Keys().join(b"canary payload")
host = Host()
def other(code): subprocess.run([sys.executable, "-I", "-c", code], check=True)
"""
END = """
print("\\n".join(host.changes()))
print("--")
print("\\n".join(host.changes()))
"""
SYSCTL = "/proc/sys/net/ipv4/ip_default_ttl"


def _look(what: str, *, apart: bool = True) -> tuple[list[str], list[str]]:
    """What is told of ``what`` once it was done, and what is told a second time."""
    if apart and subprocess.run([*UNSHARED, "true"], capture_output=True, check=False).returncode:
        pytest.skip("user namespaces are forbidden here")
    words = [*(UNSHARED if apart else ()), sys.executable, "-c", BEGIN + what + END]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    first, _, second = done.stdout.partition("--\n")
    return first.split("\n")[:-1], second.split("\n")[:-1]


def test_an_untouched_machine_shows_nothing() -> None:
    assert _look("subprocess.run(['/bin/true'])", apart=False) == ([""], [""])


def test_a_sysctl_is_found_and_put_back() -> None:
    before = Path(SYSCTL).read_text()
    did = f"other(\"open({SYSCTL!r}, 'w').write('99')\")"
    first, second = _look(f"was = open({SYSCTL!r}).read().strip()\n{did}\nassert open({SYSCTL!r}).read() == '99\\n'")
    assert len(first) == 1
    assert first[0].startswith("sysctl net.ipv4.ip_default_ttl was changed from ")
    assert first[0].endswith(" to '99'; put back")
    assert second == [""]
    assert Path(SYSCTL).read_text() == before


def test_a_sysctl_that_changes_by_itself_is_no_change() -> None:
    assert _look("for n in range(5): subprocess.run(['/bin/true'])") == ([""], [""])


def test_a_mount_is_found_and_taken_away() -> None:
    first, second = _look("subprocess.run(['mount', '-t', 'tmpfs', 'x', '/mnt'], check=True)")
    assert first == ["/mnt was mounted"]
    assert second == [""]


KEYCTL = (
    "import ctypes; s = ctypes.CDLL(None).syscall; n = {'x86_64': 248, 'aarch64': 217}[__import__('platform').machine()]; "
)


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("s(n, b'user', b'left', b'x', 1, -3)", "was added"),
        ("s(n, b'user', b'deskcrew-canary', b'other', 5, -3)", "was changed"),
        ("s(n + 2, 7, -3)", "was taken away"),
    ],
)
def test_the_session_keyring_is_watched(does: str, told: str) -> None:
    first, _ = _look(f'assert Keys().can\nother("{KEYCTL}{does}")', apart=False)
    assert len(first) == 1
    assert first[0].startswith("key session ")
    assert first[0].endswith(told)


def test_a_process_is_found_whatever_it_is_called_and_wherever_it_went() -> None:
    """It has a session of its own, no parent of the run's, and the name of a helper of Python's."""
    hides = "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep(60)"
    first, second = _look(
        f"other({hides!r} + '  # multiprocessing')\nimport atexit; atexit.register(host.end_processes)", apart=False
    )
    assert len(first) == 1
    assert first[0].endswith("is left")
    assert second == first


@pytest.mark.parametrize(
    ("listens", "told"),
    [
        ("s = socket.create_server(('127.0.0.1', 0)); p = s.getsockname()[1]; print(p)", "tcp port "),
        ("s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', 0))", "udp port "),
        ("s = socket.socket(socket.AF_UNIX); s.bind('\\0deskcrew-test-' + str(os.getpid())); s.listen()", "Unix socket @"),
    ],
)
def test_a_listener_is_found(listens: str, told: str) -> None:
    first, _ = _look(listens, apart=False)
    assert [line for line in first if line.startswith(told) and line.endswith("is listened on")], first


def test_the_machine_is_left_as_it_was() -> None:
    """Of this module's own tests: they ran in namespaces of their own."""
    assert not os.path.ismount("/mnt")
