"""A session of sway (or another compositor with its IPC) as the display of a desktop.

Sway tells where windows are, which process made each, and when they change. Pictures are grim's, the clipboard is
wl-clipboard's. Nothing tells of open menus, and nothing of what was drawn: for that, pictures are compared.
"""

from __future__ import annotations

import io
import json
import select
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing

from PIL import Image, UnidentifiedImageError
from pydantic import BaseModel, ValidationError

from deskcrew.environments.linux.screen.picture import Rectangle, ScreenPixels
from deskcrew.environments.linux.screen.wayland import WaylandInput, Wire
from deskcrew.environments.linux.screen.x11 import Screenful, WindowLayer, XWindow, png
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.observation import Box

PROGRAMS = {"grim": "grim", "wl-copy": "wl-clipboard", "wl-paste": "wl-clipboard"}
"""What is needed besides sway, with Debian's packages."""
COMMAND, SUBSCRIBE, TREE = 0, 2, 4
MAGIC = b"i3-ipc"
HEAD = struct.Struct("=6sII")
SECONDS = 5.0
"""The maximum seconds that sway or one of the programs may take to answer."""
HIDDEN = "__i3"
"""The output whose workspace holds windows that were put away."""


class SwayNode(BaseModel):
    """An output, workspace, container or window."""

    id: int
    type: str
    name: str | None = None
    app_id: str | None = None
    pid: int | None = None
    shell: str | None = None
    rect: Box
    window_rect: Box
    deco_rect: Box
    """The title bar, above ``rect``."""
    focused: bool = False
    visible: bool | None = None
    fullscreen_mode: int = 0
    window_properties: dict[str, str | int | None] | None = None
    nodes: list[SwayNode] = []
    floating_nodes: list[SwayNode] = []


