"""Creates a model from a model string. A provider's library is imported only when a model needs it.

======================  ==============================================================================================
``local``               the embedded default model; ``local:NAME`` one from the store, ``local:/path/x.gguf`` any file
``openai:X``            Chat Completions (takes a seed); ``openai-responses:X`` for models that exist only there
``anthropic:X``         Anthropic; ``google:X`` Gemini; ``ollama:X`` an Ollama server
``http://host/v1#X``    any OpenAI-compatible server, also ``https://``; its key is read from DESKCREW_API_KEY
``scripted:FILE``       replies from a JSON file
======================  ==============================================================================================
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field

from deskcrew.errors import ModelFailure, UsageError, extra_installed
from deskcrew.models import profiles
from deskcrew.models.client import Model
from deskcrew.models.scripted import load_script
from deskcrew.settings import Price

Kind = Literal["local", "openai", "openai-responses", "anthropic", "google", "ollama", "server", "scripted"]

FORMS = (
    "local, local:NAME, openai:NAME, openai-responses:NAME, anthropic:NAME, google:NAME, ollama:NAME, "
    "http://HOST/v1#NAME, scripted:FILE"
)

KEY_VARIABLES: dict[Kind, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "openai-responses": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "ollama": ("OLLAMA_API_KEY",),
    # Not OPENAI_API_KEY: a key must never go to a host it was not made for.
    "server": ("DESKCREW_API_KEY",),
}

KEYLESS: frozenset[Kind] = frozenset({"ollama", "server"})


class Reference(NamedTuple):
    """A parsed model string. ``base_url`` only where the string or the environment names a server."""

    kind: Kind
    name: str
    base_url: str | None = None


class ModelOptions(BaseModel):
    """Options for models; every field has a default that works."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    profiles_file: Path | None = None
    """A file of the form of ``profiles.toml`` that is read before it."""
    store_folder: Path | None = None
    """Where weights lie; None: the user's data folder."""
    runtime_folder: Path | None = None
    """Where records of local servers lie; None: the user's runtime folder."""
    transport_retries: int = Field(default=3, ge=0)
    """Repeats of a request after 429, 5xx or a broken connection."""
    context: int | None = Field(default=None, ge=512)
    """Tokens of context of the local model; None: what its profile says."""
    idle_seconds: float = Field(default=300.0, gt=0)
    """After how long without a client a local server ends."""
    prices: dict[str, Price] = Field(default_factory=dict[str, Price])
    """The user's own prices, by model string; they come before the table's."""
    threads: int | None = Field(default=None, ge=1)
    """Threads of the local model; None: the physical cores that are free when its server starts."""


def parse(model: str) -> Reference:
    """Parse a model string. Raises UsageError that lists the accepted forms."""
    if model == "local":
        return Reference("local", "")
    scheme, there, rest = model.partition("://")
    if there and scheme.lower() in ("http", "https"):
        base_url, _, name = f"{scheme.lower()}://{rest}".partition("#")
        if not name:
            raise UsageError(f"{model!r} does not say which model", hint="Append it: http://host/v1#name")
        return Reference("server", name, base_url.rstrip("/"))
    prefix, _, name = model.partition(":")
    for kind in get_args(Kind):
        if prefix == kind and kind != "server" and name:
            return Reference(kind, name)
    raise UsageError(f"{model!r} is not a model", hint=f"Use one of: {FORMS}")


def create(
    model: str,
    *,
    options: ModelOptions | None = None,
    api_key: str | None = None,
    on_loading: Callable[[float], None] | None = None,
) -> Model:
    """A model from its string. Cheap: a local server is started at the first answer, not here.

    ``api_key``: instead of the provider's environment variable, which is read now. ``on_loading``: told the loaded
    fraction (0 to 1) while a local model starts. Raises UsageError for a string of no known form, ConfigError for a
    file that does not parse, ModelFailure when the extra, the key or the weights are missing.
    """
    options = options or ModelOptions()
    reference = parse(model)
    facts = profiles.find(model, user_file=options.profiles_file)
    match reference.kind:
        case "scripted":
            return load_script(Path(reference.name), profile=facts.profile)
        case "local":
            from deskcrew.models.local import local_model

            return local_model(model, reference.name, facts=facts, options=options, on_loading=on_loading)
        case _:
            return _remote(model, reference, facts, options, api_key)


def _remote(model: str, reference: Reference, facts: profiles.Facts, options: ModelOptions, api_key: str | None) -> Model:
    variables = KEY_VARIABLES[reference.kind]
    key = api_key or next((value for name in variables if (value := os.environ.get(name))), None)
    if key is None and reference.kind not in KEYLESS:
        raise ModelFailure(f"No API key for {model}", hint=f"Set {' or '.join(variables)}.", status=401)
    if reference.kind == "ollama":
        reference = reference._replace(base_url=_ollama_url())
    extra = reference.kind if reference.kind in ("anthropic", "google") else "openai"
    try:
        from deskcrew.models.pydantic_ai import connect

        return connect(
            model,
            reference,
            facts=facts,
            api_key=key,
            key_variable=variables[0],
            retries=options.transport_retries,
            own_price=options.prices.get(model),
        )
    except ImportError as error:
        raise ModelFailure(
            f"{model} needs a library that is not installed ({error.name or error})",
            hint=extra_installed(extra),
        ) from error


def _ollama_url() -> str:
    """OLLAMA_BASE_URL as pydantic-ai reads it, else OLLAMA_HOST as Ollama itself reads it, else its usual address."""
    if url := os.environ.get("OLLAMA_BASE_URL"):
        return url.rstrip("/")
    host = os.environ.get("OLLAMA_HOST", "127.0.0.1:11434").rstrip("/")
    if "://" not in host:
        host = f"http://{host}"
    if ":" not in host.rpartition("//")[2]:
        host += ":11434"
    # A server told to listen everywhere is reached at the loopback address.
    return host.replace("//0.0.0.0", "//127.0.0.1") + "/v1"
