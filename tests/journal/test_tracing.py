"""Traces of runs, sent to a receiver on loopback that reads them as any receiver of OTLP does."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

import deskcrew
from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.journal import tracing
from deskcrew.settings import TracingSettings
from deskcrew.ways_in.report.result import result_of
from support.required import usual
from support.scripts import ScriptRanOut

TASK = 'Write "hello" into hello.txt.'
PLAN: dict[str, Any] = {"subtasks": [{"goal": "write it", "role": "FileManager"}], "question": ""}
WRITE: dict[str, Any] = {
    "operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}],
    "branch": "RoleTaskFinish",
}


class Receiver:
    """Takes traces over HTTP."""

    def __init__(self, server: HTTPServer) -> None:
        self.requests: list[Request] = []
        server.expect_request("/v1/traces", method="POST").respond_with_handler(self._take)
        self.settings = TracingSettings(endpoint=server.url_for(""))

    def _take(self, request: Request) -> Response:
        request.get_data(cache=True)
        self.requests.append(request)
        return Response(status=200)

    def spans(self) -> list[Span]:
        told = [ExportTraceServiceRequest.FromString(request.get_data()) for request in self.requests]
        return [span for one in told for part in one.resource_spans for scope in part.scope_spans for span in scope.spans]


@pytest.fixture
def receiver(httpserver: HTTPServer) -> Iterator[Receiver]:
    yield Receiver(httpserver)
    httpserver.clear()


def attributes(span: Span) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value") or "") for one in span.attributes}


def run(tmp_path: Path, tracing: TracingSettings, replies: list[Any]) -> deskcrew.Result:
    settings = deskcrew.Settings(data=tmp_path / "data", tracing=tracing)
    request = RunRequest(task=TASK, model="scripted:none", desktop="none", required=usual(TASK), crew="planned")
    journal = anyio.run(lambda: session.run(request, settings, model=deskcrew.ScriptedModel(replies)))
    return result_of(journal.run, journal.events, everything=journal.all)


def test_a_run_is_a_trace_with_its_calls_and_operations(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=k1,x-other=2")
    result = run(tmp_path, receiver.settings, [PLAN, WRITE])
    spans = receiver.spans()
    assert result.done
    assert {request.headers["x-key"] for request in receiver.requests} == {"k1"}
    assert len({span.trace_id for span in spans}) == 1
    (whole,) = (span for span in spans if not span.parent_span_id)
    assert whole.name == "invoke_agent planned"
    assert attributes(whole)["gen_ai.conversation.id"] == result.run
    assert (attributes(whole)["deskcrew.outcome"], whole.status.code) == ("done", Status.STATUS_CODE_UNSET)
    parts = [span for span in spans if span.parent_span_id == whole.span_id]
    assert len(parts) == len(spans) - 1
    calls = [attributes(span) for span in parts if span.name.startswith("chat")]
    assert [call["gen_ai.agent.name"] for call in calls] == ["Planner", "FileManager"]
    (tool,) = (span for span in parts if span.name.startswith("execute_tool"))
    assert attributes(tool)["gen_ai.tool.name"] == "write_file"
    assert all(whole.start_time_unix_nano <= span.start_time_unix_nano for span in parts)
    assert all(0 < span.start_time_unix_nano <= span.end_time_unix_nano <= whole.end_time_unix_nano for span in spans)


def test_no_text_is_sent(tmp_path: Path, receiver: Receiver) -> None:
    run(tmp_path, receiver.settings, [PLAN, WRITE])
    sent = b"".join(request.get_data() for request in receiver.requests)
    assert b"write_file" in sent
    for text in ("hello", "Write", "write it", str(tmp_path)):
        assert text.encode() not in sent, text


def test_what_failed_is_marked(tmp_path: Path, receiver: Receiver) -> None:
    result = run(tmp_path, receiver.settings, [PLAN, *["no JSON"] * 20])
    (whole,) = (span for span in receiver.spans() if not span.parent_span_id)
    assert (attributes(whole)["error.type"], whole.status.code) == (result.reason, Status.STATUS_CODE_ERROR)
    malformed = [span for span in receiver.spans() if attributes(span).get("error.type") == "malformed"]
    assert len(malformed) > 1
    assert {span.status.code for span in malformed} == {Status.STATUS_CODE_ERROR}


def test_who_goes_on_with_a_run_adds_to_its_trace(tmp_path: Path, receiver: Receiver) -> None:
    with pytest.raises(ScriptRanOut):
        run(tmp_path, receiver.settings, [PLAN])
    (whole,) = (span for span in receiver.spans() if not span.parent_span_id)
    settings = deskcrew.Settings(data=tmp_path / "data", tracing=receiver.settings)
    name = attributes(whole)["gen_ai.conversation.id"]
    anyio.run(lambda: session.resume(name, settings, model=deskcrew.ScriptedModel([WRITE])))
    wholes = [span for span in receiver.spans() if not span.parent_span_id]
    assert [attributes(span).get("deskcrew.outcome") for span in wholes] == [None, "done"]
    assert len({span.trace_id for span in receiver.spans()}) == 1


def test_a_receiver_that_is_not_there_is_told_once_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
    result = run(tmp_path, TracingSettings(endpoint=nowhere), [PLAN, WRITE])
    assert result.done
    assert capsys.readouterr() == ("", "")
    assert not caplog.records


def test_what_is_no_address_is_said_before_a_run_begins(tmp_path: Path) -> None:
    for endpoint in ("localhost:4318", "http://", "ftp://host", "http://[::1"):
        with pytest.raises(deskcrew.ConfigError, match=r"tracing\.endpoint is not an address"):
            run(tmp_path, TracingSettings(endpoint=endpoint), [PLAN, WRITE])
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("missing", ["opentelemetry", "opentelemetry.sdk.trace"])
def test_without_the_library_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "opentelemetry"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(deskcrew.ConfigError, match="Traces need a library") as raised:
        tracing.checked(TracingSettings(endpoint="http://127.0.0.1:4318"))
    assert "otel" in raised.value.hint


def test_nothing_is_sent_unless_an_endpoint_is_set(tmp_path: Path, receiver: Receiver) -> None:
    assert run(tmp_path, TracingSettings(), [PLAN, WRITE]).done
    assert not receiver.requests
