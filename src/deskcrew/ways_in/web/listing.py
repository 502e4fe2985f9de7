"""The first page: all runs, searched and filtered, those waiting for an answer first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

import anyio
import anyio.to_thread
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.verdict import UNDONE
from deskcrew.journal.store import RunRow, Sought
from deskcrew.ways_in.report.totals import without_outcome
from deskcrew.ways_in.web.context import Here, Web

router = APIRouter()

PAGE = 50
"""The number of runs on a page."""
AT_WORK = 200
"""The maximum number of unfinished runs, the newest, that are asked whether they have a question."""
SECONDS_TO_SAY = 1.0
"""How long runs' processes may take to say whether they have a question; a run that takes longer counts as running."""
OPEN: tuple[str | None, ...] = (None, "interrupted")
"""The outcomes of runs that have not ended."""
ASKS = "asks"
"""The filter, and the status, of runs that wait for an answer."""
FILTERS: dict[str, tuple[str, tuple[str | None, ...]]] = {
    "open": ("Open", OPEN),
    "done": ("Done", ("done",)),
    "unverified": ("Unverified", ("unverified",)),
    "failed": ("Failed", ("failed",)),
    "denied": ("Denied", ("denied",)),
    "stopped": ("Stopped", ("stopped",)),
    "objected": ("Objected", ("objected",)),
    "undone": ("Undone", (UNDONE,)),
}
"""The filters for runs: title, and the outcomes that it shows."""


@dataclass(frozen=True, slots=True)
class Filter:
    """One of the filters above the list. ``count``: the number of runs that it shows."""

    name: str
    title: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in the list. ``status``: its outcome, or ``running`` and the like if it has none."""

    row: RunRow
    status: str


class ListQuery(BaseModel):
    """Which runs are listed. ``q``: words to search for; ``deeds``: search operations, too."""

    q: str = ""
    show: str = ""
    skip: int = 0
    deeds: bool = False
    crew: str = ""
    model: str = ""


@router.get("/")
async def runs(web: Here, request: Request, query: Annotated[ListQuery, Query()]) -> Response:
    """The list of runs: those with a question, then the newest first. With ``skip``, only the lines after that many."""
    sought = Sought(search=query.q, deeds=query.deeds, crew=query.crew, model=query.model)
    asking = await _asking(web, sought)
    values = await anyio.to_thread.run_sync(_listed, web, sought, query.show, max(query.skip, 0), asking)
    also = query.model_dump(include={"q", "crew", "model"})
    return web.pages.page(
        request,
        "parts/run_lines.html" if query.skip > 0 else "runs.html",
        **also,
        deeds=query.deeds,
        also=urlencode({name: value for name, value in also.items() if value}) + ("&deeds=true" if query.deeds else ""),
        **values,
    )


def _listed(web: Web, sought: Sought, show: str, skip: int, asking: list[RunRow]) -> dict[str, Any]:
    """The values for the list's templates. Runs with a question are only on the first page. Blocking."""
    chosen = show if show in FILTERS or show == ASKS else ""
    outcomes = FILTERS[chosen][1] if chosen in FILTERS else None
    rows = [] if chosen == ASKS else web.store.runs(limit=PAGE + 1, skip=skip, outcomes=outcomes, sought=sought)
    first = asking if not skip and (chosen in ("", ASKS) or (outcomes and None in outcomes)) else []
    waiting = {row.id for row in asking}
    counts = web.store.count(sought)
    filters = [Filter(ASKS, "Asks you", len(asking), chosen == ASKS)]
    filters += [
        Filter(name, title, sum(counts.get(each, 0) for each in wanted), chosen == name)
        for name, (title, wanted) in FILTERS.items()
    ]
    crews, models = web.store.named()
    others = [row for row in rows[:PAGE] if row.id not in waiting]
    working = web.store.at_work([row.id for row in others if row.outcome in OPEN])
    return {
        "lines": [
            *(ListedRun(row, ASKS) for row in first),
            *(ListedRun(row, "running" if row.id in working else row.word or without_outcome(row.last)) for row in others),
        ],
        "more": skip + PAGE if len(rows) > PAGE else 0,
        "filters": filters,
        "total": sum(counts.values()),
        "show": chosen,
        "crews": crews,
        "models": models,
    }


def _open(web: Web, sought: Sought) -> tuple[list[RunRow], list[RunRow]]:
    """The matching runs that have an active process here, and those that have a question without one. Blocking."""
    rows = web.store.runs(limit=AT_WORK, outcomes=OPEN, sought=sought)
    working = web.store.at_work([row.id for row in rows])
    elsewhere = web.runs.asking()
    asking = web.store.runs(limit=AT_WORK, among=elsewhere, sought=sought) if elsewhere else []
    return [row for row in rows if row.id in working and row.id not in elsewhere], asking


async def _asking(web: Web, sought: Sought) -> list[RunRow]:
    """The matching runs that wait for a person's answer, the newest first. Asks all processes at once."""
    rows, elsewhere = await anyio.to_thread.run_sync(_open, web, sought)
    found: set[str] = set()

    async def ask(run: str) -> None:
        try:
            alive = await web.runs.alive(run)
        except EnvironmentFailure:
            return  # it is there and says nothing; its own page tells
        if alive is not None and alive.question is not None:
            found.add(run)

    with anyio.move_on_after(SECONDS_TO_SAY):
        async with anyio.create_task_group() as tasks:
            for row in rows:
                tasks.start_soon(ask, row.id)
    return sorted((*elsewhere, *(row for row in rows if row.id in found)), key=lambda row: -row.created)
