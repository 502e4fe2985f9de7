"""Whether a model's price is known: a run with a money limit must not start without it."""

from __future__ import annotations

from deskcrew.models.factory import parse


def price_known(model: str) -> bool:
    """Whether answers of ``model`` will carry a cost. What runs on this machine or is replayed is known to be free.

    Raises UsageError for a string of no known form.
    """
    reference = parse(model)
    match reference.kind:
        case "local" | "scripted":
            return True
        case "server" | "ollama":
            return False
        case kind:
            import genai_prices

            try:
                genai_prices.calc_price(
                    genai_prices.Usage(input_tokens=1), reference.name, provider_id=kind.removesuffix("-responses")
                )
            except LookupError:
                return False
            return True
