"""Bringing back: whatever was done to a folder, it is again as it was; cut short, done again, or worked against."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.environments.manifest import Manifest
from deskcrew.environments.restoring import BESIDE, Restored, restore
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import EnvironmentFailure, JournalError
from support.folders import Blobs, state


def points(root: Path, blobs: Blobs | None = None, *, largest: int = 1 << 20) -> SavePoints:
    blobs = Blobs() if blobs is None else blobs
    return SavePoints(root, blobs.put, blobs.__getitem__, largest=largest)


def as_nobody(root: Path, work: Callable[[], None]) -> None:
    """Run ``work`` in a process of a user without rights, to whom ``root`` is given. Fails when it fails."""
    child = os.fork()
    if not child:
        code = 1
        try:
            if os.geteuid() == 0:
                os.chown(root, 65534, 65534)
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            work()
            code = 0
        except:  # noqa: E722
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's."""
    folder = Path(tempfile.mkdtemp(prefix="deskcrew-test-"))
    yield folder
    subprocess.run(["chmod", "-R", "u+rwX", folder], check=False)
    shutil.rmtree(folder)


# Random trees: each step is something a program may do to a folder.

NAMES = ["a", "A", "b", ".git", "n\n", os.fsdecode(b"\xfe"), "ü"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)
STEPS = st.tuples(
    st.sampled_from(["file", "file", "folder", "link", "pipe", "remove", "mode", "time", "append", "hard", "move"]),
    PATHS,
    PATHS,
    st.sampled_from([0o644, 0o755, 0o400, 0o555, 0o000, 0o777, 0o4755, 0o1777]),
    st.sampled_from([b"", b"x", b"y", b"\0\xff" * 300, b"z" * 2000]),
)
Step = tuple[str, list[str], list[str], int, bytes]


def do(root: Path, step: Step) -> None:
    """Do it where it can be done. The top ``.git`` is the user's: nothing is done to it here."""
    kind, parts, others, mode, data = step
    path, other = root.joinpath(*parts), root.joinpath(*others)
    if parts[0] == ".git" or others[0] == ".git" or any(parent.is_symlink() for parent in path.parents):
        return
    try:
        match kind:
            case "file":
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.is_symlink() and not path.is_fifo():
                    path.write_bytes(data)
            case "append":
                if path.is_file() and not path.is_symlink():
                    with path.open("ab") as file:
                        file.write(data)
            case "folder":
                path.mkdir(parents=True)
            case "link":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.symlink_to(["/etc/passwd", "nowhere", "..", "a"][len(data) % 4])
            case "pipe":
                os.mkfifo(path)
            case "remove" if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            case "remove":
                path.unlink()
            case "mode" if not path.is_symlink():
                # A user without rights could not look at the rest: see the tests of closed folders for that.
                path.chmod(mode | (0o500 if os.geteuid() else 0))
            case "time":
                os.utime(path, ns=(1, mode * 1_000_000_007), follow_symlinks=False)
            case "hard":
                os.link(path, other, follow_symlinks=False)
            case "move":
                path.rename(other)
            case _:
                pass
    except (OSError, shutil.Error):
        return


def without_set_id(found: dict[bytes, tuple[object, ...]]) -> dict[bytes, tuple[object, ...]]:
    """As it is expected: set-user-id bits are not brought back. On folders they arm nothing, and stay as they are."""
    expected: dict[bytes, tuple[object, ...]] = {}
    for name, (kind, mtime_ns, *rest) in found.items():
        if rest and isinstance(rest[0], int):
            rest[0] &= 0o1777
        expected[name] = (kind, mtime_ns, *rest)
    return expected


def is_pipe(entry: tuple[object, ...]) -> bool:
    return entry[0] == stat.S_IFIFO


