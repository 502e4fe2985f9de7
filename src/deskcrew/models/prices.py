"""The price of a model's answers: from the user's settings, else from the table of ``genai-prices``.

The table is the installed version's: nothing is fetched, so the same version gives the same price. If neither has a price,
it is unknown, never zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Protocol

from deskcrew.models.reference import FILES, Kind, Reference, parse
from deskcrew.settings import Price

NONE: Mapping[str, Price] = {}
FREE = Price(input=0, output=0)
FREELY: frozenset[Kind] = FILES | frozenset[Kind]({"local"})
"""Kinds of models that are known to cost nothing."""
MILLION = 1_000_000
HOSTED: tuple[Kind, ...] = ("anthropic", "google", "openai")
"""Providers whose models are offered by name."""
FAMILIES = ("claude-", "gemini-", "gpt-", "o1", "o3", "o4")
"""Name prefixes of models that can be used in a crew; providers have others for sound, pictures and search."""
LEAST_CONTEXT = 100_000
"""The minimum context, in tokens, of models that are offered."""
OTHER = frozenset(
    {"audio", "codex", "cyber", "embedding", "image", "instruct", "live", "nano-banana", "realtime", "search", "transcribe"}
    | {"tts", "vision", "ft", "deep-research", "extended"}
)
"""Parts of the names of models that cannot be used in a crew."""


class Used(Protocol):
    """Tokens of one answer. ``input_tokens`` includes ``cache_read_tokens``."""

    @property
    def input_tokens(self) -> int | None: ...
    @property
    def output_tokens(self) -> int | None: ...
    @property
    def cache_read_tokens(self) -> int | None: ...


def price_known(model: str, own: Mapping[str, Price] = NONE) -> bool:
    """Whether the cost of answers of ``model`` will be known. Local, scripted and recorded models are known to be free.

    Raises UsageError for a malformed model string.
    """
    return parse(model).kind in FREELY or bool(source(model, own))


def source(model: str, own: Mapping[str, Price] = NONE) -> str:
    """The source of a model's price, in words; '' if the price is unknown or the model is free."""
    reference = parse(model)
    if reference.kind in FREELY:
        return ""
    if model in own:
        price = own[model]
        cached = f", ${price.cached:g} cached" if price.cached is not None else ""
        return f"your settings: ${price.input:g} in{cached}, ${price.output:g} out per million tokens"
    if reference.kind in ("server", "ollama"):
        return ""
    import importlib.metadata

    if (genai_prices := _table()) is None:
        return ""
    try:
        found = genai_prices.calc_price(genai_prices.Usage(input_tokens=1), reference.name, provider_id=_provider(reference))
    except LookupError:
        return ""
    version = importlib.metadata.version("genai-prices")
    return f"genai-prices {version} for {found.model.id} of {found.provider.name}"


def price_of(model: str, own: Mapping[str, Price] = NONE) -> Price | None:
    """The price of ``model``; None if unknown. Local, scripted and recorded models are known to be free.

    Raises UsageError for a malformed model string.
    """
    return own[model] if model in own else _listed(model)


@lru_cache(maxsize=512)
def _listed(model: str) -> Price | None:
    reference = parse(model)
    if reference.kind in FREELY:
        return FREE
    if reference.kind in ("server", "ollama"):
        return None
    if (table := _table()) is None:
        return None
    usage = table.Usage(input_tokens=1, output_tokens=1)
    try:
        found = table.calc_price(usage, reference.name, provider_id=_provider(reference))
    except LookupError:
        return None
    return Price(input=float(found.input_price) * MILLION, output=float(found.output_price) * MILLION)


def cost(used: Used, answered: str, reference: Reference, own: Price | None = None) -> float | None:
    """The cost of one answer in US dollars; None if neither the user nor the table has a price. ``answered``: the model's
    name in its answer, '' if there is none; ``own``: the user's price.

    pydantic-ai's own figure is not used: for an unknown server it assumes the prices of the company whose API that imitates.
    """
    if own is not None:
        cached = min(used.cache_read_tokens or 0, used.input_tokens or 0)
        cheaper = own.input if own.cached is None else own.cached
        fresh = (used.input_tokens or 0) - cached
        return (fresh * own.input + cached * cheaper + (used.output_tokens or 0) * own.output) / 1e6
    if (genai_prices := _table()) is None:
        return None
    name = answered or reference.name
    try:
        if reference.base_url:
            price = genai_prices.calc_price(used, name, provider_api_url=reference.base_url)
        else:
            price = genai_prices.calc_price(used, name, provider_id=_provider(reference))
    except LookupError:
        return None
    return float(price.total_price)


def _table() -> ModuleType | None:
    """The module ``genai_prices``, which comes with the providers' libraries; None if these are not installed."""
    try:
        import genai_prices
    except ImportError:
        return None
    return genai_prices


def _provider(reference: Reference) -> str:
    return reference.kind.removesuffix("-responses")


@lru_cache(maxsize=1)
def hosted() -> tuple[str, ...]:
    """The model strings of hosted models whose prices are known and that can be used in a crew."""
    return tuple(_hosted())


def _hosted() -> Iterator[str]:
    if _table() is None:
        return
    from genai_prices.data_snapshot import get_snapshot

    for provider in get_snapshot().providers:
        if provider.id not in HOSTED:
            continue
        family = {"anthropic": "claude-", "google": "gemini-"}.get(provider.id)
        for model in provider.models:
            of_family = model.id.startswith(family) if family else model.id.startswith(FAMILIES)
            roomy = (model.context_window or 0) >= LEAST_CONTEXT
            if of_family and roomy and not model.deprecated and not any(part in model.id for part in OTHER):
                yield f"{provider.id}:{model.id}"
