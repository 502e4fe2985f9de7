"""Model strings: each names a provider's model, and if need be its server.

======================  ==============================================================================================
``local``               the embedded default model; ``local:NAME`` one from the store, ``local:/path/x.gguf`` any file
``openai:X``            Chat Completions (takes a seed); ``openai-responses:X`` for models that exist only there
``anthropic:X``         Anthropic; ``google:X`` Gemini; ``ollama:X`` an Ollama server
``http://host/v1#X``    any OpenAI-compatible server, also ``https://``; its key is read from DESKCREW_API_KEY
``scripted:FILE``       replies from a JSON file; ``recorded:FILE`` the replies of an earlier run
======================  ==============================================================================================
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from deskcrew.errors import UsageError
from deskcrew.facts.meant import did_you_mean

Kind = Literal["local", "openai", "openai-responses", "anthropic", "google", "ollama", "server", "scripted", "recorded"]

FORMS = (
    "local, local:NAME, openai:NAME, openai-responses:NAME, anthropic:NAME, google:NAME, ollama:NAME, "
    "http://HOST/v1#NAME, scripted:FILE, recorded:FILE"
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
FILES: frozenset[Kind] = frozenset({"scripted", "recorded"})
"""Kinds of models that are a file of replies: no model is asked, and nothing is sent."""


class Reference(NamedTuple):
    """A parsed model string. ``base_url``: the server's address, None unless the string or the environment names one."""

    kind: Kind
    name: str
    base_url: str | None = None


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
    meant = did_you_mean(prefix, get_args(Kind), shown=f"{{}}:{name}") if name else ""
    raise UsageError(f"{model!r} is not a model.{meant}", hint=f"Use one of: {FORMS}")
