"""Starting programs (C23). COLA selects from a third-party launcher by embeddings; here names come from the .desktop
files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from deskcrew.actions.action import Action, Finding, Happening, Params, Result, Scene
from deskcrew.actions.asked import SHORT, Asked
from deskcrew.actions.effects import failed
from deskcrew.actions.params import Brief, OneOf
from deskcrew.actions.windows import desktop
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control


class OpenParams(Params):
    app_name: Annotated[str, OneOf("applications")] = Field(
        min_length=1, max_length=200, description="The application, e.g. Mousepad."
    )
    file: Annotated[str, Brief(200)] = Field("", description="An existing file to open in it.")


def open_application(scene: Scene, params: OpenParams, control: Control | None) -> Result:
    """Start an application, with a file of the workspace if one is named."""
    file = None
    if params.file.strip():
        path = scene.workspace.resolve(params.file)
        if not path.parent.is_dir():
            raise ActionError(f"The folder of {params.file!r} is not there; make it first.")
        file = scene.workspace.relative(path)
    name = desktop(scene).open_application(params.app_name, file)
    told = f"Started {name}." + (f" File: {file}." if file else "")
    return Result(ok=True, text=told, reads=(file,) if file else ())


def _appeared(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    evidence = happening.evidence
    if evidence.windows_opened or evidence.active_window:
        return Finding(held=True)
    if evidence.titles_changed or evidence.controls_appeared:  # a new tab of a program that was in front already
        return Finding(held=True)
    return Finding(held=False, why="no window appeared")


def _open_words(asked: Asked) -> str:
    file = asked.line("file")
    return f"Open {file} in {asked.line('app_name', SHORT)}" if file else f"Start {asked.line('app_name', SHORT)}"


OPEN_APPLICATION = Action(
    "open_application", OpenParams, open_application, "write", "lasting", "programs", postcondition=_appeared,
    gesture="start", worded=_open_words,
)  # fmt: skip
ACTIONS = (OPEN_APPLICATION,)
