"""What programs leave in a workspace that is hard to keep, and two runs in one: seen from the disk and the kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.environments.claiming import claimed
from deskcrew.environments.manifest import Manifest
from deskcrew.environments.restoring import restore
from deskcrew.environments.save_point import SavePoints
from deskcrew.environments.trees import remove, walk
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in
from test_commands import filled, held, python, ran, shell

LEVELS = 3000
DIG = f"""
import os
for n in range({LEVELS}):
    os.mkdir('d')
    os.chdir('d')
print('dug')
"""


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A workspace with a tree that no path leads down into, made by a process of its own."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "kept.txt").write_text("kept")
    subprocess.run([sys.executable, "-c", DIG], cwd=work, check=True, capture_output=True)
    yield work
    descriptor = os.open(work, os.O_RDONLY)
    remove(descriptor, "d")
    os.close(descriptor)
    assert sorted(os.listdir(work)) == ["kept.txt"]


@pytest.mark.deep
@pytest.mark.anyio
async def test_a_tree_thousands_of_folders_deep_made_by_a_program_does_not_land_and_the_next_run_works(
    tmp_path: Path,
) -> None:
    filled(tmp_path)
    journal = await ran(tmp_path, python(DIG), shell("echo 1 > after.txt"))
    assert "folders more than 100 deep" in bodies(journal, e.ActionFinished)[0].error
    again = await ran(tmp_path, shell("echo 2 >> after.txt"))
    assert (tmp_path / "work/after.txt").read_text() == "1\n2\n"
    assert not (tmp_path / "work/d").exists()
    assert bodies(again, e.RunInterrupted) == []
    assert not list((tmp_path / "data/layers").glob("*/*"))


@pytest.mark.anyio
async def test_a_workspace_with_such_a_tree_is_refused_plainly_before_the_run(tmp_path: Path, deep: Path) -> None:
    with pytest.raises(UsageError, match="nested more than 100 deep"):
        await ran(tmp_path, shell("true"))


@pytest.mark.deep
def test_everything_that_walks_a_workspace_gets_through_such_a_tree(deep: Path) -> None:
    workspace = Workspace(deep)
    assert "kept.txt" in [entry.path for entry in workspace.observe().files]
    blobs: dict[str, bytes] = {}
    points = SavePoints(deep, lambda data: _put(blobs, data), lambda digest: blobs[digest])
    taken = points.take()
    assert [entry.path for entry in taken.manifest.entries if entry.kind == "file"] == ["kept.txt"]
    assert len(taken.unsaved) == 1
    (deep / "kept.txt").write_text("spoilt")
    restore(points, Manifest.from_bytes(blobs[taken.digest]))
    assert (deep / "kept.txt").read_text() == "kept"
    top = os.open(deep, os.O_RDONLY)
    assert sum(1 for _ in walk(top)) == LEVELS + 1
    os.close(top)


def test_folders_as_deep_as_can_be_kept_are_brought_back(tmp_path: Path) -> None:
    place = tmp_path / "/".join(["d"] * 100)
    place.mkdir(parents=True)
    (place / "f").write_text("deep down")
    blobs: dict[str, bytes] = {}
    points = SavePoints(tmp_path, lambda data: _put(blobs, data), lambda digest: blobs[digest])
    taken = points.take()
    subprocess.run(["rm", "-r", "d"], cwd=tmp_path, check=True)
    assert restore(points, taken.manifest).exact
    assert (place / "f").read_text() == "deep down"
    subprocess.run(["mkdir", "new"], cwd=tmp_path, check=True)
    (tmp_path / "d").rename(tmp_path / "new" / "d")
    restore(points, taken.manifest)
    assert (place / "f").read_text() == "deep down"


def _put(blobs: dict[str, bytes], data: bytes) -> str:
    import hashlib

    digest = hashlib.sha256(data).hexdigest()
    blobs[digest] = data
    return digest


SPARSE = """
for n in range(200):
    with open(f'hole{n}', 'wb') as file:
        file.truncate(256 << 20)
        file.seek(n * 4096)
        file.write(b'%d' % n)
print('made')
"""


@pytest.mark.anyio
async def test_fifty_gigabytes_of_holes_do_not_grow_the_journal(tmp_path: Path) -> None:
    filled(tmp_path)
    journal = await ran(tmp_path, python(SPARSE))
    work = tmp_path / "work"
    assert sum(os.stat(work / f"hole{n}").st_size for n in range(200)) == 50 << 30
    assert sum(os.stat(work / f"hole{n}").st_blocks * 512 for n in range(200)) < 50 << 20, "holes stay holes"
    kept = sum(path.stat().st_blocks * 512 for path in (tmp_path / "data").rglob("*") if path.is_file())
    assert kept < 50 << 20
    assert any("hole7" in body.unsaved for body in bodies(journal, e.Saved))


@pytest.mark.anyio
@pytest.mark.deep
async def test_what_a_program_writes_is_bounded_while_it_grows(tmp_path: Path) -> None:
    filled(tmp_path)
    fill = "for n in range(100):\n    with open(f'f{n}', 'wb') as file:\n        file.write(bytes([n]) * (100 << 20))"
    journal = await ran(tmp_path, python(fill))
    assert "wrote more than 1024 MiB" in bodies(journal, e.ActionFinished)[0].error
    assert held(tmp_path).keys() == {"important.txt", "data/numbers.csv", "data/plan.md"}


HOLDING = """
import sys, time
from pathlib import Path
from deskcrew.environments.claiming import claimed
with claimed(Path(sys.argv[1])) as claim:
    claim("abc123")
    print("has it", flush=True)
    time.sleep(600)
