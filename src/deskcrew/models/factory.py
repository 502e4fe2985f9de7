"""Creates a model from a model string. A provider's library is imported only when a model needs it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from deskcrew.errors import ModelFailure, UsageError, extra_installed
from deskcrew.facts.meant import did_you_mean
from deskcrew.models import profiles
from deskcrew.models.client import Model
from deskcrew.models.options import ModelOptions
from deskcrew.models.prices import hosted
from deskcrew.models.recorded import load_recorded
from deskcrew.models.reference import FILES, KEY_VARIABLES, KEYLESS, Reference, parse
from deskcrew.models.scripted import load_script
from deskcrew.models.store import WeightStore


def create(
    model: str,
    *,
    options: ModelOptions | None = None,
    api_key: str | None = None,
    on_loading: Callable[[float, int], None] | None = None,
) -> Model:
    """The model that a model string names. Cheap: a local server is started at the first answer, not here.

    ``api_key``: used in place of the provider's environment variable, which is read now. ``on_loading``: called with the
    loaded fraction (0 to 1) and the size in bytes while a local model starts. Raises UsageError if the string is malformed,
    ConfigError if a file cannot be parsed, ModelFailure if the extra, the key or the weights are missing.
    """
    options = options or ModelOptions()
    reference = parse(model)
    facts = profiles.find(model, user_file=options.profiles_file)
    match reference.kind:
        case "scripted":
            return load_script(Path(reference.name), profile=facts.profile)
        case "recorded":
            return load_recorded(Path(reference.name), profile=facts.profile)
        case "local":
            from deskcrew.models.local import local_model

            return local_model(model, reference.name, facts=facts, options=options, on_loading=on_loading)
        case _:
            return _remote(model, reference, facts, options, api_key)


def check_there(model: str, options: ModelOptions) -> None:
    """Raise UsageError if a model string is malformed, or names a file that does not exist or an unknown local model, and
    ModelFailure if its weights are missing. Nothing is loaded, and a key need not be set yet."""
    try:
        reference = parse(model)
    except UsageError as error:
        meant = "" if ":" in model else did_you_mean(model, hosted())
        raise UsageError(f"{error}{meant}", hint=error.hint) from None
    own = reference.kind == "local" and reference.name.endswith(".gguf")
    if (own or reference.kind in FILES) and not Path(reference.name).expanduser().is_file():
        raise UsageError(f"The model {model!r} cannot be used: there is no file {reference.name}.", hint="Name another.")
    if reference.kind == "local":
        from deskcrew.models.local import weights_of

        weights_of(reference.name, WeightStore(options.store_folder))


def _remote(model: str, reference: Reference, facts: profiles.Facts, options: ModelOptions, api_key: str | None) -> Model:
    variables = KEY_VARIABLES[reference.kind]
    key = api_key or next((value for name in variables if (value := os.environ.get(name))), None)
    if key is None and reference.kind not in KEYLESS:
        raise ModelFailure(f"No API key for {model}", hint=f"Set {' or '.join(variables)}.", status=401)
    if reference.kind == "ollama":
        reference = reference._replace(base_url=_ollama_url())
    extra = reference.kind if reference.kind in ("anthropic", "google") else "openai"
    try:
        from deskcrew.models.pydantic_ai import ApiKey, connect

        return connect(
            model,
            reference,
            facts=facts,
            key=ApiKey(key, variables[0]),
            own_price=options.prices.get(model),
        )
    except ImportError as error:
        raise ModelFailure(
            f"{model} needs a library that is not installed ({error.name or error})",
            hint=extra_installed(extra),
        ) from error


def _ollama_url() -> str:
    """Ollama's address: OLLAMA_BASE_URL as pydantic-ai reads it, else OLLAMA_HOST as Ollama itself reads it, else Ollama's
    default."""
    if url := os.environ.get("OLLAMA_BASE_URL"):
        return url.rstrip("/")
    host = os.environ.get("OLLAMA_HOST", "127.0.0.1:11434").rstrip("/")
    if "://" not in host:
        host = f"http://{host}"
    if ":" not in host.rpartition("//")[2]:
        host += ":11434"
    # A server told to listen everywhere is reached at the loopback address.
    return host.replace("//0.0.0.0", "//127.0.0.1") + "/v1"