@given(st.lists(STEPS, max_size=25), st.lists(STEPS, max_size=25), st.booleans())
def test_whatever_was_done_is_undone(before: list[Step], after: list[Step], fresh: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "w"
        (root / ".git").mkdir(parents=True)
        (root / ".git" / "HEAD").write_text("user's")
        for step in before:
            do(root, step)
        users = state(root / ".git")
        blobs = Blobs()
        keeper = points(root, blobs)
        then = keeper.take().manifest
        was = state(root)
        for step in after:
            do(root, step)
        if fresh:  # another process brings it back
            keeper = points(root, blobs)
        changed = state(root)
        now = keeper.take().manifest
        done = restore(keeper, then)
        pipes = {name for name, entry in was.items() if is_pipe(entry)}
        gone = {name for name in pipes if changed.get(name, (0,))[0] != stat.S_IFIFO}
        # A pipe that has gone or become something else is not brought back, and said to be so; all else is exact.
        expected = {name: entry for name, entry in without_set_id(was).items() if not any(_in(name, pipe) for pipe in pipes)}
        found = state(root)
        found |= without_set_id({name: entry for name, entry in found.items() if entry[0] == stat.S_IFDIR})
        got = {name: entry for name, entry in found.items() if not any(_in(name, pipe) for pipe in pipes)}
        assert got == expected
        assert done.exact == (not gone)
        assert len(done.lost) == len(gone)
        assert state(root / ".git") == users
        if not gone:
            again = restore(keeper, then)
            assert again.exact
            assert not again.changes.work
            # And back again: what was undone is kept too.
            assert restore(keeper, now).exact == (not {n for n, e in changed.items() if is_pipe(e)} - pipes)


def _in(name: bytes, folder: bytes) -> bool:
    return name == folder or name.startswith(folder + b"/")


def tree(root: Path) -> None:
    """A folder with one of everything that is awkward."""
    (root / "ro" / "deep").mkdir(parents=True)
    (root / "ro" / "deep" / "f").write_text("f")
    (root / "ro" / "deep" / "f").chmod(0o444)
    (root / "file").write_text("file")
    (root / "to folder").write_text("file")
    (root / "to file" / "x").mkdir(parents=True)
    (root / "to file" / "x" / "y").write_text("y")
    (root / "out").symlink_to("/etc")
    (root / "Case").write_text("case")
    (root / "ro" / "deep").chmod(0o555)
    (root / "ro").chmod(0o555)
    for place in ("file", "ro/deep/f", "ro/deep", "ro", "to file/x", "to file", ""):
        os.utime(root / place, ns=(1, 1_500_000_000_123_456_789))


def spoil(root: Path) -> None:
    (root / "ro").chmod(0o755)
    (root / "ro" / "deep").chmod(0o755)
    (root / "ro" / "deep" / "f").chmod(0o644)
    (root / "ro" / "deep" / "f").write_text("spoilt")
    (root / "ro" / "deep" / "new").write_text("new")
    (root / "ro" / "deep").chmod(0o555)
    (root / "ro").chmod(0o555)
    (root / "file").chmod(0)
    (root / "to folder").unlink()
    (root / "to folder" / "in").mkdir(parents=True)
    (root / "to folder" / "in" / "f").write_text("f")
    (root / "to folder" / "in").chmod(0o555)
    shutil.rmtree(root / "to file")
    (root / "to file").write_text("now a file")
    (root / "out").unlink()
    (root / "out").mkdir()
    (root / "out" / "passwd").write_text("x")
    (root / "Case").rename(root / "case")
    (root / "untracked" / "more").mkdir(parents=True)
    (root / "untracked" / "more" / "x").write_text("x")


def test_read_only_files_and_folders_are_no_obstacle_to_a_user_without_rights(open_folder: Path) -> None:
    def work() -> None:
        root = open_folder / "w"
        root.mkdir()
        tree(root)
        keeper = points(root)
        then = keeper.take().manifest
        was = state(root)
        spoil(root)
        done = restore(keeper, then)
        assert done.exact, done
        assert state(root) == was
        assert done.changes.summary()

    as_nobody(open_folder, work)


def test_folders_that_were_closed_since_are_opened(open_folder: Path) -> None:
    def work() -> None:
        root = open_folder / "w"
        (root / "d" / "e").mkdir(parents=True)
        (root / "d" / "e" / "f").write_text("f")
        keeper = points(root)
        then = keeper.take().manifest
        was = state(root)
        (root / "d" / "e" / "f").write_text("changed")
        (root / "d" / "new").write_text("new")
        for path in (root / "d" / "e", root / "d", root):
            path.chmod(0)
        assert restore(keeper, then).exact
        assert state(root) == was

    as_nobody(open_folder, work)


def test_a_folder_that_could_not_be_read_stays_as_it_is(open_folder: Path) -> None:
    def work() -> None:
        root = open_folder / "w"
        (root / "closed").mkdir(parents=True)
        (root / "closed" / "f").write_text("f")
        (root / "secret").write_text("s")
        (root / "closed").chmod(0)
        (root / "secret").chmod(0)
        keeper = points(root)
        taken = keeper.take()
        assert taken.unsaved == ("closed", "secret")
        (root / "closed").chmod(0o755)
        (root / "new").mkdir()
        (root / "new" / "f").write_text("n")
        (root / "new").chmod(0)
        done = restore(keeper, taken.manifest)
        assert stat.S_IMODE((root / "closed").stat().st_mode) == 0
        (root / "closed").chmod(0o755)
        assert (root / "closed" / "f").read_text() == "f"
        assert done.lost == ("new stays: it is new, and its content cannot be kept",)
        (root / "new").chmod(0o755)
        assert (root / "new" / "f").exists()

    as_nobody(open_folder, work)


def test_only_what_differs_is_written(tmp_path: Path) -> None:
    for name in ("same", "touched", "mode", "changed"):
        (tmp_path / name).write_text(name)
    keeper = points(tmp_path)
    then = keeper.take().manifest
    inodes = {name: (tmp_path / name).stat().st_ino for name in ("same", "touched", "mode")}
    os.utime(tmp_path / "touched", ns=(1, 1))
    (tmp_path / "mode").chmod(0o600)
    (tmp_path / "changed").write_text("x")
    done = restore(keeper, then)
    assert done.changes[:5] == (("changed",), (), (), ("mode",), ("touched",))
    assert {name: (tmp_path / name).stat().st_ino for name in inodes} == inodes


def test_a_file_too_large_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(100))
    (tmp_path / "moved").write_bytes(bytes(101))
    (tmp_path / "f").write_text("f")
    keeper = points(tmp_path, largest=99)
    taken = keeper.take()
    assert taken.unsaved == ("large", "moved")
    (tmp_path / "large").write_bytes(bytes(200))
    (tmp_path / "d").mkdir()
    (tmp_path / "moved").rename(tmp_path / "d" / "here")
    (tmp_path / "d" / "small").write_text("x")
    (tmp_path / "f").write_bytes(bytes(300))
    done = restore(keeper, taken.manifest)
    assert not done.exact
    assert done.lost == (
        "large is not brought back: its content was not kept",
        "moved is not brought back: its content was not kept",
        "d/here stays: it is new, and its content cannot be kept",
        "f is lost: its content cannot be kept",
    )
    assert (tmp_path / "large").stat().st_size == 200
    assert [path.name for path in (tmp_path / "d").iterdir()] == ["here"]
    assert (tmp_path / "f").read_text() == "f"


