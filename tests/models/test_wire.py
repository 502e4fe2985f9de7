"""The adapters of hosted models on the wire: requests and replies in the form that each provider documents."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from deskcrew.errors import ModelFailure
from deskcrew.models.client import Call, Image, Model, Text
from deskcrew.models.profiles import find
from deskcrew.models.reference import parse

from .conftest import Choice, ask

GOOD = {"why": "I like it", "pick": "red"}
SAID = json.dumps(GOOD)
PICTURE = b"\x89PNG\r\n\x1a\n"
SEEN = base64.b64encode(PICTURE).decode()


def _chat(text: str | None, finish: str = "stop", *, tool: bool = False, refusal: str | None = None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": refusal, "annotations": []}
    if tool:
        function = {"name": "answer", "arguments": text}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    details = {"cached_tokens": 1024, "audio_tokens": 0}
    usage = {"prompt_tokens": 1200, "completion_tokens": 30, "total_tokens": 1230, "prompt_tokens_details": details}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1741569952, "model": "answering-1",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": usage, "service_tier": "default", "system_fingerprint": None,
    }  # fmt: skip


def _response(content: list[dict[str, Any]], status: str = "completed", why: str | None = None) -> dict[str, Any]:
    usage = {
        "input_tokens": 1200, "input_tokens_details": {"cached_tokens": 1024, "cache_write_tokens": 0},
        "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 20}, "total_tokens": 1230,
    }  # fmt: skip
    message = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content}
    return {
        "id": "resp_1", "object": "response", "created_at": 1741476777, "status": status, "error": None,
        "incomplete_details": {"reason": why} if why else None, "instructions": None, "model": "answering-1",
        "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, message], "parallel_tool_calls": True,
        "tool_choice": "auto", "tools": [], "usage": usage, "metadata": {},
    }  # fmt: skip


def _message(content: list[dict[str, Any]], stop: str = "tool_use") -> dict[str, Any]:
    usage = {
        "input_tokens": 76, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1024, "output_tokens": 30,
        "service_tier": "standard",
    }  # fmt: skip
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "answering-1", "content": content,
        "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _candidate(text: str | None, finish: str = "STOP") -> dict[str, Any]:
    content = {"content": {"parts": [{"text": text}], "role": "model"}} if text is not None else {}
    usage = {
        "promptTokenCount": 1200, "candidatesTokenCount": 10, "thoughtsTokenCount": 20, "totalTokenCount": 1230,
        "cachedContentTokenCount": 1024, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 1200}],
    }  # fmt: skip
    return {
        "candidates": [content | {"finishReason": finish, "index": 0}], "usageMetadata": usage,
        "modelVersion": "answering-1", "responseId": "r1",
    }  # fmt: skip


@dataclass(frozen=True)
class Provider:
    """One provider on the wire. ``schema``, ``picture``, ``effort``: where a request holds them; ``key``: header of the key;
    ``cached``: whether its replies tell what came from a cache."""

    model: str
    path: str
    base: str
    good: dict[str, Any]
    refused: dict[str, Any]
    cut: dict[str, Any]
    error: Callable[[str], dict[str, Any]]
    schema: Callable[[dict[str, Any]], Any]
    picture: Callable[[dict[str, Any]], Any]
    effort: Callable[[dict[str, Any]], Any]
    key: tuple[str, str]
    cached: int | None = 1024


def _openai_error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


CHAT: dict[str, Any] = {
    "good": _chat(SAID),
    "refused": _chat(None, refusal="I'm sorry, I cannot assist with that."),
    "cut": _chat(SAID[:10], "length"),
    "error": _openai_error,
    "schema": lambda body: body["response_format"]["json_schema"]["schema"],
    "picture": lambda body: body["messages"][-1]["content"][-1]["image_url"]["url"],
    "key": ("Authorization", "Bearer sk-1"),
}
CALLED = {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": GOOD}
PROVIDERS = {
    "openai": Provider(
        model="openai:gpt-5.2", path="/v1/chat/completions", base="/v1",
        effort=lambda body: body["reasoning_effort"], **CHAT,
    ),
    "openai-responses": Provider(
        model="openai-responses:o3-pro", path="/v1/responses", base="/v1",
        good=_response([{"type": "output_text", "text": SAID, "annotations": []}]),
        refused=_response([{"type": "refusal", "refusal": "I'm sorry, I cannot assist with that."}]),
        cut=_response([{"type": "output_text", "text": SAID[:10], "annotations": []}], "incomplete", "max_output_tokens"),
        error=_openai_error,
        schema=lambda body: body["text"]["format"]["schema"],
        picture=lambda body: body["input"][-1]["content"][-1]["image_url"],
        effort=lambda body: body["reasoning"]["effort"],
        key=("Authorization", "Bearer sk-1"),
    ),
    "anthropic": Provider(
        model="anthropic:claude-sonnet-4-6", path="/v1/messages", base="",
        good=_message([CALLED]),
        refused=_message([], "refusal"),
        cut=_message([{"type": "text", "text": SAID[:10]}], "max_tokens"),
        error=lambda message: {"type": "error", "error": {"type": "invalid_request_error", "message": message}},
        schema=lambda body: body["tools"][0]["input_schema"],
        picture=lambda body: next(p["source"]["data"] for p in body["messages"][-1]["content"] if p["type"] == "image"),
        effort=lambda body: body["thinking"]["type"],
        key=("Authorization", "Bearer sk-1"),
    ),
    "google": Provider(
        model="google:gemini-2.5-pro", path="/v1beta/models/gemini-2.5-pro:generateContent", base="",
        good=_candidate(SAID),
        refused=_candidate(None, "SAFETY"),
        cut=_candidate(SAID[:10], "MAX_TOKENS"),
        error=lambda message: {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}},
        schema=lambda body: body["generationConfig"]["responseJsonSchema"],
        picture=lambda body: next(p["inlineData"]["data"] for p in body["contents"][-1]["parts"] if "inlineData" in p),
        effort=lambda body: body["generationConfig"]["thinkingConfig"],
        key=("x-goog-api-key", "sk-1"),
    ),
    "ollama": Provider(
        model="ollama:gpt-oss:20b", path="/v1/chat/completions", base="/v1",
        effort=lambda body: body["reasoning_effort"], **CHAT,
    ),
}  # fmt: skip
EACH = pytest.mark.parametrize("name", PROVIDERS)


Made = Callable[..., Model]


@pytest.fixture
async def made(httpserver: HTTPServer) -> AsyncIterator[Made]:
    """A provider's model as it ships, at the stub server."""
    from deskcrew.models.pydantic_ai import ApiKey, Repeats, connect

    models: list[Model] = []

    def make(provider: Provider, **changed: Any) -> Model:
        facts = find(provider.model)
        if changed:
            facts = facts.model_copy(update={"profile": facts.profile.model_copy(update=changed)})
        reference = parse(provider.model)._replace(base_url=httpserver.url_for(provider.base).rstrip("/"))
        models.append(connect(provider.model, reference, facts=facts, key=ApiKey("sk-1", "KEY"), repeats=Repeats(0, 0.0)))
        return models[-1]

    yield make
    for model in models:
        await model.close()


