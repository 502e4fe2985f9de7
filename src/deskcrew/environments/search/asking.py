"""Requests to a search service over HTTP: one query, limited in time and size, retried if that may help.

No redirect is followed: query and key go only to the host that the guard has checked.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    retry_if_result,
    stop_after_attempt,
    wait_exponential_jitter,
)

from deskcrew.environments.search.provider import Patience, plain
from deskcrew.errors import SearchFailure
from deskcrew.facts.json_values import JsonObject, is_list, is_object
from deskcrew.facts.loopback import on_this_machine
from deskcrew.secrets.redactor import Redactor

TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses that are often temporary."""
LARGEST = 2 << 20
"""The maximum size of a response in bytes. Twenty results take some tens of thousands."""
LONGEST_REASON = 200
CONNECT = 5.0


@dataclass(frozen=True, slots=True)
class SearchReply:
    """The response of a service."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_page(self) -> bool:
        """Whether it is an HTML page."""
        kind = self.headers.get("content-type", "").casefold()
        return "html" in kind or self.body.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html"))

    def data(self) -> Any:
        """The body's JSON. Raises ValueError if it has none."""
        try:
            return json.loads(self.body)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error


@dataclass(frozen=True, slots=True)
class Asking:
    """One service and how to query it. ``headers`` contain the key; nothing that is returned or raised does."""

    name: str
    address: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    redactor: Redactor = field(default_factory=Redactor, repr=False)
    patience: Patience = field(default_factory=Patience)

    def ask(
        self,
        method: str,
        path: str,
        *,
        hint: Callable[[SearchReply], str],
        params: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> JsonObject:
        """The JSON object in the service's response. ``hint``: what a person should do about any other response.

        Raises SearchFailure for any other response, or if there is none.
        """
        reply = self._reply(method, path, params, body)
        if reply.status != 200:
            raise self._failure(reply, hint(reply))
        try:
            data = reply.data()
        except ValueError:
            data = None
        if not is_object(data):
            what = "a web page" if reply.is_page else "something else"
            said = f"{self.name} answered with {what} instead of JSON."
            raise SearchFailure(said, hint=hint(reply), status=reply.status)
        return data

    def _reply(
        self,
        method: str,
        path: str,
        params: Mapping[str, str | int] | None,
        body: Mapping[str, Any] | None,
    ) -> SearchReply:
        ends = time.monotonic() + self.patience.seconds
        retrying = self._retrying(ends)
        try:
            # What the environment says of proxies does not hold for a service on this machine.
            outside = not on_this_machine(self.address)
            with httpx.Client(follow_redirects=False, headers=dict(self.headers), trust_env=outside) as client:
                request = client.build_request(method, f"{self.address}{path}", params=params, json=body)
                return retrying(lambda: self._send(client, request, ends))
        except httpx.TimeoutException:
            raise SearchFailure(
                f"{self.name} did not answer within {self.patience.seconds:g} s.",
                hint="Try again. If that does not help, see `deskcrew doctor`.",
            ) from None
        except httpx.HTTPError as error:
            why = self.redactor.text(plain(str(error), LONGEST_REASON)) or type(error).__name__
            hint = "Check the address in your settings, and the network."
            raise SearchFailure(f"{self.name} cannot be reached at {self.address}: {why}.", hint=hint) from None

    def _send(self, client: httpx.Client, request: httpx.Request, ends: float) -> SearchReply:
        """One attempt. Raises httpx.HTTPError, and SearchFailure for an endless response."""
        left = max(0.1, ends - time.monotonic())
        request.extensions["timeout"] = httpx.Timeout(left, connect=min(CONNECT, left)).as_dict()
        answer = client.send(request, stream=True)
        try:
            body = bytearray()
            for chunk in answer.iter_bytes():
                body += chunk
                if len(body) > LARGEST:
                    raise SearchFailure(
                        f"{self.name} answered with more than {LARGEST >> 20} MB, which cannot be a list of results."
                    )
                if time.monotonic() > ends:  # a few bytes at a time, for ever
                    raise httpx.ReadTimeout("the answer does not come to an end", request=request)
            return SearchReply(answer.status_code, answer.headers, self.redactor.data(bytes(body)))
        finally:
            answer.close()

    def _retrying(self, ends: float) -> Retrying:
        """Retries temporary failures, as long as the wait ends before ``ends`` (of the monotonic clock)."""
        patience = self.patience
        backoff = wait_exponential_jitter(initial=patience.backoff, max=patience.seconds, jitter=patience.backoff)
        attempts = stop_after_attempt(patience.retries + 1)

        def wait(state: RetryCallState) -> float:
            outcome = state.outcome
            reply = outcome.result() if outcome is not None and not outcome.failed else None
            asked = wanted_wait(reply.headers) if isinstance(reply, SearchReply) else None
            return backoff(state) if asked is None else asked

        def given_up(state: RetryCallState) -> bool:
            return attempts(state) or time.monotonic() + state.upcoming_sleep >= ends

        return Retrying(
            retry=retry_if_exception_type(httpx.TransportError) | retry_if_result(lambda reply: reply.status in TRANSIENT),
            wait=wait,
            stop=given_up,
            sleep=patience.sleep,
            retry_error_callback=lambda state: state.outcome.result() if state.outcome is not None else None,
        )

    def _failure(self, reply: SearchReply, hint: str) -> SearchFailure:
        if 300 <= reply.status < 400:
            to = self.redactor.text(plain(reply.headers.get("location", ""), LONGEST_REASON))
            said = f'{self.name} redirects to "{to}", which is not followed.'
            return SearchFailure(said, hint="Set the address that it redirects to.", status=reply.status)
        why = reason(reply).replace('"', "'")
        about = f': "{why}"' if why else ""
        wait = wanted_wait(reply.headers) if reply.status == 429 else None
        later = f" It asks to wait {wait:.0f} s." if wait else ""
        return SearchFailure(
            f"{self.name} answered with status {reply.status}{about}.{later}", hint=hint, status=reply.status
        )


def wanted_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a service asked to wait, None if it did not: by Retry-After (seconds or a date) or, as Brave does, by the
    times until exhausted rate-limit windows reset."""
    if after := headers.get("retry-after", "").strip():
        try:
            return max(0.0, float(after))
        except ValueError:
            pass
        try:
            date = parsedate_to_datetime(after)
        except ValueError:
            return None
        now = datetime.now(UTC)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now.timestamp())
    remaining, resets = (headers.get(f"x-ratelimit-{name}", "").split(",") for name in ("remaining", "reset"))
    try:
        waits = [float(reset) for left, reset in zip(remaining, resets, strict=True) if int(left) <= 0]
    except ValueError:
        return None
    return max(waits, default=None)


def reason(reply: SearchReply) -> str:
    """A service's reason for refusing, shortened; '' if none. Services nest it in several ways."""
    try:
        told = reply.data()
    except ValueError:
        return ""
    for _ in range(4):
        if is_list(told):
            told = told[0] if told else ""
        if not is_object(told):
            break
        data = told
        told = next((data[key] for key in ("error", "errors", "detail", "message", "code") if data.get(key)), "")
    return plain(told, LONGEST_REASON)
