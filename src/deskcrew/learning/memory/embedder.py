"""The port to sentence embeddings.

An embedder turns texts into vectors whose cosine measures how similar they are in meaning. Without an embedder, memory
is searched only by words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

LONGEST = 600
"""How many characters of a text are embedded: enough to show its subject, within milliseconds."""


class Embedder(Protocol):
    """Turns texts into vectors. Blocking."""

    @property
    def name(self) -> str:
        """A name for the vector space: vectors of embedders with different names cannot be compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def alike(self) -> float:
        """The minimum cosine at which two texts count as being about the same kind of thing."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """A unit vector for each text, as rows. Raises ModelFailure if they cannot be computed."""
        ...


def likeness(embedder: Embedder) -> Callable[[str, Sequence[str]], list[float]]:
    """A function that compares a text with others by meaning, and returns the cosine with each. It blocks, and raises like
    :meth:`Embedder.embed`."""

    def alike(text: str, others: Sequence[str]) -> list[float]:
        vectors = embedder.embed([text, *others])
        return [float(cosine) for cosine in vectors[1:] @ vectors[0]]

    return alike
