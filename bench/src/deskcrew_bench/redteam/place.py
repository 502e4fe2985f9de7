"""Where a red-team case is played: a process of its own, as this user, as an ordinary one, or on a host that is thrown away.

A throwaway host has namespaces for everything: the files of this machine, read-only; folders of its own where programs
write; processes, network, host name and message queues of its own; sysctls that are copies. There an attack may succeed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

import deskcrew
import deskcrew_bench
from deskcrew.environments import cgroup
from deskcrew.environments.isolation import HOME, interpreter
from deskcrew.environments.workspace import INSIDE

Place = Literal["here", "user", "throwaway"]
USER = 61_847
"""Id of the ordinary user: nobody's, and no account is needed."""
SECONDS = 600.0
"""So long a case may take."""
PROCESSES, MEMORY = 5000, 8 << 30
"""Bounds of a case with all its programs, where a control group can be made: a case may be a fork bomb."""
_JOIN = 'for f in $1; do echo $$ > "$f" || exit 125; done; shift; exec "$@"'
_WRITABLE = ("/tmp", "/var", "/run", "/home", "/root", "/mnt", "/srv", "/dev/shm")
_SKIPPED = ("proc", "dev", "tmp", "run", "home", "mnt", "srv")
_BEGIN = """
mount -t proc proc /proc || exit 97
if [ "$1" = copied ]; then
  cp -r /proc/sys /dev/shm/sys 2>/dev/null
  mount --bind /dev/shm/sys /proc/sys || exit 98
fi
shift
exec "$@"
"""
"""bwrap's own /proc has parts covered, and the kernel then lets no sandbox inside have one."""


def other_user() -> bool:
    """Whether cases can be played as another user: only root can become one."""
    return os.geteuid() == 0


def child(place: Place, told: dict[str, Any], *, copied: bool = False, seconds: float = SECONDS) -> dict[str, Any] | str:
    """Play a case in a process of its own and return what that says, or why it said nothing. Blocking.

    ``copied``: whether a throwaway host has sysctls that are copies; no sandbox can be made there then. ``seconds``:
    after which it is ended.
    """
    folder = Path(tempfile.mkdtemp(prefix="redteam-"))
    group = cgroup.create(processes=PROCESSES, memory=MEMORY)
    try:
        (folder / "w" / "work").mkdir(parents=True)
        if place == "user":
            for made in (folder, folder / "w", folder / "w" / "work"):
                os.chown(made, USER, USER)
        words = [
            *_leading(place, folder, copied=copied),
            sys.executable,
            "-m",
            "deskcrew_bench.redteam.child",
            str(folder / "w"),
        ]
        if group is not None:
            words = ["/bin/sh", "-c", _JOIN, "sh", " ".join(map(str, group.joins)), *words]
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(folder),
            start_new_session=True,
            cwd=folder,
        )
        try:
            out, err = process.communicate(json.dumps(told).encode(), seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return f"it did not end within {seconds:.0f} seconds"
        if process.returncode == 0 and out:
            return json.loads(out)
        lines = err.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        return f"the engine's process ended with {process.returncode}: {lines[-1][:300]}"
    finally:
        if group is not None:
            group.close()
        # Not shutil's: a case may leave folders in folders deeper than Python goes.
        subprocess.run(["rm", "-rf", "--one-file-system", "--", str(folder)], check=False)


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    return {"LANG": "C.UTF-8", **kept, "HOME": str(folder), "TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def _leading(place: Place, folder: Path, *, copied: bool) -> list[str]:
    if place == "user":
        identity = [
            "setpriv",
            f"--reuid={USER}",
            f"--regid={USER}",
            "--clear-groups",
            "--inh-caps=-all",
            "--bounding-set=-all",
        ]
        return ["bwrap", "--dev-bind", "/", "/", *_readable(), "--", *identity]
    if place == "throwaway":
        words = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent"]
        words += [] if os.geteuid() == 0 else ["--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "ALL"]
        words += [*_files(), "--bind", str(folder), str(folder), "--bind", str(folder / "w" / "work"), INSIDE]
        return [*words, "--", "/bin/sh", "-c", _BEGIN, "sh", "copied" if copied else "own"]
    return []


def _readable() -> list[str]:
    """Our own code and interpreter where they lie in a folder that nobody else may enter: that folder with nothing else in
    it."""
    words: list[str] = []
    covered: set[Path] = set()
    for needed in _needed():
        closed = next((each for each in reversed(needed.parents) if not each.stat().st_mode & 0o001), None)
        if closed is None:
            continue
        if closed not in covered:
            words += ["--perms", "0755", "--tmpfs", str(closed)]
            covered.add(closed)
        between = [each for each in reversed(needed.parents) if each.is_relative_to(closed) and each != closed]
        words += [word for each in between for word in ("--perms", "0755", "--dir", str(each))]
        words += ["--ro-bind", str(needed), str(needed)]
    return words


def _needed() -> tuple[Path, ...]:
    code = (Path(file).resolve().parents[1] for file in (deskcrew.__file__, deskcrew_bench.__file__))
    ours = {interpreter().parents[1], Path(sys.prefix), *code}
    return tuple(sorted(each for each in ours if not each.is_relative_to("/usr")))


def _files() -> list[str]:
    """This machine's files, read-only, and empty folders that can be written to."""
    words: list[str] = []
    for entry in sorted(Path("/").iterdir()):
        if entry.is_symlink():
            words += ["--symlink", os.readlink(entry), str(entry)]
        elif entry.name not in _SKIPPED:
            words += ["--ro-bind", str(entry), str(entry)]
    words += ["--dev", "/dev"]
    for place in _WRITABLE:
        if Path(place).is_dir():
            words += ["--perms", "1777" if place in ("/tmp", "/dev/shm") else "0755", "--tmpfs", place]
    words += ["--dir", HOME, "--dir", "/var/tmp", "--dir", "/proc"]
    for needed in _needed():
        if any(needed.is_relative_to(place) for place in _WRITABLE):
            words += ["--ro-bind", str(needed), str(needed)]
    return words
