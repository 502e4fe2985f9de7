"""Updates of a run's page while it is open: one stream, in which each message carries the parts that have changed.

A message's id is the number of the last event that it reflects. A browser that reconnects sends that id, and receives what
has happened since.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import closing
from typing import Annotated

import anyio
import anyio.to_thread
from fastapi import APIRouter, Header, Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from deskcrew.errors import JournalUnreachable, UsageError
from deskcrew.facts import events as e
from deskcrew.journal.database import Watched
from deskcrew.journal.reading import Reading, Track
from deskcrew.ways_in.running import Alive
from deskcrew.ways_in.web import story
from deskcrew.ways_in.web.context import Here, Web
from deskcrew.ways_in.web.run import LoadedRun, parts, read, standing

router = APIRouter()

PAUSE = 0.2
"""Seconds between two checks for changes."""
SPEAKS = 10
"""The maximum time without a message, in seconds; a page that hears nothing for longer opens a new stream."""
PARTS = ("head", "question", "plan", "desktop", "screen", "files", "totals", "thinking")
"""The parts of a page that are resent as a whole when they have changed."""


@router.get("/runs/{run}/live")
async def live(
    web: Here, request: Request, run: str, after: int = 0, last_event_id: Annotated[str, Header()] = ""
) -> EventSourceResponse:
    """The stream of updates. ``after``: the number of the last event that the page shows. Reports a removed run."""
    known = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else after
    if not known or not run.isprintable():
        web.store.row(run)  # no page of ours asks so
    return EventSourceResponse(_messages(web, request, run, known), ping=SPEAKS, ping_message_factory=_alive)


def _alive() -> ServerSentEvent:
    """The message that keeps the stream alive; not a comment, because scripts cannot see those."""
    return ServerSentEvent("", event="alive")


async def _messages(web: Web, request: Request, run: str, known: int) -> AsyncGenerator[ServerSentEvent]:
    sent: dict[str, str] = {}
    gone = False
    told: object = None
    with closing(web.store.watched(run)) as journal:
        while not await request.is_disconnected():
            data = ""
            try:
                # The version first: what is committed after it makes another one, and is read the next time.
                now = await anyio.to_thread.run_sync(_state, web, journal, run), await web.runs.alive(run)
                if now != told:
                    told = now
                    data, known = await anyio.to_thread.run_sync(_message, web, run, now[1], known, sent)
            except UsageError:
                data = "" if gone else _removed(web)  # the stream goes on: ended, it would be asked for again and again
                gone = True
            except JournalUnreachable:
                told = None  # and so it does here: the server may come back
            if data:
                yield ServerSentEvent(data, id=str(known))
            await anyio.sleep(PAUSE)


def _state(web: Web, journal: Watched, run: str) -> tuple[object, bool]:
    """A value that changes when the run has something new. Blocking: may have to wait for a database server."""
    return journal.version, web.runs.busy(run)


def _message(web: Web, run: str, alive: Alive | None, known: int, sent: dict[str, str]) -> tuple[str, int]:
    """The parts of the page that differ from ``sent``, and the number of the last event that they reflect. Blocking."""
    found = read(web, run, alive)
    track = found.run.track
    values = standing(found)
    pieces = _lines(web, found, known)
    for name in PARTS:
        if name in _absent_from(found.run.started.desktop):
            continue  # the page has no place for it
        html = web.pages.html(f"parts/{name}.html", values)
        if sent.get(name) != html:
            sent[name] = html
            pieces.append(partial(f"#{name}", "innerMorph", html))
    return "\n".join(pieces), track.head


def _absent_from(desktop: e.DesktopKind) -> tuple[str, ...]:
    """The parts that the page of a run with such a desktop lacks."""
    return {"virtual": (), "none": ("desktop", "screen")}.get(desktop, ("desktop",))


def _lines(web: Web, found: LoadedRun, known: int) -> list[str]:
    """The lines of the story that began or changed after the event ``known``."""
    reading, track = found.reading, found.run.track
    if known and (known not in track or known > track.head):
        return [partial("#story", "outerMorph", _whole(web, found))]
    if known == track.head:
        return []
    changed = [each for each in _tail(reading, track, known) if each.last > known or _waited(reading, each)]
    lines = story.lines(reading, track, changed, found.run.goals)
    pieces: list[str] = []
    for line in lines:
        html = web.pages.html("parts/line.html", {"line": line, "run": found.run})
        new = line.at.first > known
        pieces.append(partial("#tail" if new else f"#{line.at.id}", "beforeend" if new else "outerHTML", html))
    return pieces


def _waited(reading: Reading, at: story.Stretch) -> bool:
    """Whether a line is an operation without a result, which later events may explain."""
    return not at.part and at.first == at.last and reading.place(at.first).type == "operation_proposed"


def _tail(reading: Reading, track: Track, known: int) -> list[story.Stretch]:
    """The lines from the line that the event ``known`` belongs to."""
    begin, part = known, ""
    while begin > 1 and not story.begins(reading.place(begin)):
        begin = reading.place(begin).parent
    for number in range(begin - 1, 0, -1):
        place = reading.place(number)
        if number in track and place.type in story.WORK:
            part = place.lane
            break
    return story.stretches(reading, track, after=begin - 1, part=part)


def _removed(web: Web) -> str:
    """The message for a run that somebody removed; its story stays on the page."""
    head = web.pages.html("parts/removed.html", {})
    return "\n".join(
        partial(f"#{name}", "innerHTML", html) for name, html in (("head", head), ("question", ""), ("thinking", ""))
    )


def _whole(web: Web, found: LoadedRun) -> str:
    """The whole story, for a run that has moved to another branch."""
    return web.pages.html("parts/story.html", parts(found))


def partial(target: str, swap: str, html: str) -> str:
    """A part of a message, which htmx puts into ``target``."""
    return f'<hx-partial hx-target="{target}" hx-swap="{swap}">{html}</hx-partial>'
