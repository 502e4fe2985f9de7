"""What programs in each of our sandboxes can reach of the kernel, tried by a program inside and looked at from outside."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from deskcrew.actions.bubblewrap import account_files, arguments, environment, of_program
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments import isolation
from deskcrew.environments.browser import launch
from deskcrew.environments.isolation import HOME, Bubblewrap, interpreter
from deskcrew.environments.rundir import create_run_dir
from deskcrew.environments.virtual import start_virtual
from deskcrew.errors import EnvironmentFailure
from support.machine import let_others_in
from support.needed import skip_without

PROBE = Path(__file__).parents[1] / "support" / "kernel_probe.py"
Found = dict[str, Any]


def in_code(folder: Path) -> Found:
    with Sandbox(folder) as sandbox:
        done = sandbox.run([str(sandbox.python), "-I", "-S", "/workspace/probe.py"])
    return json.loads(done.stdout or done.stderr)


def in_code_with_the_network(folder: Path) -> Found:
    with Sandbox(folder, network=True) as sandbox:
        done = sandbox.run([str(sandbox.python), "-I", "-S", "/workspace/probe.py"])
    return json.loads(done.stdout or done.stderr)


def on_the_desktop(folder: Path) -> Found:
    try:
        desktop = start_virtual(folder)
    except EnvironmentFailure as failure:
        skip_without(failure)
    with desktop:
        desktop.session.start([str(interpreter()), "-I", "-S", "/workspace/probe.py", "found.json"])
        return json.loads(written(folder / "found.json"))


def in_the_browser(folder: Path) -> Found:
    bubblewrap = Bubblewrap.find()
    assert isinstance(bubblewrap, Bubblewrap)
    run = create_run_dir()
    try:
        downloads = run.path / "downloads"
        downloads.mkdir()
        words = launch._sandboxed(bubblewrap, run, folder, downloads, network=False, door=None, hidden=())
        words += isolation.python()
        with isolation.seal(words, browsers=True) as sealed:
            program = [str(interpreter()), "-I", "-S", "/workspace/probe.py", "found.json"]
            sealed.start(program, stderr=None).wait()
    finally:
        run.remove()
    return json.loads((folder / "found.json").read_text())


def as_an_ordinary_user(folder: Path) -> Found:
    if os.getuid() != 0:
        pytest.skip("only root can become somebody else; the others are this already")
    os.chown(folder, 61234, 61234)
    let_others_in(folder)
    bubblewrap = Bubblewrap.find()
    assert isinstance(bubblewrap, Bubblewrap)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getuid", lambda: 61234)
        patch.setattr(os, "getgid", lambda: 61234)
        patch.setattr(sys, "base_prefix", "/usr")  # our own may lie in root's home
        inside = of_program(folder, environment(home=HOME, path_of_python=interpreter()))
        accounts = account_files()
        words = arguments(bubblewrap, inside, 1 << 20, network=False, by_host=False, accounts=accounts)
    become = ["/usr/bin/setpriv", "--reuid=61234", "--regid=61234", "--clear-groups"]
    with isolation.seal(words) as sealed:
        program = ["/usr/bin/python3", "-I", "-S", "/workspace/probe.py", "found.json"]
        sealed.start(program, accounts, before=become, stderr=None).wait()
    for descriptor in accounts:
        os.close(descriptor)
    return json.loads((folder / "found.json").read_text())


def written(path: Path) -> str:
    for _ in range(600):
        if path.exists():
            return path.read_text()
        time.sleep(0.1)
    raise AssertionError(f"{path.name} was not written")


BROWSERS = (on_the_desktop, in_the_browser)
EVERYWHERE = (in_code, in_code_with_the_network, as_an_ordinary_user, *BROWSERS)


@pytest.fixture(scope="module", params=EVERYWHERE, ids=lambda where: where.__name__)
def probed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Callable[..., Found], Found, Path]:
    folder = tmp_path_factory.mktemp("kernel") / "workspace"
    folder.mkdir()
    (folder / "probe.py").write_bytes(PROBE.read_bytes())
    return request.param, request.param(folder), folder


Probed = tuple[Callable[[Path], Found], Found, Path]


@pytest.mark.desktop
def test_no_setting_of_the_kernel_can_be_written(probed: Probed) -> None:
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    _, found, _ = probed
    assert found["settings"] == []
    assert found["core_pattern"] in ("EROFS", "EACCES")
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before


@pytest.mark.desktop
def test_what_the_kernel_tells_of_itself_is_hidden(probed: Probed) -> None:
    assert probed[1]["readable"] == []


@pytest.mark.desktop
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls are tried by their numbers on x86_64")
def test_calls_that_no_program_needs_are_refused(probed: Probed) -> None:
    _, found, _ = probed
    assert found["seccomp"] == "2"
    assert set(found["calls"].values()) == {"EPERM"}, found["calls"]
    assert set(found["missing"].values()) == {"ENOSYS"}, found["missing"]
    assert (found["compat"], found["x32"]) == ("ENOSYS", "ENOSYS")
    assert found["families"] == {"AF_VSOCK": "EPERM", "AF_ALG": "EPERM", "AF_UNIX": "allowed", "AF_INET": "allowed"}


@pytest.mark.desktop
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls are tried by their numbers on x86_64")
def test_browsers_alone_make_namespaces_and_no_mounts(probed: Probed) -> None:
    where, found, _ = probed
    assert found["user namespace"] == ("allowed" if where in BROWSERS else "EPERM")
    assert found["mount namespace"] == "EPERM"


@pytest.mark.desktop
def test_no_file_can_be_given_more_rights_than_who_runs_it_has(probed: Probed) -> None:
    _, found, folder = probed
    assert found["set-uid"] == ["plain", "plain", "plain"]
    assert found["attribute"] in ("EOPNOTSUPP", "ENOTSUP")
    assert found["pipe"] == "made"
    assert not (folder / "s").exists()


@pytest.mark.desktop
def test_process_1_tells_neither_paths_of_this_machine_nor_an_environment(probed: Probed) -> None:
    _, found, folder = probed
    assert str(folder) not in found["first"]
    assert "PATH=" not in found["first"]
    assert [number for number in found["descriptors"] if number > 2] == []


INSIDE = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
found = libc.syscall(250, 10, -3, b"user", sys.argv[1].encode(), 0)
print("found" if found > 0 else "nothing")
if found > 0:
    buffer = ctypes.create_string_buffer(64)
    length = libc.syscall(250, 11, found, buffer, 64)
    print(buffer.raw[:length])
    print("altered", libc.syscall(250, 2, found, b"altered", 7))
"""
OUTSIDE = """
import ctypes, os, sys
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)
assert libc.syscall(250, 1, None) > 0
key = libc.syscall(248, b"user", b"deskcrew-test", b"secret", 6, -3)
assert key > 0
{act}
buffer = ctypes.create_string_buffer(64)
length = libc.syscall(250, 11, key, buffer, 64)
print("outside", buffer.raw[:length])
"""


