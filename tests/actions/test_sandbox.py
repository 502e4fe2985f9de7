"""The sandbox for real: what a program inside can see, reach, use up and leave behind."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

import deskcrew
from deskcrew.actions.bubblewrap import account_files, arguments, environment, of_program
from deskcrew.actions.sandbox import Completed, Sandbox, SandboxLimits
from deskcrew.environments import cgroup
from deskcrew.environments.isolation import HOME, Bubblewrap, interpreter
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import EnvironmentFailure
from support.machine import let_others_in
from support.waiting import LATEST, until

SHORT = SandboxLimits(seconds=1.5)


def sh(sandbox: Sandbox, command: str, limits: SandboxLimits | None = None) -> Completed:
    return sandbox.run(["/bin/sh", "-c", command], limits=limits)


def python(sandbox: Sandbox, code: str, limits: SandboxLimits | None = None) -> Completed:
    return sandbox.run([str(sandbox.python), "-I", "-S", "-c", code], limits=limits)


def alive(word: str) -> list[int]:
    return [p.pid for p in psutil.process_iter(["cmdline"]) if word in " ".join(p.info["cmdline"] or ())]


def test_probe_finds_bubblewrap_here() -> None:
    assert Sandbox.probe() is None


def test_runs_in_the_workspace_and_returns_everything(sandbox: Sandbox, workspace: Workspace) -> None:
    done = sandbox.run(["/bin/sh", "-c", "pwd; cat; echo no >&2; echo x > made.txt; exit 7"], stdin="given\n")
    assert (done.exit_code, done.stdout, done.stderr) == (7, "/workspace\ngiven\n", "no\n")
    assert not done.timed_out
    assert not done.truncated
    assert not done.killed_by
    assert (workspace.root / "made.txt").read_text() == "x\n"
    assert (workspace.root / "made.txt").stat().st_uid == os.getuid()


def test_environment_and_its_secrets_are_not_inside(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert "sk-very-secret" not in sh(sandbox, "env; cat /proc/*/environ").stdout


def test_nothing_but_the_workspace_and_scratch_is_writable(sandbox: Sandbox) -> None:
    for place in ("/etc/passwd", "/etc/new", "/usr/new", "/new", "/root/new", "/home/new", "/dev/new", "/var/new"):
        assert sh(sandbox, f"echo x >> {place}").exit_code != 0, place
    for place in ("/tmp/new", "/dev/shm/new", "$HOME/new", "/workspace/new", "/dev/null"):
        assert sh(sandbox, f"echo x >> {place}").exit_code == 0, place


def test_nothing_of_ours_can_be_read(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_text("secret")
    package = Path(deskcrew.__file__).parent
    for path in (
        tmp_path / "journal.db",
        package / "errors.py",
        Path(sys.prefix),
        Path.home() / ".ssh",
        Path("/etc/shadow"),
    ):
        assert sh(sandbox, f"cat '{path}' || ls '{path}'").exit_code != 0, path
    assert "No module named" in python(sandbox, "import pydantic").stderr
    assert sh(sandbox, "ls -A ~").stdout == ""
    there = set(sh(sandbox, f"ls -A {Path.home()} 2>/dev/null").stdout.split())
    assert there <= set(Path(sys.base_prefix).parts)


def test_loopback_and_abstract_sockets_cannot_be_reached(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
        assert "refused" in python(sandbox, code).stderr
        with socket.create_connection(("127.0.0.1", port)):
            pass  # it is there for us
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0deskcrew-test-abstract")
        listener.listen()
        code = r"import socket; socket.socket(socket.AF_UNIX).connect('\0deskcrew-test-abstract')"
        assert "refused" in python(sandbox, code).stderr


def test_network_is_given_only_on_demand(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 1); print('in')"
        argv = [str(sandbox.python), "-I", "-S", "-c", code]
        assert sandbox.run(argv, network=True).stdout == "in\n"
        assert sandbox.run(argv).exit_code == 1


def test_no_capabilities_and_no_new_namespaces(sandbox: Sandbox) -> None:
    status = sh(sandbox, "cat /proc/self/status").stdout
    assert re.search(r"CapEff:\s+0+\n", status)
    assert re.search(r"CapBnd:\s+0+\n", status)
    assert re.search(r"NoNewPrivs:\s+1\n", status)
    assert sh(sandbox, "unshare -Ur true").exit_code != 0


def test_other_processes_are_not_visible(sandbox: Sandbox) -> None:
    assert len(sh(sandbox, "ls -d /proc/[0-9]*").stdout.split()) <= 4


@pytest.mark.fault
def test_endless_loop_is_stopped_by_time(sandbox: Sandbox) -> None:
    done = python(sandbox, "while True: pass", SHORT)
    assert done.timed_out
    assert done.killed_by == "time"
    assert done.seconds < LATEST


@pytest.mark.fault
def test_endless_computing_is_stopped_by_processor_time(sandbox: Sandbox) -> None:
    done = python(sandbox, "while True: pass", SandboxLimits(cpu=1, seconds=30))
    assert done.killed_by == "cpu"
    assert not done.timed_out


@pytest.mark.fault
def test_endless_output_is_stopped_and_head_and_tail_kept(sandbox: Sandbox) -> None:
    done = sh(sandbox, "echo first; yes", SandboxLimits(output=10_000))
    assert done.killed_by == "output"
    assert done.truncated
    assert done.stdout.startswith("first\n")
    assert len(done.stdout) < 10_100
    assert re.search(r"\n\[cut here: \d+ of \d+ bytes are left out\]\n", done.stdout)
    assert done.seconds < LATEST


def test_long_output_is_cut_honestly_but_not_killed(sandbox: Sandbox) -> None:
    done = sh(sandbox, "echo first; seq 1 3000; echo last", SandboxLimits(output=2000))
    assert done.exit_code == 0
    assert done.truncated
    assert not done.killed_by
    cut = re.search(r"\n\[cut here: (\d+) of (\d+) bytes are left out\]\n", done.stdout)
    assert cut is not None
    whole = len("first\nlast\n" + "".join(f"{n}\n" for n in range(1, 3001)))
    assert (int(cut.group(1)), int(cut.group(2))) == (whole - 2000, whole)
    assert done.stdout.endswith("last\n")


@pytest.mark.fault
def test_memory_is_bounded(sandbox: Sandbox) -> None:
    assert "MemoryError" in python(sandbox, "x = bytearray(2 << 30)").stderr


@pytest.mark.fault
def test_memory_of_many_processes_is_bounded_together(sandbox: Sandbox) -> None:
    if not sandbox.bounds()["memory"].startswith("cgroup"):
        pytest.skip("no control group for memory can be made here; the address space of each process is bounded")
    code = (
        "import os, time\n"
        "for _ in range(8):\n"
        "    if os.fork() == 0:\n"
        "        x = bytearray(60 << 20); x[::4096] = b'x' * len(x[::4096]); time.sleep(2); os._exit(0)\n"
        "print(sum(os.wait()[1] != 0 for _ in range(8)))\n"
    )
    done = python(sandbox, code, SandboxLimits(memory=200 << 20, seconds=10))
    assert done.killed_by == "memory" or int(done.stdout) >= 1


@pytest.mark.fault
def test_fork_bomb_is_bounded_in_count_and_time(sandbox: Sandbox) -> None:
    most = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal most
        while not stop.is_set():
            most = max(most, len(alive("fork-bomb-of-the-test")))
            time.sleep(0.05)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        start = time.monotonic()
        code = "'fork-bomb-of-the-test'\nimport os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(.01)"
        done = python(sandbox, code, SandboxLimits(seconds=1.5, processes=40))
        took = time.monotonic() - start
    finally:
        stop.set()
        counter.join()
    assert done.killed_by == "time"
    assert took < LATEST
    if sandbox.bounds()["processes"] != "time only":
        assert 2 < most <= 44  # and bwrap's own, and a process between fork and being counted
    assert not alive("fork-bomb-of-the-test")


@pytest.mark.fault
def test_huge_file_is_refused(sandbox: Sandbox, workspace: Workspace) -> None:
    done = sh(sandbox, "head -c 5000000 /dev/zero > big", SandboxLimits(file_size=1 << 20))
    assert done.exit_code != 0
    assert (workspace.root / "big").stat().st_size <= 1 << 20


@pytest.mark.fault
def test_scratch_is_full_at_its_size(sandbox: Sandbox) -> None:
    for place in ("/tmp", "/dev/shm", "/home/crew"):
        done = sh(sandbox, f"head -c 5000000 /dev/zero > {place}/big", SandboxLimits(scratch=1 << 20))
        assert "No space left" in done.stderr, place


@pytest.mark.fault
def test_too_many_open_files(sandbox: Sandbox) -> None:
    done = python(sandbox, "x = [open('/dev/null') for _ in range(500)]", SandboxLimits(open_files=64))
    assert "Too many open files" in done.stderr


@pytest.mark.fault
def test_background_children_end_with_the_command(sandbox: Sandbox) -> None:
    done = sh(sandbox, "sleep 4321 & setsid sleep 4321 & (setsid nohup sleep 4321 >/dev/null 2>&1 &); echo started")
    assert done.stdout == "started\n"
    assert done.exit_code == 0
    assert done.seconds < LATEST
    assert until(lambda: not alive("sleep 4321"))


@pytest.mark.fault
def test_killed_child_is_named(sandbox: Sandbox) -> None:
    done = python(sandbox, "import os; os.kill(os.getpid(), 11)")
    assert done.killed_by == "signal SIGSEGV"
    assert done.exit_code == 139


@pytest.mark.fault
def test_close_from_another_thread_kills_what_runs_and_refuses_more(workspace: Workspace) -> None:
    sandbox = Sandbox(workspace.root)
    threading.Timer(0.4, sandbox.close).start()
    done = sh(sandbox, "sleep 5432 & sleep 5432")
    assert done.killed_by == "close"
    assert done.seconds < LATEST
    assert not alive("sleep 5432")
    with pytest.raises(EnvironmentFailure, match="closed"):
        sh(sandbox, "true")


@pytest.mark.fault
def test_killing_us_kills_the_sandboxed_program(workspace: Workspace) -> None:
    code = (
        "import sys; from pathlib import Path; from deskcrew.actions.sandbox import Sandbox\n"
        f"Sandbox(Path({str(workspace.root)!r})).run(['/bin/sh', '-c', 'touch started; sleep 6543'])"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    assert until((workspace.root / "started").exists)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert until(lambda: not alive("sleep 6543"))
    group = cgroup.create(processes=5, memory=1 << 26)
    if group is not None:
        left, group_of_ours = group.folders[0].parent, f"deskcrew-{process.pid}-*"
        group.close()
        assert until(lambda: swept(left, group_of_ours))


def swept(place: Path, pattern: str) -> bool:
    """Making a group removes those that killed processes left, as soon as the kernel lets go of their last member, but none
    that were only just made: they may be another container's, whose processes are not seen here."""
    if not (left := list(place.glob(pattern))):
        return True
    for folder in left:
        os.utime(folder)
    if group := cgroup.create(processes=5, memory=1 << 26):
        group.close()
    assert list(place.glob(pattern)) == left
    for folder in left:
        os.utime(folder, (0, 0))
    if group := cgroup.create(processes=5, memory=1 << 26):
        group.close()
    return not list(place.glob(pattern))


