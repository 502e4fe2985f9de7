"""An embedder that knows texts which do not change, such as those of the skills that ship: they were embedded once, and are
not in each run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from deskcrew.memory.embedder import Embedder

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_BETWEEN = "\0"


class Remembered:
    """Asks another embedder for what it does not know. ``file``: holds texts and their vectors, see :func:`keep`; it is not
    used where they are another embedder's."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self._embedder, self._file = embedder, file
        self.name, self.dimensions, self.alike = embedder.name, embedder.dimensions, embedder.alike

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """See :class:`~deskcrew.memory.embedder.Embedder`."""
        import numpy

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        found: dict[str, Any] = dict(zip(new, self._embedder.embed(new), strict=True)) if new else {}
        rows = [found[text] if text in found else self._known[text] for text in texts]
        return numpy.array(rows, dtype=numpy.float32).reshape(len(texts), -1)

    @cached_property
    def _known(self) -> dict[str, Any]:
        import numpy

        try:
            with self._file.open("rb") as file, numpy.load(file, allow_pickle=False) as kept:
                if str(kept["name"]) == self.name:
                    return dict(zip(str(kept["texts"]).split(_BETWEEN), kept["vectors"], strict=True))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            pass
        return {}


def keep(embedder: Embedder, texts: Sequence[str], file: Path) -> None:
    """Writes what :class:`Remembered` reads."""
    import numpy

    vectors = embedder.embed(texts).astype(numpy.float32)
    numpy.savez_compressed(file, name=numpy.array(embedder.name), texts=numpy.array(_BETWEEN.join(texts)), vectors=vectors)