def with_a_key(act: str, *arguments: str) -> str:
    """What a process says in whose session there is a key."""
    words = [sys.executable, "-c", OUTSIDE.format(act=act), *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls are tried by their numbers on x86_64")
def test_keys_of_the_session_are_out_of_reach(tmp_path: Path) -> None:
    act = """
from deskcrew.actions.sandbox import Sandbox
with Sandbox(Path(sys.argv[1])) as sandbox:
    print(sandbox.run([str(sandbox.python), "-I", "-S", "-c", sys.argv[2], "deskcrew-test"]).stdout)
"""
    said = with_a_key(act, str(tmp_path), INSIDE)
    assert "nothing" in said
    assert "outside b'secret'" in said


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls are tried by their numbers on x86_64")
def test_what_becomes_a_sandbox_leaves_the_keys_before_any_filter(tmp_path: Path) -> None:
    act = """
import subprocess
from deskcrew.environments import confinement
process = confinement.start([sys.executable, "-c", sys.argv[1], "deskcrew-test"], stdout=subprocess.PIPE, stderr=None)
print(process.communicate()[0].decode())
"""
    said = with_a_key(act, INSIDE)
    assert "nothing" in said
    assert "outside b'secret'" in said


@contextlib.contextmanager
def abstract() -> Iterator[str]:
    """The name of an abstract socket of this machine that is listened to, as an X server does."""
    name = f"deskcrew-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        with socket.socket(socket.AF_UNIX) as here:
            here.connect(f"\0{name}")  # it is there for us
        yield name


CONNECT = """
import errno, os, socket, sys
place = socket.socket(socket.AF_UNIX)
try:
    place.connect(chr(0) + sys.argv[1])
    said = "connected"
except OSError as error:
    said = errno.errorcode[error.errno]
own = socket.socket(socket.AF_UNIX)
own.bind(chr(0) + sys.argv[1] + "-own")
own.listen()
socket.socket(socket.AF_UNIX).connect(chr(0) + sys.argv[1] + "-own")
print(said, end="", file=open(sys.argv[2], "w"))
os.rename(sys.argv[2], sys.argv[2] + ".done")
"""


@pytest.mark.skipif(not isolation.confinement.scopes(), reason="this kernel's Landlock has no scopes")
def test_with_the_network_code_does_not_reach_abstract_sockets(tmp_path: Path) -> None:
    with abstract() as name, Sandbox(tmp_path, network=True) as sandbox:
        done = sandbox.run([str(sandbox.python), "-I", "-S", "-c", CONNECT, name, "said"])
    assert (done.stderr, (tmp_path / "said.done").read_text()) == ("", "EPERM")


@pytest.mark.desktop
@pytest.mark.skipif(not isolation.confinement.scopes(), reason="this kernel's Landlock has no scopes")
def test_with_the_network_a_desktop_does_not_reach_abstract_sockets(tmp_path: Path) -> None:
    (tmp_path / "connect.py").write_text(CONNECT)
    with abstract() as name, start_virtual(tmp_path, network=True) as desktop:
        desktop.session.start([str(interpreter()), "-I", "-S", "connect.py", name, "said"])
        assert written(tmp_path / "said.done") == "EPERM"


@pytest.mark.desktop
def test_a_browser_that_runs_is_held_and_told_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chromium itself, as the kernel shows it: Playwright's driver starts it, with an environment of its own."""
    from deskcrew.environments.browser.browser import start_browser

    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    try:
        browser = start_browser(tmp_path)
    except EnvironmentFailure as failure:
        skip_without(failure)
    with browser:
        family = psutil.Process().children(recursive=True)
        held = [each for each in family if any("--user-data-dir=/home/crew" in word for word in each.cmdline())]
        chromium = [each for each in held if each.name() != "bwrap"]
        assert chromium
        for each in held:
            place = Path("/proc", str(each.pid))
            assert each not in chromium or "Seccomp:\t2" in (place / "status").read_text()
            assert "sk-very-secret" not in (place / "environ").read_text()
            assert str(tmp_path) not in " ".join(each.cmdline())
        mounts = [line.split() for line in Path("/proc", str(chromium[0].pid), "mountinfo").read_text().splitlines()]
        assert [words[5].split(",")[0] for words in mounts if words[4] == "/proc/sys"] == ["ro"]
