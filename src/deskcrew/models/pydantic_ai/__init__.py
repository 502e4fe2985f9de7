"""Every hosted provider, and any OpenAI-compatible server, through pydantic-ai, which only this package imports.

pydantic-ai only translates between providers' APIs: one request per answer, without its agent loop, output retries and
tools. Importing this takes over a second, so only :mod:`deskcrew.models.factory` and :mod:`deskcrew.models.local` do, and
only when such a model is created.
"""

from deskcrew.models.pydantic_ai.adapter import AnsweringServer, ApiKey, PydanticAIModel, Repeats, connect

__all__ = ["AnsweringServer", "ApiKey", "PydanticAIModel", "Repeats", "connect"]
