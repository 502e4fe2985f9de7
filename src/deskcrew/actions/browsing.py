"""Actions on web pages that ordinary windows do not have. Clicking, typing and choosing work as in any window."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from deskcrew.actions.action import Action, Finding, Happening, Params, Result, Scene
from deskcrew.actions.asked import Asked
from deskcrew.actions.effects import changed, failed
from deskcrew.actions.params import OneOf
from deskcrew.actions.windows import desktop, target
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control


class UrlParams(Params):
    url: str = Field(min_length=1, max_length=4000, description="The address, or a file of the workspace.")
    new_window: bool = Field(False, description="Keep the page that is open.")


def open_url(scene: Scene, params: UrlParams, control: Control | None) -> Result:
    """Open a page by its address."""
    desktop(scene).open_url(params.url, new_window=params.new_window)
    return Result(ok=True)


def go_back(scene: Scene, params: Params, control: Control | None) -> Result:
    """Go back to the page before."""
    desktop(scene).back()
    return Result(ok=True)


def go_forward(scene: Scene, params: Params, control: Control | None) -> Result:
    """Go forward to the page after."""
    desktop(scene).forward()
    return Result(ok=True)


def _arrived(happening: Happening) -> Finding:
    """A page must have arrived: another one than before, or a file instead."""
    if finding := failed(happening):
        return finding
    before, after = happening.before.active_window, happening.after.active_window
    moved = after is not None and (before is None or (before.id, before.url) != (after.id, after.url))
    return Finding(held=True) if moved or not happening.evidence.empty else Finding(held=None, why="it is the same page")


def hover(scene: Scene, params: Params, control: Control | None) -> Result:
    """Put the mouse on a control, which may open a menu."""
    desktop(scene).hover(target(control))
    return Result(ok=True)


class DragParams(Params):
    to: Annotated[str, OneOf("controls")] = Field(min_length=1, description="The control to drop it on.")


def drag(scene: Scene, params: DragParams, control: Control | None) -> Result:
    """Drag a control onto another one."""
    goal = scene.observation.control(params.to)
    if goal is None:
        raise ActionError(f"There is no control {params.to!r} to drop it on.")
    desktop(scene).drag(target(control), goal)
    return Result(ok=True)


class FindParams(Params):
    text: str = Field(min_length=1, max_length=1000, description="A text of the page.")


def find_text(scene: Scene, params: FindParams, control: Control | None) -> Result:
    """Find a text in the page and bring it into view; again for its next place."""
    return Result(ok=True, text=desktop(scene).find_text(params.text))


class PartParams(Params):
    part: int = Field(1, ge=1, le=1000, description="Which part of a long page.")


def read_page(scene: Scene, params: PartParams, control: Control | None) -> Result:
    """Read the whole page, also what is not in view, part by part."""
    parts = in_parts(desktop(scene).page_markdown(), scene.room)
    if params.part > len(parts):
        raise ActionError(f"The page has {len(parts)} part{'s' if len(parts) != 1 else ''}.")
    more = f"; part={params.part + 1} shows more" if params.part < len(parts) else ""
    head = f"[part {params.part} of {len(parts)}{more}]\n" if len(parts) > 1 else ""
    front = scene.observation.active_window
    return Result(ok=True, text=head + parts[params.part - 1], reads=(front.url,) if front is not None else ())


def in_parts(text: str, length: int) -> list[str]:
    """A text in parts of about ``length`` characters, split between paragraphs where possible."""
    parts, left = list[str](), text
    while len(left) > length:
        at = max(left.rfind("\n\n", 0, length), left.rfind("\n", length // 2, length))
        at = at if at > 0 else length
        parts.append(left[:at])
        left = left[at:].lstrip("\n")
    return [*parts, left]


class UploadParams(Params):
    file_path: Annotated[str, OneOf("files")] = Field(min_length=1, max_length=1000, description="The file.")


def upload_file(scene: Scene, params: UploadParams, control: Control | None) -> Result:
    """Give a file of the workspace to a file field, or to a button that asks for one."""
    path = scene.workspace.relative(scene.workspace.resolve(params.file_path, must_exist=True))
    desktop(scene).upload(target(control), path)
    return Result(ok=True, text=f"Gave it {path}.", reads=(path,))


def download_file(scene: Scene, params: Params, control: Control | None) -> Result:
    """Click a control that hands over a file, and wait until it is in the workspace."""
    name = desktop(scene).download(target(control))
    return Result(ok=True, text=f"Downloaded {name}.")


def _hovered(happening: Happening) -> Finding:
    """Something may change; most controls do not react visibly to the mouse pointer."""
    finding = changed(happening)
    return finding if finding.held or not happening.result.ok else Finding(held=None, why=finding.why)


def _landed(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    held = bool(happening.evidence.files_created)
    return Finding(held=held, why="" if held else "no file came")


def _open_words(asked: Asked) -> str:
    return f"Open {asked.line('url')}{' in a new window' if asked.flag('new_window') else ''}"


def _read_words(asked: Asked) -> str:
    part = asked.line("part", 10)
    return "Read the page" + (f", part {part}" if part not in ("", "1") else "")


HOVER = Action(
    "hover", Params, hover, "write", "lasting", "browser", "required", ("click", "type"), _hovered,
    gesture="hover", worded=lambda asked: f"Point at {asked.thing()}",
)  # fmt: skip
DRAG = Action(
    "drag", DragParams, drag, "write", "lasting", "browser", "required", ("click", "set"), changed,
    gesture="drag", worded=lambda asked: f"Drag {asked.thing()} onto {asked.thing(asked.raw('to')) or 'nothing'}",
)  # fmt: skip
FIND_TEXT = Action(
    "find_text", FindParams, find_text, "read", "none", "browser",
    gesture="look", worded=lambda asked: f"Find {asked.quoted('text')} on the page",
)  # fmt: skip
ACTIONS = (
    Action(
        "open_url", UrlParams, open_url, "write", "lasting", "browser", postcondition=_arrived,
        gesture="open", worded=_open_words,
    ),
    Action(
        "go_back", Params, go_back, "write", "lasting", "browser", postcondition=_arrived,
        gesture="back", worded=lambda _: "Go back to the page before",
    ),
    Action(
        "go_forward", Params, go_forward, "write", "lasting", "browser", postcondition=_arrived,
        gesture="back", worded=lambda _: "Go forward to the next page",
    ),
    HOVER,
    DRAG,
    FIND_TEXT,
    Action("read_page", PartParams, read_page, "read", "none", "browser", gesture="look", gives="page", worded=_read_words),
    Action(
        "upload_file", UploadParams, upload_file, "write", "lasting", "browser", "required", ("click",), changed,
        group="transfers", gesture="upload", worded=lambda asked: f"Upload {asked.line('file_path')}{asked.aimed('to')}",
    ),
    Action(
        "download_file", Params, download_file, "write", "lasting", "browser", "required", ("click",), _landed,
        group="transfers", worded=lambda asked: f"Download what {asked.thing()} offers",
    ),
)  # fmt: skip
