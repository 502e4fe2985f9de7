"""How fast a window is read: LibreOffice Calc, the largest accessible tree of ordinary programs, on a virtual desktop.

A first look knows nothing of the program, not even a connection to it. A next look comes after a change, as in a run: a
number is typed into a cell with mouse and keyboard, a formula beside it follows, and the program has come to rest. Each
next look is compared with a first look at the same screen; when they differ in anything but labels there is no figure.
Where nothing was drawn or signalled a run's look is quicker still, because it then returns the last observation. The
alternative is the plain walk that the platform's own library (gi and libatspi) offers,
run inside the same sandbox against the same window; it reads the same cells, and no more than ours does of any object.
"""

from __future__ import annotations

import json
import shlex
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from openpyxl import Workbook

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.virtual import start_virtual
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.observation import Control, Observation
from deskcrew_bench.figure import Figure, summarise

SHEET = "figures.xlsx"
ROWS = 40
"""Fills the window. What a look takes grows with the filled cells in view."""
CHANGED_ROWS = 20
"""Rows from the second on whose numbers are changed; all are in view."""
WALK = "gi_walk.py"
ALTERNATIVE = "gi walk of the same window and cells, one call at a time"
SYSTEM_PYTHON = "/usr/bin/python3"
WALK_SECONDS, QUIET_SECONDS, REST_SECONDS = 120.0, 1.0, 30.0
MOST_TOLD = 8
"""Differences named when there is no figure."""
NEEDED = "sudo apt install python3-gi gir1.2-atspi-2.0"


@dataclass(frozen=True, slots=True)
class Perception:
    """Figures for the two looks."""

    first: Figure
    next: Figure


def measure(*, samples: int = 9, rows: int = ROWS) -> Perception:
    """Start a desktop with Calc on it, ``rows`` rows filled, and measure. Blocking; about half a minute.

    Raises EnvironmentFailure, with the command that mends it, when a program that it needs is missing.
    """
    check_gi()
    with tempfile.TemporaryDirectory(prefix="deskcrew-bench-") as folder:
        write_sheet(Path(folder) / SHEET, rows)
        with start_virtual(Path(folder)) as desktop:
            try:
                desktop.open_application("LibreOffice Calc", SHEET)
            except ActionError as error:
                raise EnvironmentFailure(str(error), hint="sudo apt install libreoffice-calc libreoffice-gtk3") from error
            come_to_rest(desktop)
            if desktop.find_cell("F2") is None:
                raise EnvironmentFailure("No sheet came to be seen in the Calc window.")

            def first() -> None:
                desktop.forget()
                desktop.look()

            firsts = [timed(first) for _ in range(samples)]
            nexts = [time_next_look(desktop, sample, rows) for sample in range(samples)]
            walks = walk_times(desktop, Path(folder), samples)
    return Perception(
        first=summarise(firsts, "ms a first look", alternative=ALTERNATIVE, against=walks),
        next=summarise(nexts, "ms a next look", alternative=ALTERNATIVE, against=walks),
    )


def check_gi() -> None:
    """Raise EnvironmentFailure unless the system's Python has gi and libatspi."""
    code = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
    try:
        tried = subprocess.run([SYSTEM_PYTHON, "-c", code], capture_output=True, check=False)
        there = tried.returncode == 0
    except OSError:
        there = False
    if not there:
        raise EnvironmentFailure("The library to compare with (python3-gi, libatspi) is not installed.", hint=NEEDED)


def write_sheet(path: Path, rows: int) -> None:
    """A sheet as an office has it: a head and ``rows`` rows of six columns."""
    book = Workbook()
    sheet: Any = book.worksheets[0]
    sheet.append(["item", "shop", "month", "pieces", "price", "sum"])
    for row in range(2, rows + 2):
        sheet.append(
            [f"item {row}", ("north", "south", "east")[row % 3], row % 12 + 1, row * 7 % 90, row / 4, f"=D{row}*E{row}"]
        )
    book.save(path)


def come_to_rest(desktop: LinuxDesktop) -> None:
    """Look, and look again until the program has drawn and signalled nothing for a second; bounded."""
    deadline = time.monotonic() + REST_SECONDS
    desktop.observe()
    while wait_for_quiet(desktop) and time.monotonic() < deadline:
        desktop.look()


def wait_for_quiet(desktop: LinuxDesktop) -> bool:
    """Wait, without looking, until nothing was drawn or signalled for a second; bounded. Whether anything was."""
    deadline = time.monotonic() + REST_SECONDS
    moved, quiet_since = False, time.monotonic()
    while time.monotonic() < deadline and time.monotonic() - quiet_since < QUIET_SECONDS:
        if desktop.wait_for_event(0.1):
            moved, quiet_since = True, time.monotonic()
    return moved


