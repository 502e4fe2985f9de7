"""What changes on a run's page while it is open: one stream, of which each message brings the parts that are another now.

The number of the last event that a message knows of is its id. A browser whose connection broke, or whose server was started
anew, sends it along and is given what has happened since.
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
from deskcrew.journal.database import Watched
from deskcrew.journal.reading import Reading, Track
from deskcrew.running import Alive
from deskcrew.web import story
from deskcrew.web.context import Here, Web
from deskcrew.web.run import Seen, parts, read, standing

router = APIRouter()

PAUSE = 0.2
"""Seconds between two looks at whether anything has changed."""
SPEAKS = 10
"""Seconds after which something is sent at the latest; a page that hears nothing for longer begins a new stream."""
PARTS = ("head", "question", "plan", "desktop", "screen", "files", "totals", "thinking")
"""The parts of a page that are sent whole where they are another than when they were last sent."""


@router.get("/runs/{run}/live")
async def live(
    web: Here, request: Request, run: str, after: int = 0, last_event_id: Annotated[str, Header()] = ""
) -> EventSourceResponse:
    """The stream. ``after``: number of the last event that the page shows. Of a run that was removed it says that."""
    known = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else after
    if not known or not run.isprintable():
        web.store.row(run)  # no page of ours asks so
    return EventSourceResponse(_messages(web, request, run, known), ping=SPEAKS, ping_message_factory=_alive)


def _alive() -> ServerSentEvent:
    """What tells a page that its stream still works: a message of its own, since nobody hears of a comment."""
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
    """What tells whether anything is new. Blocking: a server may have to be waited for."""
    return journal.version, web.runs.busy(run)


def _message(web: Web, run: str, alive: Alive | None, known: int, sent: dict[str, str]) -> tuple[str, int]:
    """The parts that are another than in ``sent``, and the number of the last event they know of. Blocking."""
    found = read(web, run, alive)
    track = found.run.track
    values = standing(found)
    pieces = _lines(web, found, known)
    for name in PARTS:
        if name == "desktop" and found.run.started.desktop != "virtual":
            continue  # the page has no place for it
        html = web.pages.html(f"parts/{name}.html", values)
        if sent.get(name) != html:
            sent[name] = html
            pieces.append(partial(f"#{name}", "innerMorph", html))
    return "\n".join(pieces), track.head


def _lines(web: Web, found: Seen, known: int) -> list[str]:
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
    """Whether a line is an operation of which nothing had come: what follows says why."""
    return not at.part and at.first == at.last and reading.place(at.first).type == "operation_proposed"


def _tail(reading: Reading, track: Track, known: int) -> list[story.Stretch]:
    """The lines from the one on that the event ``known`` stands on."""
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
    """What stands in place of a run that somebody removed; its story stays until the page is left."""
    head = web.pages.html("parts/removed.html", {})
    return "\n".join(
        partial(f"#{name}", "innerHTML", html) for name, html in (("head", head), ("question", ""), ("thinking", ""))
    )


def _whole(web: Web, found: Seen) -> str:
    """The story from the start: the run stands on another branch now."""
    return web.pages.html("parts/story.html", parts(found))


def partial(target: str, swap: str, html: str) -> str:
    """A part of a message that htmx puts where it belongs."""
    return f'<hx-partial hx-target="{target}" hx-swap="{swap}">{html}</hx-partial>'
