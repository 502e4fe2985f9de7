"""Points of a virtual desktop: what is only painted is found, read and worked on with the mouse."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.environments.linux.conftest import await_look, desktop_in, only

from deskcrew.environments import ocr
from deskcrew.environments.describe import describe
from deskcrew.environments.drawn import CANVAS, with_drawn
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.pointing import Point, aim
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Observation

pytestmark = pytest.mark.desktop
WINDOWS = Path(__file__).parents[3] / "support" / "windows"
PYTHON = "/usr/bin/python3"


def opened(desktop: LinuxDesktop, folder: Path, name: str, needs: str) -> None:
    """Start one of our windows in the workspace."""
    if subprocess.run([PYTHON, "-c", needs], capture_output=True).returncode:
        pytest.skip(f"the system's Python cannot do this: {needs}")
    shutil.copy(WINDOWS / f"{name}.py", folder)
    desktop.session.start(["/bin/sh", "-c", f"cd /workspace && exec {PYTHON} {name}.py"])


def did(folder: Path) -> list[str]:
    file = folder / "did.txt"
    return file.read_text().splitlines() if file.exists() else []


def looked(desktop: LinuxDesktop, title: str) -> Observation:
    """The desktop as a seeing model is shown it, once that window is in front."""
    await_look(desktop, lambda seen: seen.active_window is not None and seen.active_window.title == title)
    return with_drawn(desktop.observe(screenshot=True), read=True)


@pytest.mark.skipif(not ocr.available(), reason="what is painted cannot be read here")
def test_a_painted_window_is_read_and_worked_on(tmp_path: Path) -> None:
    with desktop_in(tmp_path) as desktop:
        opened(desktop, tmp_path, "painted_qt5", "import PyQt5.QtWidgets")
        seen = looked(desktop, "Board")
        window = seen.active_window
        assert window is not None
        assert seen.drawn is not None
        assert seen.drawn.width * seen.drawn.height > 0.5 * window.box.width * window.box.height
        assert "Painted, and reported by no control" in describe(seen, tokens=1000)
        texts = {line.text: line.box.centre for line in seen.lines if line.read}
        texts |= {one.name: one.box.centre for one in seen.controls if one.role == ocr.ROLE}
        desktop.click_at(aim(Point(*texts["Roll dice"]), seen))
        start, end = Point(window.box.x + 100, window.box.y + 250), Point(window.box.x + 220, window.box.y + 330)
        desktop.observe()
        desktop.drag_along(aim(start, seen), aim(end, seen))
        desktop.observe()
        desktop.scroll_at(aim(start, seen), -1)
        desktop.observe()
        assert did(tmp_path) == ["Roll dice", "drag by 120,80", "down"]


def test_an_empty_drawing_area_is_a_canvas_to_draw_on(tmp_path: Path) -> None:
    with desktop_in(tmp_path) as desktop:
        opened(desktop, tmp_path, "canvas_gtk3", "from gi.repository import Gtk")
        seen = looked(desktop, "Drawing")
        canvas = only(seen, CANVAS)
        assert seen.drawn == canvas.box, "nothing is to be seen in it, and yet it is where one draws"
        x, y = canvas.box.x + 40, canvas.box.y + 40
        start = aim(Point(x, y), seen)
        assert start.control == canvas
        desktop.drag_along(start, aim(Point(x + 150, y + 90), seen))
        desktop.observe()
        assert did(tmp_path) == ["line 150,90"]
        pencil = only(seen, "button", "Pencil")
        there = aim(Point(*pencil.box.centre), seen)
        assert there.control == pencil
        desktop.click_at(there)
        desktop.observe()
        assert did(tmp_path)[-1] == "pencil"


def test_nothing_is_done_where_something_else_has_come(tmp_path: Path) -> None:
    """A window that opens over the point between the look and the click gets no click."""
    with desktop_in(tmp_path) as desktop:
        opened(desktop, tmp_path, "canvas_gtk3", "from gi.repository import Gtk")
        seen = looked(desktop, "Drawing")
        there = aim(Point(*only(seen, CANVAS).box.centre), seen)
        desktop.open_application("Mousepad")
        await_look(desktop, lambda now: now.windows[0].title != "Drawing")
        if aim(there.point, desktop.observe()).window == there.window:
            pytest.skip("the window manager put the other window beside it")
        with pytest.raises(ActionError, match="there is now"):
            desktop.click_at(there)
        assert did(tmp_path) == []
