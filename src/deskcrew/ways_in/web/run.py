"""A run's page: its task, state, screen, plan, story, cost, and each of its replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import anyio.to_thread
from fastapi import APIRouter, Request
from starlette.responses import Response

from deskcrew.errors import JournalError, UsageError
from deskcrew.facts.events import RunInterrupted
from deskcrew.journal.reading import Reading
from deskcrew.journal.store import RunRow, Store
from deskcrew.ways_in.report import inspection
from deskcrew.ways_in.running import Alive
from deskcrew.ways_in.web import inspecting, pictures, story
from deskcrew.ways_in.web.advice import help_for
from deskcrew.ways_in.web.context import Here, Web
from deskcrew.ways_in.web.gate import WITH_DESKTOP
from deskcrew.ways_in.web.peeking import peeks
from deskcrew.ways_in.web.run_files import changed_after, files_at, removed_after
from deskcrew.ways_in.web.run_view import ShownRun, shown
from deskcrew.ways_in.web.screen import look_before, picture, screen_at
from deskcrew.ways_in.web.timeline import timeline

router = APIRouter(prefix="/runs/{run}")
FOREVER = "private, max-age=31536000, immutable"
"""The cache header for parts of an event, since events never change."""


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """A run, loaded for its page. ``before``: the run that it follows, '' if that is not here; ``after``: the runs that
    follow it; ``altered``: a warning that its record was altered, '' if it was not; ``here``: whether its folder is on this
    machine; ``broke``: the error that ended its process before it had an outcome."""

    reading: Reading
    run: ShownRun
    alive: Alive | None
    before: str = ""
    after: tuple[RunRow, ...] = ()
    altered: str = ""
    here: bool = True
    broke: str = ""


async def seen(web: Web, run: str, head: int = 0) -> LoadedRun:
    """The run with that full id, as it is now, or as it was at the event ``head``. Raises UsageError if there is none."""
    alive = await web.runs.alive(run)
    return await anyio.to_thread.run_sync(read, web, run, alive, head)


def read(web: Web, run: str, alive: Alive | None, head: int = 0) -> LoadedRun:
    """The run with that full id. ``alive``: the state that its process reports; ``head``: see :func:`seen`. Blocking."""
    reading = web.readings.of(run)
    busy = alive is not None or web.runs.busy(run)
    row = web.store.row(run)
    before = row.follows if row.follows and web.store.has(row.follows) else ""
    after = tuple(web.store.row(each) for each in web.store.followers(row)) if row.outcome is not None else ()
    found = shown(reading, row, alive, busy=busy, head=head)
    altered, here = "" if found.moving else _altered(web.store, reading), web.store.here(run)
    broke = "" if found.moving or found.outcome else _broke(web, reading, found)
    return LoadedRun(reading, found, alive, before, after, altered, here=here, broke=broke)


def _broke(web: Web, reading: Reading, run: ShownRun) -> str:
    """The error that ended a run's process: the recorded one, or what the process wrote last; '' if there is neither."""
    last = reading.event(run.track.head).body
    return last.error if isinstance(last, RunInterrupted) else web.runs.last_line(run.row.id)


def _altered(store: Store, reading: Reading) -> str:
    """The warning that a run's record was altered, or ''. Verifies it again only if the journal was written to since."""
    files = [store.path.with_name(f"{store.path.name}{end}") for end in ("", "-wal")]
    stats = [each.stat() for each in files if each.exists()]
    version = object() if store.database.shared else [(each.st_mtime_ns, each.st_size) for each in stats]
    return reading.once(_altered, version, lambda: inspection.altered(reading.run, store.unread(reading.run).verify()))


@router.get("")
async def page(web: Here, request: Request, run: str, head: int = 0, event: int = 0, back: bool = False) -> Response:
    """The page. ``head``: the end of a branch other than the current one; ``event``: the selected event; ``back``: open the
    dialog for going back to it."""
    found = await seen(web, run, head)
    values = await anyio.to_thread.run_sync(parts, found)
    looked = await anyio.to_thread.run_sync(inspecting.inspected, found.reading, found.run.track, event) if event else None
    answer = web.pages.page(request, "run.html", inspected=looked, back=back, **values)
    if found.run.started.desktop == "virtual":
        answer.headers["content-security-policy"] = WITH_DESKTOP
    return answer


