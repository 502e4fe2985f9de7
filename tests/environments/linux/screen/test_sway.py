"""Sway's tree as windows, and the keyboard that is given to it: without sway."""

from __future__ import annotations

import shutil
import socket
import struct
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from deskcrew.environments.linux.screen.input import NAMES, batches, keysym_of
from deskcrew.environments.linux.screen.sway import SwayDisplay, SwayNode, screenful_of
from deskcrew.environments.linux.screen.wayland import KEYS, SPARE, Wire, keymap
from deskcrew.environments.linux.screen.x11 import XWindow
from deskcrew.environments.linux.tree.units import units_in
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.observation import Box


def node(number: int, kind: str, place: tuple[int, int, int, int] = (0, 0, 0, 0), **more: Any) -> dict[str, Any]:
    inner = more.pop("inner", (0, 0, 0, 0))
    bar = more.pop("bar", 0)
    rect, window_rect, deco = (
        dict(zip(("x", "y", "width", "height"), one, strict=True)) for one in (place, inner, (0, 0, 0, bar))
    )
    return {"id": number, "type": kind, "rect": rect, "window_rect": window_rect, "deco_rect": deco, **more}


EDITOR = node(5, "con", (-1280, 25, 640, 695), inner=(2, 0, 636, 693), bar=25, name="a.txt - Mousepad", app_id="mousepad",
              pid=7, visible=True, shell="xdg_shell", percent=0.5)  # fmt: skip
OLD = node(6, "con", (-640, 25, 640, 695), inner=(2, 0, 636, 693), bar=25, name="xterm", app_id=None, pid=8, visible=True,
           shell="xwayland", window_properties={"class": "XTerm", "transient_for": None})  # fmt: skip
DIALOG = node(9, "floating_con", (-1100, 100, 300, 200), inner=(0, 0, 300, 200), name="Save As", app_id="mousepad", pid=7,
              visible=True, focused=True, shell="xdg_shell")  # fmt: skip
AWAY = node(10, "con", (0, 0, 800, 600), inner=(0, 0, 800, 600), name="notes", app_id="gedit", pid=11, visible=False,
            shell="xdg_shell")  # fmt: skip
PUT_AWAY = node(12, "floating_con", (0, 0, 80, 60), inner=(0, 0, 80, 60), name="hidden", pid=13, visible=False)
TREE = node(1, "root", (-1280, 0, 2080, 720), nodes=[
    node(2, "output", name="__i3", nodes=[node(99, "workspace", floating_nodes=[PUT_AWAY])]),
    node(3, "output", (0, 0, 800, 600), name="HEADLESS-2", nodes=[node(8, "workspace", nodes=[AWAY])]),
    node(4, "output", (-1280, 0, 1280, 720), name="HEADLESS-1", nodes=[
        node(7, "workspace", nodes=[node(20, "con", nodes=[EDITOR, OLD])], floating_nodes=[DIALOG]),
    ]),
])  # fmt: skip


def test_the_windows_of_a_tree() -> None:
    """In pixels of the picture, whose corner is that of the leftmost screen; topmost first, unseen ones last."""
    seen = screenful_of(SwayNode.model_validate(TREE))
    assert [(one.id, one.title, one.app, one.pid) for one in seen.windows] == [
        (9, "Save As", "mousepad", 7), (5, "a.txt - Mousepad", "mousepad", 7), (6, "xterm", "XTerm", 8),
        (10, "notes", "gedit", 11),
    ]  # fmt: skip
    dialog, editor, old, _ = seen.windows
    assert editor.box == Box(x=2, y=25, width=636, height=693)
    assert (dialog.dialog, dialog.active, editor.dialog, editor.active) == (True, True, False, False)
    assert [one.counted_from for one in (dialog, editor, old)] == ["shadow", "window", "screen"]
    assert [layer.id for layer in seen.layers] == [9, 5, 6]
    assert seen.layers[1].box == Box(x=0, y=0, width=640, height=720), "with the title bar"
    assert seen.menus, "nobody tells of open menus"


@pytest.mark.parametrize(
    ("corner", "told", "place"),
    [
        ("window", (0, 0, 300, 200), (110, 220, 20, 10)),
        ("window", (0, 0, 360, 200), (110, 220, 20, 10)),  # wider than the room it has
        ("shadow", (0, 0, 352, 252), (84, 194, 20, 10)),
        ("screen", (100, 200, 300, 200), (10, 20, 20, 10)),
    ],
)
def test_places_from_the_corner_that_a_program_counts_from(corner: Any, told: Any, place: Any) -> None:
    box = Box(x=100, y=200, width=300, height=200)
    window = XWindow(1, 1, "", "", None, box, True, False, counted_from=corner)
    assert units_in(window, told, 1).place((10, 20, 20, 10)) == place


def test_every_named_key_is_on_the_keyboard() -> None:
    assert [name for name, sym in NAMES.items() if sym not in KEYS] == []
    assert len({*KEYS.values()}) == len(KEYS) - 1, "only super and meta are one key"
    assert not {code for code, _ in KEYS.values()} & {*SPARE}


@pytest.mark.skipif(shutil.which("xkbcomp") is None, reason="sudo apt install x11-xkb-utils")
def test_a_layout_has_the_characters_that_were_put_on_its_keys(tmp_path: Path) -> None:
    lent = {keysym_of("я"): SPARE[0], keysym_of("€"): SPARE[11]}
    (tmp_path / "map").write_text(keymap(lent))
    subprocess.run(["xkbcomp", "-xkm", "-w", "0", "map", "out.xkm"], cwd=tmp_path, check=True)
    subprocess.run(["xkbcomp", "-xkb", "-w", "0", "out.xkm", "out"], cwd=tmp_path, check=True)
    made = (tmp_path / "out").read_text()
    for code, sym in ((SPARE[0], "U044F"), (SPARE[11], "U20AC")):
        assert sym in next(line for line in made.splitlines() if f"key <FK{code - 170}>" in line)


def test_a_text_is_typed_in_pieces_that_the_spare_keys_hold() -> None:
    text = "abжaгбa"
    pieces = list(batches(text, KEYS, 2))
    assert pieces == [[keysym_of(one) for one in piece] for piece in ("abжaг", "бa")]
    assert list(batches("", KEYS, 2)) == []


def test_a_session_that_cannot_be_reached_is_said(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="Sway cannot be reached"):
        SwayDisplay({"SWAYSOCK": str(tmp_path / "none"), "WAYLAND_DISPLAY": "wayland-1"})


def test_a_compositor_without_virtual_devices_is_said(tmp_path: Path) -> None:
    """It offers a seat in two pieces, and answers the first question."""
    offered = struct.pack("=III", 2, 32 << 16, 1) + struct.pack("=I8sI", 8, b"wl_seat", 7) + bytes(4)
    answered = struct.pack("=III", 3, 12 << 16, 0)

    def serve() -> None:
        with server.accept()[0] as connection:
            connection.recv(4096)
            connection.sendall(offered[:9])
            connection.sendall(offered[9:] + answered)
            connection.recv(4096)

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "wayland-7"))
        server.listen()
        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(
            EnvironmentFailure, match=r"no program press keys or buttons \(no zwlr_virtual_pointer_manager_v1, zwp"
        ):
            Wire({"XDG_RUNTIME_DIR": str(tmp_path), "WAYLAND_DISPLAY": "wayland-7"})
        thread.join()
