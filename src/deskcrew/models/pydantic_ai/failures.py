"""Interprets transport errors: whether retrying helps, how long to wait, and what a person should do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    UnexpectedModelBehavior,
    UserError,
)

from deskcrew.errors import ModelFailure
from deskcrew.facts.meant import did_you_mean
from deskcrew.models.pydantic_ai.bounded import TooLarge

TRANSIENT_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
MAX_BODY = 300
_START_OLLAMA = "Start it: ollama serve. OLLAMA_HOST names another address."
_NO_SERVER = "Check that the address is that of a model server (often it ends in /v1)."


def may_pass(error: BaseException) -> bool:
    """Whether an error is transient: 429, 5xx, a broken connection or a timeout, but not an exhausted quota."""
    if isinstance(error, ModelQuotaExceededError) or too_large(error) is not None:
        return False
    if isinstance(error, ModelHTTPError):
        return error.status_code in TRANSIENT_STATUS
    return isinstance(error, ModelConnectionError | httpx2.TransportError | TimeoutError)


def trouble(error: BaseException | None) -> str:
    """What is wrong with the server, to follow its name in a sentence."""
    if isinstance(error, ModelHTTPError):
        return "limits your rate (429)" if error.status_code == 429 else f"answers {error.status_code}"
    return "gave no answer in time" if isinstance(error, TimeoutError) else "cannot be reached"


def too_large(error: BaseException | None) -> TooLarge | None:
    """The TooLarge that caused an error; None if there is none."""
    while error is not None and not isinstance(error, TooLarge):
        error = error.__cause__
    return error


def retry_after(error: BaseException | None) -> float | None:
    """Seconds that the provider asked to wait; None if it did not say."""
    return error.retry_after if isinstance(error, ModelAPIError) else None


def takes_temperature(profile: Mapping[str, Any], effort: str = "") -> bool:
    """Whether a model accepts a temperature. Models that reason, always or because of ``effort``, refuse or ignore it."""
    reasons = effort or profile.get("thinking_always_enabled") or profile.get("thinking_enabled_by_default")
    return not (profile.get("openai_supports_reasoning") and reasons)


def failure(name: str, error: Exception, key_variable: str, address: str = "") -> ModelFailure:
    """The error to show to a person. ``key_variable``: the environment variable for the provider's key; ``address``: the
    server's address."""
    if isinstance(error, ModelHTTPError):
        return ModelFailure(
            f"{name} answered with status {error.status_code}: {_body(error)}",
            hint=_hint(error, key_variable),
            status=error.status_code,
            retry_after=error.retry_after,
        )
    if (large := too_large(error)) is not None:
        return ModelFailure(f"{name}: {large}.", hint=_NO_SERVER)
    if isinstance(error, RecursionError):
        return ModelFailure(f"{name} answered with JSON that is nested too deeply to be a completion.", hint=_NO_SERVER)
    if isinstance(error, ModelConnectionError | httpx2.TransportError):
        cause = error.__cause__ or error
        at = f" at {address}" if address else ""
        hint = _START_OLLAMA if name.startswith("ollama:") else "Check the address and the network."
        return ModelFailure(f"{name} cannot be reached{at}: {cause}", hint=hint)
    if isinstance(error, UnexpectedModelBehavior | ModelAPIError):
        return ModelFailure(
            f"{name} answered with something that is not a completion: {str(error)[:MAX_BODY]}",
            hint=_NO_SERVER,
        )
    if isinstance(error, UserError):
        return ModelFailure(
            f"{name} cannot be asked this way: {error}", hint="Set another `output` for it in your profiles file."
        )
    return ModelFailure(f"{name} failed: {error}")


def _hint(error: ModelHTTPError, key_variable: str) -> str:
    if isinstance(error, ModelContextWindowExceededError) or error.status_code == 413:
        return "The prompt is longer than the model takes: use a model with more context."
    if isinstance(error, ModelQuotaExceededError):
        return "The account's quota is used up: check its billing."
    match error.status_code:
        case 401 | 403:
            return f"Set {key_variable} to a key that may use this model." if key_variable else "The key was refused."
        case 404:
            near = error.suggested_model_id or ""
            return f"Check the model's name and the address.{did_you_mean(near, [near] if near else ())}"
        case 429:
            return "The provider limits your rate: wait, or use fewer runs at once."
        case status if status >= 500:
            return "The provider has a problem: try again later, or take another model."
        case _:
            return "The provider refused the request: the message says why."


def _body(error: ModelHTTPError) -> str:
    """The provider's message, shortened; many nest it as ``{"error": {"message": ...}}``."""
    body: Any = error.body
    while isinstance(body, Mapping):
        inner: Any = body.get("error") or body.get("message")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        if inner is None:
            break
        body = inner  # pyright: ignore[reportUnknownVariableType]
    return str(body or error.message)[:MAX_BODY]  # pyright: ignore[reportUnknownArgumentType]