def time_next_look(desktop: LinuxDesktop, sample: int, rows: int) -> float:
    """Change a cell, look, and return the milliseconds of the look. Raises EnvironmentFailure when it saw wrongly."""
    row, pieces = sample % min(rows, CHANGED_ROWS) + 2, 100 + sample
    cell = desktop.find_cell(f"D{row}")
    if cell is None:
        raise EnvironmentFailure(f"Cell D{row} is not in view.")
    desktop.type_text(cell, str(pieces))
    wait_for_quiet(desktop)
    taken = timed(desktop.look)
    seen = desktop.look()
    values = {one.name: one.value for one in seen.controls if one.role == "cell"}
    expected = {f"D{row}": str(pieces), f"F{row}": f"{pieces * row / 4:g}"}
    desktop.forget()
    fresh = desktop.look()
    wrong = differences(seen, fresh)
    wrong += [
        f"{name}: seen {values.get(name)!r}, typed {text!r}" for name, text in expected.items() if values.get(name) != text
    ]
    if wrong:
        told = "; ".join(wrong[:MOST_TOLD]) + (f"; and {len(wrong) - MOST_TOLD} more" if len(wrong) > MOST_TOLD else "")
        raise EnvironmentFailure(
            f"A look after D{row} was changed does not show what a first look shows: no figure. {told}."
        )
    return taken


def content(observation: Observation) -> Observation:
    """An observation without the labels that it gave: a desktop that has forgotten all gives others."""
    names = {one.label: (one.role, one.name) for one in observation.controls}
    unlabelled = tuple(one.model_copy(update={"label": ""}) for one in observation.controls)
    focus = names.get(observation.focus or "")
    return observation.model_copy(update={"controls": unlabelled, "focus": str(focus)})


def differences(next_look: Observation, first_look: Observation) -> list[str]:
    """What differs between two looks at the same screen but for labels, one text for each field; empty: nothing does."""
    mine, other = content(next_look), content(first_look)
    if mine == other:
        return []
    found = [
        f"{field}: next look {getattr(mine, field)!r}, first look {getattr(other, field)!r}"
        for field in Observation.model_fields
        if field != "controls" and getattr(mine, field) != getattr(other, field)
    ]
    for one, two in pairs(mine.controls, other.controls):
        if one is None:
            found.append(f"only the first look has {two!r}")
        elif two is None:
            found.append(f"only the next look has {one!r}")
        else:
            found += [
                f"{field} of {one.role} {one.name!r}: next look {getattr(one, field)!r}, first look {getattr(two, field)!r}"
                for field in Control.model_fields
                if getattr(one, field) != getattr(two, field)
            ]
    return found or ["the order of the controls"]


def pairs(some: Sequence[Control], others: Sequence[Control]) -> Iterator[tuple[Control | None, Control | None]]:
    """Controls of two looks that are the same: by role and name, and by their order where several have the same."""
    rest: dict[tuple[str, str], deque[Control]] = defaultdict(deque)
    for other in others:
        rest[other.role, other.name].append(other)
    for one in some:
        same = rest[one.role, one.name]
        yield (one, same.popleft()) if same else (one, None)
    for left in rest.values():
        yield from ((None, one) for one in left)


def timed(action: Callable[[], object]) -> float:
    """Milliseconds that ``action`` takes."""
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000


def cells_in_view(desktop: LinuxDesktop) -> tuple[int, int]:
    """Rows and columns of the sheet that the last look read."""
    grids = (grid for program in desktop.programs.known.values() for grid in program.grids.values() if grid.sheet)
    span = next((grid.span for grid in grids if grid.span is not None), None)
    if span is None:
        raise EnvironmentFailure("No sheet came to be seen in the Calc window.")
    return span.bottom - span.top + 1, span.right - span.left + 1


def walk_times(desktop: LinuxDesktop, folder: Path, samples: int) -> list[float]:
    """Milliseconds of plain walks over the sheet's window, from inside the sandbox."""
    (folder / WALK).write_bytes(Path(__file__).with_name(WALK).read_bytes())
    rows, columns = cells_in_view(desktop)
    # The word is written last, so that what stands in the file before it is complete.
    command = (
        f"{SYSTEM_PYTHON} {WALK} {shlex.quote(SHEET)} {samples} {rows} {columns} >walk.json 2>walk.log; echo ended >walk.end"
    )
    desktop.session.start(["/bin/sh", "-c", command])
    deadline = time.monotonic() + WALK_SECONDS
    while not (folder / "walk.end").exists():
        desktop.check_alive()
        if time.monotonic() > deadline:
            raise EnvironmentFailure(f"The plain walk did not end within {WALK_SECONDS:.0f} seconds.")
        time.sleep(0.1)
    text = (folder / "walk.json").read_text(encoding="utf-8").strip()
    if not text:
        said = (folder / "walk.log").read_text(encoding="utf-8").strip().splitlines()
        raise EnvironmentFailure(f"The plain walk failed: {said[-1] if said else 'it said nothing'}.", hint=NEEDED)
    times = cast("list[float]", json.loads(text)["milliseconds"])
    if statistics.median(times) <= 0:
        raise EnvironmentFailure("The plain walk saw nothing.")
    return times
