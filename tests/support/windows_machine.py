"""An agent on Windows whose machine exists as a recorded tree alone: what is ordered of it changes the tree, as the
patterns' documentation says; what an element has no pattern for, is disabled or read-only, it refuses."""

from __future__ import annotations

import copy
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from deskcrew.environments.windows.keys import CODES
from deskcrew.environments.windows.remote import WindowsMachine
from deskcrew_windows_agent.answering import Agent
from deskcrew_windows_agent.files import Folder
from deskcrew_windows_agent.machine import RefusedError
from deskcrew_windows_agent.protocol import Button, Key, Snapshot, Verb
from deskcrew_windows_agent.serving import serve_stdio

TREES = Path(__file__).parents[1] / "environments" / "windows"
NEEDED = {
    "invoke": "Invoke", "toggle": "Toggle", "select": "SelectionItem", "expand": "ExpandCollapse",
    "collapse": "ExpandCollapse", "set value": "Value", "set number": "RangeValue",
}  # fmt: skip


def recorded(name: str) -> dict[str, Any]:
    return json.loads((TREES / f"{name}.json").read_text())["snapshot"]


def elements(element: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield element
    for child in element.get("children", []):
        yield from elements(child)


class RecordedMachine:
    """``reacts``: what a program does when something is invoked, given the machine and the element's name. ``calls``: all
    that was done, in order."""

    def __init__(self, name: str, reacts: Callable[[RecordedMachine, str], None] = lambda machine, name: None) -> None:
        self.state = recorded(name)
        self.reacts = reacts
        self.calls: list[tuple[Any, ...]] = []
        self.copied = ""
        self.lacks = ()
        self.stubborn = False
        """Windows lets no window come to the front."""

    def named(self, name: str) -> dict[str, Any]:
        """The first element of that name."""
        return next(one for one in self.all() if one.get("name") == name)

    def all(self) -> Iterator[dict[str, Any]]:
        for window in self.state["windows"]:
            yield from elements(window["root"])

    def look(self) -> Snapshot:
        return Snapshot.model_validate_json(json.dumps(_told(self.state)))

    def order(self, key: Key, verb: Verb, argument: str | float | None) -> None:
        found = next((one for one in self.all() if tuple(one["key"]) == key), None)
        if found is None:
            raise RefusedError("It has gone. Look again.")
        self.calls.append((verb, found.get("name", ""), *([] if argument is None else [argument])))
        if verb == "find":
            self._find(found, str(argument))
            return
        if verb != "focus" and NEEDED[verb] not in found.get("patterns", []):
            raise RefusedError("It has changed, and cannot do that now. Look again.")
        if not found.get("enabled", True) or (verb.startswith("set") and found.get("read_only")):
            raise RefusedError("Windows refused it (element not enabled). Look again.")
        match verb:
            case "focus":
                for one in self.all():
                    one["focused"] = one is found
            case "toggle":
                found["toggled"] = "off" if found["toggled"] == "on" else "on"
            case "select":
                self._select(found)
            case "expand" | "collapse":
                found["expanded"] = f"{verb}ed" if verb == "expand" else "collapsed"
                for inner in found.get("children", []):
                    for one in elements(inner):
                        one["offscreen"] = verb == "collapse"
            case "set value":
                found["value"] = argument
            case "set number":
                found["number"] = argument
            case "invoke":
                self.reacts(self, found["name"])

    def _find(self, found: dict[str, Any], name: str) -> None:
        """Long lists have their other items in ``virtual`` until they are needed."""
        made = next((one for one in found["virtual"] if one["name"] == name), None)
        if made is None:
            raise RefusedError(f"There is no {name!r} in it.")
        found["children"].append(made)

    def _select(self, found: dict[str, Any]) -> None:
        group = next(one for one in self.all() if any(child is found for child in one.get("children", [])))
        for child in group["children"]:
            if child["type"] == found["type"]:
                child["selected"] = child is found
        holder = next((one for one in self.all() if any(child is group for child in one.get("children", []))), None)
        if holder is not None and holder["type"] == "ComboBox":
            holder["value"] = found["name"]

    def click(self, x: int, y: int, button: Button, count: int) -> None:
        self.calls.append(("click", x, y, button, count))

    def wheel(self, x: int, y: int, notches: int) -> None:
        self.calls.append(("wheel", x, y, notches))

    def press(self, codes: tuple[int, ...]) -> None:
        self.calls.append(("press", *codes))
        focus = next((one for one in self.all() if one.get("focused") and "value" in one), None)
        if codes == (CODES["delete"],) and self.calls[-2] == ("press", CODES["ctrl"], CODES["a"]) and focus is not None:
            focus["value"] = ""

    def type(self, text: str) -> None:
        self.calls.append(("type", text))
        focus = next((one for one in self.all() if one.get("focused") and "value" in one), None)
        if focus is not None:
            focus["value"] += text

    def picture(self) -> bytes:
        target = io.BytesIO()
        Image.new("RGB", (self.state["screen"]["width"], self.state["screen"]["height"])).save(target, "PNG")
        return target.getvalue()

    def clipboard(self) -> str:
        return self.copied

    def set_clipboard(self, text: str) -> None:
        self.copied = text

    def bring_forward(self, window: int) -> None:
        self.calls.append(("bring forward", window))
        if not self.stubborn:
            windows = self.state["windows"]
            for one in windows:
                one["active"] = one["id"] == window
            windows.sort(key=lambda one: not one["active"])

    def close_window(self, window: int) -> None:
        self.state["windows"] = [one for one in self.state["windows"] if one["id"] != window]

    def programs(self) -> tuple[str, ...]:
        return "Calculator", "Notepad", "Notepad++", "Word"

    def start(self, program: str) -> None:
        if program == "Calculator":
            window = copy.deepcopy(recorded("calculator")["windows"][0])
            for one in self.state["windows"]:
                one["active"] = False
            self.state["windows"].insert(0, window)

    def close(self) -> None:
        self.calls.append(("close",))


def _told(node: Any) -> Any:
    """A tree without what only a machine knows of it."""
    if isinstance(node, dict):
        return {name: _told(value) for name, value in node.items() if name != "virtual"}
    return [_told(each) for each in node] if isinstance(node, list) else node


class MemoryLine:
    """A line to an agent in this process."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def ask(self, message: str, seconds: float) -> str:
        return self.agent.answer(message)

    def close(self) -> None:
        self.agent.close()


def remote_of(machine: RecordedMachine, folder: Path | None = None) -> WindowsMachine:
    """An agent with that machine and folder, over the protocol."""
    return WindowsMachine(MemoryLine(Agent(lambda: machine, Folder(folder))))


if __name__ == "__main__":  # an agent of its own: TREE [FOLDER]
    tree, *rest = sys.argv[1:]
    serve_stdio(
        Agent(lambda: RecordedMachine(tree), Folder(Path(rest[0]) if rest else None)), sys.stdin.buffer, sys.stdout.buffer
    )
