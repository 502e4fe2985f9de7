"""At any scale and on any monitor, what is seen stands where it is seen: pressed there, it does what it should.

Each kit's window (``tests/support/windows``) has every kind of control and writes down what was done to it.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path

import openpyxl
import pytest
from _pytest.mark import ParameterSet
from PIL import Image, ImageChops
from tests.environments.linux.conftest import await_look, desktop_in, only

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.sandbox.sandbox import VirtualScreen
from deskcrew.environments.linux.screen.x11 import xproto
from deskcrew.environments.marks import marks
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control, Observation
from support.waiting import LATEST

pytestmark = pytest.mark.desktop

WINDOWS = Path(__file__).parents[3] / "support" / "windows"
SIZES = {1.0: (1000, 700), 1.5: (1280, 900), 2.0: (1600, 1200)}
NEEDED = {"gtk3": "gir1.2-gtk-3.0", "gtk4": "gir1.2-gtk-4.0", "qt5": "python3-pyqt5"}
MODULES = {"gtk3": "girepository-1.0/Gtk-3.0.typelib", "gtk4": "girepository-1.0/Gtk-4.0.typelib", "qt5": "PyQt5"}
Start = Callable[..., LinuxDesktop]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a desktop of a scale with so many monitors over ``tmp_path``."""
    with contextlib.ExitStack() as stack:

        def started(scale: float, monitors: int = 1) -> LinuxDesktop:
            desktop = desktop_in(tmp_path, screen=VirtualScreen(SIZES[scale], scale, monitors))
            return stack.enter_context(contextlib.closing(desktop))

        yield started


def opened(desktop: LinuxDesktop, folder: Path, kit: str) -> Observation:
    """The window of a kit, in view."""
    if not any(list(Path("/usr/lib").glob(f"{folder}/{MODULES[kit]}")) for folder in ("*", "python3/dist-packages")):
        pytest.skip(f"sudo apt install {NEEDED[kit]}")
    shutil.copy(WINDOWS / f"{kit}.py", folder / "window.py")
    desktop.session.start(["/usr/bin/python3", "window.py"])
    look = await_look(desktop, lambda seen: "Press" in named(seen, "button"), 15.0)
    return look


def to_second(desktop: LinuxDesktop) -> None:
    """Move the window in front to the second monitor."""
    mask = xproto.ConfigWindow.X | xproto.ConfigWindow.Y
    half = desktop.display.width // 2
    front = desktop.observe().windows[0]
    desktop.display.core.ConfigureWindow(front.id, mask, [half + 90, 10])
    desktop.display.sync()
    await_look(desktop, lambda seen: seen.windows[0].box.x >= half and all(one.box.x >= half for one in seen.controls))


def named(observation: Observation, role: str) -> list[str]:
    return [one.name for one in observation.controls if one.role == role]


class Tried:
    """A kit's window, tried control by control."""

    def __init__(self, desktop: LinuxDesktop, folder: Path) -> None:
        self.desktop = desktop
        self._did = folder / "did.txt"
        self._known = 0

    def did(self) -> list[str]:
        return self._did.read_text().splitlines() if self._did.exists() else []

    def find(self, role: str, name: str | None = None) -> Control:
        return only(await_look(self.desktop, lambda seen: there(seen, role, name)), role, name)

    def at_rest(self, role: str, name: str) -> None:
        """Wait until it no longer moves: a page is scrolled bit by bit."""
        before = self.find(role, name).box
        for _ in range(20):
            self.desktop.wait(0.2)
            box = self.find(role, name).box
            if box == before:
                return
            before = box
        raise AssertionError(f"{name} never came to rest")

    def point(self, role: str, name: str | None = None, *, across: float = 0.5) -> None:
        """Click where the control is said to be, whatever its program offers."""
        box = self.find(role, name).box
        self.desktop.input.click(box.x + round(box.width * across), box.centre[1])
        self.desktop.acted()

    def expect(self, wanted: str) -> None:
        """Wait until that was done. Before it there may be what comes of the focus: GTK then chooses the first row."""
        deadline = time.monotonic() + LATEST
        while (new := self.did()[self._known :])[-1:] != [wanted] and time.monotonic() < deadline:
            self.desktop.wait(0.1)
        assert new[-1:] == [wanted], new
        self._known += len(new)


