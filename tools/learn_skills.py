"""Learns which skill a request asks for from the examples of the skills that ship, and writes it into the package:
src/deskcrew/learning/skills/learnt.npz. Run it after a change of the examples; a test says when it is due."""

from __future__ import annotations

import numpy

from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew.learning.skills.recognising import LEARNT, NONE, keep, learn, lessons

if __name__ == "__main__":
    texts, told = zip(*lessons(), strict=True)
    names = (*dict.fromkeys(name for name in told if name != NONE), NONE)
    embedder = SentenceEmbedder()
    labels = numpy.array([names.index(name) for name in told])
    keep(learn(embedder.embed(texts), labels, len(names)), names, embedder.name)
    print(f"{LEARNT}: {len(texts)} examples, {len(names)} classes, {LEARNT.stat().st_size >> 10} KiB")
