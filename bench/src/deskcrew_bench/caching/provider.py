"""A provider on loopback that replies what it is told to, and says of each prompt what it had in its cache."""

from __future__ import annotations

import contextlib
import http.server
import json
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from deskcrew.models.client import Profile
from deskcrew.models.profiles import Facts
from deskcrew.models.reference import Reference
from deskcrew_bench.caching.prefixes import AnthropicCache, Counted, Json, OpenAICache, PrefixCache, Refused
from deskcrew_bench.loopback import Loopback

if TYPE_CHECKING:
    from deskcrew.models.pydantic_ai import PydanticAIModel

Kind = Literal["openai", "anthropic"]
MODEL = "measured"


class Provider(Loopback):
    """Speaks the dialect of ``kind`` and caches as it does. Use it as a context manager.

    ``reply``: the text of its next reply; ``kept``: prompt tokens of the last request that it would have had in its cache if
    earlier runs had been just before, where its replies tell what this run alone has put there."""

    def __init__(self, kind: Kind) -> None:
        self.kind: Kind = kind
        self.reply = ""
        self.kept = 0
        self._cache, self._lasting = _cache(kind), _cache(kind)
        super().__init__(self._handler())

    def begin(self) -> None:
        """Another run."""
        self._cache = _cache(self.kind)

    def client(self, profile: Profile) -> PydanticAIModel:
        """The product's own client of it."""
        from deskcrew.models.pydantic_ai import ApiKey, Repeats, connect

        host = f"http://{self.host}"
        address = f"{host}/v1" if self.kind == "openai" else host
        facts = Facts(profile=profile, output="native" if self.kind == "openai" else "tool")
        name = f"{self.kind}:{MODEL}"
        return connect(name, Reference(self.kind, MODEL, address), facts=facts, key=ApiKey("none"), repeats=Repeats(0))

    def answer(self, path: str, request: Json) -> tuple[int, Json]:
        """Status and body for a request."""
        if urlsplit(path).path != ("/v1/chat/completions" if self.kind == "openai" else "/v1/messages"):
            return 404, {"error": {"message": f"There is no {path} here."}}
        try:
            counted = self._cache.count(request)
            self.kept = self._lasting.count(request).cached
        except Refused as error:
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": str(error)}}
        return 200, (_completion if self.kind == "openai" else _message)(self.reply, counted)

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, said = provider.answer(self.path, json.loads(body))
                content = json.dumps(said).encode()
                with contextlib.suppress(ConnectionError):
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is printed."""

        return Handler


def _cache(kind: Kind) -> PrefixCache:
    return OpenAICache() if kind == "openai" else AnthropicCache()


def _completion(reply: str, counted: Counted) -> Json:
    made = len(reply) // 4
    message: dict[str, Any] = {"role": "assistant", "content": reply}
    usage = {
        "prompt_tokens": counted.prompt, "completion_tokens": made, "total_tokens": counted.prompt + made,
        "prompt_tokens_details": {"cached_tokens": counted.cached},
    }  # fmt: skip
    return {
        "id": "1", "object": "chat.completion", "created": 1, "model": MODEL, "usage": usage,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }  # fmt: skip


def _message(reply: str, counted: Counted) -> Json:
    """The reply as the call of the tool that the client forces; as words where it is no object."""
    try:
        given: object = json.loads(reply)
    except ValueError:
        given = None
    called = {"type": "tool_use", "id": "1", "name": "answer", "input": given}
    usage = {
        "input_tokens": counted.prompt - counted.cached - counted.written, "output_tokens": len(reply) // 4,
        "cache_read_input_tokens": counted.cached, "cache_creation_input_tokens": counted.written,
    }  # fmt: skip
    return {
        "id": "1", "type": "message", "role": "assistant", "model": MODEL, "usage": usage,
        "content": [called if isinstance(given, dict) else {"type": "text", "text": reply or "-"}],
        "stop_reason": "tool_use", "stop_sequence": None,
    }  # fmt: skip
