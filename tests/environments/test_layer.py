"""Layers over a workspace, by each of the two mechanisms and as an ordinary user: what lands, and what does not."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.changes import remains
from deskcrew.environments.layer import way_to_mount

COMMAND = (
    "rm a.txt; mv b.txt c.txt; echo new > d/n; rm -r e; mkdir e; : > f; chmod 600 g; ln -s c.txt l; mkfifo p; cat h; true"
)
EXPECTED = {
    "a.txt": "removed",
    "b.txt": "moved",
    "c.txt": "new",
    "d/n": "new",
    "e/x": "removed",
    "f": "emptied",
    "g": "changed",
    "l": "new",
    "p": "new",
}


def filled(work: Path) -> None:
    for name in ("a.txt", "b.txt", "d/o", "e/x", "f", "g", "h"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(f"what is in {name}\n")


def tried(work: Path, layers: Path, *, copy: bool) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """What a program changed, what it printed, and what did not land. Nothing has landed before that."""
    with Sandbox(work, layers=layers) as sandbox:
        if copy:
            sandbox._found.ways[work.stat().st_dev] = None
        before = {path: path.read_text() for path in sorted(work.rglob("*")) if path.is_file()}
        with sandbox.layer(["h"]) as layer:
            assert layer is not None
            done = sandbox.run(["/bin/sh", "-c", COMMAND], layer=layer)
            found = {change.path: str(change.kind) for change in layer.changes().entries}
            assert {path: path.read_text() for path in sorted(work.rglob("*")) if path.is_file()} == before
            return found, done.stdout, layer.land()


def landed(work: Path) -> None:
    assert sorted(str(path.relative_to(work)) for path in work.rglob("*")) == [
        "c.txt",
        "d",
        "d/n",
        "d/o",
        "e",
        "f",
        "g",
        "h",
        "l",
    ]
    assert (work / "c.txt").read_text() == "what is in b.txt\n"
    assert os.readlink(work / "l") == "c.txt"
    assert (work / "f").read_text() == ""
    assert (work / "g").stat().st_mode & 0o777 == 0o600
    assert (work / "h").read_text() == "what is in h\n"


@pytest.mark.parametrize("copy", [False, True], ids=["overlay", "copy"])
def test_what_a_program_did_is_told_before_it_lands_and_then_lands(tmp_path: Path, copy: bool) -> None:
    work = tmp_path / "a folder, with: signs"
    filled(work)
    found, printed, missed = tried(work, tmp_path / "layers", copy=copy)
    assert found == EXPECTED
    assert printed == ""
    assert missed == ("p: it is not a file, folder or link",)
    landed(work)
    assert not (tmp_path / "layers").exists() or not os.listdir(tmp_path / "layers")


@pytest.mark.parametrize("copy", [False, True], ids=["overlay", "copy"])
def test_nobody_is_reached_by_a_socket_in_the_workspace(tmp_path: Path, copy: bool) -> None:
    work = tmp_path / "work"
    work.mkdir()
    code = "import socket; s = socket.socket(socket.AF_UNIX); print(s.connect_ex('s'))"
    with socket.socket(socket.AF_UNIX) as listener, Sandbox(work, layers=tmp_path / "layers") as sandbox:
        listener.bind(str(work / "s"))
        listener.listen()
        if copy:
            sandbox._found.ways[work.stat().st_dev] = None
        with sandbox.layer() as layer:
            done = sandbox.run([str(sandbox.python), "-I", "-S", "-c", code], layer=layer)
    assert int(done.stdout) in (errno.ECONNREFUSED, errno.ENOENT), done.stderr


def test_here_an_overlay_can_be_mounted(tmp_path: Path) -> None:
    assert way_to_mount(tmp_path) is not None
    assert os.listdir(tmp_path) == []
    assert str(tmp_path) not in Path("/proc/self/mounts").read_text()


AS_NOBODY = """
import json, os, sys
sys.path[:0] = json.loads(sys.argv[2])
os.setgroups([]); os.setgid(65534); os.setuid(65534)
from pathlib import Path
from environments.test_layer import EXPECTED, filled, landed, tried, way_to_mount
place = Path(sys.argv[1])
assert way_to_mount(place) is not None
filled(place / "work")
found, _, _ = tried(place / "work", place / "layers", copy=False)
assert found == EXPECTED, found
landed(place / "work")
print("landed")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user then")
def test_an_ordinary_user_has_the_same(tmp_path_factory: pytest.TempPathFactory) -> None:
    python = shutil.which("python3", path="/usr/bin")
    same = f"{sys.version_info.major}.{sys.version_info.minor}"
    if python is None or same not in os.path.realpath(python):
        pytest.skip(f"no Python {same} that other users can run")
    place = Path("/var/tmp") / f"deskcrew-layer-{os.getpid()}"
    place.mkdir(mode=0o755)
    try:
        os.chown(place, 65534, 65534)
        paths = [
            str(Path(__file__).parents[1]),
            *(path for path in sys.path if "site-packages" in path or path.endswith("src")),
        ]
        done = subprocess.run(
            [python, "-c", AS_NOBODY, str(place), json.dumps(paths)], capture_output=True, text=True, timeout=120
        )
        if "ModuleNotFoundError" in done.stderr or "PermissionError: [Errno 13] Permission denied: '/" in done.stderr:
            pytest.skip("other users cannot read this installation")
        assert done.stdout == "landed\n", done.stderr
    finally:
        shutil.rmtree(place)


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        (b"one two three four", b"one two three five", True),
        (b"name,count\nada,3\n", b"name,count\nada,4\nbob,5\n", True),
        (b"one two three four", b"entirely other words here", False),
        (b"one two three four", b"\0" * 4096, False),
        (b"the same line again\n" * 100, b"the same", False),
        (b"\x00\x01", b"\x00\x01\x02", True),
    ],
)
def test_whether_something_of_a_file_remains(old: bytes, new: bytes, left: bool) -> None:
    assert remains(old, new) == left


@pytest.mark.parametrize("copy", [False, True], ids=["overlay", "copy"])
def test_a_file_of_terabytes_with_nothing_in_it_is_not_read(tmp_path: Path, copy: bool) -> None:
    """A program of the desktop made it; reading it would take hours. Whether it lies elsewhere is not known then."""
    work = tmp_path / "work"
    work.mkdir()
    for name in ("removed", "renamed"):
        with (work / name).open("wb") as file:
            file.truncate(4 << 40)
    with Sandbox(work, layers=tmp_path / "layers") as sandbox:
        if copy:
            sandbox._found.ways[work.stat().st_dev] = None
        with sandbox.layer(["h"]) as layer:
            assert layer is not None
            sandbox.run(["/bin/sh", "-c", "rm removed; mv renamed other || rm renamed"], layer=layer)
            found = {change.path: change.kind for change in layer.changes().entries}
    assert found["removed"] == found["renamed"] == "removed"
