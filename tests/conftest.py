"""What holds for every test: nobody's settings are read, nobody's runs are touched, nothing but this machine is reached."""

from __future__ import annotations

import gc
import itertools
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from xdist.scheduler import LoadScopeScheduling

from deskcrew.environments import loading_anew
from deskcrew.models import scripted
from support.machine import alone
from support.quarantine import quarantined
from support.scripts import ran_out
from support.servers import PostgresServer, pgvector_server, postgres_server
from support.settings import compare_words, settle_in

EXAMPLES = {"deskcrew": 25, "deep": 400}
"""How many examples of a property are tried: at every run, and with ``--hypothesis-profile=deep``."""
for profile, examples in EXAMPLES.items():
    hypothesis.settings.register_profile(
        profile,
        deadline=None,
        max_examples=examples,
        derandomize=bool(os.environ.get("CI")),
        suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
    )
hypothesis.settings.load_profile("deskcrew")

LOCAL = ("127.", "::1", "localhost", "0.0.0.0")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that nobody has used. pytest looks through all it ever made before it makes one, and each test needs one."""
    folder = tmp_path_factory.mktemp("users")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is never kept is waited for a moment only."""
    monkeypatch.setattr(loading_anew, "PAUSES", (0.0, 0.2, 0.4))


@pytest.fixture(autouse=True)
def own_settings(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, journal and runs of this test alone. Returns the folder that holds them."""
    home = next(homes)
    home.mkdir()
    settle_in(home, monkeypatch)
    return home


@pytest.fixture(autouse=True)
def strict_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script that is too short fails its test, and not the run in it, which may be what the test awaits."""
    monkeypatch.setattr(scripted, "ran_out", ran_out)


@pytest.fixture
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run compares meanings. Each process would load the embedder anew, which takes longer than all else it loads."""
    compare_words(monkeypatch)


@pytest.fixture
def one_at_a_time() -> Iterator[None]:
    """What is marked ``machine`` has this first: it waits for its like in other workers."""
    with alone():
        yield


def forbid_network(patch: pytest.MonkeyPatch) -> None:
    """A connection to another machine fails the test that tries it, whatever would have come of it."""

    def guarded(original: Callable[..., Any]) -> Callable[..., Any]:
        def connect(self: socket.socket, address: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(LOCAL):
                pytest.fail(f"The test tried to reach {address[0]}.")
            return original(self, address)

        return connect

    patch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    patch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server for the tests that want one; those are skipped where it is not installed."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def pgvector() -> Iterator[PostgresServer]:
    """The same with pgvector."""
    with pgvector_server() as server:
        yield server


DEAR = {"llm": 40.0, "desktop": 5.0, "fault": 3.0}
"""About how many seconds a test takes that is marked so."""
DEAR_FOLDERS = {"running": 3.0, "web": 1.5, "bench": 1.5, "browser": 1.5, "examples": 2.0, "golden": 0.7}
DEAR_FILES = {"test_docs": 3.0, "test_canary": 10.0, "test_browser_run": 4.0, "test_replay": 0.6, "test_pressed": 4.0}
CHEAP = 0.1


def seconds(item: pytest.Item) -> float:
    """What a test may take, by its marks and where it stands: only so that modules can be told apart."""
    by_mark = (dear for mark, dear in DEAR.items() if item.get_closest_marker(mark))
    by_folder = (dear for folder, dear in DEAR_FOLDERS.items() if folder in item.path.parts)
    return max([CHEAP, DEAR_FILES.get(item.path.stem, CHEAP), *by_mark, *by_folder])


SHARED = {
    "tests/environments/browser/": "a browser",
    **dict.fromkeys(("tests/fleet/", "tests/journal/", "tests/memory/"), "servers"),
}
"""Folders whose tests share what is started once a worker, and dear: each of these goes to one worker."""


APART = (
    "tests/golden/",
    *(f"tests/{each}.py" for each in ("test_held_sends", "test_kept", "test_ordered_run", "skills/test_shipped")),
)
"""Tests that share nothing, and are many or long: each goes to whichever worker is free."""


def unit(nodeid: str) -> str:
    """What is done by one worker: a module, whose tests share its fixtures, or all modules that share something else."""
    module = nodeid.partition("::")[0]
    if module.startswith(APART):
        return nodeid
    return next((shared for folder, shared in SHARED.items() if module.startswith(folder)), module)


class ByUnit(LoadScopeScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    return ByUnit(config, log)


def longest_first(items: list[pytest.Item]) -> None:
    """Units in the order of what they may take, so that no worker begins a long one when the others are done."""
    units: dict[str, float] = {}
    for item in items:
        units[unit(item.nodeid)] = units.get(unit(item.nodeid), 0.0) + seconds(item)
    items.sort(key=lambda item: (-units[unit(item.nodeid)], unit(item.nodeid)))


def pytest_configure(config: pytest.Config) -> None:
    """What holds for all tests from the beginning: a fixture would be set up again for each of thousands. Pages and
    commands of the product are worked out once, for the tests that are made from them, too. Garbage is looked for seldom: in
    all that is loaded, again and again, that would take a tenth of the time."""
    if config.getoption("numprocesses", None):
        return  # its workers run the tests
    from support.disk import wait_for_no_disk
    from support.kept import keep_commands, keep_tables, keep_templates

    gc.set_threshold(20_000, 20, 100)
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    forbid_network(patch)
    wait_for_no_disk(patch)
    keep_templates(patch)
    keep_tables(patch)
    keep_commands(patch)


def pytest_pycollect_makeitem(collector: pytest.Module, name: str, obj: Any) -> list[pytest.Item] | None:
    """Of deep tests none is made where none is wanted: they are a third of all."""
    if collector.config.getoption("markexpr") != "not deep" or not name.startswith("test_"):
        return None
    marks = (*collector.own_markers, *getattr(obj, "pytestmark", ()))
    return [] if any(mark.name == "deep" for mark in marks) else None


def leave_other_cases(items: list[pytest.Item]) -> None:
    """Of the cases of a test whose like are dear the first is run always, and the others are deep."""
    seen: set[str] = set()
    for item in items:
        if item.get_closest_marker("first_case"):
            test = item.nodeid.partition("[")[0]
            if test in seen:
                item.add_marker(pytest.mark.deep)
            seen.add(test)


@pytest.hookimpl(tryfirst=True)  # before it is looked for what is deep
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    leave_other_cases(items)
    if "PYTEST_XDIST_WORKER" in os.environ:
        longest_first(items)
    names = quarantined()
    for item in items:
        if item.get_closest_marker("machine") and "one_at_a_time" not in item.fixturenames:
            item.fixturenames.insert(0, "one_at_a_time")
        if item.nodeid in names or item.nodeid.partition("[")[0] in names:
            item.add_marker(pytest.mark.xfail(reason="in quarantine", strict=False))


def pytest_collection_finish() -> None:
    """What was loaded by now stays until the end."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for name in quarantined():
        terminalreporter.write_line(f"In quarantine (tests/quarantine.txt): {name}", yellow=True)
