"""Starting programs (C23). COLA drives a third-party launcher by embeddings; here names come from the .desktop files."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Annotated, Protocol, runtime_checkable

from pydantic import Field

from deskcrew.actions.action import Action, Finding, Happening, Params, Result, Scene
from deskcrew.actions.effects import failed
from deskcrew.actions.params import Brief, OneOf
from deskcrew.actions.windows import desktop
from deskcrew.errors import ActionError
from deskcrew.observation import Control


@runtime_checkable
class Described(Protocol):
    """A desktop that also tells by which words its programs are known (GenericName, Keywords of .desktop files)."""

    def application_words(self) -> Mapping[str, tuple[str, ...]]:
        """Application name -> other names, the most telling first."""
        ...


class OpenParams(Params):
    app_name: Annotated[str, OneOf("applications"), Brief(80)] = Field(
        min_length=1, max_length=200, description="The application, e.g. Mousepad."
    )
    file: Annotated[str, OneOf("documents"), Brief(200)] = Field("", description="A file of the workspace to open in it; may be new.")


def open_application(scene: Scene, params: OpenParams, control: Control | None) -> Result:
    """Start an application, with a file of the workspace if one is named."""
    screen = desktop(scene)
    words = screen.application_words() if isinstance(screen, Described) else dict[str, tuple[str, ...]]()
    name = match(params.app_name, screen.applications(), words)
    file = None
    if params.file.strip():
        path = scene.workspace.resolve(params.file)
        if not path.parent.is_dir():
            raise ActionError(f"The folder of {params.file!r} is not there; make it first.")
        file = scene.workspace.relative(path)
    screen.open_application(name, file)
    return Result(ok=True, text=f"Started {name}." + (f" File: {file}." if file else ""))


def _appeared(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    evidence = happening.evidence
    if evidence.windows_opened or evidence.active_window:
        return Finding(held=True)
    if evidence.titles_changed or evidence.controls_appeared:  # a new tab of a program that was in front already
        return Finding(held=True)
    return Finding(held=False, why="no window appeared")


def match(wanted: str, names: tuple[str, ...], words: Mapping[str, tuple[str, ...]]) -> str:
    """The application that is meant: exact name, then without case, then by words of name, generic name, keywords.

    Raises ActionError with the close ones when none fits, or several do.
    """
    text = re.sub(r"\.(exe|desktop)$", "", wanted.strip(), flags=re.IGNORECASE)
    if text in names:
        return text
    plain = text.casefold()
    if same := [name for name in names if name.casefold() == plain]:
        return same[0]
    # Several programs may be "Text Editor"; any of them is what was asked for.
    if generic := [name for name in names if plain in (word.casefold() for word in words.get(name, ())[:1])]:
        return generic[0]
    asked = _words(text)
    by_name = [name for name in names if asked and asked <= _words(name)]
    by_words = [name for name in names if asked and asked <= _words(" ".join((name, *words.get(name, ()))))]
    for found in (by_name, by_words):
        if len(found) == 1:
            return found[0]
    lowered = {name.casefold(): name for name in names}
    close = by_name or by_words or [lowered[key] for key in difflib.get_close_matches(plain, lowered, n=8, cutoff=0.4)]
    problem = f"Several applications fit {wanted!r}" if by_name or by_words else f"There is no application {wanted!r}"
    raise ActionError(f"{problem}; there are: {', '.join((close or list(names))[:20]) or 'none'}.")


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


ACTIONS = (Action("open_application", OpenParams, open_application, "write", "lasting", "desktop", postcondition=_appeared),)
