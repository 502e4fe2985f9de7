"""Records golden runs anew by running the tests that make them, or compares them with what those make now.

    make golden                       all of them, and what they are folded to
    make golden ARGS="lanes cola"     those whose names begin so
    make golden ARGS=--states         nothing is recorded: only what they are folded to is written anew
    make golden ARGS=--compare        nothing is written: each is recorded anew and compared, byte for byte

A run keeps what its test makes; of a test that is gone the journal stays, without ``test`` in ``runs.toml``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.golden import BASE, Golden, differing, dump, folded, listed, pack, unpack

SHOWN = 200
"""The most lines that are shown of a difference."""


class Recorder:
    """Has the journals of a test before its fixtures are gone."""

    def __init__(self, runs: Sequence[Golden], *, compare: bool) -> None:
        self.runs, self.compare = runs, compare
        self.failed: list[str] = []
        self.done: list[str] = []
        self.told: list[str] = []
        self._known: dict[str, str] = {}
        self._stores: dict[tuple[Path, str], Store] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        patch, init, mine = pytest.MonkeyPatch(), Store.__init__, self._stores
        mine.clear()

        def noted(store: Store, path: Path, **more: Any) -> None:
            init(store, path, **more)
            mine.setdefault((path, more.get("address", "")), store)

        patch.setattr(Store, "__init__", noted)
        patch.setattr("deskcrew.engine.session._here", str)  # a folder of this machine is nobody else's
        try:
            returned = yield
        finally:
            patch.undo()
        for golden in self.runs:
            if golden.test == item.nodeid:
                self._take(golden, item)
        return returned

    def _take(self, golden: Golden, item: pytest.Item) -> None:
        folders = [BASE, *(path for path in [item.funcargs.get("tmp_path")] if path)]  # type: ignore[attr-defined]
        found = {path: Store(path) for folder in folders for path in folder.rglob("journal.db") if _new(path, item)}
        stores = [*self._stores.values(), *(store for path, store in found.items() if (path, "") not in self._stores)]
        made = [(row.created, row.id, store) for store in stores for row in store.runs(limit=100) if not row.imported]
        if not made:
            self.failed.append(f"{golden.name}: its test made no run")
            return
        _, run, store = sorted(made, key=lambda each: each[:2])[golden.run]
        self._keep(golden, store.journal(run))
        self.done.append(golden.name)

    def _keep(self, golden: Golden, journal: Journal) -> None:
        with tempfile.TemporaryDirectory() as folder:
            if not self.compare:
                golden.packed.write_bytes(packed := pack(journal, Path(folder)))
                golden.state.write_text(folded(unpack(packed, Path(folder) / "there")), encoding="utf-8")
                return
            was = unpack(golden.packed.read_bytes(), Path(folder))
            if told := differing(dump(was), dump(journal)):
                steady = "" if golden.steady else " (it is not steady)"
                first = self._known.setdefault("\n".join(line for line in told if line[:2] != "@@"), golden.name)
                again = first != golden.name
                self.told += [f"{golden.name} differs{f' as {first} does' if again else ''}{steady}"]
                self.told += told[:SHOWN] if not again else []
                if golden.steady:
                    self.failed.append(f"{golden.name}: differs")


def _new(path: Path, item: pytest.Item) -> bool:
    """Whether a journal is of this test: below its own folders."""
    home, own = item.funcargs.get("own_settings"), item.funcargs.get("tmp_path")  # type: ignore[attr-defined]
    return any(folder in path.parents for folder in (home, own) if folder)


def states(runs: Sequence[Golden]) -> None:
    """Write anew what these are folded to."""
    for golden in runs:
        with tempfile.TemporaryDirectory() as folder:
            journal = unpack(golden.packed.read_bytes(), Path(folder))
            golden.state.write_text(folded(journal), encoding="utf-8")


def main() -> int:
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("names", nargs="*", help="beginnings of names; none for all")
    how = asked.add_mutually_exclusive_group()
    how.add_argument("--states", action="store_true", help="only what they are folded to")
    how.add_argument("--compare", action="store_true", help="only compare")
    given = asked.parse_args()
    runs = [each for each in listed() if not given.names or each.name.startswith(tuple(given.names))]
    if given.states:
        states(runs)
        return 0
    runs = [each for each in runs if each.test]
    recorder = Recorder(runs, compare=given.compare)
    tests = list(dict.fromkeys(each.test for each in runs))
    with FileLock(f"{BASE}.lock"):
        pytest.main(["-q", "-p", "no:cacheprovider", f"--basetemp={BASE}", *tests], plugins=[recorder])
    missing = [f"{each.name}: its test was not run, or did not pass" for each in runs if each.name not in recorder.done]
    failed = [*recorder.failed, *(line for line in missing if line.split(":")[0] not in "".join(recorder.failed))]
    print(*recorder.told, sep="\n")
    print(f"{len(recorder.done)} of {len(runs)} runs {'compared' if given.compare else 'recorded'}.", *failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