@pytest.mark.fault
def test_unread_input_does_not_block(sandbox: Sandbox) -> None:
    assert sandbox.run(["/bin/true"], stdin=b"x" * 5_000_000).exit_code == 0


def test_runs_side_by_side(sandbox: Sandbox) -> None:
    results: list[str] = []
    threads = [threading.Thread(target=lambda n=n: results.append(sh(sandbox, f"echo {n}").stdout)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [f"{n}\n" for n in range(6)]


def open_descriptors() -> int:
    """How many there are once the threads have ended that started sandboxes; each ends just after its own."""
    for thread in threading.enumerate():
        if thread.name == "deskcrew-sandbox":
            thread.join(timeout=60)
    return len(os.listdir("/proc/self/fd"))


def test_leaves_no_control_group_and_no_descriptor_behind(sandbox: Sandbox) -> None:
    sh(sandbox, "true")
    before = open_descriptors()
    for _ in range(5):
        sh(sandbox, "true")
    assert open_descriptors() == before
    group = cgroup.create(processes=5, memory=1 << 26)
    if group is not None:
        group.close()
        assert not any(folder.exists() for folder in group.folders)


def test_one_over_another_folder_need_not_find_out_again_how_to_start(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sandbox.layer() as layer:
        sandbox.run(["/bin/true"], layer=layer)
    monkeypatch.setattr("deskcrew.actions.sandbox.way_to_mount", lambda folder: pytest.fail("it is known"))  # pyright: ignore
    monkeypatch.setattr(Bubblewrap, "find", lambda: pytest.fail("it is known"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text("other")
    with sandbox.over(tmp_path / "other") as other, other.layer() as layer:
        assert other.run(["/bin/cat", "a.txt"], layer=layer).stdout == "other"
    assert sh(sandbox, "true").exit_code == 0, "it is not closed with the other"


def test_refuses_without_bubblewrap_and_names_the_package(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "not installed" in (Sandbox.probe() or "")
    with pytest.raises(EnvironmentFailure, match="bubblewrap") as failure:
        Sandbox(workspace.root)._require()  # pyright: ignore[reportPrivateUsage]
    assert "--unsafe-host" in failure.value.hint


def test_forbidden_namespaces_are_a_reason_not_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert "No permissions" in str(Bubblewrap.find())


def test_unsafe_host_runs_bare_with_limits_and_a_clean_environment(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with Sandbox(workspace.root, unsafe_host=True) as sandbox:
        done = sh(sandbox, "pwd; env")
        assert done.stdout.startswith(f"{workspace.root}\n")
        assert "sk-very-secret" not in done.stdout
        assert sh(sandbox, "sleep 9", SHORT).timed_out


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_unprivileged_user_gets_the_same_and_a_bound_on_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    os.chown(folder, 61234, 61234)
    let_others_in(folder)
    bubblewrap = Bubblewrap.find()
    assert isinstance(bubblewrap, Bubblewrap)
    monkeypatch.setattr(os, "getuid", lambda: 61234)
    monkeypatch.setattr(os, "getgid", lambda: 61234)
    monkeypatch.setattr(sys, "base_prefix", "/usr")  # our own may lie in root's home
    inside = of_program(folder, environment(home=HOME, path_of_python=interpreter()))
    accounts = account_files()
    words = arguments(bubblewrap, inside, 1 << 20, network=False, by_host=False, accounts=accounts)
    script = "id -u; touch made; prlimit --nproc=8 sh -c 'for n in 1 2 3 4 5 6 7 8 9; do sleep 1 & done'"
    command = ["setpriv", "--reuid=61234", "--regid=61234", "--clear-groups", *words, "/bin/sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, pass_fds=accounts)
    for descriptor in accounts:
        os.close(descriptor)
    assert done.stdout == "61234\n", done.stderr
    assert (folder / "made").stat().st_uid == 61234
    assert "ork" in done.stderr  # "Cannot fork": counted inside the own user namespace


@pytest.mark.deep
def test_overhead(sandbox: Sandbox) -> None:
    """Prints what the sandbox costs: `pytest -m deep -s`."""

    def median(run: object) -> float:
        times: list[float] = []
        for _ in range(15):
            start = time.perf_counter()
            run()  # type: ignore[operator]
            times.append(time.perf_counter() - start)
        return sorted(times)[7] * 1000

    argv = [str(sandbox.python), "-I", "-S", "-c", "pass"]
    inside, bare = median(lambda: sandbox.run(argv)), median(lambda: subprocess.run(argv, check=True))
    print(f"python: bare {bare:.1f} ms, sandboxed {inside:.1f} ms")
    assert inside - bare < 200