def standing(found: LoadedRun) -> dict[str, Any]:
    """The values for the templates of the page's parts, except the story. Blocking."""
    track = found.run.track
    files = files_at(found.reading, track)
    return {
        "run": found.run,
        "alive": found.alive,
        "before": found.before,
        "after": found.after,
        "altered": found.altered,
        "broke": found.broke,
        "screen": screen_at(found.reading, track, track.head),
        "look": look_before(found.reading, track, track.head) if found.alive and found.alive.question else None,
        "files": files,
        "since": changed_after(files, found.run),
        "lost": removed_after(files, found.run) if found.here else frozenset[str](),
        "peeks": peeks(files, found.run),
        "help": None if found.altered or found.run.outcome is None else help_for(found.reading, track, found.run.row.id),
    }


def parts(found: LoadedRun) -> dict[str, Any]:
    """The values for the templates of all of the page's parts. Blocking."""
    run, track = found.run, found.run.track
    lines = story.whole(found.reading, track)
    last = story.pages(lines) - 1
    return standing(found) | {
        "pages": last + 1,
        "page": last,
        "lines": story.lines(found.reading, track, lines[last * story.PAGE :], run.goals),
    }


@router.get("/story/{page}")
def story_page(web: Here, request: Request, run: str, page: int, head: int = 0) -> Response:
    """One page of the story."""
    reading = web.readings.of(run)
    track = reading.track(head)
    found = story.whole(reading, track)[max(page, 0) * story.PAGE :][: story.PAGE]
    view = shown(reading, web.store.row(run), None, head=head)
    lines = story.lines(reading, track, found, view.goals)
    return web.pages.page(request, "parts/story_page.html", lines=lines, run=view)


@router.get("/events/{number}")
def event(web: Here, request: Request, run: str, number: int, head: int = 0) -> Response:
    """A reply, or another line of the story, with everything that belongs to it."""
    reading = web.readings.of(run)
    row = web.store.row(run)
    view = shown(reading, row, None, busy=web.runs.busy(run), head=head or _head_with(reading, number))
    looked = inspecting.inspected(reading, view.track, number)
    return web.pages.page(request, "parts/inspector.html", run=view, inspected=looked, back=False)


@router.get("/timeline")
def timeline_page(web: Here, request: Request, run: str, head: int = 0) -> Response:
    """The page with the run's timeline: who did what, and for how long."""
    reading = web.readings.of(run)
    view = shown(reading, web.store.row(run), None, busy=web.runs.busy(run), head=head)
    return web.pages.page(request, "timeline.html", run=view, line=timeline(reading, view.track))


@router.get("/prompts/{number}")
def prompt(web: Here, request: Request, run: str, number: int) -> Response:
    """The exact prompt of a call, part by part."""
    found = inspecting.prompt(web.readings.of(run), number)
    if found is None:
        raise UsageError(f"Event {number} is not a model call, or its prompt was not kept.")
    return web.pages.page(request, "parts/prompt.html", call=found[0], texts=found[1])


@router.get("/pictures/{before}-{after}.png")
def changed(web: Here, run: str, before: int, after: int) -> Response:
    """The difference between the pictures of two observations."""
    reading = web.readings.of(run)
    old, new = picture(reading, before), picture(reading, after)
    if old is None or new is None:
        return _png(None)
    try:
        return _png(pictures.difference(old, new))
    except ValueError as error:
        raise JournalError(f"The pictures of #{before} and #{after} cannot be compared: {error}.") from error


@router.get("/pictures/{number}.png")
def shot(web: Here, run: str, number: int) -> Response:
    """The picture of an observation."""
    return _png(picture(web.readings.of(run), number))


def _png(data: bytes | None) -> Response:
    if data is None:
        return Response("There is no such picture.", 404, media_type="text/plain")
    # Looked at by itself it is a picture and nothing else, whatever is in it.
    headers = {"cache-control": FOREVER, "content-security-policy": "sandbox; default-src 'none'"}
    return Response(data, media_type="image/png", headers=headers)


def _head_with(reading: Reading, number: int) -> int:
    """The end of a branch that contains the event: 0 for the current branch, else the latest other one's last event."""
    if number in reading.track():
        return 0
    return next((leaf for leaf in reversed(reading.leaves()) if number in reading.track(leaf)), 0)
