"""Embeddings from any server with OpenAI's ``/embeddings``: a provider's, or your own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import httpx
from pydantic import BaseModel, Field, ValidationError

from deskcrew.errors import ModelFailure
from deskcrew.facts.unfit import in_words
from deskcrew.learning.memory.embedder import LONGEST

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

SECONDS = 20.0
BATCH = 64


class _Row(BaseModel):
    index: int
    embedding: list[float] = Field(min_length=1)


class _Reply(BaseModel):
    data: list[_Row]


class EndpointEmbedder:
    """An embedder on a server. ``address``: its URL without ``/embeddings``, e.g. ``http://127.0.0.1:11434/v1``."""

    def __init__(self, address: str, model: str, *, alike: float, api_key: str = "") -> None:
        self.name = f"{address.rstrip('/')}#{model}"
        self.alike = alike
        self._url, self._model = f"{address.rstrip('/')}/embeddings", model
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._dimensions = 0

    @property
    def dimensions(self) -> int:
        """The length of the vectors, from the server's first answer; calls the server if it has not answered yet."""
        return self._dimensions or self.embed(["?"]).shape[1]

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """See :class:`~deskcrew.learning.memory.embedder.Embedder`."""
        import numpy as np

        rows: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            rows += self._asked([text[:LONGEST] or " " for text in texts[start : start + BATCH]])
        vectors = np.asarray(rows, dtype=np.float32)
        if vectors.ndim != 2 or (self._dimensions and vectors.shape[1] != self._dimensions):
            raise ModelFailure(f"{self.name} returns vectors of different lengths")
        self._dimensions = int(vectors.shape[1])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float32)
        return vectors / np.maximum(lengths, np.float32(1e-12))

    def _asked(self, texts: list[str]) -> list[list[float]]:
        body = {"model": self._model, "input": texts}
        try:
            answer = httpx.post(self._url, json=body, headers=self._headers, timeout=SECONDS).raise_for_status()
            rows = _Reply.model_validate_json(answer.content).data
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            hint = "Is it running, and is `memory.address` right? See `deskcrew docs memory`."
            raise ModelFailure(f"No embeddings from {self._url}: {error or type(error).__name__}", hint=hint) from error
        except ValidationError as error:
            raise ModelFailure(f"{self._url} does not answer like /embeddings: {in_words(error)}") from error
        if sorted(row.index for row in rows) != list(range(len(texts))):
            raise ModelFailure(f"{self._url} gave {len(rows)} vectors for {len(texts)} texts")
        return [row.embedding for row in sorted(rows, key=lambda row: row.index)]
