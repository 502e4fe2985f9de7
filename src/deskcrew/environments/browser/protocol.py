"""The parts of Chromium's debugging protocol that are read: responses to requests, and events."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter
from pydantic.alias_generators import to_camel

from deskcrew.facts.json_values import JsonObject

Hearing = Callable[[JsonObject], None]
"""Called with each event of a kind."""


class CdpSession(Protocol):
    """A way to query the browser about a page: a typed version of Playwright's ``CDPSession``."""

    async def send(self, method: str, params: JsonObject | None = None) -> JsonObject: ...

    def on(self, event: str, f: Hearing) -> None: ...

    async def detach(self) -> None: ...


class CdpData(BaseModel):
    """Base of the data that the browser reports."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel)


DataT = TypeVar("DataT", bound=CdpData)
AnswerT = TypeVar("AnswerT")


async def ask(
    session: CdpSession, kind: type[AnswerT], method: str, params: JsonObject | None = None, *, of: str = ""
) -> AnswerT:
    """The browser's response to a request, or the field ``of`` that response, as ``kind``. Raises Playwright's error."""
    answer = await session.send(method, params)
    return _reader(kind).validate_python(answer[of] if of else answer)


@lru_cache
def _reader(kind: type[AnswerT]) -> TypeAdapter[AnswerT]:
    return TypeAdapter(kind)


def hear(session: CdpSession, event: str, kind: type[DataT], told: Callable[[DataT], None]) -> None:
    """Call a function with each event of this kind."""
    session.on(event, lambda said: told(kind.model_validate(said)))


# -- scripts and elements


class RemoteObject(CdpData):
    """A value in a page: the value itself, or the browser's id of an object."""

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

    @property
    def error(self) -> str:
        """What it threw, '' if nothing."""
        thrown = self.exception_details
        return "" if thrown is None else thrown.exception.description or thrown.text


class EventListener(CdpData):
    """A listener for an event of an element."""

    type: str
    backend_node_id: int | None = None


# -- frames and targets


class FrameFacts(CdpData):
    """A frame. ``parent_id``: None for a page's own frame."""

    id: str
    parent_id: str | None = None
    url: str = ""


class FrameBranch(CdpData):
    """A frame, and the frames in it."""

    frame: FrameFacts
    child_frames: tuple[FrameBranch, ...] = ()


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


class TargetAttached(CdpData):
    """A new session reaches a page or frame."""

    target_info: TargetFacts
    session_id: str


class TargetDetached(CdpData):
    """A session has ended."""

    session_id: str


class BrowserProcess(CdpData):
    """A process of the browser."""

    id: int
    type: str


# -- requests of pages


class PostDataPart(CdpData):
    """A part of a request's body, in base 64; '' for a file."""

    bytes: str = ""


class PageRequest(CdpData):
    """A request of a page to a server."""

    method: str
    url: str
    url_fragment: str = ""
    headers: dict[str, str]
    post_data: str | None = None
    post_data_entries: tuple[PostDataPart, ...] = ()


class PageResponse(CdpData):
    """The status and headers of a server's response."""

    url: str
    status: int
    headers: dict[str, str]


class RequestEvent(CdpData):
    """Something happened to a request."""

    request_id: str


class RequestSent(RequestEvent):
    """A request is about to be sent. ``redirect_response``: the response that redirected to it."""

    request: PageRequest
    frame_id: str | None = None
    type: str = ""
    redirect_response: PageResponse | None = None


class ResponseReceived(RequestEvent):
    """A request is answered."""

    response: PageResponse


class RequestPaused(RequestEvent):
    """A request is paused until we continue or fail it. ``redirected_request_id``: the request that was redirected to it."""

    request: PageRequest
    frame_id: str
    resource_type: str
    redirected_request_id: str | None = None


class ResponseBody(CdpData):
    """The body of a response."""

    body: str
    base64_encoded: bool


# -- pictures, files, and where a page has been


class DownloadBegins(CdpData):
    """A download begins."""

    guid: str
    url: str
    suggested_filename: str


class DownloadProgress(CdpData):
    """The progress of a download."""

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
    """The result of going to an address. ``error_text``: why it failed, '' if it did not."""

    error_text: str = ""
