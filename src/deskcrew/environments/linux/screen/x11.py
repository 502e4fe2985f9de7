"""The X server as the driver sees it: windows in stacking order, what covers what, pixels, changes."""

from __future__ import annotations

import contextlib
import io
import os
import select
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import xcffib
import xcffib.damage
import xcffib.xfixes
import xcffib.xproto
import xcffib.xtest
from PIL import Image

from deskcrew.environments.held_folders import READ
from deskcrew.environments.linux.screen.patient import NoAnswer, PatientConnection
from deskcrew.environments.linux.screen.picture import ScreenPixels
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.observation import Box

ATOMS = (
    "_NET_CLIENT_LIST_STACKING", "_NET_ACTIVE_WINDOW", "_NET_WM_NAME", "_NET_WM_PID", "_NET_WM_WINDOW_TYPE",
    "_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_STATE", "_NET_WM_STATE_HIDDEN", "_NET_WM_STATE_MODAL", "_NET_CLOSE_WINDOW",
    "_NET_WM_WINDOW_TYPE_DESKTOP", "_NET_WM_WINDOW_TYPE_DOCK", "_NET_SUPPORTING_WM_CHECK", "UTF8_STRING", "CLIPBOARD",
    "DESKCREW_SELECTION", "TARGETS", "INCR",
)  # fmt: skip
MOST_PARTS = 400
"""The maximum number of windows inside a window that are queried."""
MOST_CLIENTS, MOST_LAYERS = 200, 1000
"""The maximum numbers of programs' windows and of the root's children that are queried, the topmost of each."""
MOST_EVENTS = 10_000
"""The maximum number of events processed at once: a program may cause them without end."""
xproto: Any = xcffib.xproto
"""xcffib generates this from the protocol's description, without types."""
EVENT_MASK = xproto.EventMask
T = TypeVar("T")


class XWindow(NamedTuple):
    """A client's window. ``box``: its content, without the frame; ``frame``: the root's child that contains it."""

    id: int
    frame: int
    title: str
    app: str
    pid: int | None
    box: Box
    active: bool
    dialog: bool
    modal: bool = False
    counted_from: Literal["screen", "window", "shadow"] = "screen"
    """The corner from which its program reports places: of the screen, of the window, or of the shadow around that."""


class WindowLayer(NamedTuple):
    """A mapped child of the root window, in stacking order. ``popup``: not managed, such as a menu or tool tip."""

    id: int
    box: Box
    popup: bool


class Screenful(NamedTuple):
    """All windows (topmost first) and everything that can cover something (topmost first)."""

    windows: tuple[XWindow, ...]
    layers: tuple[WindowLayer, ...]
    unlisted: bool = False
    """Whether the display does not list open menus and the like."""

    @property
    def popups(self) -> list[WindowLayer]:
        """Open menus, tool tips and the like; not the tiny windows by which programs communicate."""
        return [layer for layer in self.layers if layer.popup and layer.box.width > 4]

    @property
    def menus(self) -> bool:
        """Whether a menu may be open."""
        return self.unlisted or bool(self.popups)


@contextlib.contextmanager
def display_errors() -> Generator[None]:
    """Turn a lost connection into EnvironmentFailure."""
    try:
        yield
    except NoAnswer as error:
        raise EnvironmentFailure(
            f"The display has not answered for {error.seconds:.0f} seconds: a program has stopped it, or keeps it busy.",
            hint="The desktop must be started again.",
        ) from error
    except xcffib.ConnectionException as error:
        raise EnvironmentFailure("The display has died.", hint="The desktop must be started again.") from error


