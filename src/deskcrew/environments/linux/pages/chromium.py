"""Chromium on a virtual desktop: started with a line to us, through which the pages in its windows are read and operated.

Nothing listens for it inside. A small program there connects to a socket of ours, which is accepted once and removed, and
becomes the browser, with the connection in place of its two debugging pipes.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deskcrew.environments.linux.look.page import PageReport, PageSeen
from deskcrew.environments.linux.session import ProgramSession
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.programs import BusProgram
from deskcrew.environments.linux.tree.tree import CHROMIUM
from deskcrew.environments.workspace import INSIDE
from deskcrew.facts.observation import Box

if TYPE_CHECKING:
    from deskcrew.environments.linux.pages.link import BrowserLink

_LEAD = """
import fcntl, json, os, pathlib, socket, sys
file = pathlib.Path.home() / ".config/chromium/Default/Preferences"
try:
    wanted = json.loads(file.read_text())
except (OSError, ValueError):
    wanted = {}
wanted.setdefault("download", {})["default_directory"] = sys.argv[2]
wanted.setdefault("savefile", {})["default_directory"] = sys.argv[3]
file.parent.mkdir(parents=True, exist_ok=True)
file.write_text(json.dumps(wanted))
line = socket.socket(socket.AF_UNIX)
line.connect(sys.argv[1])
copy = fcntl.fcntl(line, fcntl.F_DUPFD, 10)
os.dup2(copy, 3)
os.dup2(copy, 4)
os.close(copy)
os.execvp(sys.argv[4], sys.argv[4:])
"""
"""Makes the browser put downloads beside the workspace, and saved pages in it. The line is copied first, since the socket
itself may be descriptor 3."""
HANDED = "handed"
"""The folder for downloads."""
FLAG = "--remote-debugging-pipe"


class Chromium:
    """The browser of one desktop, if there is a line to it."""

    def __init__(self, lead: Path | None, folder: Path, workspace: Path) -> None:
        """``lead``: the Python inside that makes the connection, None if there is none; ``folder``: a folder that both sides
        see."""
        self._lead = lead
        self._folder = folder
        self._workspace = workspace
        self.link: BrowserLink | None = None
        self.seen: dict[tuple[str, str], PageSeen] = {}
        """The pages of the last observation, by program and path of the document on the accessibility bus."""

    def start(self, session: ProgramSession, command: list[str]) -> None:
        """Start the browser; if a browser with a line is already running, that one opens what ``command`` names."""
        if self._lead is None or (self.link is not None and self.link.alive):
            session.start(command)
            return
        # What speaks with browsers takes a while to be read in.
        from deskcrew.environments.browser.arriving import Arriving
        from deskcrew.environments.linux.pages.link import BrowserLink

        self.close()
        handed = self._folder / HANDED
        handed.mkdir(mode=0o700, exist_ok=True)
        place = self._folder / f"line-{secrets.token_hex(8)}"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(place))
        listener.listen(1)
        self.link = BrowserLink(listener, place, Arriving(handed, self._workspace))
        lead = f"exec({_LEAD!r})"  # a command inside is one line
        session.start([str(self._lead), "-I", "-S", "-c", lead, str(place), str(handed), INSIDE, *command, FLAG])

    @property
    def coming(self) -> bool:
        """Whether a browser with a line is just starting."""
        return self.link is not None and self.link.coming

    def await_page(self) -> bool:
        """Wait until the page opened last has settled; bounded. Returns whether there is a page to report."""
        if self.link is None or not self.link.alive:
            return False
        self.link.settle()
        return self.link.shows

    def look(self, program: BusProgram, windows: Sequence[tuple[Node, Box]], *, lists: bool) -> bool:
        """Read the pages in a program's windows (top-level nodes with their windows' boxes). ``lists``: a list may be open,
        whose contents no page reports. Returns whether the accessibility bus must be queried for other pages than before."""
        name, tree = program.name, program.tree
        for key in [key for key in self.seen if key[0] == name]:
            del self.seen[key]
        if self.link is None or tree.toolkit != CHROMIUM or self.link.pid != program.pid:
            return tree.leave_out(())
        found = [(root, window, node) for root, window in windows for node in documents(root)]
        asked = [PageReport(node.path, node.name, to_box(node), window, tree.factor) for _, window, node in found]
        self.seen |= {(name, path): seen for path, seen in self.link.read(asked).items()} if asked else {}
        return tree.leave_out(path for program_name, path in self.seen if program_name == name and not lists)

    def of(self, program: BusProgram, node: Node) -> PageSeen | None:
        """The page for a document of the last observation."""
        return self.seen.get((program.name, node.path))

    def close(self) -> None:
        """Close the line. Safe to call twice."""
        if self.link is not None:
            self.link.close()
            self.link = None


def documents(root: Node) -> list[Node]:
    """The nodes of the pages in a window, whose contents are reported by script."""
    found: list[Node] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.role in roles.PAGES and node.states & roles.SHOWING and min(node.box[2:]) > 0:
            found.append(node)
        elif node.states & roles.SHOWING or node.parent is None:
            waiting += node.children
    return found


def to_box(node: Node) -> Box:
    """The box of a node on the screen."""
    x, y, width, height = node.box
    return Box(x=x, y=y, width=width, height=height)
