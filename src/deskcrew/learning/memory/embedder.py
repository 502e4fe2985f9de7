"""The port to sentence embeddings.

An embedder turns texts into vectors whose cosine measures how similar they are in meaning. Without an embedder, memory
is searched by words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

LONGEST = 600
"""How much of a text is embedded, in characters: enough to show its subject, within milliseconds."""


class Embedder(Protocol):
    """Turns texts into vectors. Blocking."""

    @property
    def name(self) -> str:
        """Identifies the vector space: vectors of different names cannot be compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def alike(self) -> float:
        """The minimum cosine of two texts that count as being about the same kind of thing."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """A unit vector for each text, as rows. Raises ModelFailure if there is none."""
        ...


def likeness(embedder: Embedder) -> Callable[[str, Sequence[str]], list[float]]:
    """Compares a text with others by meaning: returns the cosine with each. Blocking; raises as :meth:`Embedder.embed`."""

    def alike(text: str, others: Sequence[str]) -> list[float]:
        vectors = embedder.embed([text, *others])
        return [float(cosine) for cosine in vectors[1:] @ vectors[0]]

    return alike