def _sent(server: HTTPServer) -> tuple[dict[str, Any], Any]:
    request = server.log[-1][0]
    return json.loads(request.get_data()), request.headers


@EACH
async def test_a_reply_is_read_with_what_it_cost_and_what_came_from_a_cache(
    name: str, httpserver: HTTPServer, made: Made
) -> None:
    provider = PROVIDERS[name]
    httpserver.expect_request(provider.path, method="POST").respond_with_json(provider.good)
    answer = await made(provider).answer(ask(max_tokens=100), Choice)
    body, headers = _sent(httpserver)
    assert answer.value == Choice(why="I like it", pick="red")
    assert (answer.model, answer.usage.input, answer.usage.output) == ("answering-1", 1200, 30)
    assert answer.usage.cached == provider.cached
    assert headers[provider.key[0]] == provider.key[1]
    properties = provider.schema(body)["properties"]
    assert (list(properties), properties["pick"]["enum"]) == (["why", "pick"], ["red", "green"])
    assert "You pick colours." in json.dumps(body)


@EACH
async def test_a_picture_goes_along(name: str, httpserver: HTTPServer, made: Made) -> None:
    provider = PROVIDERS[name]
    httpserver.expect_request(provider.path, method="POST").respond_with_json(provider.good)
    parts = (Text("What colour?", "task"), Image(PICTURE, "image/png", "volatile"))
    await made(provider).answer(Call("r", parts, max_tokens=100), Choice)
    assert SEEN in provider.picture(_sent(httpserver)[0])


@EACH
async def test_a_refusal_is_one(name: str, httpserver: HTTPServer, made: Made) -> None:
    provider = PROVIDERS[name]
    httpserver.expect_request(provider.path, method="POST").respond_with_json(provider.refused)
    with pytest.raises(ModelFailure, match="refused to answer"):
        await made(provider).answer(ask(), Choice)


@EACH
async def test_a_reply_that_was_cut_short_asks_for_a_shorter_one(name: str, httpserver: HTTPServer, made: Made) -> None:
    provider = PROVIDERS[name]
    httpserver.expect_request(provider.path, method="POST").respond_with_json(provider.cut)
    answer = await made(provider).answer(ask(max_tokens=60), Choice)
    assert "cut off" in str(answer.value), answer.value


@EACH
@pytest.mark.parametrize(("status", "hint"), [(400, "refused the request"), (401, "Set KEY"), (429, "limits your rate")])
async def test_the_providers_own_words_are_told_of_an_error(
    status: int, hint: str, name: str, httpserver: HTTPServer, made: Made
) -> None:
    provider = PROVIDERS[name]
    httpserver.expect_request(provider.path, method="POST").respond_with_json(
        provider.error("No lamps here."), status=status
    )
    with pytest.raises(ModelFailure, match=f"status {status}: No lamps here") as caught:
        await made(provider).answer(ask(), Choice)
    assert hint in caught.value.hint
    assert len(httpserver.log) == 1


@EACH
async def test_reasoning_effort_is_said_as_the_provider_wants_it(name: str, httpserver: HTTPServer, made: Made) -> None:
    provider = PROVIDERS[name]
    httpserver.expect_request(provider.path, method="POST").respond_with_json(provider.good)
    await made(provider, effort="high").answer(ask(max_tokens=32_000), Choice)
    assert provider.effort(_sent(httpserver)[0])