class Ipc:
    """A connection to sway. Raises EnvironmentFailure if there is none."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        try:
            self.socket.connect(path)
        except OSError as error:
            self.socket.close()
            raise EnvironmentFailure(f"Sway cannot be reached: {error.strerror}.") from error

    def ask(self, kind: int, payload: str = "") -> bytes:
        """Send a message and return the answer. Raises EnvironmentFailure if there is none."""
        body = payload.encode()
        try:
            self.socket.sendall(HEAD.pack(MAGIC, len(body), kind) + body)
            return self.receive()
        except OSError as error:
            raise EnvironmentFailure("The display has died.", hint="Log in again.") from error

    def receive(self) -> bytes:
        """The next message. Raises OSError."""
        _, length, _ = HEAD.unpack(self._exactly(HEAD.size))
        return self._exactly(length)

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            if not (more := self.socket.recv(size - len(data))):
                raise ConnectionResetError
            data += more
        return bytes(data)

    def close(self) -> None:
        """Disconnect. Safe to call twice."""
        self.socket.close()


class SwayDisplay:
    """See :class:`~deskcrew.environments.linux.screen.display.DesktopDisplay`. Pixels are logical ones, so that the scale is
    1. Raises EnvironmentFailure if the session cannot be reached."""

    holder = ["wl-copy", "--type", "text/plain;charset=utf-8"]  # noqa: RUF012
    scale = 1.0

    def __init__(self, variables: Mapping[str, str]) -> None:
        """``variables``: of the session."""
        self._variables = dict(variables)
        self.changes = 0
        self._last = b""
        path = variables.get("SWAYSOCK", "")
        with ExitStack() as opened:
            self._events, self._asked = (opened.enter_context(closing(Ipc(path))) for _ in range(2))
            self._wire = opened.enter_context(closing(Wire(variables)))
            self._events.ask(SUBSCRIBE, json.dumps(["window", "workspace"]))
            self._tree()
            self._opened = opened.pop_all()

    def close(self) -> None:
        self._opened.close()

    # -- what happened

    def drain(self) -> int:
        try:
            while select.select([self._events.socket], [], [], 0)[0]:
                self._events.receive()
                self.changes += 1
        except (OSError, ValueError) as error:
            raise EnvironmentFailure("The display has died.", hint="Log in again.") from error
        if (now := self._grim()) != self._last:
            self._last = now
            self.changes += 1
        return self.changes

    def fileno(self) -> int:
        return self._events.socket.fileno()

    # -- windows

    def _tree(self) -> SwayNode:
        try:
            tree = SwayNode.model_validate_json(self._asked.ask(TREE))
        except ValidationError as error:
            raise EnvironmentFailure("What answers as sway does not tell its windows as sway does.") from error
        self.width, self.height = tree.rect.width, tree.rect.height  # which change as screens come and go
        return tree

    def windows(self) -> Screenful:
        return screenful_of(self._tree())

    def parts(self, window: int) -> list[Box]:
        return []

    def activate(self, window: int) -> None:
        self._asked.ask(COMMAND, f"[con_id={window}] focus")

    def close_window(self, window: int) -> None:
        self._asked.ask(COMMAND, f"[con_id={window}] kill")

    def process_of(self, window: int) -> int | None:
        """See the protocol. Of a window of X11, only its program says who made it."""
        found = next((node for node in nodes_in(self._tree()) if node.id == window), None)
        return found.pid if found is not None and found.shell == "xdg_shell" else None

    # -- pixels

    def _grim(self) -> bytes:
        return self._run("grim", "-s", "1", "-t", "ppm", "-")

    def _run(self, *command: str) -> bytes:
        """The output of a program. Raises EnvironmentFailure if it does not end in time."""
        try:
            return subprocess.run(
                command, env=self._variables, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
            ).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EnvironmentFailure(f"{command[0]} does not answer: the session may have ended.") from error

    def picture(self) -> Image.Image:
        try:
            return Image.open(io.BytesIO(self._grim())).convert("RGB")
        except UnidentifiedImageError as error:
            raise EnvironmentFailure("This session lets no program take a picture of the screen.") from error

    def screenshot(self) -> bytes:
        return png(self.picture())

    def pixels(self) -> ScreenPixels | None:
        return None

    def pointer(self) -> Rectangle:
        return 0, 0, 0, 0

    # -- keyboard, mouse and clipboard

    def keys_and_mouse(self) -> WaylandInput:
        return WaylandInput(self._wire, lambda: (self.width, self.height))

    def read_selection(self, name: str = "CLIPBOARD") -> str:
        """See the protocol. There is no third selection."""
        if name not in _SELECTIONS:
            return ""
        try:
            return self._run("wl-paste", "--no-newline", "--type", "text", *_SELECTIONS[name]).decode("utf-8", "replace")
        except EnvironmentFailure:
            return ""  # the program that holds it hangs

    def forget_selection(self, name: str) -> None:
        self._run("wl-copy", "--clear", *_SELECTIONS[name])


_SELECTIONS: dict[str, tuple[str, ...]] = {"CLIPBOARD": (), "PRIMARY": ("--primary",)}


def nodes_in(node: SwayNode) -> Iterator[SwayNode]:
    """A node and everything in it, except what was put away; what lies on top first."""
    if node.name == HIDDEN:
        return
    for inner in (*reversed(node.floating_nodes), *sorted(node.nodes, key=lambda one: not one.fullscreen_mode)):
        yield from nodes_in(inner)
    yield node


def screenful_of(tree: SwayNode) -> Screenful:
    """The windows in sway's tree, in pixels of its pictures. Those that are not to be seen now come last, and have no layer:
    they are behind everything."""
    windows: list[XWindow] = []
    layers: list[WindowLayer] = []
    shown = [node for node in nodes_in(tree) if node.pid]
    shown.sort(key=lambda node: (not node.visible, not node.fullscreen_mode))
    pids = [node.pid for node in shown]
    for node in shown:
        outer, inner = node.rect, node.window_rect
        x, y = outer.x - tree.rect.x, outer.y - tree.rect.y
        box = Box(x=x + inner.x, y=y + inner.y, width=inner.width, height=inner.height)
        kind = str((node.window_properties or {}).get("class") or "")
        floats = node.type == "floating_con"
        corner = "screen" if node.shell != "xdg_shell" else "shadow" if floats else "window"
        called = (node.name or "", node.app_id or kind, node.pid)
        dialog = floats and pids.count(node.pid) > 1
        windows.append(XWindow(node.id, node.id, *called, box, node.focused, dialog, counted_from=corner))
        if node.visible:
            bar = node.deco_rect.height
            frame = Box(x=x, y=y - bar, width=outer.width, height=outer.height + bar)
            layers.append(WindowLayer(node.id, frame, popup=False))
    return Screenful(tuple(windows), tuple(layers), unlisted=True)
