"""A program's accessible tree: what is asked of it at each look, and what becomes of answers that fail or change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.bus.connection import Connection
from deskcrew.environments.linux.bus.wire import WireMethod
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.tree import (
    GET_CHILDREN,
    GET_EXTENTS,
    GET_INTERFACES,
    GET_NAME,
    GET_ROLE,
    GET_STATE,
    ROOT,
    Call,
    Tree,
)

SHOWN = roles.SHOWING | roles.VISIBLE | roles.SENSITIVE


class Program:
    """Answers for objects that are given, and notes what it is asked."""

    def __init__(self) -> None:
        self.children = {ROOT: ["/root"], "/root": ["/bar"], "/bar": ["/one", "/two"], "/one": [], "/two": []}
        self.roles = {"/root": roles.FRAME, "/bar": roles.PANEL}
        self.boxes: dict[str, tuple[int, int, int, int]] = {}
        self.names: dict[str, str] = {}
        self.states: dict[str, int] = {}
        self.asked: list[tuple[WireMethod, str]] = []
        self.unanswered: set[tuple[WireMethod, str]] = set()
        """What is answered with an error."""

    def pipeline(self, calls: Sequence[Call], name: str | None = None) -> list[bytes | None]:
        self.asked += [call[:2] for call in calls]
        return [None if call[:2] in self.unanswered else self.answer(call[0], call[1]) for call in calls]

    def answer(self, method: WireMethod, path: str) -> bytes | None:
        if path not in self.children:
            return None
        if method == GET_STATE:
            return b"\x08\0\0\0" + self.states.get(path, SHOWN).to_bytes(8, "little")
        if method == GET_NAME:
            return b"\x01s\0\0" + wire.encode_string(self.names.get(path, path))
        if method == GET_EXTENTS:
            return wire.BOX.pack(*self.boxes.get(path, (0, 0, 20, 20)))
        if method == GET_CHILDREN:
            body = b"".join(
                wire.pad(wire.pad(wire.encode_string(""), 4) + wire.encode_string(one), 8) for one in self.children[path]
            )
            return wire.NUMBER.pack(len(body)) + b"\0\0\0\0" + body
        if method == GET_ROLE:
            return wire.NUMBER.pack(self.roles.get(path, roles.BUTTON))
        interface = wire.encode_string("org.a11y.atspi.Component")
        return wire.NUMBER.pack(len(interface)) + interface

    def members(self, path: str) -> list[WireMethod]:
        return [method for method, asked in self.asked if asked == path]


@pytest.fixture
def program() -> Program:
    return Program()


@pytest.fixture
def tree(program: Program) -> Tree:
    made = Tree(cast("Connection", cast(Any, program)), None, toolkit="")
    made.look(menus=False)
    assert set(made.nodes) == {"/root", "/bar", "/one", "/two"}
    program.asked.clear()
    return made


def test_one_at_rest_is_asked_for_its_state_only(tree: Tree, program: Program) -> None:
    program.names["/two"] = "other"
    tree.look(menus=False, resting={"/bar", "/one"})
    assert program.members("/one") == program.members("/bar") == [GET_STATE]
    assert program.members("/two") == [GET_STATE, GET_NAME, GET_EXTENTS]
    assert tree.nodes["/two"].name == "other"


def test_one_whose_state_changed_is_asked_all(tree: Tree, program: Program) -> None:
    program.states["/one"], program.names["/one"] = SHOWN | roles.CHECKED, "other"
    tree.look(menus=False, resting={"/bar", "/one", "/two"})
    assert tree.nodes["/one"].states & roles.CHECKED
    assert tree.nodes["/one"].name == "other"
    assert program.members("/two") == [GET_STATE]


def test_where_one_has_gone_its_parent_is_asked_who_is_there(tree: Tree, program: Program) -> None:
    program.children["/bar"] = ["/two", "/three"]
    program.children["/three"] = program.children.pop("/one")
    tree.look(menus=False, resting={"/bar", "/one", "/two"})
    assert [one.path for one in tree.nodes["/bar"].children] == ["/two", "/three"]
    assert "/one" not in tree.nodes


def test_where_one_moved_its_neighbours_are_asked_for_their_places(tree: Tree, program: Program) -> None:
    program.boxes = {"/one": (0, 0, 30, 20), "/two": (30, 0, 20, 20)}
    tree.look(menus=False, resting={"/bar", "/two"})
    assert tree.nodes["/two"].box == (30, 0, 20, 20)


def test_what_is_hidden_in_one_at_rest_is_not_asked(tree: Tree, program: Program) -> None:
    program.states["/one"] = 0
    tree.look(menus=False)
    program.asked.clear()
    tree.look(menus=False, resting={"/bar", "/two"})
    assert not program.members("/one")
    program.states["/one"] = SHOWN
    tree.look(menus=False)
    assert tree.nodes["/one"].showing


def test_what_did_not_say_what_it_is_is_asked_again(program: Program) -> None:
    program.unanswered = {(GET_ROLE, "/one"), (GET_INTERFACES, "/one")}
    tree = Tree(cast("Connection", cast(Any, program)), None, toolkit="")
    tree.look(menus=False)
    assert (tree.nodes["/one"].role, tree.nodes["/one"].interfaces) == (0, frozenset())
    program.unanswered.clear()
    tree.look(menus=False)
    assert (tree.nodes["/one"].role, tree.nodes["/one"].interfaces) == (roles.BUTTON, frozenset({"Component"}))


def test_what_moved_into_something_else_stays_known_when_what_it_was_in_goes(tree: Tree, program: Program) -> None:
    program.roles["/new"] = roles.PANEL
    program.children |= {"/root": ["/bar", "/new"], "/new": ["/one"]}  # for a moment it is in both
    tree.look(menus=False)
    program.children["/root"] = ["/new"]
    del program.children["/bar"]
    tree.look(menus=False)
    assert set(tree.nodes) == {"/root", "/new", "/one"}
    assert tree.nodes["/one"].parent is tree.nodes["/new"]