@pytest.mark.parametrize("spoilt", ["missing", "damaged"])
def test_a_content_that_is_not_there_is_found_before_anything_is_changed(tmp_path: Path, spoilt: str) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    blobs = Blobs()
    keeper = points(tmp_path, blobs)
    then = keeper.take().manifest
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("other")
    (tmp_path / "new").write_text("new")
    was = state(tmp_path)

    def get(digest: str) -> bytes:
        if digest == then.by_path["c"].digest:
            if spoilt == "missing":
                raise JournalError("The journal lost a blob.")
            return b"damaged"
        return blobs[digest]

    keeper.get = get
    with pytest.raises(JournalError):
        restore(keeper, then)
    assert state(tmp_path) == was


def test_set_id_bits_go_and_stay_gone(tmp_path: Path) -> None:
    (tmp_path / "armed before").write_text("x")
    (tmp_path / "armed before").chmod(0o4755)
    (tmp_path / "armed since").write_text("x")
    keeper = points(tmp_path)
    then = keeper.take().manifest
    (tmp_path / "armed since").chmod(0o6644)
    assert restore(keeper, then).exact
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o755, 0o644}


def test_a_file_with_a_name_outside_is_replaced_not_changed(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    outside = tmp_path / "outside"
    outside.write_text("mine")
    os.link(outside, root / "f")
    os.link(outside, root / "g")
    keeper = points(root)
    then = keeper.take().manifest
    was = state(root)
    outside.write_text("changed")
    (root / "g").unlink()
    outside.chmod(0o600)
    os.link(outside, root / "new")
    assert restore(keeper, then).exact
    assert state(root) == was
    assert (outside.read_text(), stat.S_IMODE(outside.stat().st_mode)) == ("changed", 0o600)
    os.unlink(root / "g")
    os.link(outside, root / "g")
    outside.write_text("mine")
    restore(keeper, then)
    assert stat.S_IMODE(outside.stat().st_mode) == 0o600


def test_links_that_were_put_in_the_way_are_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "w", tmp_path / "outside"
    (root / "d" / "e").mkdir(parents=True)
    (root / "d" / "e" / "f").write_text("f")
    outside.mkdir()
    (outside / "f").write_text("outside")
    (outside / "keep").write_text("outside")
    (outside / "e").mkdir()
    keeper = points(root)
    then = keeper.take().manifest
    was, beyond = state(root), state(outside)
    shutil.rmtree(root / "d")
    (root / "d").symlink_to(outside)
    (root / "new").symlink_to(outside)
    assert restore(keeper, then).exact
    assert (state(root), state(outside)) == (was, beyond)


def test_a_program_that_swaps_folders_for_links_meanwhile_reaches_nothing_outside(tmp_path: Path) -> None:
    root, outside = tmp_path / "w", tmp_path / "outside"
    for number in range(30):
        (root / "d" / str(number)).mkdir(parents=True)
        (root / "d" / str(number) / "f").write_text("f")
    shutil.copytree(root / "d", outside)
    keeper = points(root)
    then = keeper.take().manifest
    beyond = state(outside)
    stop = threading.Event()

    def attack() -> None:
        while not stop.is_set():
            for old, new in (("d", "aside"), ("link", "d"), ("d", "link"), ("aside", "d")):
                try:
                    if not (root / "link").is_symlink() and not (root / "d").is_symlink():
                        (root / "link").symlink_to(outside)
                    os.rename(root / old, root / new)
                except OSError:
                    continue

    attacker = threading.Thread(target=attack)
    attacker.start()
    try:
        for turn in range(15):
            for number in range(0, 30, 3):
                try:
                    (root / "d" / str(number)).joinpath(f"new{turn}").touch() if not (root / "d").is_symlink() else None
                except OSError:
                    continue
            beyond = state(outside) if turn == 0 else beyond
            restore(keeper, then)
    finally:
        stop.set()
        attacker.join()
    # What this test itself may have put outside through a link aside, nothing there was changed or removed.
    after = state(outside)
    files = {name: entry[2:] for name, entry in beyond.items() if entry[0] == stat.S_IFREG}
    assert {name: after[name][2:] for name in files} == files
    assert restore(keeper, then).exact


def test_a_program_goes_on_with_the_file_it_holds(tmp_path: Path) -> None:
    """It writes to what has no name any more."""
    (tmp_path / "f").write_text("old")
    keeper = points(tmp_path)
    then = keeper.take().manifest
    with (tmp_path / "f").open("a") as file:
        file.write("more")
        file.flush()
        assert restore(keeper, then).exact
        file.write("and more")
        file.flush()
    assert (tmp_path / "f").read_text() == "old"


def test_what_changes_after_the_look_is_kept_before_it_goes(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    blobs = Blobs()
    keeper = points(tmp_path, blobs)
    then = keeper.take().manifest
    (tmp_path / "f").write_text("new")

    def get(digest: str) -> bytes:  # called after the look, before the file is replaced
        if not any(data == b"newer" for data in blobs.puts):
            (tmp_path / "f").write_text("newer")
        return blobs[digest]

    keeper.get = get
    assert restore(keeper, then).exact
    assert (tmp_path / "f").read_text() == "old"
    assert b"newer" in blobs.puts


def test_a_workspace_that_has_gone_is_made_again(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    (root / "f").write_text("f")
    keeper = points(root)
    then = keeper.take().manifest
    was = state(root)
    shutil.rmtree(root)
    assert restore(keeper, then).exact
    assert state(root) == was


STEPS_THAT_CHANGE = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.utime", "os.symlink"}


def killed_at(keeper: SavePoints, then: Manifest, step: int) -> bool:
    """Restore in a process that is killed at its ``step``-th system call that changes something. False: it was done."""
    child = os.fork()
    if not child:
        left = step

        def count(event: str, _: object) -> None:
            nonlocal left
            if event in STEPS_THAT_CHANGE:
                left -= 1
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        restore(keeper, then)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.fault
@pytest.mark.deep
def test_killed_at_any_point_it_is_brought_back_by_doing_it_again(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    tree(root)
    blobs = Blobs()
    keeper = points(root, blobs)
    then = keeper.take().manifest
    was = state(root)
    step, killed = 0, True
    while killed:
        step += 1
        spoil(root)
        killed = killed_at(points(root, blobs), then, step)
        leftover = state(root)
        assert restore(points(root, blobs), then).exact
        assert state(root) == was
        # In between, what has its own name has all of one content.
        assert {entry[3] for name, entry in leftover.items() if name == b"/ro/deep/f"} <= {(b"f"), (b"spoilt")}
    assert step > 20


FULL = """
import os, subprocess, sys
from pathlib import Path
root = Path(sys.argv[1]) / "w"
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", sys.argv[1]], check=True)
sys.path[:0] = sys.argv[2:]
from deskcrew.environments.restoring import restore
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import EnvironmentFailure
from support.folders import Blobs, state
root.mkdir()
for number in range(10):
    (root / f"{number}").write_bytes(bytes([number]) * 100_000)
blobs = Blobs()
points = SavePoints(root, blobs.put, blobs.__getitem__)
then, was = points.take().manifest, state(root)
for number in range(10):
    (root / f"{number}").write_bytes(b"x")
filler = root.parent / "filler"
with filler.open("wb") as file:
    file.write(bytes(1_500_000))
try:
    restore(points, then)
except EnvironmentFailure as error:
    assert "the disk is full" in str(error), error
    assert error.hint
else:
    raise AssertionError("it was not full")
names = sorted(path.name for path in root.iterdir())
assert names == [str(number) for number in range(10)], names
sizes = {path.stat().st_size for path in root.iterdir()}
assert sizes == {1, 100_000}, sizes
filler.unlink()
assert restore(points, then).exact
assert state(root) == was
"""


@pytest.mark.fault
def test_a_full_disk_is_said_and_leaves_no_half_file(tmp_path: Path) -> None:
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    allowed = subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", tmp_path], capture_output=True, check=False)
    if allowed.returncode:
        pytest.skip("this machine lets us mount nothing, so there is no small disk to fill")
    command = [*unshare, sys.executable, "-c", FULL, tmp_path, str(Path(__file__).parents[1])]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_what_concerns_one_path_does_not_stop_the_others(open_folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder that its user may not change")
    root = open_folder / "w"
    (root / "foreign").mkdir(parents=True)
    (root / "foreign" / "f").write_text("f")
    (root / "own").mkdir()
    (root / "own" / "f").write_text("f")
    blobs = Blobs()
    then = points(root, blobs).take().manifest
    (root / "foreign" / "f").write_text("x")
    (root / "own" / "f").write_text("x")
    for path in (root, root / "own", root / "own" / "f"):
        os.chown(path, 65534, 65534)

    def work() -> None:
        done: Restored = restore(points(root, blobs), then)
        assert not done.exact
        assert (root / "own" / "f").read_text() == "f"
        assert any("foreign/f cannot be restored: permission denied" in line for line in done.lost), done.lost

    as_nobody(open_folder, work)


def test_something_that_cannot_be_done_ends_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    keeper = points(tmp_path / "file" / "w")
    with pytest.raises(EnvironmentFailure, match="cannot be created"):
        restore(keeper, Manifest(()))


def test_leftovers_of_a_killed_restore_go(tmp_path: Path) -> None:
    keeper = points(tmp_path)
    then = keeper.take().manifest
    (tmp_path / f"{BESIDE}0123").write_text("half")
    assert restore(keeper, then).exact
    assert list(tmp_path.iterdir()) == []
