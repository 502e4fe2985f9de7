"""Prices: those of the provider that is asked, or none."""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING

import genai_prices
import pytest

from deskcrew.models.prices import cost, price_known, source
from deskcrew.models.reference import Reference
from deskcrew.settings import Price

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.usage import RequestUsage


def usage(**tokens: int) -> RequestUsage:
    from pydantic_ai.usage import RequestUsage

    return RequestUsage(**tokens)


def response(model: str) -> ModelResponse:
    from pydantic_ai.messages import ModelResponse

    return ModelResponse(parts=[], model_name=model, usage=usage(input_tokens=1000, output_tokens=100))


@pytest.mark.parametrize(
    ("reference", "known"),
    [
        (Reference("openai", "gpt-4o"), True),
        (Reference("openai-responses", "gpt-4o"), True),
        (Reference("anthropic", "claude-sonnet-4-5"), True),
        (Reference("openai", "no-such-model"), False),
        (Reference("server", "gpt-4o", "http://127.0.0.1:1/v1"), False),
        (Reference("ollama", "gpt-4o", "http://127.0.0.1:1/v1"), False),
    ],
)
def test_price_of_an_answer(reference: Reference, known: bool) -> None:
    answered = response(reference.name)
    price = cost(answered.usage, answered.model_name or "", reference)
    assert (price is not None) == known
    assert price != 0


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("local", True),
        ("scripted:x.json", True),
        ("openai:gpt-4o", True),
        ("openai:no-such-model", False),
        ("http://host/v1#gpt-4o", False),
        ("ollama:qwen3", False),
    ],
)
def test_whether_a_price_is_known_before_a_run(model: str, known: bool) -> None:
    assert price_known(model) == known


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5-mini", "claude-sonnet-4-5"])
def test_tokens_from_a_cache_cost_what_the_table_says(model: str) -> None:
    """Against the table of the installed version, read on its own: cached tokens are counted once, and at their price."""
    kind = "anthropic" if model.startswith("claude") else "openai"
    table = genai_prices.calc_price(genai_prices.Usage(input_tokens=1), model, provider_id=kind).model_price
    used = usage(input_tokens=1_000_000, cache_read_tokens=400_000, output_tokens=10_000)
    told = cost(used, model, Reference(kind, model))
    assert told is not None

    def price(of: object) -> float:
        return float(getattr(of, "base", of))  # type: ignore[arg-type]

    small = usage(input_tokens=10_000, cache_read_tokens=4_000, output_tokens=100)
    expected = 6_000 * price(table.input_mtok) + 4_000 * price(table.cache_read_mtok) + 100 * price(table.output_mtok)
    assert cost(small, model, Reference(kind, model)) == pytest.approx(expected / 1e6)
    assert told < (cost(usage(input_tokens=1_000_000, output_tokens=10_000), model, Reference(kind, model)) or 0)


def test_the_users_own_price_comes_first() -> None:
    own = Price(input=1, output=4, cached=0.1)
    used = usage(input_tokens=1_000_000, cache_read_tokens=500_000, output_tokens=250_000)
    server = Reference("server", "m", "http://127.0.0.1:1/v1")
    assert cost(used, "m", server, own) == pytest.approx(0.5 + 0.05 + 1)
    assert cost(used, "m", server, Price(input=1, output=4)) == pytest.approx(1 + 1)
    assert cost(used, "gpt-4o", Reference("openai", "gpt-4o"), own) == pytest.approx(1.55)
    assert price_known("http://127.0.0.1:1/v1#m", {"http://127.0.0.1:1/v1#m": own})
    assert source("ollama:x", {"ollama:x": own}) == "your settings: $1 in, $0.1 cached, $4 out per million tokens"


def test_where_a_price_is_from_names_table_and_version() -> None:
    version = importlib.metadata.version("genai-prices")
    assert source("openai:gpt-4o") == f"genai-prices {version} for gpt-4o of OpenAI"
    assert source("local") == source("http://host/v1#gpt-4o") == ""
