"""A program's accessible tree where the program answers as real ones do only now and then: told here, reply by reply."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import cast

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.bus.connection import Connection
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


def array(entries: Sequence[bytes], step: int) -> bytes:
    """A D-Bus array, each entry of which begins at a multiple of ``step`` bytes."""
    body = b"".join(wire.pad(entry, step) for entry in entries[:-1]) + b"".join(entries[-1:])
    return wire.pad(wire.NUMBER.pack(len(body)), step) + body


class Told:
    """A connection to a program whose tree is a dictionary: a path, and what is in it."""

    timeout = 1.0

    def __init__(self, children: dict[str, list[str]]) -> None:
        self.children = children
        self.unanswered: set[tuple[object, str]] = set()
        """Questions that are answered with an error."""

    def pipeline(self, calls: Sequence[Call], name: str | None) -> list[bytes | None]:
        return [None if call[:2] in self.unanswered else self._answer(call) for call in calls]

    def _answer(self, call: Call) -> bytes | None:
        method, path = call[:2]
        if path not in self.children:
            return None
        if method == GET_CHILDREN:
            named = [wire.pad(wire.encode_string(":1.1"), 4) + wire.encode_string(child) for child in self.children[path]]
            return array(named, 8)
        return {
            GET_STATE: wire.NUMBER.pack(8) + (roles.SHOWING | roles.VISIBLE).to_bytes(8, "little"),
            GET_ROLE: wire.NUMBER.pack(roles.FRAME if path == "/window" else roles.PANEL),
            GET_INTERFACES: array([wire.encode_string("org.a11y.atspi.Text")], 4),
            GET_NAME: b"\x01s\0\0" + wire.encode_string(path),
            GET_EXTENTS: struct.pack("<iiii", 0, 0, 10, 10),
        }[method]


def test_what_did_not_say_what_it_is_is_asked_again() -> None:
    program = Told({ROOT: ["/window"], "/window": ["/a"], "/a": []})
    program.unanswered = {(GET_ROLE, "/a"), (GET_INTERFACES, "/a")}
    tree = Tree(cast(Connection, program), None, toolkit="gtk")
    tree.look(menus=False)
    assert (tree.nodes["/a"].role, tree.nodes["/a"].interfaces) == (0, frozenset())
    program.unanswered.clear()
    tree.look(menus=False)
    assert (tree.nodes["/a"].role, tree.nodes["/a"].interfaces) == (roles.PANEL, frozenset({"Text"}))


def test_what_moved_into_something_else_stays_known_when_what_it_was_in_goes() -> None:
    program = Told({ROOT: ["/window"], "/window": ["/old", "/new"], "/old": ["/sheet"], "/new": [], "/sheet": []})
    tree = Tree(cast(Connection, program), None, toolkit="gtk")
    tree.look(menus=False)
    program.children["/new"] = ["/sheet"]  # for a moment it is in both
    tree.look(menus=False)
    program.children["/window"] = ["/new"]
    del program.children["/old"]
    tree.look(menus=False)
    assert set(tree.nodes) == {"/window", "/new", "/sheet"}
    assert tree.nodes["/sheet"].parent is tree.nodes["/new"]
