"""What Chromium tells over its debugging protocol, as far as it is read: answers to requests, and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic.alias_generators import to_camel

from deskcrew.facts.json_values import JsonObject

Hearing = Callable[[JsonObject], None]
"""Is called with each event of a kind."""


class CdpSession(Protocol):
    """A way to query the browser about a page, like Playwright's ``CDPSession``, with types."""

    async def send(self, method: str, params: JsonObject | None = None) -> JsonObject: ...

    def on(self, event: str, f: Hearing) -> None: ...

    async def detach(self) -> None: ...


class CdpData(BaseModel):
    """Base of what the browser tells."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel)


DataT = TypeVar("DataT", bound=CdpData)


async def ask(session: CdpSession, kind: type[DataT], method: str, params: JsonObject | None = None) -> DataT:
    """The browser's answer to a request. Raises Playwright's error."""
    return kind.model_validate(await session.send(method, params))


def hear(session: CdpSession, event: str, kind: type[DataT], told: Callable[[DataT], None]) -> None:
    """Call a function with each event of this kind."""
    session.on(event, lambda said: told(kind.model_validate(said)))


# -- scripts and elements


class RemoteObject(CdpData):
    """A value in a page: the value itself, or the browser's id of it."""

    value: JsonValue = None
    object_id: str | None = None
    description: str = ""


class ThrownInPage(CdpData):
    """An exception of a script."""

    text: str = ""
    exception: RemoteObject = RemoteObject()


class Evaluated(CdpData):
    """What a script, or a function, returned."""

    result: RemoteObject = RemoteObject()
    exception_details: ThrownInPage | None = None


class ScriptWorld(CdpData):
    """A world that was made for a script."""

    execution_context_id: int


class ResolvedNode(CdpData):
    """An element in a world."""

    object: RemoteObject


class NodeNumber(CdpData):
    """The browser's number of an element."""

    backend_node_id: int


class EventListener(CdpData):
    """What is called for an event of an element."""

    type: str
    backend_node_id: int | None = None


class Listeners(CdpData):
    """All listeners of a page."""

    listeners: tuple[EventListener, ...]


# -- frames and targets


class FrameFacts(CdpData):
    """A frame. ``parent_id`` None: it is a page's own."""

    id: str
    parent_id: str | None = None
    url: str = ""


class FrameBranch(CdpData):
    """A frame, and those in it."""

    frame: FrameFacts
    child_frames: tuple[FrameBranch, ...] = ()


class FrameBranches(CdpData):
    """The frames that a session reaches."""

    frame_tree: FrameBranch


class FrameNavigated(CdpData):
    """A frame shows another document."""

    frame: FrameFacts


class FrameEvent(CdpData):
    """Something happened to a frame. ``reason``: why it has gone."""

    frame_id: str
    reason: str = ""


class TargetFacts(CdpData):
    """A page, or a frame in a process of its own."""

    target_id: str
    type: str
    title: str = ""
    browser_context_id: str = ""


class TargetTold(CdpData):
    """What a session reaches."""

    target_info: TargetFacts


class TargetAttached(TargetTold):
    """A page or frame is reached by a new session."""

    session_id: str


class TargetDetached(CdpData):
    """A session has ended."""

    session_id: str


class TargetMade(CdpData):
    """A page was opened."""

    target_id: str


class BrowserProcess(CdpData):
    """A process of the browser."""

    id: int
    type: str


class BrowserProcesses(CdpData):
    """All of them."""

    process_info: tuple[BrowserProcess, ...]


# -- requests of pages


class PostDataPart(CdpData):
    """A part of a body, in base 64; '' for a file."""

    bytes: str = ""


class PageRequest(CdpData):
    """What a page asks a server for."""

    method: str
    url: str
    url_fragment: str = ""
    headers: dict[str, str]
    post_data: str | None = None
    post_data_entries: tuple[PostDataPart, ...] = ()


class PageResponse(CdpData):
    """What a server answers first."""

    url: str
    status: int
    headers: dict[str, str]


class RequestEvent(CdpData):
    """Something happened to a request."""

    request_id: str


class RequestSent(RequestEvent):
    """It is about to be sent. ``redirect_response``: a server leads on with it."""

    request: PageRequest
    frame_id: str | None = None
    type: str = ""
    redirect_response: PageResponse | None = None


class ResponseReceived(RequestEvent):
    """It is answered."""

    response: PageResponse


class RequestPaused(RequestEvent):
    """It waits for a word. ``redirected_request_id``: of the one that a server answered by leading on."""

    request: PageRequest
    frame_id: str
    resource_type: str
    redirected_request_id: str | None = None


class ResponseBody(CdpData):
    """A body."""

    body: str
    base64_encoded: bool


# -- pictures, files, and where a page has been


class PageShot(CdpData):
    """A picture of a page, in base 64."""

    data: str


class DownloadBegins(CdpData):
    """A file is handed over."""

    guid: str
    url: str
    suggested_filename: str


class DownloadProgress(CdpData):
    """How far it has come."""

    guid: str
    state: str
    received_bytes: float


class HistoryEntry(CdpData):
    """A page that was shown."""

    id: int
    url: str


class PageHistory(CdpData):
    """The pages that a tab has shown."""

    current_index: int
    entries: tuple[HistoryEntry, ...]


class Navigating(CdpData):
    """What came of going to an address; ``error_text``: why it does not answer."""

    error_text: str = ""


# -- pages


class NavigationEntry(CdpData):
    """A page that a window has shown."""

    url: str


class NavigationHistory(CdpData):
    """The pages that a window has shown, oldest first."""

    current_index: int
    entries: tuple[NavigationEntry, ...]
