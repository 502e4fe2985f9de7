"""Prices: those of the provider that is asked, or none."""

from __future__ import annotations

import pytest
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage

from deskcrew.models.factory import Reference
from deskcrew.models.prices import price_known
from deskcrew.models.pydantic_ai.adapter import price_of


def response(model: str) -> ModelResponse:
    return ModelResponse(parts=[], model_name=model, usage=RequestUsage(input_tokens=1000, output_tokens=100))


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
    price = price_of(response(reference.name), reference)
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
