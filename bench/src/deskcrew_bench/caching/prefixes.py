"""Which part of a request is in a provider's cache, as OpenAI and Anthropic define it.

OpenAI: by itself, what the request has in common with an earlier one to the same model from its first token on, in steps of
128 tokens, if it is at least 1,024. The schema of the reply stands before the messages.
Anthropic: what an earlier request marked (``cache_control``, four marks at most), in whole blocks, if it is at least 1,024
tokens. A mark is looked for at the twenty blocks before it too. Tools stand before the system text, that before messages.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, cast

from deskcrew_bench.caching.tokens import tokens

LEAST = 1024
STEP = 128
MARKS = 4
LOOKED_BACK = 20

Json = dict[str, Any]


class Refused(Exception):
    """A request that the provider would not take."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Of one request: all tokens of its prompt, those that came from the cache, those that were put into it."""

    prompt: int
    cached: int
    written: int = 0


class PrefixCache(Protocol):
    """What a provider keeps of the prompts that it was sent."""

    def count(self, request: Json) -> Counted:
        """What of a request it has, keeping what it keeps of it. Raises Refused."""
        ...


class OpenAICache:
    """Keeps every prefix by itself."""

    def __init__(self) -> None:
        self._kept: set[bytes] = set()

    def count(self, request: Json) -> Counted:
        """See :class:`PrefixCache`."""
        running, prompt, cached = hashlib.sha256(str(request["model"]).encode()), 0, 0
        new: set[bytes] = set()
        for token in tokens(_openai_text(request)):
            running.update(token)
            prompt += 1
            if prompt >= LEAST and prompt % STEP == 0:
                prefix = running.digest()
                cached = prompt if prefix in self._kept else cached
                new.add(prefix)
        self._kept |= new
        return Counted(prompt, cached)


def _openai_text(request: Json) -> str:
    """All of a prompt, in the order in which it is read."""
    before = [json.dumps(request[key], ensure_ascii=False) for key in ("tools", "response_format") if request.get(key)]
    messages = (f"\n{each['role']}\n{_text(each['content'])}" for each in request["messages"])
    return "".join((*before, *messages))


class AnthropicCache:
    """Keeps what is marked."""

    def __init__(self) -> None:
        self._kept: set[bytes] = set()

    def count(self, request: Json) -> Counted:
        """See :class:`PrefixCache`."""
        running, total = hashlib.sha256(str(request["model"]).encode()), 0
        ends: list[tuple[bytes, int]] = []
        marks: list[int] = []
        for block in _blocks(request):
            marked = block.pop("cache_control", None) is not None
            text = _text([block]) if block.get("type") == "text" else json.dumps(block, ensure_ascii=False)
            for token in tokens(text):
                running.update(token)
                total += 1
            running.update(b"\0")
            if marked:
                marks.append(len(ends))
            ends.append((running.digest(), total))
        if request.get("cache_control") and ends:
            marks.append(len(ends) - 1)
        if len(marks) > MARKS:
            raise Refused(f"A maximum of {MARKS} blocks with cache_control may be provided. Found {len(marks)}.")
        looked_at = (ends[at] for mark in marks for at in range(max(0, mark - LOOKED_BACK), mark + 1))
        cached = max((size for end, size in looked_at if end in self._kept), default=0)
        marked_ends = [ends[mark] for mark in marks if ends[mark][1] >= LEAST]
        self._kept |= {end for end, _ in marked_ends}
        written = max((size for _, size in marked_ends), default=0)
        return Counted(total, cached, max(0, written - cached))


def _blocks(request: Json) -> Iterator[Json]:
    for tool in request.get("tools") or ():
        yield dict(tool)
    system = request.get("system") or ()
    for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
        yield dict(block)
    for message in request["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            yield dict(block)


def _text(content: object) -> str:
    """Of a message's content. A picture counts as its data."""
    if isinstance(content, str):
        return content
    parts = cast("list[Json]", content)
    return "".join(part["text"] if "text" in part else json.dumps(part) for part in parts)
