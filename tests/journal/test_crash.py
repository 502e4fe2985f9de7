"""Processes that die, disks that fill up, several processes at one journal."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from deskcrew.errors import JournalError
from deskcrew.journal.fold import RunState
from deskcrew.journal.store import Store
from support.places import Place
from support.sampling import sampled

WRITER = Path(__file__).parents[1] / "support" / "journal_writer.py"
pytestmark = pytest.mark.fault


def writer(place: Place, run: str, events: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(place.path), run, str(events), "--address", place.address]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("lines", sampled([1, 2, 5], 1))
def test_a_process_killed_in_the_middle_loses_nothing_that_was_committed(place: Place, lines: int) -> None:
    process = writer(place, "killed", 1_000_000)
    assert process.stdout is not None
    assert process.stderr is not None
    announced = [int(process.stdout.readline()) for _ in range(lines)][-1]
    process.send_signal(signal.SIGKILL)
    announced = max(
        [announced, *(int(line) for line in process.stdout.read().splitlines(keepends=True) if line[-1] == "\n")]
    )
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()
    process.stderr.close()

    journal = place.store().journal("killed")
    assert len(journal.events) >= announced
    assert len(journal.events) % 3 == 0, "a commit is whole or not at all"
    assert journal.verify() == []
    state = RunState()
    for event in journal.events:
        state.apply(event)
    assert state == journal.state
    assert len(state.guidance) == len(journal.events) - 1


@pytest.mark.deep
def test_several_processes_make_one_journal_and_write_their_runs_at_once(place: Place) -> None:
    processes = [writer(place, f"run-{number}", 90) for number in range(4)]
    for process in processes:
        said, wrong = process.communicate()
        assert process.returncode == 0, said + wrong
    store = place.store()
    assert sorted(row.id for row in store.runs()) == [f"run-{number}" for number in range(4)]
    for number in range(4):
        journal = store.journal(f"run-{number}")
        assert len(journal.events) == 90
        assert {event.header.run for event in journal.events} == {f"run-{number}"}
        assert journal.verify() == []


def test_a_full_disk_is_said_and_what_was_committed_stays_readable(tmp_path: Path) -> None:
    """On a file system of 2 MB in a namespace of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    inside = ("bwrap", "--dev-bind", "/", "/", "--size", str(2 << 20), "--tmpfs", str(disk), "--die-with-parent")
    if shutil.which("bwrap") is None or subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespace can be made here, so no small disk")
    reader = (
        "import sys; from pathlib import Path; from deskcrew.journal.store import Store\n"
        "journal = Store(Path(sys.argv[1])).journal('full')\n"
        "print('read', len(journal.events), journal.verify())"
    )
    script = '"$PYTHON" "$@"; echo "exit $?"; exec "$PYTHON" -c "$READER" "$2"'
    command = [*inside, "--setenv", "READER", reader, "--setenv", "PYTHON", sys.executable, "sh", "-c", script, "sh"]
    command += [str(WRITER), str(disk / "j.db"), "full", "1000", "--blob", "20000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *progress, failed, code, read = done.stdout.splitlines()
    assert progress, "nothing was committed before the disk was full"
    assert failed == f"after {progress[-1]}: The disk is full: the journal {disk}/j.db cannot be written."
    assert code == "exit 7"
    assert read == f"read {progress[-1]} []"


def test_a_journal_of_a_newer_version_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    before = list(connection.iterdump())
    with pytest.raises(JournalError, match="newer Deskcrew") as raised:
        Store(path)
    assert "Upgrade" in raised.value.hint
    assert list(connection.iterdump()) == before
    connection.close()
