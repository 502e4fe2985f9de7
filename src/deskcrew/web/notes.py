"""Routes that show what folders say to agents, and where a person says whether that is their own word."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from deskcrew.errors import UsageError
from deskcrew.roles.notes import decide, decided, forget, notes_of, undecided, workspace_of
from deskcrew.web.asking import Text, folder_named
from deskcrew.web.context import Here
from deskcrew.web.fields import FieldError

router = APIRouter(prefix="/notes")


@router.get("")
def page(web: Here, request: Request, workspace: str = "") -> Response:
    """What the folder ``workspace`` says, and of which files the person has said whether they are theirs."""
    folder, wrong = None, ""
    try:
        folder = folder_named(workspace)
    except UsageError as error:
        wrong = f"{error} {error.hint}"
    notes = notes_of(folder, web.settings) if folder is not None else ()
    said = sorted(decided(web.settings).items())
    return web.pages.page(
        request,
        "notes.html",
        workspace=str(folder) if folder is not None else workspace,
        looked=folder is not None,
        wrong=wrong,
        notes=notes,
        undecided={note.digest for note in undecided(notes, web.settings)},
        said=[(str(file), followed, str(workspace_of(file))) for file, followed in said],
    )


@router.post("/decide")
def say(web: Here, path: Text, digest: Text, followed: Annotated[bool, Form()], workspace: Text = "") -> Response:
    """Say whether one is the person's own word: the one with this digest, which they were shown, and no other."""
    folder = folder_named(workspace)
    if folder is None:
        raise FieldError("Name a folder.", field="workspace")
    shown = [note for note in notes_of(folder, web.settings) if (note.path, note.digest) == (path, digest)]
    if not shown:
        raise UsageError(f"{path} is not what you were shown any more.", hint="Look at the folder again.")
    decide(shown, folder, web.settings, followed=followed)
    return _again()


@router.post("/forget")
def forget_it(web: Here, file: Text) -> Response:
    """Forget what the person said of a file."""
    forget(Path(file), web.settings)
    return _again()


def _again() -> Response:
    """The page that it was said on, loaded anew."""
    return Response(status_code=204, headers={"hx-refresh": "true"})
