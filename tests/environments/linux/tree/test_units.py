"""What programs count in when they tell places."""

from __future__ import annotations

import struct
from typing import cast

import pytest

from deskcrew.environments.linux.bus.connection import Connection
from deskcrew.environments.linux.screen import scaling
from deskcrew.environments.linux.screen.x11 import XWindow
from deskcrew.environments.linux.tree import places, roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.sight import window_of
from deskcrew.environments.linux.tree.tree import CHROMIUM, QT, Tree
from deskcrew.environments.linux.tree.units import PIXELS, Units, factor_of
from deskcrew.facts.observation import Box

Rectangle = tuple[int, int, int, int]


def window(box: Rectangle, title: str = "t", *, active: bool = True) -> XWindow:
    x, y, width, height = box
    return XWindow(1, 1, title, "a", 5, Box(x=x, y=y, width=width, height=height), active, False)


def node(told: Rectangle, parent: Node | None = None, *, role: int = roles.PANEL, name: str = "") -> Node:
    made = Node(f"/{told}", parent)
    made.role, made.name = role, name
    made.raw[2] = struct.pack("<4i", *told)
    if parent is not None:
        parent.children.append(made)
    return made


def tree(toolkit: str, *roots: Node) -> Tree:
    made = Tree(cast(Connection, None), None, toolkit=toolkit)
    made.roots = list(roots)
    return made


@pytest.mark.parametrize(
    ("told", "actual", "whole", "factor"),
    [
        ((473, 210, 333, 379), (474, 232, 331, 352), True, 1.0),
        ((234, 63, 332, 373), (469, 163, 662, 704), True, 2.0),
        ((0, 0, 350, 491), (440, 0, 720, 1002), True, 2.0),
        ((77, 24, 700, 500), (115, 36, 1050, 750), False, 1.5),
        ((10, 10, 838, 514), (15, 15, 1257, 771), False, 1.5),
        ((10, 10, 801, 601), (13, 13, 1001, 751), False, 1.25),
        ((10, 10, 834, 514), (15, 15, 1251, 900), False, None),
        ((0, 0, 0, 0), (15, 15, 1251, 900), False, None),
    ],
)
def test_how_many_pixels_one_of_a_program_is(told: Rectangle, actual: Rectangle, whole: bool, factor: float | None) -> None:
    assert factor_of(told, window(actual), whole=whole) == factor


def test_a_place_and_back() -> None:
    counted = Units(1.5, 1280, -20)
    assert counted.place((10, 20, 31, 11)) == (1295, 10, 47, 16)
    assert counted.back(1295, 10) == (10, 20)
    assert PIXELS.place((1, 2, 3, 4)) == (1, 2, 3, 4)


def test_gtk_counts_from_the_corner_of_the_screen() -> None:
    root = node((234, 63, 332, 373), name="t")
    button = node((240, 187, 50, 34), root)
    places.settle(tree("gtk", root), [window((469, 163, 662, 704))])
    assert button.box == (480, 374, 100, 68)
    assert node((250, 187, 50, 34), button).place(struct.pack("<4i", 1, 2, 3, 4)) == (2, 4, 6, 8), "as what it is in"


def test_qt_counts_from_the_corner_of_a_monitor() -> None:
    """The second monitor begins at 1280 for Qt too, though it counts in larger pixels from there."""
    root = node((1380, 50, 400, 300), name="t")
    button = node((1390, 60, 20, 10), root)
    popup = node((1390, 70, 80, 60), role=roles.WINDOW)
    places.settle(tree(QT, root, popup), [window((1430, 75, 600, 450))])
    assert root.box == (1430, 75, 600, 450)
    assert button.box == (1445, 90, 30, 15)
    assert popup.box == (1445, 105, 120, 90)


def test_of_chromium_a_page_counts_in_pixels_and_what_is_around_it_does_not() -> None:
    root = node((10, 10, 834, 514), name="t")
    bar = node((20, 56, 34, 34), root)
    page = node((21, 145, 1239, 635), node((14, 97, 826, 423), root), role=95)
    link = node((79, 171, 110, 33), page)
    places.settle(tree(CHROMIUM, root), [window((15, 15, 1251, 771))])
    assert (bar.box, page.box, link.box) == ((30, 84, 51, 51), (21, 145, 1239, 635), (79, 171, 110, 33))


def test_while_a_window_changes_its_size_it_counts_as_before() -> None:
    root = node((100, 100, 400, 300), name="t")
    grown = tree(QT, root)
    places.settle(grown, [window((200, 200, 800, 600))])
    assert (grown.factor, root.box) == (2.0, (200, 200, 800, 600))
    places.settle(grown, [window((200, 200, 1200, 620))])
    assert grown.factor == 2.0
    places.settle(grown, [])
    assert root.box == (200, 200, 800, 600)
    places.settle(grown, [window((100, 100, 400, 300))])
    assert (grown.factor, root.box, root.units) == (1.0, (100, 100, 400, 300), PIXELS)


def test_of_windows_of_one_title_it_is_the_one_that_is_as_active() -> None:
    root = node((0, 0, 10, 10), name="t")
    root.states = roles.ACTIVE
    idle, active = window((0, 0, 5, 5), active=False), window((0, 0, 6, 6))
    assert window_of(root, [idle, active]) is active
    assert window_of(root, [idle]) is idle
    assert window_of(root, [window((0, 0, 5, 5), "other")]) is None


@pytest.mark.parametrize(
    ("scale", "told"),
    [
        (1.5, {"Gdk/UnscaledDPI": 147456, "Gdk/WindowScalingFactor": 1, "Xft/DPI": 147456}),
        (2.0, {"Gdk/UnscaledDPI": 98304, "Gdk/WindowScalingFactor": 2, "Xft/DPI": 196608}),
        (2.5, {"Gdk/UnscaledDPI": 122880, "Gdk/WindowScalingFactor": 2, "Xft/DPI": 245760}),
    ],
)
def test_gtk_is_told_whole_steps_and_what_is_left_for_letters(scale: float, told: dict[str, int]) -> None:
    assert scaling.settings_of(scale) == told


def test_settings_are_packed_as_the_protocol_has_it() -> None:
    assert scaling.packed({"a/b": 7}) == (
        b"\0\0\0\0" b"\0\0\0\0" b"\1\0\0\0"  # little endian, serial, one setting
        b"\0\0" b"\3\0" b"a/b\0" b"\0\0\0\0" b"\7\0\0\0"
    )  # fmt: skip