"""


@pytest.mark.anyio
async def test_two_runs_do_not_work_in_one_workspace_and_a_dead_owner_frees_it(tmp_path: Path) -> None:
    filled(tmp_path)
    work = tmp_path / "work"
    (tmp_path / "other").symlink_to(work)
    async with await anyio.open_process([sys.executable, "-c", HOLDING, str(tmp_path / "other")]) as owner:
        assert owner.stdout is not None
        assert (await owner.stdout.receive()).startswith(b"has it")
        with pytest.raises(UsageError, match=rf"Run abc123 \(process {owner.pid}\) is working in") as refused:
            await ran(tmp_path, shell("echo 1 > one.txt"))
        assert "--copy" in refused.value.hint
        assert not (work / "one.txt").exists()
        owner.kill()
        await owner.wait()
    await ran(tmp_path, shell("echo 1 > one.txt"))
    assert (work / "one.txt").exists()
    with claimed(work):
        pass


def marks(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below a folder as the disk tells it: mode, time of the last change of anything about it, content."""
    found: dict[str, tuple[int, int, bytes]] = {}
    for path in sorted((folder, *folder.rglob("*"))):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(folder))] = status.st_mode, status.st_ctime_ns, content
    return found


@pytest.mark.anyio
@pytest.mark.deep
async def test_any_number_of_runs_work_in_copies_of_a_folder_that_another_has(tmp_path: Path) -> None:
    work = tmp_path / "work"
    filled(tmp_path)
    (work / "link").symlink_to("important.txt")
    (work / "out").symlink_to("/etc")
    (work / ".trash").mkdir()
    (work / ".trash" / "old.txt").write_text("old")
    os.mkfifo(work / "pipe")
    before, journals = marks(work), list[Journal]()

    async def one(word: str) -> None:
        journals.append(await ran(tmp_path, shell(f"echo {word} >> data/plan.md; echo 1 > new.txt"), copy=True))

    with claimed(work) as claim:
        claim("abc123")
        async with anyio.create_task_group() as group:
            group.start_soon(one, "first")
            group.start_soon(one, "second")
    assert marks(work) == before
    told = [journal.state.started for journal in journals]
    copies = [Path(begun.workspace) for begun in told if begun is not None]
    assert len({work, *copies}) == 3
    added = [
        (copy / "data/plan.md").read_text().removeprefix((work / "data/plan.md").read_text()).strip() for copy in copies
    ]
    assert sorted(added) == ["first", "second"]
    for begun, copy in zip(told, copies, strict=True):
        assert {path.name for path in visible(copy)} == {path.name for path in visible(work)} - {"pipe"} | {"new.txt"}
        assert os.readlink(copy / "out") == "/etc"
        assert not (copy / ".trash" / "old.txt").exists()
        assert begun is not None
        assert begun.settings.copy_of == str(work)


def visible(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


@pytest.mark.anyio
async def test_what_is_too_large_is_not_copied_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    filled(tmp_path)
    with (tmp_path / "work" / "huge").open("wb") as file:
        file.truncate(3 << 30)
    small = settings_in(tmp_path).model_copy(update={"workspace_bytes": 1})
    request = RunRequest(
        "Look.", model="scripted:none", workspace=tmp_path / "work", copy=True, desktop="none", crew="planned"
    )
    with pytest.raises(UsageError, match="too large"):
        await session.run(request, small, model=ScriptedModel([]))
    assert not list((small.data / "workspaces").iterdir())
    with pytest.raises(UsageError, match="no folder to copy"):
        await session.run(RunRequest("Look.", model="scripted:none", copy=True, crew="planned"), small)


async def test_what_is_attached_may_be_worked_on_whatever_protects_the_original(tmp_path: Path) -> None:
    original = tmp_path / "prices.txt"
    original.write_text("1")
    original.chmod(0o444)
    code = "open('prices.txt', 'a').write('2')"
    writes = {"operations": [{"function": "run_python_code", "code": code}], "branch": "RoleTaskFinish"}
    plan = {"subtasks": [{"goal": "make it longer", "role": "Programmer"}]}
    request = RunRequest(
        task="Let prices.txt be longer.", model="scripted:x", workspace=tmp_path / "work", desktop="none",
        attachments=(original,), crew="planned",
    )  # fmt: skip
    await session.run(request, settings_in(tmp_path), model=ScriptedModel([plan, writes]))
    assert (tmp_path / "work" / "prices.txt").read_text() == "12"
    assert (original.read_text(), original.stat().st_mode & 0o777) == ("1", 0o444)
