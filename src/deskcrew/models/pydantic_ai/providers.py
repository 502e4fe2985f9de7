"""Creates pydantic-ai's model for a parsed model string, with an HTTP client that we own."""

from __future__ import annotations

import httpx2
from pydantic_ai.models import Model as ProviderModel
from pydantic_ai.profiles.openai import OpenAIModelProfile

from deskcrew.models.pydantic_ai.bounded import ask_for_little, bound
from deskcrew.models.reference import Reference

CONNECT_TIMEOUT = 10.0
READ_TIMEOUT = 600.0

COMPATIBLE_SERVER = OpenAIModelProfile(
    # Our schema goes out as it is: the transformer for OpenAI's strict mode would reorder and rewrite it.
    json_schema_transformer=None,
    supports_json_schema_output=True,
    supports_json_object_output=True,
    openai_chat_supports_max_completion_tokens=False,
    # Many chat templates take one system message, at the start.
    openai_chat_supports_multiple_system_messages=False,
    # llama.cpp reads "<|im_end|>" inside a prompt as a control token, so a web page could end the user's turn.
    may_tokenize_special_tokens_in_content=True,
)
"""The profile for llama.cpp, vLLM and other servers that speak Chat Completions."""


def open_client() -> httpx2.AsyncClient:
    """Open the HTTP client for a model's requests; the caller must close it. It limits the size of replies; the adapter
    enforces deadlines."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(READ_TIMEOUT, connect=CONNECT_TIMEOUT),
        event_hooks={"request": [ask_for_little], "response": [bound]},
    )


def provider_model(reference: Reference, api_key: str | None, http: httpx2.AsyncClient) -> ProviderModel:
    """The provider's model. ``reference.base_url``: the server's address, if it is not the provider's own.

    Raises ImportError if the provider's library is not installed.
    """
    name, url = reference.name, reference.base_url
    match reference.kind:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(name, provider=AnthropicProvider(api_key=api_key, base_url=url, http_client=http))
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            google = GoogleProvider(api_key=api_key or "", base_url=url, http_client=http)
            return GoogleModel(name, provider=google)
        case "ollama":
            from pydantic_ai.models.ollama import OllamaModel
            from pydantic_ai.providers.ollama import OllamaProvider

            return OllamaModel(name, provider=OllamaProvider(base_url=url, api_key=api_key, http_client=http))
        case "openai-responses":
            from pydantic_ai.models.openai import OpenAIResponsesModel
            from pydantic_ai.providers.openai import OpenAIProvider

            return OpenAIResponsesModel(name, provider=OpenAIProvider(base_url=url, api_key=api_key, http_client=http))
        case _:
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            server = reference.kind != "openai"
            openai = OpenAIProvider(base_url=url, api_key=api_key or ("none" if server else None), http_client=http)
            return OpenAIChatModel(name, provider=openai, profile=COMPATIBLE_SERVER if server else None)