def there(seen: Observation, role: str, name: str | None) -> bool:
    return any(one.role == role and name in (None, one.name) for one in seen.controls)


def try_first_page(tried: Tried) -> None:
    tried.point("button", "Press")
    tried.expect("button")
    tried.point("check box", "Tick", across=0.1)
    tried.expect("check True")
    tried.point("menu", "Deeds")
    tried.point("menu item", "Finish")
    tried.expect("menu Finish")
    tried.desktop.select(tried.find("combo box"), "blue")
    tried.expect("combo blue")
    tried.desktop.set_value(tried.find("number field"), 7)
    tried.expect("spin 7")
    tried.desktop.set_value(tried.find("slider"), 60)
    tried.expect("slider 60")
    tried.point("button", "Ask")
    tried.point("button", "Certainly")
    tried.expect("dialog 2")


def try_second_page(tried: Tried) -> None:
    tried.point("tab", "Two")
    tried.find("button", "far 0")
    tried.point("list item", "apple")
    tried.expect("row apple")
    tried.desktop.scroll(tried.find("button", "far 1"), -3)
    await_look(tried.desktop, lambda seen: not there(seen, "button", "far 0"))
    far = [one for one in tried.desktop.observe().controls if one.name.startswith("far ")][1]
    tried.point("button", far.name)
    tried.expect(far.name)


PLAIN = {("gtk3", 2.0, 1), ("qt5", 1.5, 2)}
"""Tried at every run; the others are deep."""


def cases(names: Iterable[str], plain: set[tuple[str, float, int]]) -> list[ParameterSet]:
    """Everything at every scale, on one monitor and on the second of two; but not GTK 4, which opens no popover on a monitor
    that has no output, as the second one of Xvfb."""
    return [
        pytest.param(*case, marks=() if case in plain else pytest.mark.deep)
        for case in product(names, SIZES, (1, 2))
        if (case[0], case[2]) != ("gtk4", 2)
    ]


@pytest.mark.first_case
@pytest.mark.parametrize(("kit", "scale", "monitors"), cases(NEEDED, PLAIN))
def test_every_kind_of_control_is_where_it_is_seen(
    start: Start, tmp_path: Path, kit: str, scale: float, monitors: int
) -> None:
    desktop = start(scale, monitors)
    look = opened(desktop, tmp_path, kit)
    assert look.screen is not None
    assert (look.screen.width, look.screen.height, look.screen.scale) == (SIZES[scale][0] * monitors, SIZES[scale][1], scale)
    if monitors > 1:
        to_second(desktop)
    tried = Tried(desktop, tmp_path)
    try_first_page(tried)
    try_second_page(tried)


PAGE = """<!doctype html><title>Order</title><meta charset=utf-8>
<label>Name <input name=who onchange="document.title = this.value"></label>
<label><input type=checkbox onchange="document.title = 'ticked'"> Gift</label>
<label>Colour <select onchange="document.title = this.value"><option>red<option>green<option>blue</select></label>
<label>Volume <input type=range value=0 onchange="document.title = this.value > 40 && this.value < 60 ? 'middle' : 'edge'">
</label><button onclick="document.title = 'sent'">Send</button>
<div style="height: 3000px"></div><button onclick="document.title = 'far'">Far down</button>"""


