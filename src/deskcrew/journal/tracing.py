"""Runs as OpenTelemetry traces, by its conventions for generative AI: a span for the run, each call and each operation.

A trace is derived from the events as they are written, so what is sent is what the journal contains: names, counts, times
and outcomes. Texts are never sent: neither tasks, prompts, replies and results nor the parameters of operations.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from deskcrew.errors import ConfigError, extra_installed
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.settings import TracingSettings

if TYPE_CHECKING:
    from httpx import URL
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.trace import Span
    from opentelemetry.util.types import AttributeValue

HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"
"""Environment variable with headers for the receiver, such as a key: ``name=value``, separated by commas."""
SECONDS = 5.0
"""The timeout of a request to the receiver; a run's end may wait this long for it."""
PROVIDERS = {"openai-responses": "openai", "google": "gcp.gemini"}
"""Kinds of models whose provider has another name in the conventions."""


@contextmanager
def traced(address: URL | None, journal: Journal, tell: Callable[[str], None]) -> Generator[None]:
    """Trace the events of ``journal`` from where its run was started or last continued. ``address``: as returned by
    :func:`checked`; None: nothing is sent.

    The trace's id is derived from the run's, so continuing a run adds to its trace. ``tell``: called once with a message if
    something could not be sent, which is not an error of the run.
    """
    if address is None:
        yield
        return
    provider = _provider(address, journal.run, tell)
    trace = RunTrace(provider, journal.run)
    begun = next(event for event in reversed(journal.events) if isinstance(event.body, e.RunStarted | e.RunResumed))
    trace(begun)
    journal.watchers.append(trace)
    try:
        yield
    finally:
        journal.watchers.remove(trace)
        trace.end()
        provider.force_flush(int(SECONDS * 1000))
        provider.shutdown()


class RunTrace:
    """The spans of one run in this process. Call it with each event."""

    def __init__(self, provider: TracerProvider, run: str) -> None:
        self._tracer = provider.get_tracer("deskcrew")
        self._run = run
        self._whole: Span | None = None
        self._parts: dict[str, Span] = {}
        """The span of the current call or operation, by lane; '' for work outside any lane."""
        self._lanes: frozenset[str] = frozenset()
        self._lane = ""
        self._time = 0.0

    def __call__(self, event: e.Event) -> None:
        self._time = event.header.time
        self._lane = event.header.lane if event.header.lane in self._lanes else ""
        match event.body:
            case e.RunStarted() as body:
                self._begin(body.crew, body.model)
            case e.RunResumed() as body:
                self._begin("", body.model)
            case e.LanesOpened() as body:
                self._lanes |= {*body.subtasks}
            case e.RoleCalled() as body:
                self._open(f"chat {body.model}".rstrip(), _call(body), client=True)
            case e.RoleReplied() as body:
                self._close(_reply(body), error="malformed" if body.error else "")
            case e.ActionStarted() as body:
                name = body.operation.function
                told = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.type": "function"}
                self._open(f"execute_tool {name}", {**told, "gen_ai.agent.name": body.role})
            case e.ActionFinished() as body:
                self._close({}, error="" if body.ok else "failed")
            case e.ActionInterrupted():
                self._close({}, error="interrupted")
            case e.RunFinished() as body:
                self._finish(body)
            case _:
                pass

    def end(self) -> None:
        """End the open spans, because the process exits and another may continue the run."""
        for lane in tuple(self._parts):
            self._lane = lane
            self._close({}, error="interrupted")
        if self._whole is not None:
            self._whole.end(_nanoseconds(self._time))
            self._whole = None

    def _begin(self, crew: str, model: str) -> None:
        self.end()
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": crew,
            "gen_ai.conversation.id": self._run,
            "gen_ai.request.model": model,
        }
        given = {name: value for name, value in attributes.items() if value}
        name = f"invoke_agent {crew}".rstrip()
        self._whole = self._tracer.start_span(name, attributes=given, start_time=_nanoseconds(self._time))

    def _open(self, name: str, attributes: Mapping[str, AttributeValue], *, client: bool = False) -> None:
        from opentelemetry.trace import SpanKind, set_span_in_context

        self._close({}, error="interrupted")  # a call that no reply came of
        self._parts[self._lane] = self._tracer.start_span(
            name,
            context=set_span_in_context(self._whole) if self._whole is not None else None,
            kind=SpanKind.CLIENT if client else SpanKind.INTERNAL,
            attributes=attributes,
            start_time=_nanoseconds(self._time),
        )

    def _close(self, attributes: Mapping[str, AttributeValue], *, error: str) -> None:
        if (part := self._parts.pop(self._lane, None)) is not None:
            part.set_attributes(attributes)
            _mark(part, error)
            part.end(_nanoseconds(self._time))

    def _finish(self, body: e.RunFinished) -> None:
        if self._whole is not None:
            outcome = body.outcome
            self._whole.set_attribute("deskcrew.outcome", outcome.status)
            if outcome.verified_by:
                self._whole.set_attribute("deskcrew.verified_by", outcome.verified_by)
            _mark(self._whole, (outcome.reason or outcome.status) if outcome.status in ("failed", "denied") else "")
        self.end()