class Display:
    """A connection to an X server. Used by one thread at a time."""

    def __init__(
        self, plug: socket.socket | None = None, *, name: str | None = None, frame_buffer: Path | None = None
    ) -> None:
        """``plug``: a socket connected to the server, owned by this object from now on; or ``name``: a display such as
        ``:0``. ``frame_buffer``: file of Xvfb's ``-fbdir``. Raises EnvironmentFailure if the server cannot be reached."""
        self.connection: Any
        try:
            self.connection = PatientConnection(plug=plug, name=name)
        except NoAnswer as error:
            raise EnvironmentFailure(f"The display has not answered for {error.seconds:.0f} seconds.") from error
        except xcffib.XcffibException as error:
            raise EnvironmentFailure(f"The display {name or ''} cannot be reached: {error}.") from error
        self.frame_buffer: FrameBuffer | None = None
        begun = False
        try:
            with display_errors():
                self._begin()
            if frame_buffer is not None:
                self.frame_buffer = FrameBuffer(frame_buffer, (self.width, self.height))
            begun = True
        finally:
            if not begun:
                self.close()

    def _begin(self) -> None:
        self.core: Any = self.connection.core
        screen: Any = self.connection.setup.roots[self.connection.pref_screen]
        self.root = int(screen.root)
        self.width, self.height = int(screen.width_in_pixels), int(screen.height_in_pixels)
        self.depth = int(screen.root_depth)
        cookies = [self.core.InternAtom(False, len(name), name) for name in ATOMS]
        self.atoms = {name: int(cookie.reply().atom) for name, cookie in zip(ATOMS, cookies, strict=True)}
        self.test: Any = self.connection(xcffib.xtest.key)
        self.changes = 0
        """Counts changes on the screen: mapped windows, drawn areas."""
        self._moves = 0
        """Counts changes of windows alone."""
        self._watched: set[int] = set()
        """Clients' windows whose title changes are reported to us."""
        self._listed: tuple[int, list[int], list[WindowLayer], dict[int, int]] | None = None
        """The last listing of the root's children, and the number of moves then: nothing else changes it."""
        self._watch()

    def _watch(self) -> None:
        mask = EVENT_MASK.SubstructureNotify | EVENT_MASK.PropertyChange
        self.core.ChangeWindowAttributes(self.root, xproto.CW.EventMask, [mask])
        self.fixes: Any = self.connection(xcffib.xfixes.key)
        self.fixes.QueryVersion(4, 0).reply()
        self.damage: Any = self.connection(xcffib.damage.key)
        self.damage.QueryVersion(1, 1).reply()
        self._damage = int(self.connection.generate_id())
        self.damage.Create(self._damage, self.root, xcffib.damage.ReportLevel.NonEmpty)
        self.connection.flush()

    def close(self) -> None:
        """Disconnect. May be called while another thread is in a call, which then fails. Safe to call twice."""
        self.connection.disconnect()
        if self.frame_buffer:
            self.frame_buffer.close()

    def sync(self) -> None:
        """Wait until the server has processed all requests."""
        with display_errors():
            self.core.GetInputFocus().reply()

    # -- what happened

    def drain(self) -> int:
        """Process all events. Returns the number of changes so far."""
        with display_errors():
            for _ in range(MOST_EVENTS):
                event = self.next_event()
                if event is None:
                    break
                self.note(event)
            self.connection.flush()
        return self.changes

    def next_event(self) -> Any:
        """The next event; None if there is none. Call within :func:`display_errors`."""
        while True:
            try:
                return self.connection.poll_for_event()
            except xcffib.Error:  # an error for a window that has gone since
                continue

    def note(self, event: Any) -> None:
        """Count an event, and ask for the next drawing to be reported."""
        if isinstance(event, xcffib.damage.NotifyEvent):
            self.damage.Subtract(self._damage, 0, 0)
        elif isinstance(event, xproto.PropertyNotifyEvent) and event.window != self.root:
            if event.atom not in (xproto.Atom.WM_NAME, self.atoms["_NET_WM_NAME"]):
                return
        else:
            self._moves += 1
        self.changes += 1

    def _watch_titles(self, clients: list[int]) -> None:
        """Get notified when a window changes its title. If the window draws its own title bar, that may be after everything
        has been drawn."""
        for window in clients:
            if window not in self._watched:
                self.core.ChangeWindowAttributes(window, xproto.CW.EventMask, [EVENT_MASK.PropertyChange])
        self._watched = set(clients)

    def fileno(self) -> int:
        """The connection's file descriptor, for ``select``."""
        with display_errors():
            return int(self.connection.get_file_descriptor())

    # -- windows

    def pointer(self) -> tuple[int, int, int, int]:
        """The box of the mouse pointer's picture: x, y, width, height. Raises EnvironmentFailure if the display has died."""
        with display_errors():
            drawn = self.fixes.GetCursorImage().reply()
        return drawn.x - drawn.xhot, drawn.y - drawn.yhot, int(drawn.width), int(drawn.height)

    def windows(self) -> Screenful:
        """All windows and layers, topmost first. Raises EnvironmentFailure if the display has died."""
        with display_errors():
            asked = [self._property(self.root, name) for name in ("_NET_CLIENT_LIST_STACKING", "_NET_ACTIVE_WINDOW")]
            stacking, active = numbers(self.value(asked[0])), (numbers(self.value(asked[1])) or [0])[0]
            stacking = stacking[-MOST_CLIENTS:]
            self._watch_titles(stacking)
            layers, frames = self._listing(stacking)
            found: list[XWindow] = []
            for window in reversed(stacking):
                described = self._describe(window, frames.get(window, 0), active)
                if described is not None:
                    found.append(described)
        return Screenful(tuple(found), tuple(layers))

    def _listing(self, clients: list[int]) -> tuple[list[WindowLayer], dict[int, int]]:
        """Mapped children of the root and the frames of ``clients``, queried only if windows have come, gone or moved."""
        self.drain()  # answers that came before this say that nothing has happened that is not counted now
        known, moves = self._listed, self._moves
        if known is not None and known[:2] == (moves, clients):
            return known[2:]
        layers, frames = self._layers(list(self.core.QueryTree(self.root).reply().children)[-MOST_LAYERS:], clients)
        self._listed = (moves, clients, layers, frames)
        return layers, frames

    def _layers(self, children: list[int], clients: list[int]) -> tuple[list[WindowLayer], dict[int, int]]:
        """Mapped children of the root, topmost first, and each client's ancestor among them."""
        asked: list[tuple[int, Any, Any, Any]] = [
            (child, self.core.GetWindowAttributes(child), self.core.GetGeometry(child), self.core.QueryTree(child))
            for child in children
        ]
        known = set(clients)
        frames: dict[int, int] = {}
        layers: list[WindowLayer] = []
        for child, attributes, geometry, tree in asked:
            parts = [self.answer(cookie) for cookie in (attributes, geometry, tree)]
            if None in parts:
                continue
            state, place, below = parts
            for client in (child, *below.children):
                if client in known:
                    frames[client] = child
            if state.map_state != xproto.MapState.Viewable or state._class == 2:
                continue
            box = Box(x=place.x, y=place.y, width=place.width, height=place.height)
            layers.append(WindowLayer(child, box, bool(state.override_redirect) and child not in frames.values()))
        layers.reverse()
        return layers, frames

    def _describe(self, window: int, frame: int, active: int) -> XWindow | None:
        names = ("_NET_WM_NAME", "WM_NAME", "WM_CLASS", "_NET_WM_PID", "_NET_WM_WINDOW_TYPE", "_NET_WM_STATE")
        cookies = [self._property(window, name) for name in names]
        geometry = self.core.GetGeometry(window)
        place = self.core.TranslateCoordinates(window, self.root, 0, 0)
        transient = self._property(window, "WM_TRANSIENT_FOR")
        values = [self.value(cookie) for cookie in cookies]
        size, at, owner = self.answer(geometry), self.answer(place), self.value(transient)
        if size is None or at is None:
            return None
        kinds, states = numbers(values[4]), numbers(values[5])
        hidden = {"_NET_WM_WINDOW_TYPE_DESKTOP", "_NET_WM_WINDOW_TYPE_DOCK"}
        if self.atoms["_NET_WM_STATE_HIDDEN"] in states or any(self.atoms[name] in kinds for name in hidden):
            return None
        title = (values[0] or values[1]).decode("utf-8", "replace")
        classes = values[2].split(b"\0")
        app = (classes[1] if len(classes) > 1 else classes[0]).decode("utf-8", "replace")
        pid = (numbers(values[3]) or [0])[0] or None
        dialog = self.atoms["_NET_WM_WINDOW_TYPE_DIALOG"] in kinds or bool(owner)
        modal = self.atoms["_NET_WM_STATE_MODAL"] in states
        box = Box(x=at.dst_x, y=at.dst_y, width=size.width, height=size.height)
        return XWindow(window, frame or window, title, app, pid, box, window == active, dialog, modal)

    def parts(self, window: int) -> list[Box]:
        """The boxes of the innermost windows in a window, which are its buttons if it has no toolkit."""
        found: list[Box] = []
        level = [window]
        with display_errors():
            while level and len(found) < MOST_PARTS:
                asked = [
                    (
                        self.core.QueryTree(one),
                        self.core.GetWindowAttributes(one),
                        self.core.GetGeometry(one),
                        self.core.TranslateCoordinates(one, self.root, 0, 0),
                    )
                    for one in level[:MOST_PARTS]
                ]
                level = []
                for cookies in asked:
                    tree, state, size, at = (self.answer(cookie) for cookie in cookies)
                    if None in (tree, state, size, at) or state.map_state != xproto.MapState.Viewable:
                        continue
                    level += tree.children
                    if not tree.children:
                        found.append(Box(x=at.dst_x, y=at.dst_y, width=size.width, height=size.height))
        return found

    def _property(self, window: int, name: str) -> Any:
        atom = getattr(xproto.Atom, name, None) or self.atoms[name]
        return self.core.GetProperty(False, window, atom, xproto.GetPropertyType.Any, 0, 1 << 16)

    def answer(self, cookie: Any) -> Any:
        """The reply, or None if its window has gone."""
        try:
            return cookie.reply()
        except xcffib.Error:
            return None

    def value(self, cookie: Any) -> bytes:
        """The property's value, empty if its window has gone."""
        reply = self.answer(cookie)
        return reply.value.buf() if reply is not None and reply.value_len else b""

    def ask_manager(self, window: int, message: str, *data: int) -> None:
        """Send a request to the window manager (EWMH)."""
        filled = [*data, 0, 0, 0, 0, 0][:5]
        union = xproto.ClientMessageData.synthetic(filled, "IIIII")
        event = xproto.ClientMessageEvent.synthetic(32, window, self.atoms[message], union)
        mask = EVENT_MASK.SubstructureRedirect | EVENT_MASK.SubstructureNotify
        with display_errors():
            self.core.SendEvent(False, self.root, mask, event.pack())
            self.sync()

    def activate(self, window: int) -> None:
        """Bring a window to the front and focus it (2: requested by a person)."""
        self.ask_manager(window, "_NET_ACTIVE_WINDOW", 2, 0, 0)

    def close_window(self, window: int) -> None:
        """Ask a window to close, as its button does."""
        self.ask_manager(window, "_NET_CLOSE_WINDOW", 0, 2)

    # -- pixels

    def picture(self) -> Image.Image:
        """The screen as an RGB picture."""
        if self.frame_buffer:
            return self.frame_buffer.picture()
        with display_errors():
            reply = self.core.GetImage(
                xproto.ImageFormat.ZPixmap, self.root, 0, 0, self.width, self.height, 0xFFFFFFFF
            ).reply()
        return Image.frombuffer("RGB", (self.width, self.height), reply.data.buf(), "raw", "BGRX", 0, 1)

    def screenshot(self) -> bytes:
        """PNG of the screen."""
        return png(self.picture())