@pytest.mark.parametrize(("_program", "scale", "monitors"), cases(["chromium"], set()))
def test_a_page_and_what_is_around_it_are_where_they_are_seen(
    start: Start, tmp_path: Path, _program: str, scale: float, monitors: int
) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    desktop = start(scale, monitors)
    open_or_skip(desktop, "chromium", "page.html")
    await_look(desktop, lambda seen: there(seen, "button", "Send"), 15.0)
    if monitors > 1:
        to_second(desktop)
    tried = Tried(desktop, tmp_path)
    for role, name, titled in (
        ("button", "Send", "sent"),
        ("check box", "Gift", "ticked"),
        ("slider", "Volume", "middle"),
    ):
        tried.point(role, name)
        await_look(desktop, lambda seen, titled=titled: seen.windows[0].title.startswith(titled))
    tried.point("combo box", "Colour")
    option = next(one for one in await_look(desktop, lambda seen: "blue" in names(seen)).controls if one.name == "blue")
    desktop.input.click(*option.box.centre)
    desktop.acted()
    await_look(desktop, lambda seen: seen.windows[0].title.startswith("blue"))
    tried.point("text field", "Name")
    await_look(desktop, lambda seen: seen.focus == only(seen, "text field", "Name").label)
    desktop.type_text(None, "Ada", enter=True)
    await_look(desktop, lambda seen: seen.windows[0].title.startswith("Ada"))
    desktop.scroll(tried.find("button", "Send"), -40)
    await_look(desktop, lambda seen: there(seen, "button", "Far down"))
    tried.at_rest("button", "Far down")
    tried.point("button", "Far down")
    await_look(desktop, lambda seen: seen.windows[0].title.startswith("far"))
    tried.point("button", "New Tab")
    await_look(desktop, lambda seen: not seen.windows[0].title.startswith("far"))


@pytest.mark.parametrize(("_program", "scale", "monitors"), cases(["calc"], set()))
def test_cells_and_bars_of_a_sheet_are_where_they_are_seen(
    start: Start, tmp_path: Path, _program: str, scale: float, monitors: int
) -> None:
    book = openpyxl.Workbook()
    for row in (("item", "amount"), ("apple", 12), ("pear", 7)):
        book.worksheets[0].append(row)
    book.save(tmp_path / "prices.xlsx")
    desktop = start(scale, monitors)
    open_or_skip(desktop, "LibreOffice Calc", "prices.xlsx")
    await_look(desktop, lambda seen: "A1" in [one.label for one in seen.controls], 20.0)
    if monitors > 1:
        to_second(desktop)
    look = desktop.observe()
    assert [only(look, "cell", name).value for name in ("A1", "B2", "A3", "B3")] == ["item", "12", "pear", "7"]
    tried = Tried(desktop, tmp_path)
    for name in ("B3", "A2"):
        tried.point("cell", name)
        await_look(desktop, lambda seen, name=name: seen.focus == name)
    tried.point("toggle button", "Bold")
    await_look(desktop, lambda seen: "pressed" in only(seen, "toggle button", "Bold").states)
    desktop.type_text(only(desktop.observe(), "cell", "B3"), "8")
    await_look(desktop, lambda seen: only(seen, "cell", "B3").value == "8")
    desktop.menu(("Insert", "Date"))
    await_look(desktop, lambda seen: "/" in (only(seen, "cell", "B4").value or ""))


def open_or_skip(desktop: LinuxDesktop, program: str, file: str) -> None:
    try:
        desktop.open_application(program, file)
    except ActionError as error:
        pytest.skip(f"{error} {error.hint}")


def names(observation: Observation) -> list[str]:
    return [one.name for one in observation.controls]


def test_marks_are_drawn_in_the_pixels_of_the_picture(start: Start, tmp_path: Path) -> None:
    desktop = start(2.0)
    opened(desktop, tmp_path, "gtk3")
    look = desktop.observe(screenshot=True)
    assert look.screenshot is not None
    button = only(look, "button", "Press")
    with Image.open(io.BytesIO(look.screenshot)) as plain, Image.open(io.BytesIO(marks(look))) as marked:
        assert plain.size == marked.size == SIZES[2.0]
        drawn = ImageChops.difference(plain.convert("RGB"), marked.convert("RGB"))
        box = button.box
        edge = drawn.crop((box.x + box.width // 2, box.y, box.x + box.width // 2 + 1, box.y + box.height))
        lit = [at for at in range(box.height) if edge.getpixel((0, at)) != (0, 0, 0)]
    assert lit[0] == 0
    assert lit[-1] == box.height - 1
