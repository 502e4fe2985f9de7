"""The gallery: recorded runs that ship with the package, for people who only want to look."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread
from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from deskcrew.journal.importing import read_export
from deskcrew.ways_in.web.context import Here

router = APIRouter(prefix="/gallery")
FOLDER = Path(__file__).parent / "recorded"


@dataclass(frozen=True, slots=True)
class GalleryRun:
    """A run of the gallery. ``name``: its file's name, without the ending; ``look``: what to look at."""

    name: str
    title: str
    look: str

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.zip"


GALLERY = (
    GalleryRun(
        "rejected",
        "A claim that was rejected",
        "A workbook, a web page and a letter on a desktop. The crew says that it is finished and left something out; the "
        "proof finds that, one sentence repairs it, and the run ends done.",
    ),
    GalleryRun(
        "altered",
        "The same work on an altered file",
        "One number in the workbook was changed, and the crew does not know it. The proof does: the run does not end done.",
    ),
    GalleryRun(
        "expenses",
        "A chore over a workbook, without a desktop",
        "The three largest expenses go into a new sheet of a copy. See what must hold, which program checked it, and on how "
        "many spoiled copies that program was tried.",
    ),
)
"""The recorded runs, which ``bench/gallery.py`` made."""


@router.get("")
def gallery(web: Here, request: Request) -> Response:
    """The recorded runs, with what to look at in each."""
    return web.pages.page(request, "gallery.html", gallery=GALLERY)


@router.post("/{name}")
async def look(web: Here, name: str) -> Response:
    """Import a recorded run, unless it is here already, and go to its page."""
    one = next((each for each in GALLERY if each.name == name), None)
    if one is None:
        raise HTTPException(404)
    found = await anyio.to_thread.run_sync(read_export, one.file, web.store)
    return RedirectResponse(f"/runs/{found.run}", 303)
