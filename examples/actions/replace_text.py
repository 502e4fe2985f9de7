"""An action of your own: put this file into .deskcrew/actions of the folder you start in, and an agent can use it."""

from typing import Annotated

from pydantic import Field

from deskcrew.actions.action import Action, Finding, Happening, Params, Result, Scene
from deskcrew.actions.params import Brief, OneOf
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control


class ReplaceParams(Params):
    file_path: Annotated[str, OneOf("files"), Brief(200)] = Field(min_length=1, description="A text file.")
    old: Annotated[str, Brief(400)] = Field(min_length=1, description="The text to replace; it must occur exactly once.")
    new: Annotated[str, Brief(400)] = Field(description="The text to put in its place.")


def replace_text(scene: Scene, params: ReplaceParams, control: Control | None) -> Result:
    """Replace one text in a text file by another one, and keep all else.

    Only the paragraph above is shown to models; notes for maintainers go below it.
    """
    path = scene.workspace.resolve(params.file_path, must_exist=True)
    scene.workspace.changeable(path)
    name = scene.workspace.relative(path)
    with scene.workspace.held(path) as place:
        text = place.read_bytes().decode()
        if (count := text.count(params.old)) != 1:
            raise ActionError(f"{params.old!r} occurs {count} times in {name}; give a text that occurs once.")
        place.write_bytes(text.replace(params.old, params.new).encode())
    return Result(ok=True, text=f"Replaced it in {name}.", reads=(name,))


def changed(happening: Happening) -> Finding:
    """Whether the workspace shows that the file has changed."""
    held = bool(happening.evidence.files_changed)
    return Finding(held=held, why="" if held else f"{happening.params.file_path} is as it was")


ACTIONS = (
    Action(
        "replace_text",
        ReplaceParams,
        replace_text,
        risk="write",
        effect="undoable",
        needs="workspace",
        postcondition=changed,
        roles=("FileManager",),
    ),
)