def _call(body: e.RoleCalled) -> Mapping[str, AttributeValue]:
    kind, named, _ = body.model.partition(":")
    found = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(kind, kind) if named and "//" not in named else "_OTHER",
        "gen_ai.request.model": body.model,
        "gen_ai.request.max_tokens": body.max_tokens or None,
        "gen_ai.request.temperature": body.temperature,
        "gen_ai.request.seed": body.seed,
        "gen_ai.agent.name": body.role,
    }
    return {name: value for name, value in found.items() if value is not None}


def _reply(body: e.RoleReplied) -> Mapping[str, AttributeValue]:
    found = {
        "gen_ai.response.model": body.model or None,
        "gen_ai.usage.input_tokens": body.usage.input,
        "gen_ai.usage.output_tokens": body.usage.output,
        "gen_ai.usage.cache_read.input_tokens": body.usage.cached,
        "gen_ai.response.finish_reasons": ["length" if body.cut else "stop"],
    }
    return {name: value for name, value in found.items() if value is not None}


def _mark(span: Span, error: str) -> None:
    from opentelemetry.trace import StatusCode

    if error:
        span.set_attribute("error.type", error)
        span.set_status(StatusCode.ERROR)


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)


def checked(settings: TracingSettings) -> URL | None:
    """The address to send traces to; None if none are sent. Raises ConfigError, before a run begins, if the address or a
    library cannot be used."""
    if not settings.endpoint:
        return None
    try:
        from httpx import URL, InvalidURL

        import_module("opentelemetry.sdk.trace")
        import_module("opentelemetry.exporter.otlp.proto.common")
    except ImportError as error:
        raise ConfigError(
            f"Traces need a library that is not installed ({error.name}).", hint=extra_installed("otel")
        ) from error
    try:
        address = URL(settings.endpoint.rstrip("/") + "/v1/traces")
    except InvalidURL as error:
        raise ConfigError(f"The setting tracing.endpoint is not an address: {error}.") from error
    if address.scheme not in ("http", "https") or not address.host:
        raise ConfigError("The setting tracing.endpoint is not an address.", hint="For example: http://127.0.0.1:4318")
    return address


def _provider(address: URL, run: str, tell: Callable[[str], None]) -> TracerProvider:
    """The provider that creates the spans, all of one trace, and sends them."""
    import httpx
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
    from opentelemetry.util.re import parse_env_headers

    headers = parse_env_headers(os.environ.get(HEADERS, ""), liberal=True)

    class OneTrace(RandomIdGenerator):
        def generate_trace_id(self) -> int:
            return int.from_bytes(hashlib.sha256(run.encode()).digest()[:16])

    class Sender(SpanExporter):
        """Sends one request a batch. The SDK's own exporter logs errors to the terminal, and retries for minutes."""

        told = False

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            try:
                body = encode_spans(spans).SerializeToString()
                kind = {"content-type": "application/x-protobuf"}
                httpx.post(address, content=body, headers={**headers, **kind}, timeout=SECONDS).raise_for_status()
            except httpx.HTTPError as error:
                if not self.told:
                    self.told = True
                    why = str(error).partition("\n")[0] or type(error).__name__
                    tell(f"The trace could not be sent to {address.host}: {why}")
                return SpanExportResult.FAILURE
            return SpanExportResult.SUCCESS

    provider = TracerProvider(
        id_generator=OneTrace(), resource=Resource.create({"service.name": "deskcrew"}), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(Sender()))
    return provider
