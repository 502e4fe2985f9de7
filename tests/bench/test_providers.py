"""What hosted models can do, asked of several at once."""

from __future__ import annotations

import json

import pytest
from pytest_httpserver import HTTPServer
from typer.testing import CliRunner
from werkzeug import Request, Response

from deskcrew_bench import commands

SUM = '{"question": "17 + 25", "result": 42, "parity": "even"}'


def test_each_model_has_a_column_and_a_missing_key_is_said(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(request: Request) -> Response:
        message = {"role": "assistant", "content": SUM}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29}
        made = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        return Response(json.dumps(made), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answers)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = f"{httpserver.url_for('/v1')}#m"
    told = CliRunner().invoke(commands.build(), ["providers", server, "openai:gpt-5.2", "--json"])
    first, other = json.loads(told.stdout)["models"]
    assert (first["model"], first["schema_obeyed"], first["correct"], first["vision"]) == (server, True, True, None)
    assert not other["reachable"]
    assert "Set OPENAI_API_KEY" in other["problem"]
    assert told.exit_code == 1
    assert CliRunner().invoke(commands.build(), ["providers", server]).exit_code == 0
