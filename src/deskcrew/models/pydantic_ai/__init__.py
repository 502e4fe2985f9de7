"""Every hosted provider, and any OpenAI-compatible server, through pydantic-ai: the only package that imports it.

Used as a translator of provider dialects only: one request per answer; its agent loop, output retries and tools are
unused. Importing this takes over a second, so only :mod:`deskcrew.models.factory` and :mod:`deskcrew.models.local` do,
and only when such a model is made.
"""

from deskcrew.models.pydantic_ai.adapter import AnsweringServer, ApiKey, PydanticAIModel, Repeats, connect

__all__ = ["AnsweringServer", "ApiKey", "PydanticAIModel", "Repeats", "connect"]
