"""Routes that show the instructions in folders, and let a person say whether agents may follow them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from deskcrew.engine.roles.notes import decide, decided, forget, notes_of, undecided, workspace_of
from deskcrew.errors import UsageError
from deskcrew.ways_in.web.asking import Text, folder_named
from deskcrew.ways_in.web.context import Here
from deskcrew.ways_in.web.fields import FieldError

router = APIRouter(prefix="/notes")


@router.get("")
def page(web: Here, request: Request, workspace: str = "") -> Response:
    """The instructions in the folder ``workspace``, and the files that the person has already decided about."""
    folder, wrong = None, ""
    try:
        folder = folder_named(workspace, web.settings)
    except UsageError as error:
        wrong = error.whole
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
    """Decide about one file. Only the version with this digest, which the person was shown, counts."""
    folder = folder_named(workspace, web.settings)
    if folder is None:
        raise FieldError("Name a folder.", field="workspace")
    shown = [note for note in notes_of(folder, web.settings) if (note.path, note.digest) == (path, digest)]
    if not shown:
        raise UsageError(f"{path} has changed since you were shown it.", hint="Look at the folder again.")
    decide(shown, folder, web.settings, followed=followed)
    return _again()


@router.post("/forget")
def forget_it(web: Here, file: Text) -> Response:
    """Forget the decision about a file."""
    forget(Path(file), web.settings)
    return _again()


def _again() -> Response:
    """Reload the page with the form."""
    return Response(status_code=204, headers={"hx-refresh": "true"})
