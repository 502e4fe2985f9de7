"""``bench cache``: what a provider has of a prompt, by its own definition, and what of it the product's client gets back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from cli.conftest import Cli
from deskcrew.models.client import Call, Profile, Text, Usage
from deskcrew_bench.caching.prefixes import LEAST, STEP, AnthropicCache, Counted, OpenAICache, Refused
from deskcrew_bench.caching.provider import Kind, Provider
from deskcrew_bench.caching.tokens import tokens

STABLE = " ".join(f"word{number}" for number in range(LEAST))
"""More than the least that is cached."""
HISTORY = [f"- done: step {number} of the work" for number in range(40)]


class Said(BaseModel):
    """A reply."""

    branch: Literal["Continue"]


def asked(*texts: str, model: str = "m", **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": text} for text in texts], **more}


def test_tokens_are_all_of_a_text() -> None:
    text = "Größe: 12345 px,\n\n  naïve_name = '日本語'; ok()"
    assert b"".join(tokens(text)).decode() == text
    assert len(list(tokens("a plain line of seven short words"))) == 7


def test_what_two_requests_begin_with_is_cached_in_steps_if_it_is_long_enough() -> None:
    cache = OpenAICache()
    first = cache.count(asked(STABLE, "one"))
    assert first.cached == 0
    second = cache.count(asked(STABLE, "another"))
    assert second.cached % STEP == 0
    assert LEAST <= second.cached <= second.prompt
    assert second.prompt - second.cached < 2 * STEP
    assert cache.count(asked(STABLE, "one", model="other")).cached == 0
    assert cache.count(asked(f"Today. {STABLE}", "one")).cached == 0, "it must be the beginning"
    assert cache.count(asked("short", "one")).cached == cache.count(asked("short", "one")).cached == 0


def test_another_schema_is_another_beginning() -> None:
    cache = OpenAICache()
    cache.count(asked(STABLE, response_format={"type": "json_schema", "n": 1}))
    assert cache.count(asked(STABLE, response_format={"type": "json_schema", "n": 2})).cached == 0
    assert cache.count(asked(STABLE, response_format={"type": "json_schema", "n": 2})).cached >= LEAST


MARK = {"cache_control": {"type": "ephemeral"}}


def blocks(*texts: str, marked: int = -1) -> dict[str, Any]:
    made = [{"type": "text", "text": text} | (MARK if at == marked else {}) for at, text in enumerate(texts)]
    return {"model": "m", "messages": [{"role": "user", "content": made}]}


def test_only_what_was_marked_is_cached_and_only_whole_blocks() -> None:
    cache = AnthropicCache()
    cache.count(blocks(STABLE, "now"))
    assert cache.count(blocks(STABLE, "now", marked=0)).cached == 0, "nothing was marked before"
    again = cache.count(blocks(STABLE, "then", marked=0))
    assert again == Counted(again.prompt, sum(1 for _ in tokens(STABLE)))
    grown = cache.count(blocks(f"{STABLE} more", "then", marked=0))
    assert (grown.cached, grown.written) == (0, again.cached + 1)
    behind = cache.count(blocks(STABLE, "more", "then", marked=1))
    assert behind.cached == again.cached, "a mark is looked for at the blocks before it too"


def test_there_are_four_marks_at_most() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "a", **MARK}] * 5}]}
    with pytest.raises(Refused):
        AnthropicCache().count(request)


@pytest.fixture(params=["openai", "anthropic"])
async def provider(request: pytest.FixtureRequest) -> AsyncIterator[Provider]:
    kind: Kind = request.param
    with Provider(kind) as server:
        server.reply = '{"branch": "Continue"}'
        yield server


@pytest.mark.anyio
@pytest.mark.deep
async def test_history_that_only_grows_comes_from_the_cache_at_each_provider(provider: Provider) -> None:
    client = provider.client(Profile(name="p"))
    used: list[Usage] = []
    for number in range(20, 40, 5):
        parts = (
            Text(STABLE, "stable"), Text("Whole task: work", "task"),
            Text("You did:\n" + "\n".join(HISTORY[:number]), "memory"), Text(f"Screen {number}\n\nReply:", "volatile"),
        )  # fmt: skip
        answer = await client.answer(Call(role="Worker", parts=parts, max_tokens=50), Said)
        assert isinstance(answer.value, Said)
        used.append(answer.usage)
    await client.close()
    stable = sum(1 for _ in tokens(STABLE))
    assert used[0].cached == 0
    for before, now in pairwise(used):
        assert before.input is not None
        assert now.cached is not None
        assert now.cached > stable + 100, "more than the system message"
        assert now.cached > before.input - STEP, "nearly all of the call before"


@pytest.mark.anyio
async def test_another_role_has_marks_of_its_own() -> None:
    with Provider("anthropic") as server:
        server.reply = '{"branch": "Continue"}'
        client = server.client(Profile(name="p"))
        for role in ("Worker", "Planner", "Worker"):
            parts = (Text(f"{role} {STABLE}", "stable"), Text(f"{role} " * 50, "task"), Text("Reply:", "volatile"))
            answer = await client.answer(Call(role=role, parts=parts, max_tokens=50), Said)
        await client.close()
    assert answer.usage.cached is not None
    assert answer.usage.input is not None
    assert 0 < answer.usage.input - answer.usage.cached < 5


SUITE = Path(__file__).parents[2] / "bench" / "strong"


@pytest.mark.deep
def test_a_chore_by_kept_replies_says_what_is_cached_and_what_verifying_takes(cli: Cli) -> None:
    done = cli("bench", "cache", "--tasks", str(SUITE), "--only", "database", "--json")
    assert done.code == 0, done.err
    (trial,) = done.json["trials"]
    assert trial["outcome"] == "done"
    calls = {part: trial[part]["calls"] for part in ("working", "agreeing", "proving")}
    assert calls == {"working": 6, "agreeing": 1, "proving": 1}
    assert 0.35 < trial["working"]["cached"] / trial["working"]["prompt"] < 1
    assert trial["agreeing"]["cached"] == trial["proving"]["cached"] == 0, "each of these roles is asked once"
    assert trial["agreeing"]["prompt"] < 0.15 * trial["working"]["prompt"], "what a contract may add"