class FrameBuffer:
    """The file that Xvfb draws into: an XWD header, colours, pixels. Reading it costs the server nothing.

    Programs of the desktop can write to it as well. So it is read, and never mapped: if somebody truncates a mapped file,
    access to the missing pages kills the reader.
    """

    def __init__(self, path: Path, size: tuple[int, int]) -> None:
        """``size``: the screen's size in pixels. Raises EnvironmentFailure if the file is not such a frame buffer."""
        self.size = size
        self._reading = threading.Lock()
        self._file = -1
        try:
            self._file = os.open(path, READ)
            plain = stat.S_ISREG(os.fstat(self._file).st_mode)
            header = struct.unpack(">25I", os.pread(self._file, 100, 0) if plain else b"")
        except (OSError, struct.error) as error:
            self.close()
            raise EnvironmentFailure("The display's pixels cannot be read.", hint="Run `deskcrew doctor`.") from error
        self._line = header[12]
        self._start = header[0] + header[19] * 12
        if (header[4], header[5]) != size or not size[0] * 4 <= self._line <= size[0] * 8 or self._start > 1 << 20:
            self.close()
            raise EnvironmentFailure("The display does not have the size or format that was asked for.")

    def _read(self, size: int, places: Iterable[int]) -> list[bytes]:
        """``size`` bytes from each offset. Raises EnvironmentFailure if they cannot be read."""
        try:
            with self._reading:
                pread, file = os.pread, self._file
                read = [pread(file, size, at) for at in places]
        except OSError as error:
            raise EnvironmentFailure("The display's pixels cannot be read.", hint="Start the run again.") from error
        if sum(map(len, read)) != size * len(read):
            told = "The display's pixels have gone: a program of the desktop has damaged its frame buffer."
            raise EnvironmentFailure(told, hint="Start the run again.")
        return read

    def picture(self) -> Image.Image:
        """The current content. Raises EnvironmentFailure if it cannot be read."""
        [pixels] = self._read(self._line * self.size[1], [self._start])
        return Image.frombuffer("RGB", self.size, pixels, "raw", "BGRX", self._line, 1)

    def copy(self) -> ScreenPixels:
        """The current content, for comparison with a later one. Raises EnvironmentFailure if it cannot be read."""
        # Line by line: memory for all of them at once would be asked of the kernel again each time, which takes longer.
        end = self._start + self.size[1] * self._line
        return ScreenPixels(self._read(self.size[0] * 4, range(self._start, end, self._line)))

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        with self._reading:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1


def png(picture: Image.Image) -> bytes:
    """A picture as PNG, compressed fast rather than well."""
    target = io.BytesIO()
    picture.save(target, "PNG", compress_level=1)
    return target.getvalue()


def numbers(value: bytes) -> list[int]:
    """A property of 32-bit values."""
    return list(struct.unpack_from(f"<{len(value) // 4}I", value))


def wait_readable(descriptors: list[int], seconds: float) -> bool:
    """Wait until one of ``descriptors`` has something to read, at most ``seconds``."""
    return bool(select.select(descriptors, [], [], max(0.0, seconds))[0])


def poll_until(condition: Callable[[], T | None], seconds: float, wait: Callable[[float], object]) -> T | None:
    """The first value of ``condition`` that is not None, waiting for events between attempts; None when time is up."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        left = deadline - time.monotonic()
        if value is not None or left <= 0:
            return value
        wait(min(left, 0.1))
