"""Virtual desktops shared by the tests of a module, since starting one and its programs is what takes the time."""

from __future__ import annotations

import contextlib
import functools
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import psutil
import pytest

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.virtual import start_virtual
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.observation import Control, Observation
from support.needed import skip_without
from support.waiting import LATEST


def desktop_in(folder: Path, **asked: Any) -> LinuxDesktop:
    """A virtual desktop over ``folder``, or the test is skipped saying why there can be none.

    ``asked``: screen, confines."""
    try:
        return start_virtual(folder, **asked)
    except EnvironmentFailure as failure:
        skip_without(failure)


@functools.cache
def refused() -> EnvironmentFailure | None:
    """Why there can be no virtual desktop on this machine, found out once for all tests of a worker."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            start_virtual(Path(folder)).close()
        except EnvironmentFailure as failure:
            return failure
    return None


def needs_desktop() -> None:
    """Skip a test whose desktops the engine starts, where there can be none."""
    failure = refused()
    if failure is not None:
        skip_without(failure)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture(scope="module")
def desktop(workspace: Path) -> Iterator[LinuxDesktop]:
    with contextlib.closing(desktop_in(workspace)) as started:
        yield started


@pytest.fixture(scope="module")
def editor(desktop: LinuxDesktop) -> LinuxDesktop:
    """A desktop with an empty text editor on it."""
    desktop.open_application("Mousepad")
    return desktop


@pytest.fixture(scope="module")
def calc(desktop: LinuxDesktop, workspace: Path) -> LinuxDesktop:
    """A desktop with a small spreadsheet open."""
    book = openpyxl.Workbook()
    for row in (("item", "amount", "город"), ("apple", 12.5, "Север"), ("pear", 7, "Süd"), ("plum", 19, "東京")):
        book.worksheets[0].append(row)
    book.create_sheet("Second Sheet")
    book.save(workspace / "prices.xlsx")
    desktop.open_application("LibreOffice Calc", "prices.xlsx")
    return desktop


def only(observation: Observation, role: str, name: str | None = None) -> Control:
    """The one control of that role (and name)."""
    found = [one for one in observation.controls if one.role == role and (name is None or one.name == name)]
    assert len(found) == 1, f"{role} {name!r}: {found}"
    return found[0]


def await_look(desktop: LinuxDesktop, wanted: Callable[[Observation], bool], seconds: float = LATEST) -> Observation:
    """Look until ``wanted`` holds; ``seconds`` only keeps what never will from hanging."""
    deadline = time.monotonic() + seconds
    while True:
        observation = desktop.observe()
        if wanted(observation):
            return observation
        assert time.monotonic() < deadline, observation
        desktop.wait(0.2)


@contextlib.contextmanager
def stopped(process: psutil.Process) -> Iterator[None]:
    """A program that hangs meanwhile."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def program_of(root: int, name: str) -> psutil.Process:
    """A program inside a sandbox, found from outside below the sandbox's process."""
    below = psutil.Process(root).children(recursive=True)
    return next(process for process in below if process.name().startswith(name))
