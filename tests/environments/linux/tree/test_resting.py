"""Controls at rest are asked for their state only, and none is taken for one when anything speaks against it."""

from __future__ import annotations

from typing import cast

import pytest

from deskcrew.environments.linux.screen.display import DesktopDisplay
from deskcrew.environments.linux.screen.picture import ScreenPixels
from deskcrew.environments.linux.screen.x11 import Screenful, WindowLayer, XWindow
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.resting import TURNS, RestingWindows
from deskcrew.environments.linux.tree.sight import ScreenSight
from deskcrew.facts.observation import Box

PID = 7
SCREEN = (200, 100)
SHOWN = roles.SHOWING | roles.VISIBLE | roles.SENSITIVE


# -- which are at rest


class Screen:
    """A display whose pixels and pointer are given."""

    def __init__(self) -> None:
        self.dots: dict[tuple[int, int], bytes] = {}
        self.at = (190, 90, 8, 8)

    def pixels(self) -> ScreenPixels:
        lines = [bytearray(4 * SCREEN[0]) for _ in range(SCREEN[1])]
        for (x, y), dot in self.dots.items():
            lines[y][4 * x : 4 * x + 4] = dot
        return ScreenPixels([bytes(line) for line in lines])

    def pointer(self) -> tuple[int, int, int, int]:
        return self.at

    def dot(self, x: int, y: int, shade: int = 255) -> None:
        self.dots[x, y] = bytes((shade, shade, shade, 0))


def node(path: str, parent: Node | None, box: tuple[int, int, int, int], role: int = roles.BUTTON) -> Node:
    made = Node(path, parent)
    made.role, made.box, made.states, made.interfaces = role, box, SHOWN, frozenset({"Component"})
    made.raw = [b"", b"", b"", b""]
    if parent is not None:
        parent.children.append(made)
    return made


class Scene:
    """A window with two buttons, of which something is drawn, in a tool bar."""

    def __init__(self) -> None:
        self.screen = Screen()
        self.root = node("/root", None, (0, 0, 200, 100), roles.FRAME)
        self.bar = node("/bar", self.root, (0, 0, 100, 20), roles.SCROLL_PANE)
        self.one = node("/one", self.bar, (0, 0, 20, 20))
        self.two = node("/two", self.bar, (30, 0, 20, 20))
        for x in (5, 35):
            self.screen.dot(x, 5)
        self.box = Box(x=0, y=0, width=200, height=100)
        self.layers: tuple[WindowLayer, ...] = ()
        self.resting = RestingWindows(PID, corrected=False)
        self.resting.read([self.root], self.sight(1))

    def sight(self, number: int) -> ScreenSight:
        window = XWindow(1, 1, "", "", PID, self.box, True, False)
        layers = (*self.layers, WindowLayer(1, self.box, False))
        return ScreenSight(cast("DesktopDisplay", self.screen), Screenful((window,), layers), number)

    def find(self, *signalled: str, number: int = 2) -> set[str]:
        return self.resting.find([self.root], self.sight(number), set(signalled))


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_what_looks_as_it_did_is_at_rest(scene: Scene) -> None:
    assert scene.find() == {"/bar", "/one", "/two"}


def test_what_was_drawn_on_is_not(scene: Scene) -> None:
    scene.screen.dot(7, 7)
    assert scene.find() == {"/two"}


def test_what_is_blank_is_not(scene: Scene) -> None:
    del scene.screen.dots[5, 5]
    scene.resting.read([scene.root], scene.sight(1))
    assert scene.find() == {"/bar", "/two"}


def test_what_was_signalled_of_is_not(scene: Scene) -> None:
    assert scene.find("/one") == {"/bar", "/two"}


def test_what_holds_something_hidden_that_was_signalled_of_is_not(scene: Scene) -> None:
    hidden = node("/hidden", scene.bar, (60, 0, 20, 20))
    hidden.states = 0
    assert scene.find() == {"/bar", "/one", "/two"}
    assert scene.find("/hidden") == {"/one", "/two"}


def test_what_is_covered_is_not(scene: Scene) -> None:
    scene.screen.at = (15, 15, 8, 8)
    assert scene.find() == {"/two"}
    scene.layers = (WindowLayer(2, Box(x=40, y=10, width=50, height=50), True),)
    assert scene.find() == set()


def test_what_is_cut_off_is_not(scene: Scene) -> None:
    scene.bar.box = (0, 0, 100, 15)
    assert scene.find() == {"/bar"}


def test_a_window_that_moved_has_nothing_at_rest(scene: Scene) -> None:
    scene.box = Box(x=0, y=0, width=199, height=100)
    assert scene.find() == set()


def test_after_a_look_that_was_missed_nothing_is_at_rest(scene: Scene) -> None:
    assert scene.find(number=3) == set()
    scene.resting.forget()
    assert scene.find() == set()


def test_without_pixels_nothing_is_at_rest(scene: Scene) -> None:
    scene.resting.read([scene.root], None)
    assert scene.find() == set()


def test_everything_is_asked_once_in_so_many_looks(scene: Scene) -> None:
    left_out: list[str] = []
    for number in range(2, TURNS + 2):
        found = scene.find(number=number)
        left_out += {"/bar", "/one", "/two"} - found
        scene.resting.read([scene.root], scene.sight(number))
    assert sorted(left_out) == ["/bar", "/one", "/two"]


def test_what_libreoffice_draws_into_a_panel_shows_that_places_have_shifted(scene: Scene) -> None:
    scene.bar.native, scene.one.native, scene.two.native = False, False, False
    scene.bar.box = (0, -27, 200, 100)
    scene.root.box = (0, 0, 200, 100)
    resting = RestingWindows(PID, corrected=True)
    resting.read([scene.root], scene.sight(1))
    assert not resting.shifted([scene.root])
    assert "/bar" not in resting.find([scene.root], scene.sight(2), set())
    scene.bar.box = (0, 0, 200, 100)
    assert resting.shifted([scene.root])
