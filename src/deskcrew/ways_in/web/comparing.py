"""Routes for the branches of a run, and for comparing two of them side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from deskcrew.facts.events import Event
from deskcrew.journal.branches import JournalBranch, branch_named, branches, name_branch
from deskcrew.journal.journal import Journal
from deskcrew.ways_in.report.comparing import apart, file_differences
from deskcrew.ways_in.web import story
from deskcrew.ways_in.web.asking import Text
from deskcrew.ways_in.web.context import Here
from deskcrew.ways_in.web.screen import ShownScreen, screen_at

router = APIRouter(prefix="/runs/{run}")
Change = Literal["name", "hide", "show"]


@dataclass(frozen=True, slots=True)
class BranchSide:
    """One of two branches. ``screen``: its last screen, None if it has none."""

    branch: JournalBranch
    screen: ShownScreen | None


@router.get("/branches")
def page(web: Here, request: Request, run: str, a: str = "", b: str = "", hidden: bool = False) -> Response:
    """All branches, and two side by side: by default the current and the previous one. ``hidden``: list hidden ones, too."""
    journal = web.store.journal(web.store.row(run).id)
    there = branches(journal)
    second = branch_named(journal, b) if b else next(branch for branch in there if branch.current)
    # What somebody hid is compared only where nothing else is there, or they name it.
    others = sorted((branch for branch in there if branch.number != second.number), key=lambda branch: not branch.hidden)
    first = branch_named(journal, a) if a else others[-1] if others else second
    reading = web.readings.of(run)
    sides: list[BranchSide] = []
    for branch in (first, second):
        track = reading.track(branch.head.number)
        sides.append(BranchSide(branch, screen_at(reading, track, track.head)))
    paths = [journal.lineage(side.branch.head.number) for side in sides]
    own = apart(paths[0], paths[1])
    shared = len(paths[0]) - len(own[0])
    goals = {subtask.id: subtask.goal for subtask in journal.state.plan.subtasks}
    columns = [
        story.lines(reading, track, story.stretches(reading, track, after=_shared(paths[0], shared)), goals)
        for track in (reading.track(side.branch.head.number) for side in sides)
    ]
    return web.pages.page(
        request,
        "branches.html",
        row=web.store.row(run),
        task=journal.state.task,
        branches=there,
        whole=JournalBranch(0, None, tuple(journal.all)),
        sides=sides,
        rows=list(zip_longest(*columns)),
        shared=_shared(paths[0], shared),
        files=file_differences(journal, paths[0], paths[1]) if first.number != second.number else [],
        same=first.number == second.number,
        changeable=not journal.imported(),
        showing=hidden,
    )


@router.post("/branches/{number}")
def change(web: Here, run: str, number: int, do: Annotated[Change, Form()], label: Text = "") -> Response:
    """Name a branch ('' removes the name), or hide it from lists, or show it again."""
    journal: Journal = web.store.journal(web.store.row(run).id)
    branch = branch_named(journal, str(number))
    if do == "name":
        name_branch(journal, branch, label=label.strip())
    else:
        name_branch(journal, branch, hidden=do == "hide")
    return Response(status_code=204, headers={"hx-refresh": "true"})


def _shared(path: list[Event], count: int) -> int:
    """The number of the last event that both branches share."""
    return path[count - 1].number if count else 0
